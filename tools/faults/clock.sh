#!/usr/bin/env bash
# The system clock is set back by an hour, ahead by 30 years, to before 1970, and mended again, under
# sessions that go on and new ones.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/faketime.sh"

clocked_start
sql <<'SQL'
CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) n;
ANALYZE source;
CREATE TABLE stored (id uuid);
-- How a statement fails.
CREATE FUNCTION sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN NULL;
EXCEPTION WHEN OTHERS THEN
    RETURN SQLSTATE;
END
$$;
SQL

say "An hour back"
facts <<'SQL'
SELECT comb_new() AS before, clock_timestamp() AS clock_before \gset
\! $SET_CLOCK -3600
SELECT 'the clock is an hour back', clock_timestamp() BETWEEN timestamptz :'clock_before' - interval '1 hour' AND timestamptz :'clock_before' - interval '59 minutes';
SELECT 'the same session goes on above', comb_new() > :'before';
SELECT 'in SQL Server''s order, too', bool_and(id > before)
FROM (SELECT comb_convert(:'before', 'uuidv7', 'mssql')::uniqueidentifier AS before, comb_new_mssql()::uniqueidentifier AS id) ids;
\c
SELECT 'a new session goes on above', comb_new() > :'before';
SELECT 'the status says how far ids are ahead: ' || ahead, ahead BETWEEN interval '59 minutes' AND interval '1 hour' FROM comb_status();
-- A second of every 16 goes.
SELECT 'and until when: ' || level_at, level_at - clock_timestamp() BETWEEN interval '15:50' AND interval '16:05' FROM comb_status();
SELECT 'it counts one step: ' || stepped_back, steps_back = 1 AND stepped_back BETWEEN interval '59 minutes' AND interval '1 hour' AND largest_step_back = stepped_back FROM comb_status();
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 4;
SET parallel_leader_participation = off;
SELECT comb_new() AS before \gset
CREATE TABLE made AS SELECT comb_new() AS id FROM source;
SELECT 'parallel workers go on above', min(id::text) > :'before' FROM made;
\! $SET_CLOCK +0
SELECT comb_new() AS mended \gset
SELECT 'the clock mended, ids are above', :'mended' > max(id::text) FROM made;
SELECT 'and as good as level: ' || ahead, ahead < interval '1 second' FROM comb_status();
SQL

# Twice a hundred milliseconds or more of ids, and so some twenty comparisons with the clock.
warnings() {
    sql <<'SQL' 2>&1 >/dev/null | grep -c WARNING
SELECT comb_new();
\! $SET_CLOCK -3600
SELECT count(comb_new()) FROM generate_series(1, 2000000);
SELECT pg_sleep(0.1);
SELECT count(comb_new()) FROM generate_series(1, 2000000);
SQL
}
warned=$(warnings) || true
fact "a session whose ids run ahead is warned, and not twice within a minute: $warned" "$(sql -c "SELECT $warned = 1")"
set_clock +0

say "30 years ahead"
facts <<'SQL'
SELECT comb_new(), clock_timestamp() AS clock_before \gset
\! $SET_CLOCK +30y
SELECT comb_new() AS future \gset
SELECT 'ids follow the clock: ' || comb_timestamp(:'future'), comb_timestamp(:'future') > timestamptz :'clock_before' + interval '29 years';
\! $SET_CLOCK +0
SELECT 'the clock mended, the same session stays above', comb_new() > :'future';
\c
SELECT 'a new session stays above', comb_new() > :'future';
SELECT 'the status says that this does not end: ' || ahead, ahead > interval '29 years' AND lead_stays AND level_at IS NULL FROM comb_status();
\set reset `psql -X -q -At -c "SELECT comb_reset_clock() IS NOT NULL"`
SELECT 'comb_reset_clock() works', :'reset' = 't';
SELECT 'called in another session, it brings this one back: ' || moment, abs(extract(epoch FROM clock_timestamp() - moment)) < 1
FROM comb_timestamp(comb_new()) moment;
\c
SELECT 'and a new one', abs(extract(epoch FROM clock_timestamp() - moment)) < 1 FROM comb_timestamp(comb_new()) moment;
SELECT 'the status says so', abs(extract(epoch FROM ahead)) < 1 AND NOT lead_stays FROM comb_status();
SQL

say "Before 1970"
facts <<'SQL'
SELECT comb_new() AS before, steps_back AS steps FROM comb_status() \gset
\! $SET_CLOCK -70y
SELECT 'the clock is before 1970', clock_timestamp() < '1970-01-01Z';
SELECT 'the same session raises 22008', sqlstate_of('INSERT INTO stored SELECT comb_new()') = '22008';
\c
SELECT 'a new session raises 22008', sqlstate_of('INSERT INTO stored SELECT comb_new()') = '22008';
SELECT 'in every layout', bool_and(sqlstate_of(format('INSERT INTO stored SELECT comb_new(%L)', label)) = '22008') FROM comb_layouts();
SELECT 'and for BSV text', sqlstate_of('SELECT comb_new_bsv()') = '22008';
SELECT 'and for the status, which is of now', sqlstate_of('SELECT comb_status()') = '22008';
\! $SET_CLOCK +0
SELECT 'the clock mended, it makes ids above those before', comb_new() > :'before';
SELECT 'of now', abs(extract(epoch FROM clock_timestamp() - moment)) < 1 FROM comb_timestamp(comb_new()) moment;
SELECT 'nothing was stored', count(*) = 0 FROM stored;
\c
SELECT 'a new session makes them too', comb_new() > :'before';
SQL

if [ "$DURATION" -ge 60 ]; then
    say "A minute of warnings"
    warned=$(sql <<'SQL' 2>&1 >/dev/null | grep -c WARNING
SELECT comb_new();
\! $SET_CLOCK -3600
SELECT comb_new();
SELECT pg_sleep(62);
SELECT comb_new();
SQL
    ) || true
    fact "after a minute a session is warned again: $warned" "$(sql -c "SELECT $warned = 2")"
fi
finish
