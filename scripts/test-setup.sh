#!/usr/bin/env bash
# Tests scripts/postgres.sh, scripts/demo.sh and scripts/compiler.sh: that they find what is there, say what to do where they can't
# help, and really install. The last is done in a throwaway copy of this machine (an overlay with nothing but its own
# changes, in namespaces of its own), from which the packages are removed first; it needs root on Debian.
set -euo pipefail
cd "$(dirname "$0")/.."
script=$PWD/scripts/postgres.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset IDEMGEN_POSTGRES_BIN IDEMGEN_POSTGRES_ROOT
passed=0

fail() {
	echo "FAIL: $*" >&2
	[[ -s $work/err ]] && sed 's/^/    /' "$work/err" >&2
	exit 1
}
ok() {
	passed=$((passed + 1))
	echo "ok: $*"
}

# fake_server puts programs that claim to be of version $2 where packages put version $1, below the root of the test.
fake_server() {
	local bin=$work/root/usr/lib/postgresql/$1/bin
	mkdir -p "$bin"
	printf '#!/bin/sh\necho "postgres (PostgreSQL) %s"\n' "$2" | tee "$bin/initdb" >"$bin/postgres"
	chmod +x "$bin/initdb" "$bin/postgres"
}

# without_apt is a PATH with what the script needs and no apt-get.
without_apt() {
	mkdir -p "$work/path"
	local name
	for name in basename bash dirname readlink sort; do
		ln -sf "$(command -v "$name")" "$work/path/$name"
	done
	echo "$work/path"
}

no_packages=$(without_apt)
mkdir -p "$work/root"

if PATH=$no_packages IDEMGEN_POSTGRES_ROOT=$work/root "$script" >"$work/out" 2>"$work/err"; then
	fail "it succeeded where there is neither a server nor a package manager"
fi
grep -q "apt-get install postgresql" "$work/err" || fail "it does not say what to install"
[[ ! -s $work/out ]] || fail "it printed a folder although there is none"
ok "no server and no package manager: it says what to install, and fails"

fake_server 13 13.9
if PATH=$no_packages IDEMGEN_POSTGRES_ROOT=$work/root "$script" >"$work/out" 2>"$work/err"; then
	fail "it took a version that is too old"
fi
grep -q "version 13" "$work/err" || fail "it does not say which version it turned down"
ok "a version that is too old is turned down, and named"

fake_server 9.6 9.6.24
fake_server 17 17.2
fake_server 15 15.18
dir=$(IDEMGEN_POSTGRES_ROOT=$work/root "$script" 2>"$work/err") || fail "it did not find a server that is there"
[[ $dir == "$work/root/usr/lib/postgresql/17/bin" ]] || fail "it chose $dir and not the newest"
ok "the newest version is chosen"

IDEMGEN_POSTGRES_BIN=$work/nowhere "$script" >"$work/out" 2>"$work/err" && fail "it took a folder without programs"
grep -q IDEMGEN_POSTGRES_BIN "$work/err" || fail "it does not name the setting that is wrong"
ok "a wrong IDEMGEN_POSTGRES_BIN is named"

ln -s "$(command -v go)" "$no_packages/go"
PATH=$no_packages CC=no-such-compiler scripts/compiler.sh >"$work/out" 2>"$work/err" && fail "it found a compiler that is not there"
grep -q "apt-get install gcc" "$work/err" || fail "it does not say what to install"
ok "no compiler and no package manager: it says what to install, and fails"

for name in env git; do
	ln -sf "$(command -v "$name")" "$no_packages/$name"
done
mkdir -p "$work/empty" "$work/bin"
PATH=$no_packages IDEMGEN_POSTGRES_ROOT=$work/empty scripts/demo.sh "$work/bin" >"$work/out" 2>"$work/err" || fail "no demo where there is no server"
grep -q "runs on SQLite instead" "$work/err" || fail "it does not say that the demo runs on SQLite"
grep -q "claims are kept in a SQLite file" "$work/out" || fail "the demo does not run on SQLite"
ok "no server and no package manager: the demo says so, and shows the same on SQLite"

PATH=$no_packages IDEMGEN_POSTGRES_BIN=$work/nowhere scripts/demo.sh "$work/bin" >"$work/out" 2>"$work/err" && fail "the demo runs although IDEMGEN_POSTGRES_BIN is wrong"
ok "a wrong IDEMGEN_POSTGRES_BIN is no reason to run on something else"

# The rest runs as root of a copy of this machine.
in_copy() {
	unshare --mount --pid --fork bash -euo pipefail -c '
		mount -t tmpfs none "$1"
		mkdir "$1/upper" "$1/work" "$1/copy"
		mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/copy"
		mount -t proc proc "$1/copy/proc"
		mount --bind /dev "$1/copy/dev"
		mkdir "$1/copy/scripts-under-test"
		cp scripts/*.sh "$1/copy/scripts-under-test"
		exec chroot "$1/copy" /usr/bin/env "PATH=/usr/sbin:/usr/bin:/sbin:/bin:$3" bash -euo pipefail -c "$2"
	' - "$work/mount" "$1" "$(go env GOROOT)/bin"
}
mkdir "$work/mount"
if ! command -v apt-get >/dev/null || ! in_copy true 2>/dev/null; then
	echo "NOT RUN here: the installation itself; it needs Debian, root and the right to mount"
	echo "set-up: $passed checks passed"
	exit
fi
in_copy '
	{
		compilers=$(dpkg-query -W -f "\${Package}\n" | grep -E "^gcc(-[0-9]+)?$" || true)
		DEBIAN_FRONTEND=noninteractive apt-get purge -y -qq "postgresql*" $compilers
		rm -rf /usr/lib/postgresql /etc/postgresql /etc/postgresql-common /var/lib/postgresql
	} </dev/null >/dev/null 2>&1
	! ls -d /usr/lib/postgresql/*/bin/postgres /usr/bin/gcc 2>/dev/null
	bin=$(/scripts-under-test/postgres.sh)
	/scripts-under-test/compiler.sh
	echo "installed: $("$bin/postgres" --version), $(gcc --version | sed -n 1p)"
	echo "clusters: $(find /etc/postgresql -mindepth 1 2>/dev/null | wc -l)"
	echo "left over: $(find /etc/postgresql-common -name "idemgen*" | wc -l)"
' >"$work/out" 2>"$work/err" || fail "they did not install"
grep -q "installing Debian's package postgresql" "$work/err" || fail "it does not say that it installs the server"
grep -q "installing Debian's packages gcc" "$work/err" || fail "it does not say that it installs the compiler"
grep -q "^installed: postgres.* gcc" "$work/out" || fail "no server or no compiler came of it"
grep -q "^clusters: 0" "$work/out" || fail "a server nobody asked for was set up"
grep -q "^left over: 0" "$work/out" || fail "it left its setting behind"
ok "server programs and compiler hidden: they say so, install the packages, and set up no server"
sed -n 's/^installed: /    /p' "$work/out"
echo "set-up: $passed checks passed"
