#!/usr/bin/env bash
# installcheck.sh [PG_CONFIG]: the regression tests, by the pg_regress of that pg_config, on the running server that
# PGHOST, PGPORT and their kin name. They need a superuser, and leave the server's clock of ids alone.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/user_server.sh"
. "$(dirname "$0")/regress.sh"

find_server "${1:-}"
results=$(mktemp -d "${TMPDIR:-/tmp}/comb-installcheck.XXXXXX")
# They move the clock for all connections, whose ids would be of the future for as long.
mapfile -t tests < <(regress_tests | grep -v '^server_')
if run_regress "$PG_CONFIG" "$results" "${tests[@]}"; then
    rm -rf "$results"
else
    die "the regression tests failed" "What psql showed is in $results"
fi
