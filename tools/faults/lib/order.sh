# shellcheck shell=bash
# Order across connections, as a client sees it: an id that is made after another was committed is
# greater. Sourced after fault.sh.

# order_table NAME: a table for order_load. Its primary key would tell an id that is made twice.
order_table() {
    sql -c "CREATE TABLE $1 (id uuid PRIMARY KEY, seen uuid NOT NULL)" \
        -c "INSERT INTO $1 VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000000')"
}

# order_load TABLE CALL SECONDS CONNECTIONS [OPTION...]: connections that look at the greatest id and then
# make one by CALL, again and again. The options are pgbench's.
order_load() {
    local table=$1 call=$2 seconds=$3 connections=$4
    shift 4
    pgbench --no-vacuum --client="$connections" --jobs=2 --time="$seconds" --define=table="$table" --define=call="$call" \
        --file=- "$@" >"$CLUSTER/pgbench.$table.log" 2>&1 <<'PGBENCH' || { tail -n 5 "$CLUSTER/pgbench.$table.log" && return 1; }
SELECT id AS seen FROM :table ORDER BY id DESC LIMIT 1 \gset
INSERT INTO :table VALUES (:call, ':seen');
PGBENCH
}

# order_inversions TABLE: how many ids are not above what their connection had seen.
order_inversions() { sql -c "SELECT count(*) FROM $1 WHERE id <= seen"; }

# order_rows TABLE
order_rows() { sql -c "SELECT count(*) FROM $1"; }
