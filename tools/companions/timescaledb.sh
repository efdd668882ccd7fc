#!/usr/bin/env bash
# Hypertables by the time of comb's keys, and TimescaleDB's functions beside comb's.
set -euo pipefail
. "$(dirname "$0")/lib/companion.sh"

companion TimescaleDB shared_preload_libraries=comb,timescaledb timescaledb.telemetry_level=off
typed "CREATE EXTENSION timescaledb"
sql -U app -c "CREATE EXTENSION comb"

# explained STATEMENT: its plan, and how many rows each part of it had.
explained() { sql -c "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) $1"; }
# chunks PLAN: how many chunks it reads.
chunks() { grep -c 'on _hyper_' <<<"$1" || true; }

# --- Version 7 ------------------------------------------------------------------------------------

typed "tsdb.hypertable"
sql -U app -c "INSERT INTO events SELECT comb_at(date_trunc('day', now()) - n * interval '1 hour'), n FROM generate_series(1, 240) n" \
    -c "CREATE TABLE plain AS SELECT * FROM events"
same "ten days of rows are in ten chunks" 10 "$(sql -c "SELECT count(*) FROM show_chunks('events')")"
from=$(sql -c "SELECT date_trunc('day', now()) - interval '3 days'") to=$(sql -c "SELECT date_trunc('day', now()) - interval '2 days'")
range="comb_between(id, '$from', '$to')"
same "comb_between with constants: one chunk of ten when the query is planned" 1 "$(chunks "$(explained "SELECT * FROM events WHERE $range")")"
plan=$(explained "SELECT * FROM events WHERE comb_between(id, now() - interval '1 day', now())")
has "comb_between with now(): chunks are excluded when the query starts" "Chunks excluded during startup: " "$plan"
fact "and at most two are left" "$([ "$(chunks "$plan")" -le 2 ] && echo t || echo "$plan")"
plan=$(sql -c "SET plan_cache_mode = force_generic_plan" -c "PREPARE q(timestamptz, timestamptz) AS SELECT * FROM events WHERE comb_between(id, \$1, \$2)" \
    -c "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) EXECUTE q('$from', '$to')")
has "comb_between in a generic plan: chunks are excluded when the query starts" "Chunks excluded during startup: " "$plan"
fact "and at most two are left" "$([ "$(chunks "$plan")" -le 2 ] && echo t || echo "$plan")"
same "time_bucket of the key and of its time are the same, in the rows that a plain table has" \
    "$(sql -c "SELECT date_trunc('day', comb_timestamp(id)), count(*) FROM plain WHERE comb_between(id, now() - interval '3 days', now()) GROUP BY 1 ORDER BY 1")" \
    "$(typed "SELECT time_bucket")"
facts <<'SQL'
SELECT 'time_bucket of the key is that of its time', bool_and(time_bucket('1 day', id) = time_bucket('1 day', comb_timestamp(id))) FROM events;
SQL
typed "migrate_data => true" >/dev/null
facts -U app <<'SQL'
SELECT 'a table that is there becomes a hypertable with its rows in order', count(*) = 1000 AND bool_and(v = place)
FROM (SELECT v, row_number() OVER (ORDER BY id) AS place FROM readings) places;
INSERT INTO readings (v) VALUES (1001);
SELECT 'and makes ids of comb_new()', v = 1001 AND comb_timestamp(id) > now() - interval '1 minute' FROM readings ORDER BY id DESC LIMIT 1;
SELECT 'drop_chunks takes the old rows', count(*) > 0 FROM drop_chunks('events', older_than => now() - interval '5 days');
SELECT 'and no others', (SELECT count(*) FROM events) = (SELECT count(*) FROM plain WHERE comb_timestamp(id) >= date_trunc('day', now()) - interval '5 days');
SQL
refused "8f14e45f"

facts <<'SQL'
CREATE TEMP TABLE ids AS SELECT comb_new() AS id FROM generate_series(1, 100000)
    UNION ALL SELECT comb_at('1970-01-01Z'::timestamptz + random() * 8000 * interval '1 year') FROM generate_series(1, 100000)
    UNION ALL SELECT generate_uuidv7() FROM generate_series(1, 100000) UNION ALL SELECT uuidv7() FROM generate_series(1, 100000);
CREATE TEMP TABLE moments AS SELECT '1970-01-01Z'::timestamptz + random() * 1000 * interval '1 year' AS t FROM generate_series(1, 100000);

SELECT 'uuid_timestamp is comb_timestamp, for 100,000 ids of each of four functions', count(*) = 400000 AND bool_and(uuid_timestamp(id) = comb_timestamp(id)) FROM ids;
SELECT 'uuid_timestamp_micros is comb_timestamp_micros', bool_and(uuid_timestamp_micros(id) = comb_timestamp_micros(id)) FROM ids;
SELECT 'both are NULL for random UUIDs', bool_and(uuid_timestamp(id) IS NULL AND comb_timestamp(id) IS NULL)
FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 1000)) random;
SELECT 'comb reads the microseconds of to_uuidv7, for 100,000 moments', bool_and(comb_timestamp_micros(to_uuidv7(t)) = t) FROM moments;
SELECT 'TimescaleDB reads those of comb_at', bool_and(uuid_timestamp_micros(comb_at(t)) = t) FROM moments;
SELECT 'for whole milliseconds, to_uuidv7_boundary is comb_lower_bound and comb_min',
    bool_and(to_uuidv7_boundary(ms) = comb_lower_bound(ms) AND to_uuidv7_boundary(ms) = comb_min(ms))
FROM (SELECT date_trunc('milliseconds', t) AS ms FROM moments) whole;
SELECT 'for others it is between comb_min and comb_lower_bound',
    bool_and(to_uuidv7_boundary(t) BETWEEN comb_min(t) AND comb_lower_bound(t) AND comb_min(t) < comb_lower_bound(t))
FROM moments WHERE t <> date_trunc('milliseconds', t);
SQL

# --- SQL Server's order ---------------------------------------------------------------------------

refused "CREATE TABLE parcels"
refused "parcels', by_range('id', INTERVAL '1 day', partition_func => 'comb_timestamp_mssql'"
typed "CREATE FUNCTION parcel_time" >/dev/null
sql -U app -c "INSERT INTO parcels SELECT comb_at('2026-11-01Z'::timestamptz + n * interval '1 hour', 'mssql'), n FROM generate_series(0, 239) n" \
    -c "CREATE TABLE plain_parcels AS SELECT * FROM parcels"
same "a hypertable of uniqueidentifier: ten days of rows are in ten chunks" 10 "$(sql -c "SELECT count(*) FROM show_chunks('parcels')")"
plan=$(explained "SELECT * FROM parcels WHERE comb_between(id, '2026-11-03Z', '2026-11-04Z')")
fact "comb_between with constants excludes chunks: at most two of ten are left" "$([ "$(chunks "$plan")" -le 2 ] && echo t || echo "$plan")"
plan=$(explained "SELECT * FROM parcels WHERE comb_between(id, '2026-11-03Z'::timestamptz + (now() - now()), '2026-11-04Z'::timestamptz + (now() - now()))")
same "with now() each is asked" 10 "$(chunks "$plan")"
has "by its index" "Index Cond: ((id >= comb_mssql_lower_bound" "$plan"
facts <<'SQL'
CREATE FUNCTION differs(a timestamptz, b timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE answer boolean;
BEGIN
    -- Constants, as TimescaleDB has to see them.
    EXECUTE format('SELECT (SELECT array_agg(v ORDER BY v) FROM parcels WHERE id >= %1$L AND id < %2$L)
        IS DISTINCT FROM (SELECT array_agg(v ORDER BY v) FROM plain_parcels WHERE id >= %1$L AND id < %2$L)',
        comb_mssql_lower_bound(a), comb_mssql_lower_bound(b)) INTO answer;
    RETURN answer;
END $$;
SELECT 'the rows of 50 ranges are those of a plain table', count(*) FILTER (WHERE differs(a, a + w)) = 0
FROM (SELECT '2026-10-31Z'::timestamptz + random() * interval '11 days' AS a, random() * interval '3 days' AS w FROM generate_series(1, 50)) ranges;
SELECT 'and in its order', array_agg(v ORDER BY id) = array_agg(v ORDER BY v) FROM parcels;
SQL

typed "CREATE TABLE wrong" >/tmp/wrong
IFS='|' read -r by_filter by_where < <(tail -n 1 /tmp/wrong)
fact "a plain uuid column with comb_timestamp_mssql gives wrong rows, as the page warns: $by_where instead of $by_filter" \
    "$([ "$by_filter" -gt 60 ] && [ "$by_filter" -lt 140 ] && [ "$by_where" -eq 200 ] && echo t || echo f)"
companion_end
