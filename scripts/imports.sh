#!/usr/bin/env bash
# Checks that imports go one way (cmd → generator → templates; cmd → internal/claims → idem/postgres → idem), that the runtime needs nothing
# beyond the standard library, and that what only tools, tests and stores need does not reach people who import it.
set -euo pipefail
cd "$(dirname "$0")/.."
module=$(go list -m)
bad=0

complain() {
	echo "imports.sh: $*" >&2
	bad=1
}

# forbid PACKAGES REGEXP WHY: nothing that one of the packages needs, however far away, may match.
forbid() {
	local packages=$1 regexp=$2 why=$3 needed found
	# shellcheck disable=SC2086 # several patterns in one word
	needed=$(go list -deps $packages)
	found=$(grep -E -- "$regexp" <<<"$needed" | paste -sd ' ' || true)
	[[ -z $found ]] || complain "$packages: $why: $found"
}

# direct PACKAGE REGEXP WHY: the package itself may not import what matches.
direct() {
	local package=$1 regexp=$2 why=$3 imported found
	imported=$(go list -f '{{join .Imports "\n"}}' "$package")
	found=$(grep -E -- "$regexp" <<<"$imported" | paste -sd ' ' || true)
	[[ -z $found ]] || complain "$package: $why: $found"
}

outside=$(go list -deps -f '{{if not .Standard}}{{.ImportPath}}{{end}}' ./idem)
outside=$(grep -v -e "^$module/idem$" -e "^$module/idem/shape$" <<<"$outside" | paste -sd ' ' || true)
[[ -z $outside ]] || complain "./idem needs more than the standard library: $outside"

outside=$(go list -deps -f '{{if not .Standard}}{{.ImportPath}}{{end}}' ./idem/codec)
outside=$(grep -v -e "^$module/idem$" -e "^$module/idem/shape$" -e "^$module/idem/codec$" <<<"$outside" | paste -sd ' ' || true)
[[ -z $outside ]] || complain "./idem/codec needs more than idem and the standard library, and is no module of its own: $outside"

outside=$(go list -deps -f '{{if not .Standard}}{{.ImportPath}}{{end}}' ./idem/sqlite)
outside=$(grep -v -e "^$module/idem$" -e "^$module/idem/shape$" -e "^$module/idem/sqlite" <<<"$outside" | paste -sd ' ' || true)
[[ -z $outside ]] || complain "./idem/sqlite needs a driver, which is its user's to choose: $outside"

forbid "./idem/..." "^$module/(generator|templates|cmd|examples)" "the runtime may not need the generator"
forbid "./idem/..." "^(golang.org/x/tools|github.com/dave/jennifer)" "the runtime may not need what only the generator does"
forbid "./idem ./idem/idemtest" "^github.com/jackc/" "only a store may need its driver"
forbid "./generator ./templates ./internal/starter ./internal/lock" "^($module/idem/postgres|github.com/jackc/)" "the generator may not need a store"
direct "./cmd/idemgen" "^github.com/jackc/" "the command leaves databases to internal/claims"
direct "./internal/claims" "^$module/(generator|templates|cmd)" "people who look at claims need no generator"
forbid "./templates" "^$module/(generator|cmd)" "templates are used by the generator, not the other way round"
direct "./templates" "^go/(types|ast|parser|packages)$" "templates turn a plain model into code and look at no types"
forbid "./vet" "^($module/(generator|templates|cmd|idem)|github.com/(dave|jackc)/)" "other tools take the analyzer, and nothing else with it"
direct "./generator" "^$module/cmd" "the command uses the generator, not the other way round"

exit "$bad"
