#!/usr/bin/env bash
# Builds the programs of the demo into folder $1 and runs it: on a private Postgres, or on SQLite where there are no
# server programs and none can be installed.
#
#   IDEMGEN_DEMO=sqlite, postgres   one of them, whatever is there
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/debian.sh # say
bin=$1

go build -o "$bin/" ./examples/payments/cardnetwork ./examples/payments/demo

on_postgres() {
	go build -o "$bin/payments" ./examples/payments/server
	IDEMGEN_POSTGRES_BIN=$1 exec "$bin/demo" -programs "$bin"
}

on_sqlite() {
	(cd lab/sqlite && GOWORK=off go build -o "$bin/payments" ./payments)
	exec "$bin/demo" -programs "$bin" -sqlite
}

case ${IDEMGEN_DEMO:-} in
sqlite) on_sqlite ;;
postgres | "") ;;
*)
	say "IDEMGEN_DEMO is $IDEMGEN_DEMO; there are sqlite and postgres"
	exit 1
	;;
esac
if programs=$(scripts/postgres.sh); then
	on_postgres "$programs"
fi
# who names a folder or a store wants that one
[[ -z ${IDEMGEN_POSTGRES_BIN:-}${IDEMGEN_DEMO:-} ]] || exit 1
say "The demo runs on SQLite instead."
on_sqlite
