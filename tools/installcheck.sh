#!/usr/bin/env bash
# installcheck.sh [PG_CONFIG]: the regression tests, by the pg_regress of that pg_config, on the running server that
# PGHOST, PGPORT and their kin name. They need a superuser, and leave the server's clock of ids alone.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/user_server.sh"

find_server "${1:-}"
regress=$("$PG_CONFIG" --pgxs)
regress=${regress%/makefiles/pgxs.mk}/test/regress/pg_regress
[ -x "$regress" ] || die "there is no $regress" "It comes with PostgreSQL's server headers."
"$("$PG_CONFIG" --bindir)/pg_isready" || die "make installcheck needs a running server, and none answers there" "PGHOST and PGPORT say where it is."
results=$(mktemp -d "${TMPDIR:-/tmp}/comb-installcheck.XXXXXX")
# Those that begin with server_ move the clock for all connections, whose ids would be of the future for as long.
mapfile -t tests < <(cd "$ROOT/pg_test/sql" && find . -name '*.sql' ! -name 'server_*' | sed 's|^\./||; s|\.sql$||' | LC_ALL=C sort)
if "$regress" --bindir="$("$PG_CONFIG" --bindir)" --inputdir="$ROOT/pg_test" --outputdir="$results" --dbname=comb_regression "${tests[@]}"; then
    rm -rf "$results"
else
    [ ! -f "$results/regression.diffs" ] || cat "$results/regression.diffs"
    die "the regression tests failed" "What psql showed is in $results"
fi
