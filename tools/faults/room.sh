#!/usr/bin/env bash
# The shared memory cannot be had: each connection makes ids by a clock of its own, comb_status() says why, and nothing
# fails that did not ask for the server's order. And dynamic shared memory, which parallel queries need, cannot be had
# (as where /dev/shm is full): ids do without.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/mutant.sh"
. "$LIB/sessions.sh"

# Dynamic shared memory as files in the data folder, so that a test can forbid it.
server_start dynamic_shared_memory_type=mmap

say "No dynamic shared memory"
chmod 500 "$CLUSTER/data/pg_dynshmem"
parallel=$(sql -v VERBOSITY=sqlstate -v ON_ERROR_STOP=0 2>&1 <<'SQL'
CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) n;
ANALYZE source;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) FROM source;
SQL
)
fact "a parallel query has none: $parallel" "$(truth [ "$parallel" = "ERROR:  42501" ])"
facts <<'SQL'
SELECT 'the first id of the server is made', comb_new() IS NOT NULL;
SELECT 'its scope is the server: ' || reason, scope = 'server' FROM comb_status();
SQL
chmod 700 "$CLUSTER/data/pg_dynshmem"

# Preloaded, the server reserves the memory when it starts.
if [ "$SHARING" = attached ]; then
    say "No shared memory"
    # Two files in the data folder make it miscount, or keep, the lock under which it asked for memory.
    mutant asks_for_too_much \
        src/server/shared_memory.rs 's/ShmemInitStruct\(NAME\.as_ptr\(\), size_of::<Block>\(\)/ShmemInitStruct(c"another".as_ptr(), 1 << 40/' \
        src/server/shared_memory.rs 's/^( *)pg_sys::InterruptHoldoffCount \+= 1;$/if !std::path::Path::new("miscounts").exists() { & }/' \
        src/server/shared_memory.rs 's/if !allocated \&\& /&!std::path::Path::new("keeps").exists() \&\& /'
    sql -c "CREATE DATABASE mutant"
    export PGDATABASE=mutant
    sql -c "CREATE EXTENSION comb"
    use_library "$LIBRARY"
    # For psql: the scope of a session with the library that is installed.
    export OTHER="timeout 2 psql -X -q -d postgres -At -c 'SELECT scope FROM comb_status()'"

    facts <<'SQL'
CREATE TABLE stored (id uuid PRIMARY KEY DEFAULT comb_new(), n int);
INSERT INTO stored (n) SELECT generate_series(1, 10000);
SELECT 'an INSERT works', count(*) = 10000 FROM stored;
SELECT 'in the order of the connection', array_agg(n ORDER BY id) = array_agg(n ORDER BY n) FROM stored;
SELECT 'the status says why: ' || reason, scope = 'backend' AND reason = 'shared memory could not be allocated' FROM comb_status();
\set scope `eval "$OTHER"`
SELECT 'another session gets what it asks for', :'scope' = 'server';
CREATE TABLE failed (sqlstate text, message text, detail text, hint text);
DO $$
DECLARE failure failed;
BEGIN
    SET comb.scope = server;
    PERFORM comb_new();
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS failure.sqlstate = RETURNED_SQLSTATE, failure.message = MESSAGE_TEXT,
        failure.detail = PG_EXCEPTION_DETAIL, failure.hint = PG_EXCEPTION_HINT;
    INSERT INTO failed SELECT failure.*;
END $$;
SELECT 'with comb.scope = server, the error is 55000: ' || message, sqlstate = '55000' FROM failed;
SELECT 'with a detail of one line: ' || detail, detail <> '' AND detail NOT LIKE E'%\n%' FROM failed;
SELECT 'and a hint: ' || hint, hint LIKE '%"shared_preload_libraries"%' FROM failed;
SELECT 'the session goes on', comb_new() IS NOT NULL;
SQL
    # What a session is told that makes two ids, and sets its scope in between.
    warned=$(sql -c "SELECT comb_new()" -c "SET comb.scope = backend" -c "SELECT comb_new()" -c "RESET comb.scope" -c "SELECT comb_new()" 2>&1)
    fact "a session is warned once" "$(truth [ "$(grep -c "WARNING:  UUIDs of this connection are not ordered with those of other connections" <<<"$warned")" = 1 ])"
    fact "with the reason" "$(truth grep -q "DETAIL: .*shared memory could not be allocated" <<<"$warned")"
    fact "and a hint" "$(truth grep -q 'HINT: .*"shared_preload_libraries"' <<<"$warned")"
    fact "and so is the log" "$(truth grep -q "WARNING:  UUIDs of this connection" "$CLUSTER"/work/data.log)"
    fact "not if its scope is backend" "$(truth [ -z "$(sql -c "SET comb.scope = backend" -c "SELECT comb_new()" 2>&1 | grep WARNING)" ])"
    # A session that could not have the memory, and then sleeps.
    sleeps() {
        sql -v ON_ERROR_STOP=0 -v VERBOSITY=sqlstate -c "SELECT comb_new()" -c "SET statement_timeout = 200" \
            -c "SELECT pg_sleep(2)" 2>&1 | tail -n 1
    }
    fact "a statement of it can be canceled" "$(truth [ "$(sleeps)" = "ERROR:  57014" ])"

    say "A build that does not put the lock right"
    touch "$CLUSTER/data/miscounts"
    fact "is caught: no statement can be canceled" "$(truth [ "$(sleeps)" != "ERROR:  57014" ])"
    touch "$CLUSTER/data/keeps"
    facts <<'SQL'
SELECT comb_new() \g /dev/null
\set scope `eval "$OTHER"`
SELECT 'is caught: another session waits', :'scope' = '';
SQL
fi
log_is_clean
finish
