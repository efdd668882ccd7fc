#!/usr/bin/env bash
# demo.sh [MAJOR]: runs demo.sql in a private PostgreSQL, which is removed at the end. In a terminal, it waits for Enter between
# the parts, and opens psql at the end.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

say "The demo shows: times in keys; bulk loads with random and ordered keys; two readers that poll while four sessions write, of which" \
    "one misses rows; and a range of time that the primary key finds"
say "This takes about a minute, the first time about 5 minutes, to compile comb. It uses 1 GB in /tmp until it ends; 600 MB in" \
    "${CARGO_TARGET_DIR:-$ROOT/target} and up to 100 MB in $COMB_CACHE stay. It installs missing packages"
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"
install_release
say "Starting a private PostgreSQL $MAJOR"
cluster_start "$PG_CONFIG" shared_buffers=512MB max_wal_size=8GB checkpoint_timeout=30min timezone=UTC jit=off \
    max_parallel_workers_per_gather=0
sql -c "CREATE DATABASE comb"
export PGDATABASE=comb SESSION="$BIN/psql -X -q"

terminal=false
if [ -t 0 ] && [ -t 1 ]; then terminal=true; fi
# By a redirection, not -f: \prompt then reads the terminal, and messages do not begin with the file's name.
$SESSION --echo-queries -v rows="${ROWS:-1000000}" -v terminal=$terminal -v bold="$BOLD" -v plain="$PLAIN" \
    -v major="$MAJOR" -v second_session="$SESSION -h $PGHOST -U postgres comb" <"$ROOT/tools/demo.sql" 2>&1
say_what_stays
if $terminal; then
    say "This server and its tables exist until you end psql with \\q"
    # Ctrl-C there is for psql, not for this script.
    trap : INT
    "$BIN/psql" -X || true
fi
