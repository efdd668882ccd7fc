#!/usr/bin/env bash
# Builds in which one step of the commit horizon is wrong, each caught by a check that the same build passes without
# the mistake. All mistakes are in one library: a file in the data folder names the one that it makes, and another has it
# pause between the steps, which makes the windows wide. What is installed does not pause anywhere.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/mutant.sh"
. "$LIB/sessions.sh"
. "$LIB/horizon.sh"

fact "the source pauses nowhere" "$(truth eval "! grep -rnE 'sleep *\(|pause *\(' '$ROOT/src' --include=*.rs")"

server_create max_prepared_transactions=100 max_locks_per_transaction=10
mutant wrong_horizon \
    src/server/floors.rs '$a pub fn mutated(name: \&str) -> bool { std::fs::read_to_string("mutation").is_ok_and(|text| text.trim() == name) }' \
    src/server/floors.rs '$a pub fn pause() { if std::path::Path::new("pauses").exists() { std::thread::sleep(std::time::Duration::from_micros(300)); } }' \
    src/server/floors.rs '$a static mut EARLY: Option<pg_sys::LOCKTAG> = None; fn release_early(tag: pg_sys::LOCKTAG) { unsafe { static mut REGISTERED: bool = false; EARLY = Some(tag); if !REGISTERED { REGISTERED = true; pg_sys::RegisterXactCallback(Some(before_commit), std::ptr::null_mut()); } } }' \
    src/server/floors.rs '$a unsafe extern "C-unwind" fn before_commit(event: pg_sys::XactEvent::Type, _: *mut std::ffi::c_void) { unsafe { if event == pg_sys::XactEvent::XACT_EVENT_PRE_COMMIT { let tag = EARLY; EARLY = None; if let Some(tag) = tag { pg_sys::LockRelease(\&raw const tag, pg_sys::ShareLock as i32, true); } } } }' \
    src/server/floors.rs 's/held\.by == Some\(\(local_transaction_id\(\), block\.resets\(\)\)\)/(& || held.by.is_some() \&\& mutated("remembered across transactions"))/' \
    src/server/floors.rs 's/^( *)let tag = pg_sys::LOCKTAG \{$/\1pause();\n&/' \
    src/server/floors.rs 's/^( *)pg_sys::CurrentResourceOwner = pg_sys::TopTransactionResourceOwner;$/\1if !mutated("lock of the savepoint") { pg_sys::CurrentResourceOwner = pg_sys::TopTransactionResourceOwner; }/' \
    src/server/floors.rs 's/^( *)raw::LockAcquire\(&raw const tag, pg_sys::ShareLock as i32, false, false\);$/\1if mutated("remembered before the lock") { HELD = Held { by: Some((local_transaction_id(), resets)), covered_from: floor + 1 }; }\n\1let early = mutated("cleared before commit");\n\1raw::LockAcquire(\&raw const tag, pg_sys::ShareLock as i32, early || mutated("forgotten at PREPARE"), false);\n\1if early { release_early(tag); }/' \
    src/server/floors.rs 's/^( *)if in_parallel_worker\(\) \{$/\1if in_parallel_worker() \&\& !mutated("parallel worker") {/' \
    src/server/floors.rs 's/\&\& (tag\.locktag_field1 == u32::from\(unsafe \{ pg_sys::MyDatabaseId \}\));$/\&\& (mutated("database") || \1);/' \
    src/server/horizon.rs 's/^( *)let latest = block\.follow/\1let early = floors::mutated("R2 before R1").then(floors::least);\n\1floors::pause();\n&/' \
    src/server/horizon.rs 's/^( *)let least = floors::least\(\);$/\1floors::pause();\n\1let least = if floors::mutated("no floors") { None } else { early.unwrap_or_else(floors::least) };/' \
    src/functions/horizon.rs 's/^    loop \{$/    if floors::mutated("G2 before G1") { let id = next_id(layout); floors::pause(); floors::hold()?; return id; }\n&/' \
    src/functions/horizon.rs 's/^( *)let id = next_id\(layout\)\?;$/\1floors::pause();\n&/' \
    src/server/horizon.rs 's/^( *)let horizon = compute\(\)\?;$/\1let early = floors::mutated("snapshot before horizon").then(snapshot_now);\n&/' \
    src/server/horizon.rs 's/^( *)let after = snapshot_now\(\);$/\1floors::pause();\n\1let after = early.unwrap_or_else(snapshot_now);/' \
    src/server/horizon.rs 's/^( *)ring\.ring\.remember\(/\1if floors::mutated("answer falls") { ring.ring = Ring::EMPTY; }\n&/' \
    src/server/horizon.rs 's/ring\.ring\.answer\(&statement\)/(if floors::mutated("no ring") { Some(horizon.settled) } else { & })/' \
    src/server/horizon.rs 's/^( *)if !answer\.is_null\(\) \{$/\1if !answer.is_null() \&\& !floors::mutated("answer for each row") {/'
# Before the one that is installed.
cluster_configure "dynamic_library_path=${LIBRARY%/*}:\$libdir"
cluster_up
sql -c "CREATE EXTENSION comb" -c "SELECT comb_new()" -c "CREATE DATABASE another" >/dev/null
sql -d another -c "CREATE EXTENSION comb"

# caught MISTAKE CHECK [ARGUMENT...]: the check says t without that mistake, and f with it.
caught() {
    local mistake=$1 right wrong
    shift
    rm -f "$CLUSTER/data/mutation"
    right=$("$@")
    echo "$mistake" >"$CLUSTER/data/mutation"
    wrong=$("$@")
    rm -f "$CLUSTER/data/mutation"
    fact "$mistake: without it $right, with it $wrong" "$(truth eval "[[ '$right' = t* && '$wrong' = f* ]]")"
}

# reads KIND WRITERS SCRIPT: t and how many rows there were, if a reader of that kind misses none of what so many writers
# store; else f and how many it missed.
reads() {
    local missed
    # In a process of its own, so that it cannot count.
    stage "stage_$(date +%s%N)" >&2
    touch "$CLUSTER/data/pauses"
    writers "$2" 2 "$3"
    readers "$1"
    read_to_end
    rm "$CLUSTER/data/pauses"
    missed=$(missed "$1")
    if [ "$missed" = 0 ]; then echo "t, $(stored) rows"; else echo "f, $missed of $(stored) rows missed"; fi
}

say "While others write"
caught "no floors" reads statement 8 pausing
caught "R2 before R1" reads jumping 1 pausing
caught "G2 before G1" reads jumping 1 pausing
caught "no ring" reads jumping 8 single
caught "no ring" reads repeatable 8 single
caught "snapshot before horizon" reads jumping 8 pausing

# Whether the answers of one session never fall when others begin to write.
never_falls() {
    local answers=$CLUSTER/answers reading
    stage "stage_$(date +%s%N)" >&2
    touch "$CLUSTER/data/pauses"
    {
        yes "SELECT comb_horizon();" | head -n 20
        echo "SELECT pg_sleep(1) \\g /dev/null"
        yes "SELECT comb_horizon();" | head -n 300
    } | sql >"$answers" &
    reading=$!
    sleep 0.5
    writers 4 2 single
    wait $reading "${WRITERS[@]}"
    rm "$CLUSTER/data/pauses" "$CLUSTER/$STAGE.reads"
    truth eval "[ $(wc -l <"$answers") = 320 ] && LC_ALL=C sort --check '$answers' 2>/dev/null"
}
caught "answer falls" never_falls
unset PGOPTIONS

say "While one transaction stays open"
sql -c "CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked())"
asleep() { is_true "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = '$1' AND wait_event = 'PgSleep'"; }
# held: whether the horizon is below an id that is made now.
held() { sql -c "SELECT comb_horizon_now() < id FROM (SELECT comb_new() AS id OFFSET 0) generated_before"; }
end_session() {
    sql -c "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '$1'" >/dev/null
    wait "${SESSIONS[$1]}" || true
}
# holds SQL [DATABASE]: whether a session that has said this and stays holds the horizon back.
holds() {
    PGDATABASE=${2:-postgres} session holder "$1; SELECT pg_sleep(60)" >&2
    within 20 asleep holder || die "the holder does not come to sleep" "$(said holder)"
    sleep 0.05
    held
    end_session holder
}
not() { if [ "$("$@")" = t ]; then echo f; else echo t; fi; }

caught "lock of the savepoint" holds "BEGIN; SAVEPOINT a; SELECT comb_tracked(); ROLLBACK TO a; INSERT INTO outbox DEFAULT VALUES"
caught "remembered across transactions" holds "BEGIN; SELECT comb_tracked(); COMMIT; BEGIN; INSERT INTO outbox DEFAULT VALUES"
caught "remembered across transactions" holds "BEGIN; SELECT comb_tracked(); ROLLBACK; BEGIN; INSERT INTO outbox DEFAULT VALUES"
caught "database" not holds "BEGIN; SELECT comb_tracked()" another

# What is prepared holds the horizon back, whatever becomes of its session.
prepared_holds() {
    sql -c "BEGIN; INSERT INTO outbox DEFAULT VALUES; PREPARE TRANSACTION 'held'"
    sleep 0.05
    held
    sql -c "COMMIT PREPARED 'held'"
}
caught "forgotten at PREPARE" prepared_holds
# And what the session does next is another transaction.
next_holds() {
    session preparer "BEGIN; SELECT comb_tracked(); PREPARE TRANSACTION 'first'; BEGIN; SELECT comb_tracked(); SELECT pg_sleep(60)"
    within 20 asleep preparer || die "the session does not come to sleep" "$(said preparer)"
    sql -c "COMMIT PREPARED 'first'"
    sleep 0.05
    held
    end_session preparer
}
caught "remembered across transactions" next_holds

# A commit that waits for a standby which does not exist: it is in the log, and not yet visible.
hanging_holds() {
    sql -c "ALTER SYSTEM SET synchronous_standby_names = 'nobody'" -c "SELECT pg_reload_conf()" >/dev/null
    within 5 is_true "SHOW synchronous_standby_names" || sleep 0.3
    session hanging "INSERT INTO outbox DEFAULT VALUES"
    within 20 is_true "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'hanging' AND wait_event = 'SyncRep'" ||
        die "the commit does not hang" "$(said hanging)"
    held
    sql -c "ALTER SYSTEM RESET synchronous_standby_names" -c "SELECT pg_reload_conf()" >/dev/null
    wait "${SESSIONS[hanging]}"
}
caught "cleared before commit" hanging_holds

# The lock table is full: the id is refused, and the next attempt takes the lock.
full_then_holds() {
    holds "BEGIN;
        DO \$\$
        BEGIN
            BEGIN
                -- Locks of the session, which stay when the block is rolled back.
                FOR n IN 1..1000000 LOOP PERFORM pg_advisory_lock(n); END LOOP;
            EXCEPTION WHEN out_of_memory THEN NULL;
            END;
            BEGIN
                PERFORM comb_tracked();
                RAISE 'made an id without a lock';
            EXCEPTION WHEN out_of_memory THEN NULL;
            END;
            PERFORM pg_advisory_unlock_all();
            PERFORM comb_tracked();
        END \$\$"
}
caught "remembered before the lock" full_then_holds

# Workers end before their transaction commits. A label of a function that calls ours can be wrong.
sql <<'SQL'
CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) n;
ANALYZE source;
CREATE FUNCTION safe() RETURNS uuid LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN comb_tracked(); END';
SQL
refused_in_worker() {
    local said
    said=$(sql -v VERBOSITY=sqlstate -v ON_ERROR_STOP=0 2>&1 <<'SQL'
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
CREATE TABLE made AS SELECT safe() FROM source;
DROP TABLE IF EXISTS made;
SQL
)
    truth eval "[[ '$said' = 'ERROR:  55000'* ]]"
}
caught "parallel worker" refused_in_worker

# One answer a statement, by whatever functions it asks.
one_answer() {
    hold_horizon
    truth [ "$(answers "$1")" = "false false" ]
    wait "${SESSIONS[holder]}" || true
}
stage forms
for form in "${!FORMS[@]}"; do
    caught "answer for each row" one_answer "$form"
done
log_is_clean
finish
