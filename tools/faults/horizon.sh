#!/usr/bin/env bash
# Readers poll an outbox by the commit horizon while writers commit out of the order of their ids: no reader misses a
# row, none reads one twice. One that polls by its cursor alone does miss rows, so the test is able to fail. In a
# longer run (from 60 seconds on) backends are killed meanwhile, and once the postmaster is.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/horizon.sh"

# kill -9 takes a process, not the machine: see kill.sh.
server_start max_prepared_transactions=$((CONNECTIONS + 60))
sql -c "SELECT comb_new()" >/dev/null
short=$((DURATION < 60 ? DURATION / 2 : DURATION / 5))

say "One writer"
stage one_writer
# shellcheck disable=SC2086
writers 1 $short $ALL_SCRIPTS
readers jumping repeatable cursor partitioned
read_to_end
horizon_facts

say "Eight writers"
stage eight_writers
# shellcheck disable=SC2086
writers 8 $short $ALL_SCRIPTS
readers naive statement repeatable view
read_to_end
horizon_facts
naive=$(missed naive)
fact "id > cursor without the horizon missed $naive of $(stored) rows: the test is able to fail" "$([ "$naive" -gt 0 ] && echo t)"

say "Other readers"
stage other_readers
# shellcheck disable=SC2086
writers 8 $short $ALL_SCRIPTS
readers prepared loop now settled
read_to_end
horizon_facts

say "Readers that call functions"
stage functions
# shellcheck disable=SC2086
writers 8 $short $ALL_SCRIPTS
readers definer set return into
read_to_end
horizon_facts
stage more_functions
# shellcheck disable=SC2086
writers 8 $short $ALL_SCRIPTS
readers execute lateral values two_cursors
read_to_end
horizon_facts
if grep -hE 'ERROR|FATAL|PANIC|aborted' "$CLUSTER/writers.log" "$CLUSTER/reader.log"; then not_ok "no statement failed"; fi

kill_backend() {
    local victim
    # A client may be between two connections.
    victim=$(sql -c "SELECT pid FROM pg_stat_activity
                     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1") || return 0
    [ -n "$victim" ] && kill -9 "$victim" && kills=$((kills + 1)) || true
}

if [ "$DURATION" -ge 60 ]; then
    say "$CONNECTIONS writers; backends and the postmaster are killed"
    stage killed
    kills=0 end=$((SECONDS + DURATION * 2 / 5))
    # shellcheck disable=SC2086
    writers "$CONNECTIONS" $((end - SECONDS)) $ALL_SCRIPTS
    readers statement repeatable view partitioned
    while [ $((SECONDS + 3)) -lt $end ]; do
        sleep 2
        kill_backend
        sleep 0.5
        wait_until_accepts
        # A prepared transaction outlives its writer, and holds the horizon.
        commit_prepared '1 s'
        if [ $SECONDS -ge $((end - DURATION / 5)) ] && [ ! -e "$CLUSTER/postmaster_killed" ]; then
            kill_postmaster
            touch "$CLUSTER/postmaster_killed"
        fi
    done
    read_to_end
    fact "$kills backends were killed, and the postmaster" "$([ $kills -gt 1 ] && [ -e "$CLUSTER/postmaster_killed" ] && echo t)"
    horizon_facts
    if grep -hE '(ERROR|PANIC):' "$CLUSTER/writers.log" "$CLUSTER/reader.log"; then not_ok "no statement failed"; fi
    # A backend that was killed ends with signal 9 in the log; one that crashed by itself with another.
    if grep -h 'terminated by signal' "$CLUSTER/work/data.log" | grep -v 'signal 9'; then not_ok "no process ended by itself"; fi
fi
finish
