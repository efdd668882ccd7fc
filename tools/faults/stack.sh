#!/usr/bin/env bash
# The limit of the stack, met in a recursive function: PostgreSQL's own error 54001, and a log entry that is short. A
# build that calls PostgreSQL by pgrx's bindings, which put a backtrace into the error's DETAIL, is caught.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/mutant.sh"
. "$LIB/sessions.sh"

# Of volatile arguments, which the planner does not fold; the last one is PostgreSQL's.
calls=(
    "comb_inspect(gen_random_uuid())"
    "count(*) FROM comb_layouts()"
    "comb_status()"
    "comb_new()"
    "comb_new('mssql')"
    "comb_new_bsv()"
    "comb_bsv_timestamp(comb_new_bsv())"
    "comb_typeid_uuid(comb_typeid('user', gen_random_uuid()), 'user')"
    "comb_shifted('1 day')"
    "comb_observe(comb_new())"
    "array_agg(id::uniqueidentifier ORDER BY id::uniqueidentifier) FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 10)) ids"
    "jsonb(json_build_object('a', gen_random_uuid()))"
)
# With the error that they raise where there is stack.
declare -A errors=(
    ["comb_new('nonsense')"]=22023
    ["comb_at('infinity')"]=22008
    ["comb_bsv_uuid(left(comb_new_bsv(), 5))"]=22P02
    ["comb_decode(left(comb_encode(gen_random_uuid(), 'crockford'), 5), 'crockford')"]=22P02
)

# deep CALL: psql's commands for a function that makes the call on every level, under limits that end within one level of
# each other.
deep() {
    local limit
    echo "CREATE OR REPLACE FUNCTION deep() RETURNS int LANGUAGE plpgsql AS \$\$ BEGIN PERFORM $1; RETURN deep(); END \$\$;"
    for limit in 100 101 102 103 104; do echo "SET max_stack_depth = '${limit}kB'; SELECT deep();"; done
}
# deepest CALL: the same for one that makes it where it has reached the limit, and again on each level above until there
# is enough stack.
deepest() {
    deep "$1" |
        sed 's/BEGIN PERFORM \(.*\); RETURN deep();/BEGIN RETURN deep(); EXCEPTION WHEN statement_too_complex THEN PERFORM \1; RETURN 1;/'
}
# What psql says, one word an answer.
sqlstates() { sql -v ON_ERROR_STOP=0 -v VERBOSITY=sqlstate 2>&1 | sed 's/^.*ERROR: *//' | paste -sd' '; }

server_start
for call in "${calls[@]}"; do
    states=$(deep "$call" | sqlstates)
    fact "${call:0:60}: $states" "$(truth [ "$states" = "54001 54001 54001 54001 54001" ])"
done
for call in "${!errors[@]}"; do
    states=$(deepest "$call" | sqlstates) state=${errors[$call]}
    fact "$call: $states" "$(truth [ "$states" = "$state $state $state $state $state" ])"
done
# How many lines the log's longest ERROR, DETAIL, HINT or CONTEXT has; of a context not those of the levels, each of
# which names the function.
longest_part() {
    awk '/^[^\t]/ { lines = 0 } !/deep\(\)/ { lines++ } lines > longest { longest = lines } END { print longest }' \
        "$CLUSTER/work/data.log"
}
fact "no part of a log entry has more than $(longest_part) lines but for the levels" "$(truth [ "$(longest_part)" -lt 20 ])"
log_is_clean

say "A build that calls by pgrx's bindings"
mutant guards src/functions/read.rs 's/raw::DirectFunctionCall1Coll\(Some\(raw::jsonb_in\), pg_sys::Oid::INVALID, text\)/{ \
    static HOOK: std::sync::Once = std::sync::Once::new(); \
    HOOK.call_once(pg_sys::panic::register_pg_guard_panic_hook); \
    pg_sys::panic::pgrx_extern_c_guard(move || pg_sys::DirectFunctionCall1Coll(Some(raw::jsonb_in), pg_sys::Oid::INVALID, text)) \
}/'
# Before the one that is installed.
cluster_restart "dynamic_library_path=${LIBRARY%/*}:\$libdir"
states=$(deep "${calls[0]}" | sqlstates)
fact "is caught: $states, a part of an entry has $(longest_part)" "$(truth [ "$(longest_part)" -ge 20 ])"
finish
