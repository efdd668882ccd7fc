#!/usr/bin/env bash
# Preloaded, every backend is a fork of the postmaster: none may go on with randomness that another has.
# A build that draws in the postmaster and looks neither whose randomness it is nor how old must be caught by the
# very check that the real one passes.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/mutant.sh"

# The last 48 bits of an id: nothing but randomness. Of so many, two are the same once in a million runs.
TAIL="right(comb_new()::text, 12)"
ROWS=20000

# repeated_tails SCOPE: how often new connections and then parallel workers of that scope drew what another
# had drawn. In the database of PGDATABASE.
repeated_tails() {
    local PGOPTIONS="-c comb.scope=$1"
    export PGOPTIONS
    sql -c "DROP TABLE IF EXISTS drawn, source, drawn_in_parallel" -c "CREATE TABLE drawn (process text, tail text)" 2>/dev/null
    pgbench --no-vacuum --connect --transactions=50 --file=- >/dev/null 2>"$CLUSTER/pgbench.log" \
        <<<"INSERT INTO drawn VALUES ('connections', $TAIL);" || die "pgbench failed" "$(tail -n 5 "$CLUSTER/pgbench.log")"
    sql <<SQL
CREATE TABLE source AS SELECT n FROM generate_series(1, $ROWS) n;
ANALYZE source;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 4;
SET parallel_leader_participation = off;
-- Below the Gather, where the workers are.
CREATE TABLE drawn_in_parallel AS SELECT 'workers' AS process, $TAIL AS tail FROM source;
INSERT INTO drawn TABLE drawn_in_parallel;
SELECT process, count(*) - count(DISTINCT tail) FROM drawn GROUP BY process ORDER BY process;
SQL
}

server_start
for scope in server backend; do
    [ "$(repeated_tails $scope)" = $'connections|0\nworkers|0' ] && same=t || same=f
    fact "scope $scope: 50 new connections and parallel workers repeat no random bits" $same
done

mutant draws_in_postmaster \
    src/lib.rs 's/^( *)server::settings::define\(\);$/&\n\1let _ = server::backend::random();/' \
    crates/comb-clock/src/random.rs 's/seeded\.process_id == process_id \&\& //' \
    crates/comb-clock/src/random.rs 's/Some\(at\) if monotonic\.wrapping_sub\(at\) < LONGEST_USE =>/Some(_) =>/'
sql -c "CREATE DATABASE mutant"
export PGDATABASE=mutant
# Before the mutant is preloaded: CREATE EXTENSION would load the one that is installed, beside it.
sql -c "CREATE EXTENSION comb"
use_library "$LIBRARY"
cluster_down fast
echo "shared_preload_libraries = '$LIBRARY'" >>"$CLUSTER/data/postgresql.conf"
cluster_up
# A backend of scope server makes the state for it when it attaches the block, after the fork.
repeated=$(repeated_tails backend)
repeated=${repeated//$'\n'/ }
[[ $repeated =~ ^'connections|'[1-9][0-9]*' workers|'[1-9][0-9]*$ ]] && caught=t || caught=f
fact "a build that draws in the postmaster and hands on what it drew is caught: $repeated" $caught
finish
