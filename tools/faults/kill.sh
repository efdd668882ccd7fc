#!/usr/bin/env bash
# Backends are killed while they make ids, and once the postmaster is: whatever was acknowledged is there,
# no id is made twice, and ids go on above those before.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/order.sh"

# kill -9 takes a process, not the machine: what it has written is with the operating system, so that
# fsync, which is off, has no part in this. synchronous_commit is on: what a backend has not yet written
# of its WAL does die with it.
server_start
order_table made

# client N: one connection after the other makes ids as fast as they are acknowledged, and writes down
# those that were. psql prints a row that is returned only when the server has said that the command is
# complete, which the server says after the commit.
client() {
    while goes_on; do
        statements | sql >>"$CLUSTER/acknowledged.$1" 2>>"$CLUSTER/refused.$1" || sleep 0.1
    done
}
# Until the test says so, or its folder is gone.
goes_on() { [ -e "$CLUSTER/clients" ]; }
statements() {
    while goes_on; do
        echo "INSERT INTO made SELECT comb_new(), id FROM (SELECT id FROM made ORDER BY id DESC LIMIT 1) seen RETURNING id;" || return
    done 2>/dev/null
}

touch "$CLUSTER/clients"
# Not more of them than a computer runs: each is a chain of three processes.
clients=$((CONNECTIONS < 8 ? CONNECTIONS : 8))
for client in $(seq $clients); do client "$client" & done

kills=0
# Sees the server before and after every kill.
greatest=$(sql -c "SELECT comb_new()")
above=t
end=$((SECONDS + DURATION))
while [ $SECONDS -lt $end ]; do
    sleep 0.8
    wait_until_accepts
    victim=$(sql -c "SELECT pid FROM pg_stat_activity
                     WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1") || continue
    # A client may be between two connections.
    [ -n "$victim" ] || continue
    kill -9 "$victim" || continue
    kills=$((kills + 1))
    sleep 0.2
    wait_until_accepts
    next=$(sql -c "SELECT comb_new()") || continue
    [[ $next > $greatest ]] || above=f
    greatest=$next
done
fact "after each of $kills killed backends, a new connection's ids are above those before" "$above"
[ $kills -gt 1 ] || not_ok "backends were killed"

kill_postmaster
next=$(sql -c "SELECT comb_new()")
[[ $next > $greatest ]] && above=t || above=f
fact "after the postmaster was killed, too" $above
sleep 1
rm "$CLUSTER/clients"
wait

sql -c "CREATE TABLE acknowledged (id text)"
for client in $(seq $clients); do
    # A line that a client was writing when its connection ended is complete or is not there.
    sql -c "\\copy acknowledged FROM '$CLUSTER/acknowledged.$client'"
done
facts <<SQL
SELECT 'ids were acknowledged before and after: ' || count(*), count(*) > 1000 AND max(id) > '$next' FROM acknowledged;
SELECT 'every acknowledged row is there', count(*) = 0 FROM acknowledged WHERE NOT EXISTS (SELECT FROM made WHERE made.id = acknowledged.id::uuid);
SELECT 'no id was acknowledged twice', count(*) = count(DISTINCT id) FROM acknowledged;
SELECT 'every id is above those that were committed before it', $(order_inversions made) = 0;
SQL
# A backend that was killed ends with signal 9 in the log; one that crashed by itself with another.
if grep -h 'terminated by signal' "$CLUSTER/work/data.log" | grep -v 'signal 9'; then not_ok "no process ended by itself"; fi
# Refused for any reason but that the server was away, as by an id that is there.
if grep -hE 'ERROR|PANIC' "$CLUSTER"/refused.*; then not_ok "no statement failed"; fi
finish
