#!/usr/bin/env bash
# demo.sh [MAJOR]: runs demo.sql in a private PostgreSQL, which is removed at the end, and then opens psql.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

say "This takes half a minute, the first time about 5 minutes, to compile comb. It uses 1 GB in /tmp until it ends; 600 MB in" \
    "${CARGO_TARGET_DIR:-$ROOT/target} and up to 100 MB in $COMB_CACHE stay. It installs missing packages"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"
install_release
say "Starting a private PostgreSQL $MAJOR"
cluster_start "$PG_CONFIG" shared_buffers=512MB max_wal_size=8GB checkpoint_timeout=30min timezone=UTC \
    max_parallel_workers_per_gather=0
sql -c "CREATE DATABASE comb"
export PGDATABASE=comb OTHER_SESSION="$BIN/psql -X -q --echo-queries"

"$BIN/psql" -X -q --echo-queries -v rows="${ROWS:-1000000}" -v bold="$BOLD" -v plain="$PLAIN" <"$ROOT/tools/demo.sql" 2>&1
if [ -t 0 ] && [ -t 1 ]; then
    echo "${BOLD}-- Your turn: all tables still exist. \\q ends psql and removes the server.$PLAIN"
    # Ctrl-C there is for psql, not for this script.
    trap : INT
    "$BIN/psql" -X || true
else
    say "Done. In a terminal, the demo ends in psql."
fi
