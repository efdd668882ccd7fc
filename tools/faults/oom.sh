#!/usr/bin/env bash
# No memory: every function answers, or raises an error as PostgreSQL's own do (53200). First in backends whose address
# space is limited and full; then in a build whose Rust allocator gives nothing, which ends the server as soon as
# anything asks it. A build in which something does is caught by both.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/mutant.sh"
. "$LIB/sessions.sh"

# What a backend can fill, in kB.
ROOM=24000

# Functions of ours and two of PostgreSQL's, each so often in one row that its memory context has to grow; of volatile
# arguments, which the planner does not fold.
calls=(
    "40 comb_inspect(gen_random_uuid())"
    "40 comb_status()"
    "1 (SELECT count(*) FROM comb_layouts())"
    "600 comb_new()"
    "600 comb_new('mssql')"
    "1 comb_new('nonsense')"
    "1 comb_at('infinity', 'mssql')"
    "600 comb_at(now(), 'mssql')"
    "600 comb_shifted('1 day')"
    "300 comb_new_bsv()"
    "600 comb_bsv_uuid(comb_new_bsv())"
    "600 comb_bsv_timestamp(comb_new_bsv())"
    "1 comb_bsv_timestamp(left(comb_new_bsv(), 5))"
    "600 comb_decode(comb_encode(gen_random_uuid(), 'base58'), 'base58')"
    "600 comb_typeid_uuid(comb_typeid('user', gen_random_uuid()), 'user')"
    "1 comb_decode(left(comb_encode(gen_random_uuid(), 'crockford'), 5), 'crockford')"
    "1 comb_typeid_uuid(comb_typeid('order', gen_random_uuid()), 'user')"
    "1 comb_observe(comb_new())"
    "1 (SELECT min(id) FROM (SELECT md5(n::text)::uuid::uniqueidentifier AS id FROM generate_series(1, 1000) n ORDER BY id OFFSET 0) ids)"
    "40 to_jsonb(clock_timestamp())"
    "600 gen_random_uuid()"
)
# How a call may end: with a value, without memory, or with the error that some of them are for.
PERMITTED='00000|53200|22008|22023|22P02'

# In a cached plan, a call needs hardly any memory but its own.
call_functions() {
    local call
    for call in "${!calls[@]}"; do
        printf 'CREATE FUNCTION call_%s() RETURNS void LANGUAGE plpgsql AS $f$ BEGIN PERFORM %s; END $f$;\n' \
            "$call" "$(yes "${calls[call]#* }" | head -n "${calls[call]%% *}" | paste -sd,)"
    done
    # Takes memory until there is none for another statement of that size.
    cat <<'SQL'
CREATE FUNCTION fill(size int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR n IN 0 .. 1000000 LOOP
        EXECUTE format('PREPARE filler_%s_%s AS SELECT %L', size, n, repeat('x', size));
    END LOOP;
END
$$;
SQL
}

# full WARMTH: a session whose memory is full and is released bit by bit, while it calls. Warm, it has made all
# calls before; cold, it has only loaded the library. Prints lines CALL SQLSTATE.
full() {
    local size n call
    {
        echo "LOAD 'comb';"
        [ "$1" = cold ] || for n in 1 2 3 4 5 6 7; do for call in "${!calls[@]}"; do echo "SELECT call_$call();"; done; done
        for size in 1000000 100000 10000 1000 1; do echo "SELECT fill($size);"; done
        echo "\\o /dev/null"
        for size in 1 1000 10000 100000; do
            for n in 0 1 2 3 4 5 6 7 8 9; do
                for call in "${!calls[@]}"; do printf 'SELECT call_%s();\n\\echo %s :SQLSTATE\n' "$call" "$call"; done
                echo "DEALLOCATE filler_${size}_$n;"
            done
        done
    } | sql -v ON_ERROR_STOP=0 2>"$CLUSTER/full.err" | grep -E '^[0-9]+ [0-9A-Z]{5}$' || true
}

# limited_up: starts the server with the limit.
limited_up() {
    local SERVER_LAUNCHER=(env RUST_BACKTRACE=1 sh -c "ulimit -v $limit && exec \"\$@\"" sh)
    cluster_up
}

# Without a just-in-time compiler, whose libraries are larger than all else.
server_create jit=off shared_buffers=16MB comb.drift_warning=-1
cluster_up
sql -c "CREATE EXTENSION comb"
call_functions | sql
# shellcheck disable=SC2016
size=$(sql <<<'SELECT comb_new(), pg_backend_pid() AS pid \gset
\setenv PID :pid
\! grep VmSize /proc/$PID/status' | tr -dc 0-9)
limit=$((size + ROOM))
cluster_down fast

say "A limit of the address space: $limit kB"
limited_up
for warmth in cold warm; do
    full $warmth >"$CLUSTER/answers"
    fact "$warmth, calls have no memory" "$(truth grep -q 53200 "$CLUSTER/answers")"
    for call in "${!calls[@]}"; do
        answers=$(grep "^$call " "$CLUSTER/answers" | cut -d' ' -f2 | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd,)
        [[ $answers =~ ^([0-9]+ ($PERMITTED),?)+$ ]] || not_ok "$warmth, ${calls[call]:0:60} ended properly: $answers"
    done
done
fact "and when there is some again, they have" "$(truth grep -q 00000 "$CLUSTER/answers")"
fact "each of ${#calls[@]} functions had an answer or an error that it may have" "$(truth [ $failed -eq 0 ])"
fact "no backend crashed" "$(truth [ "$(crashes)" = 0 ])"
cluster_down fast

say "A Rust allocator that gives nothing"
# Files in the data folder tell the mutant to give nothing, from when it is loaded, and to allocate. Loading takes 16 bytes,
# for the panic hook that pgrx sets and _PG_init() removes.
mutant allocates src/lib.rs '$a \
    struct Allocator; \
    unsafe impl std::alloc::GlobalAlloc for Allocator { \
        unsafe fn alloc(\&self, layout: std::alloc::Layout) -> *mut u8 { \
            if LOADED.load(std::sync::atomic::Ordering::Relaxed) \&\& std::path::Path::new("gives_nothing").exists() { return std::ptr::null_mut(); } \
            unsafe { std::alloc::System.alloc(layout) } \
        } \
        unsafe fn dealloc(\&self, place: *mut u8, layout: std::alloc::Layout) { \
            unsafe { std::alloc::System.dealloc(place, layout) } \
        } \
    } \
    static LOADED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false); \
    #[global_allocator] static ALLOCATOR: Allocator = Allocator;' \
    src/lib.rs 's/^( *)drop\(std::panic::take_hook\(\)\);$/&\n\1LOADED.store(true, std::sync::atomic::Ordering::Relaxed);/' \
    src/functions/read.rs 's/^( *)let mut json = StringInfo::new\(\);$/ \
        if std::path::Path::new("allocates").exists() { std::hint::black_box(vec![1u8; 65536]); }\n&/'
# Before the one that is installed.
cluster_configure "dynamic_library_path=${LIBRARY%/*}:\$libdir"
touch "$CLUSTER/data/gives_nothing"
cluster_up
# Whatever they answer: every function and most errors.
for script in "$ROOT"/pg_test/sql/*.sql; do
    sql -v ON_ERROR_STOP=0 -d template1 -c "CREATE DATABASE regression" >/dev/null
    sql -v ON_ERROR_STOP=0 -d regression -f "$script" >"$CLUSTER/regression.out" 2>&1 ||
        not_ok "$script runs: $(tail -n 1 "$CLUSTER/regression.out")"
    sql -d template1 -c "DROP DATABASE regression"
done
fact "the regression tests run, and no backend crashes" "$(truth [ "$(crashes)" = 0 ])"
log_is_clean

say "A build that allocates"
# crashed_by COMMAND...: whether a backend crashes by it, when comb_inspect() allocates.
crashed_by() {
    local crashes readies
    crashes=$(crashes) readies=$(readies)
    touch "$CLUSTER/data/allocates"
    "$@" >/dev/null 2>&1 || true
    rm "$CLUSTER/data/allocates"
    within 5 eval "[ \$(crashes) -gt $crashes ]" || return 1
    within 60 eval "[ \$(readies) -gt $readies ]" || die "the server did not come back"
}
# How often the server has become ready.
readies() { grep -c 'ready to accept connections' "$CLUSTER/work/data.log" || true; }
fact "is caught: no allocation is served" "$(truth crashed_by sql -c "SELECT comb_inspect(gen_random_uuid())")"
cluster_down fast
rm "$CLUSTER/data/gives_nothing"
limited_up
fact "is caught in a full backend" "$(truth crashed_by full warm)"
# That build's panics are what was asked for.
for log in "$CLUSTER"/work/*.log; do : >"$log"; done
finish
