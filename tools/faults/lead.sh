#!/usr/bin/env bash
# The clock is set back by less than two hours under load, as by a leap second: some time comes twice, ids
# stay in order, and what they are ahead goes by a sixteenth of the time that passes.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/faketime.sh"
. "$LIB/order.sh"

# A lead that is gone after DURATION.
LEAD_MS=$((DURATION * 1000 / 16))
LEAD=$((LEAD_MS / 1000)).$(printf %03d $((LEAD_MS % 1000)))

clocked_start synchronous_commit=off
set_clock "+$LEAD"
order_table made
order_table made_by_new_connections
steps=$(sql -c "SELECT comb_new()" -c "SELECT steps_back FROM comb_status()" | tail -n 1)

loads=()
load() { order_load "$@" & loads+=($!); }
load made "comb_new()" $((DURATION + 3)) "$CONNECTIONS"
load made_by_new_connections "comb_new()" $((DURATION + 3)) 4 --connect
if [ "$MAJOR" -ge 18 ]; then
    order_table made_by_uuidv7
    load made_by_uuidv7 "uuidv7()" $((DURATION + 3)) 4 --connect
fi
sleep 1
set_clock +0
# How far ids are ahead, in milliseconds, as a new one shows it.
ahead="(extract(epoch FROM comb_timestamp_micros(comb_new()) - clock_timestamp()) * 1000)::int"
facts <<SQL
SELECT 'the ids are ahead: ' || ahead || ' of $LEAD_MS ms', ahead BETWEEN $LEAD_MS * 0.8 AND $LEAD_MS FROM (SELECT $ahead AS ahead) now;
SELECT 'one step is counted, for all connections: ' || stepped_back, steps_back - $steps = 1 FROM comb_status();
SELECT 'the status says when they will be level: ' || level_at - clock_timestamp(),
       extract(epoch FROM level_at - clock_timestamp()) BETWEEN $DURATION * 0.8 AND $DURATION + 0.5 FROM comb_status();
SELECT pg_sleep($DURATION / 2.0) \\g /dev/null
SELECT 'half the time on, about half is left: ' || ahead || ' ms', ahead BETWEEN $LEAD_MS * 0.35 AND $LEAD_MS * 0.55 FROM (SELECT $ahead AS ahead) now;
SELECT pg_sleep($DURATION / 2.0 + 0.5) \\g /dev/null
SELECT 'all the time on, it is gone: ' || ahead || ' ms', ahead BETWEEN -20 AND 5 FROM (SELECT $ahead AS ahead) now;
SELECT 'as the status says: ' || ahead, ahead < interval '20 ms' AND level_at IS NULL FROM comb_status();
SQL
for load in "${loads[@]}"; do wait "$load" || not_ok "a load ran to its end"; done
for table in made made_by_new_connections; do
    fact "$table: each of $(order_rows $table) ids is above those that were committed before it" \
        "$(sql -c "SELECT $(order_inversions $table) = 0")"
done
# Those who came anew and those who stayed, together: what each saw was of its own table.
facts <<'SQL'
SELECT 'no id was made twice', count(*) = 0 FROM made JOIN made_by_new_connections USING (id) WHERE id > '00000000-0000-0000-0000-000000000001';
SQL
if [ "$MAJOR" -ge 18 ]; then
    echo "PostgreSQL's own uuidv7(), in new connections: $(order_rows made_by_uuidv7) ids," \
        "$(order_inversions made_by_uuidv7) of them not above those that were committed before"
fi
finish
