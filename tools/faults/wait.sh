#!/usr/bin/env bash
# A process is stopped while it holds the lock of the clock line. Others wait for it, and can be seen to; cancel,
# time-outs, terminate and shutdown end the wait at once; and when the process goes on, so do they. A build whose
# waiting obeys nothing is caught.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/mutant.sh"
. "$LIB/order.sh"
. "$LIB/sessions.sh"

# Files in the data folder tell the mutant what to do.
server_create synchronous_commit=off
# The process that finds the file removes it and stops, between lock and unlock.
mutant stops_in_change \
    crates/comb-clock/src/block.rs 's/^( *)decide\(clock, at\)$/ \
        if std::fs::rename("stop", "stopped").is_ok() { host.wait(u32::MAX); }\n&/' \
    src/server/process.rs 's/^( *)0\.\.100 => std::hint::spin_loop\(\),$/        u32::MAX => unsafe { libc::raise(libc::SIGSTOP); },\n&/' \
    src/server/process.rs 's/^( *)_ => wait_interruptibly\(\),$/ \
        _ if std::path::Path::new("deaf").exists() => std::thread::sleep(std::time::Duration::from_millis(1)),\n&/'
# Before the one that is installed.
cluster_configure "dynamic_library_path=${LIBRARY%/*}:\$libdir"
cluster_up
sql -c "CREATE EXTENSION comb" -c "SELECT comb_new()" \
    -c "CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) n" -c "ANALYZE source" >/dev/null

pid_of() { sql -c "SELECT pid FROM pg_stat_activity WHERE application_name = '$1'"; }
is_stopped() { [ "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" = T ]; }

# A session raises the line by 0.9 s, and is stopped while it does.
stop_writer() {
    rm -f "$CLUSTER/data/stopped"
    touch "$CLUSTER/data/stop"
    session writer "SELECT comb_observe(comb_at(clock_timestamp() + interval '0.9 s'))"
    within 10 [ -e "$CLUSTER/data/stopped" ] || die "no process changes the line"
    writer=$(pid_of writer)
    within 10 is_stopped "$writer" || die "the writer does not stop"
}

# all_wait NAMES COUNT: whether so many sessions of these names wait for the clock, as pg_stat_activity has it.
wait_event=$([ "$MAJOR" -ge 17 ] && echo CombClock || echo Extension)
all_wait() {
    is_true "SELECT count(*) = $2 FROM pg_stat_activity
             WHERE wait_event_type = 'Extension' AND wait_event = '$wait_event' AND application_name IN ($1)"
}

say "A process that is stopped while it changes the clock, under load"
order_table made
order_load made "comb_new()" "$DURATION" 4 &
load=$!
sleep 0.5
stop_writer
session timed "SET statement_timeout = '200 ms'; SELECT comb_new()"
fact "a time-out of 200 ms ends a wait at once" "$(truth within 2 ended timed)"
fact "as what it is: $(said timed)" "$(truth [ "$(said timed)" = "ERROR:  57014" ])"
for name in canceled terminated goes_on; do session $name "SELECT comb_new()"; done
# Below the Gather, where the workers are.
session parallel "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
                  SET parallel_leader_participation = off; CREATE TABLE by_workers AS SELECT comb_new() FROM source"
names="'canceled', 'terminated', 'goes_on'"
fact "pg_stat_activity shows that they wait for $wait_event" "$(truth within 5 all_wait "$names" 3)"
fact "parallel workers wait, too" "$(truth within 5 is_true "SELECT EXISTS (
    SELECT FROM pg_stat_activity WHERE backend_type = 'parallel worker' AND wait_event_type = 'Extension')")"
sql -c "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name IN ('canceled', 'parallel') AND leader_pid IS NULL" \
    -c "SELECT pg_terminate_backend($(pid_of terminated)), pg_terminate_backend($writer)" >/dev/null
fact "pg_cancel_backend() ends a wait" "$(truth within 2 ended canceled)"
fact "and that of parallel workers: $(said canceled), $(said parallel)" "$(truth within 2 ended parallel)"
fact "pg_terminate_backend() ends a wait" "$(truth within 2 ended terminated)"
fact "the others wait on" "$(truth runs goes_on)"
kill -CONT "$writer"
fact "when the stopped process goes on, so do they" "$(truth within 2 ended goes_on)"
fact "it had been told to end, and does" "$(truth within 2 ended writer)"
fact "not before it had made its change" "$(truth is_true "SELECT '$(said goes_on)' < comb_new() AND ahead > interval '0.5 s' FROM comb_status()")"
wait $load && loaded=t || loaded=f
fact "$(order_rows made) ids were made meanwhile, no id twice" "$loaded"
fact "every id is above those that were committed before it" "$(sql -c "SELECT $(order_inversions made) = 0")"

say "A fast shutdown while sessions wait"
stop_writer
for name in first second; do session $name "SELECT comb_new()"; done
within 5 all_wait "'first', 'second'" 2 || not_ok "they wait"
as_server "$BIN/pg_ctl" -D "$CLUSTER/data" -m fast -s -W stop
fact "it ends the wait" "$(truth within 2 eval 'ended first && ended second')"
kill -CONT "$writer"
fact "and the server stops as soon as the stopped process goes on" "$(truth within 10 [ ! -e "$CLUSTER/data/postmaster.pid" ])"

say "A build whose waiting obeys nothing"
cluster_up
sql -c "SELECT comb_new()" >/dev/null
touch "$CLUSTER/data/deaf"
stop_writer
session deaf "SET statement_timeout = '200 ms'; SELECT comb_new()"
fact "is caught: the time-out does not end the wait" "$(truth eval '! within 2 ended deaf')"
kill -CONT "$writer"
within 5 ended deaf || not_ok "it ends later"
log_is_clean
finish
