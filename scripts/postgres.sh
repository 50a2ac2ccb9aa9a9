#!/usr/bin/env bash
# Prints the folder that holds Postgres's server programs (initdb, postgres), for the tests and the demo, which start
# private servers of their own. Where there is none it installs Debian's package, saying so first, or says what to
# install and fails. All talk goes to stderr; stdout is the folder alone.
#
#   IDEMGEN_POSTGRES_BIN   the folder, if you know better
#   IDEMGEN_POSTGRES_ROOT  look for installed versions below this root (for the test of this script)
set -euo pipefail
source "$(dirname "$0")/debian.sh"

oldest=14 # sweeping reads page ranges of the table, which 14 was the first to do well
root=${IDEMGEN_POSTGRES_ROOT:-}

# usable tells whether folder $1 holds a server of a version that will do.
usable() {
	[[ -x $1/initdb && -x $1/postgres ]] || return 1
	local version
	version=$("$1/postgres" --version)
	[[ $version =~ [0-9]+ ]] && version=${BASH_REMATCH[0]}
	((version >= oldest)) && return 0
	say "$1 holds version $version; $oldest or newer is needed"
	return 1
}

# candidates lists the folders worth a look, best first: the newest version that a package put where packages put it.
candidates() {
	local glob
	if [[ -z $root ]] && command -v postgres >/dev/null; then
		dirname "$(readlink -f "$(command -v postgres)")"
	fi
	for glob in '/usr/lib/postgresql/*/bin' '/usr/pgsql-*/bin' '/opt/homebrew/opt/postgresql@*/bin' '/usr/local/opt/postgresql@*/bin' \
		'/Applications/Postgres.app/Contents/Versions/*/bin'; do
		compgen -G "$root$glob" || true
	done | sort -rV
}

find_bin() {
	local dir
	while read -r dir; do
		usable "$dir" && echo "$dir" && return 0
	done < <(candidates)
	return 1
}

# install gets Debian's server package. Debian makes and starts a server of its own on installing, which nobody here
# asked for: a setting that lives only as long as the installation keeps it from that.
install() {
	local setting=/etc/postgresql-common/createcluster.d/idemgen.conf ok=0
	say "no Postgres server programs found; installing Debian's package postgresql (no server is set up or started by it)"
	as_root mkdir -p "$(dirname "$setting")"
	echo "create_main_cluster = false" | as_root tee "$setting" >/dev/null
	install_packages postgresql || ok=$?
	as_root rm -f "$setting"
	return "$ok"
}

if [[ -n ${IDEMGEN_POSTGRES_BIN:-} ]]; then
	usable "$IDEMGEN_POSTGRES_BIN" && echo "$IDEMGEN_POSTGRES_BIN" && exit
	say "IDEMGEN_POSTGRES_BIN is set, but there are no usable initdb and postgres in that folder"
	exit 1
fi
find_bin && exit
if can_install && install && find_bin; then
	exit
fi
say "no Postgres server programs of version $oldest or newer, and none could be installed."
say "Install them (Debian, Ubuntu: apt-get install postgresql; Fedora: dnf install postgresql-server; macOS: brew install postgresql@17),"
say "or set IDEMGEN_POSTGRES_BIN to the folder that holds initdb and postgres."
exit 1
