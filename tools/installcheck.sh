#!/usr/bin/env bash
# installcheck.sh [PG_CONFIG]: the regression tests, by the pg_regress of that pg_config, on the running server that
# PGHOST, PGPORT and so on name. They need a superuser, and do not change the shared clock.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/user_server.sh"

find_server "${1:-}"
regress=$("$PG_CONFIG" --pgxs)
regress=${regress%/makefiles/pgxs.mk}/test/regress/pg_regress
[ -x "$regress" ] || die "there is no $regress" "It comes with PostgreSQL's server headers."
"$("$PG_CONFIG" --bindir)/pg_isready" || die "make installcheck needs a running server, and none answers there" "PGHOST and PGPORT say where it is."
query() { "$("$PG_CONFIG" --bindir)/psql" -X -At -d "${PGDATABASE:-postgres}" -c "$1"; }
[ "$(query "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")" = t ] ||
    die "make installcheck needs a superuser of that server" "PGUSER names another role. Or: sudo -u postgres createuser \
--superuser $(id -un); if the role exists: sudo -u postgres psql -c 'ALTER ROLE $(id -un) SUPERUSER'"
[ "$(query "SELECT count(*) FROM pg_available_extensions WHERE name = 'comb'")" = 1 ] ||
    die "comb is not installed in that server" "First: $(make_command), then $(make_command install), with sudo if it needs root"
results=$(mktemp -d "${TMPDIR:-/tmp}/comb-installcheck.XXXXXX")
# Those that begin with server_ set the clock of all connections forward.
mapfile -t tests < <(cd "$ROOT/pg_test/sql" && find . -name '*.sql' ! -name 'server_*' | sed 's|^\./||; s|\.sql$||' | LC_ALL=C sort)
# pg_regress creates it.
trap 'query "DROP DATABASE IF EXISTS comb_regression" >/dev/null' EXIT
if "$regress" --bindir="$("$PG_CONFIG" --bindir)" --inputdir="$ROOT/pg_test" --outputdir="$results" --dbname=comb_regression "${tests[@]}"; then
    rm -rf "$results"
else
    [ ! -f "$results/regression.diffs" ] || cat "$results/regression.diffs"
    die "the regression tests failed" "The output of psql is in $results"
fi
