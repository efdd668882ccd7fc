#!/usr/bin/env bash
# A server starts with its clock behind where it was: after a clean stop, after a crash, and as a standby that
# is promoted. Its ids begin above what its files say of the time.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/faketime.sh"

# Kills a backend by -9 and waits for the server to be back.
crash_backend() {
    local victim=
    sql -c "SELECT pg_sleep(60)" >/dev/null 2>&1 &
    until [ -n "$victim" ]; do
        victim=$(sql -c "SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)'")
    done
    kill -9 "$victim"
    wait $! || true
    # The postmaster hears of it after a moment.
    sleep 0.5
    wait_until_accepts
}

# The time-outs of replication would take a clock that jumps for a partner that is silent.
clocked_start wal_sender_timeout=0 wal_receiver_timeout=0
sql -c "CREATE TABLE made (id uuid PRIMARY KEY DEFAULT comb_new())" -c "INSERT INTO made SELECT FROM generate_series(1, 1000)"

say "A clean stop, and the clock an hour back"
cluster_down fast
set_clock -3600
clocked_up
facts <<'SQL'
SELECT checkpoint_time FROM pg_control_checkpoint() \gset
SELECT 'the clock is behind the checkpoint', clock_timestamp() < timestamptz :'checkpoint_time' - interval '59 minutes';
SELECT comb_new() AS next \gset
SELECT 'ids begin above the checkpoint', comb_timestamp(:'next') >= :'checkpoint_time';
SELECT 'and above those before the stop', :'next' > max(id::text) FROM made;
SELECT 'the status says why: ' || seed_source || ', ' || seeded_from, seed_source = 'checkpoint' FROM comb_status();
SQL

say "A crash, and the clock an hour back"
set_clock +0
# The start has left ids up to a second ahead. A checkpoint tells the time of the clock, not of the ids.
sql -c "SELECT comb_reset_clock(), pg_sleep(1.1)" >/dev/null
sql -c "INSERT INTO made SELECT FROM generate_series(1, 1000)" -c "CHECKPOINT"
checkpoint=$(sql -c "SELECT checkpoint_time FROM pg_control_checkpoint()")
cluster_down immediate
set_clock -3600
clocked_up
if [ "$SHARING" = preloaded ]; then
    facts <<SQL
SELECT comb_new() AS next \gset
SELECT 'ids begin above the last checkpoint before the crash', comb_timestamp(:'next') >= '$checkpoint';
SELECT 'and above the ids before it', :'next' > max(id::text) FROM made;
SQL
else
    # Recovery from a crash ends with a checkpoint by the clock as it then stands. Nobody has looked at the
    # one before.
    echo "ids begin above the last checkpoint before the crash: $(sql -c "SELECT comb_timestamp(comb_new()) >= '$checkpoint'"), which nothing promises"
fi

# A backend dies, the postmaster does not: it makes the shared memory anew.
say "The clock an hour back, and a backend that crashes"
set_clock +0
sql -c "SELECT comb_reset_clock(), pg_sleep(1.1)" >/dev/null
sql -c "INSERT INTO made SELECT FROM generate_series(1, 1000)"
set_clock -3600
PGOPTIONS="-c client_min_messages=error" sql -c "INSERT INTO made SELECT FROM generate_series(1, 1000)" -c CHECKPOINT
crash_backend
if [ "$SHARING" = preloaded ]; then
    facts <<'SQL'
SELECT comb_new() AS next \gset
SELECT 'ids go on above those before the crash: ' || comb_timestamp(:'next'), :'next' > max(id::text) FROM made;
SELECT 'the lead is still known: ' || ahead, ahead > interval '59 minutes' FROM comb_status();
SELECT 'the status says why: ' || seed_source || ', ' || seeded_from, seed_source = 'crash' FROM comb_status();
SQL
else
    echo "ids go on above those before the crash: $(PGOPTIONS="-c client_min_messages=error" sql -c "SELECT comb_new()::text > max(id::text) FROM made"), which nothing promises"
fi

# standby NAME BEFORE: a standby with its clock an hour behind the primary's, which runs BEFORE while it is one.
# The primary is two hours ahead then and makes ids, all of them arrive, and the standby is promoted.
standby() {
    local name=$1 before=$2 position
    install -d -o "$SERVER_USER" -m 700 "$CLUSTER/$name"
    set_clock +0
    as_server "$BIN/pg_basebackup" --pgdata="$CLUSTER/$name" --host="$PGHOST" --username=postgres --checkpoint=fast --write-recovery-conf
    echo "port = 5433" | as_server tee -a "$CLUSTER/$name/postgresql.conf" >/dev/null
    set_clock -3600 "$name"
    clocked_up "$name"
    PGOPTIONS="-c client_min_messages=error" sql --port=5433 -c "$before" >/dev/null
    set_clock +7200
    position=$(sql -c "INSERT INTO made SELECT FROM generate_series(1, 1000)" -c "SELECT pg_current_wal_flush_lsn()")
    until [ "$(sql --port=5433 -c "SELECT pg_last_wal_replay_lsn() >= '$position'")" = t ]; do sleep 0.1; done
    sql --port=5433 -c "SELECT pg_promote()" >/dev/null
    facts --port=5433 <<'SQL'
SELECT 'the clock is behind what was replayed', clock_timestamp() < pg_last_xact_replay_timestamp() - interval '2 hours 59 minutes';
SELECT comb_new() AS next \gset
SELECT 'ids begin above the time of what was replayed: ' || comb_timestamp(:'next'), comb_timestamp(:'next') >= pg_last_xact_replay_timestamp() - interval '1 ms';
SELECT 'and above those of the primary', :'next' > max(id::text) FROM made;
SELECT 'the status says why: ' || seed_source || ', ' || seeded_from, seed_source = 'replay' FROM comb_status();
SQL
    cluster_down fast "$name"
}
say "A standby that is promoted, and its clock an hour back"
standby unused "SELECT"
say "A standby that made ids before it was promoted, and its clock an hour back"
standby used "SELECT comb_new()"
finish
