-- The clock that ids are made by, in scope backend: what is done to it here concerns this connection alone.
CREATE EXTENSION comb;
SET comb.scope = backend;
SELECT scope, reason, ahead, level_at, lead_stays, steps_back, stepped_back, largest_step_back, seed_source,
       latest BETWEEN now() - interval '10 ms' AND clock_timestamp() + interval '10 ms' AS now,
       seeded_at BETWEEN pg_postmaster_start_time() AND clock_timestamp() AS seeded_since_the_start,
       library_version = extversion AS library, extension_version = extversion AS extension, update_due
FROM comb_status(), pg_extension WHERE extname = 'comb';

-- An id that another server made: what is made from now on is greater.
SET comb.drift_warning = -1;
CREATE TABLE observed AS SELECT comb_at(clock_timestamp() + interval '50 s') AS id;
SELECT comb_new() > id AS greater FROM observed;
SELECT comb_observe(id) >= comb_timestamp(id) AS observed FROM observed;
SELECT comb_new() > id AS greater, comb_shifted('0') > id AS shifted,
       comb_convert(comb_new_mssql(), 'mssql', 'uuidv7') > id AS mssql,
       comb_timestamp(comb_new('process_ticks'), 'process_ticks') >= comb_timestamp(id) AS process_ticks,
       comb_bsv_timestamp(comb_new_bsv()) >= comb_timestamp(id) AS bsv
FROM observed;
-- In every layout; the coarsest counts in 1/300 s.
SELECT label, comb_timestamp(comb_new(label), label) > comb_timestamp(id) - interval '4 ms' AS after
FROM observed, comb_layouts();
-- It is worked off: a second in every 16.
SELECT ahead BETWEEN '49 s' AND '50 s' AS ahead,
       level_at BETWEEN clock_timestamp() + interval '780 s' AND clock_timestamp() + interval '800 s' AS level,
       lead_stays, steps_back
FROM comb_status();
SET client_min_messages = warning;
-- One from before changes nothing; NULL neither.
SELECT comb_observe(comb_at('2020-01-01')) BETWEEN now() + interval '49 s' AND clock_timestamp() + interval '50 s' AS unchanged,
       comb_observe(NULL);
-- A layout of another time field, from before 1970.
SELECT comb_observe(comb_min('1950-01-01Z', 'mssql_legacy'), 'mssql_legacy') < clock_timestamp() + interval '50 s' AS unchanged;
SELECT comb_observe(comb_at(now() + interval '55 s', 'mssql'), 'mssql') BETWEEN now() + interval '55 s' AND now() + interval '56 s' AS raised;
-- Going back is only on purpose.
SELECT comb_reset_clock() < clock_timestamp() + interval '1 s' AS reset;
SELECT comb_new() < id AS back, comb_timestamp(comb_new()) <= clock_timestamp() AS at_the_clock FROM observed;
SELECT ahead, level_at, lead_stays FROM comb_status();

-- A lead that is too long to be worked off stays, and is seen.
SELECT comb_observe(comb_at(clock_timestamp() + interval '3 hours')) > now() + interval '2 hours' AS observed;
SELECT ahead BETWEEN '02:59:59' AND '03:00' AS ahead, level_at, lead_stays FROM comb_status();
SELECT count(comb_reset_clock());

-- Longer than a layout's range: an error that tells it from a wrong clock.
SELECT comb_observe(comb_at('2071-01-01Z')) > '2070-12-31' AS observed;
SELECT comb_new('laravel');
SELECT comb_timestamp(comb_new('mssql'), 'mssql') > '2070-12-31' AS another_holds_it;
SELECT count(comb_reset_clock());

-- A warning for who makes ids ahead of the clock, once a minute.
SELECT count(comb_observe(comb_at(clock_timestamp() + interval '50 s')));
RESET comb.drift_warning;
\set VERBOSITY sqlstate
SELECT count(comb_new()) FROM (SELECT pg_sleep(0.02) FROM generate_series(1, 3)) s;
-- And for who leads them ahead, each time; then not again by the next id.
SELECT count(comb_observe(comb_at(clock_timestamp() + interval '55 s')));
SELECT count(comb_observe(comb_at(clock_timestamp() + interval '40 s')));
SELECT count(comb_new()) FROM (SELECT pg_sleep(0.02) FROM generate_series(1, 3)) s;
\set VERBOSITY default
SELECT count(comb_reset_clock());

-- What cannot be.
SELECT comb_observe('1ec9414c-232a-6b00-b3c8-9f6bdeced846');
SELECT comb_observe(comb_max('10889-01-01Z'));
SELECT comb_new() < comb_at('2900-01-01Z') AS unmoved;

-- Not everybody's.
CREATE ROLE comb_regress_user;
SET ROLE comb_regress_user;
SELECT comb_observe(comb_at(now()));
SELECT comb_reset_clock();
SELECT count(*) FROM comb_status();
RESET ROLE;
GRANT EXECUTE ON FUNCTION comb_observe TO comb_regress_user;
SET comb.drift_warning = -1;
SET ROLE comb_regress_user;
SELECT comb_observe(comb_at(now() + interval '50 s')) > now() AS within_a_minute;
SELECT comb_observe(comb_at(now() + interval '70 s'));
SET comb.max_ahead = '2min';
RESET ROLE;
SELECT has_function_privilege(rolname, 'comb_observe(uuid, text)', 'EXECUTE') AS observe,
       has_function_privilege(rolname, 'comb_reset_clock()', 'EXECUTE') AS reset
FROM (SELECT coalesce((SELECT rolname FROM pg_roles WHERE rolname = 'pg_maintain'), current_user) AS rolname) maintainer;
REVOKE ALL ON FUNCTION comb_observe FROM comb_regress_user;
DROP ROLE comb_regress_user;
RESET ALL;

-- A distance of time fields is the connection's own affair, and so is the clock that makes it.
SET comb.scope = backend;
SET client_min_messages = warning;
SELECT count(comb_reset_clock());
RESET comb.scope;
SET comb.drift_warning = -1;
SET comb.timestamp_step = '8s';
SELECT scope, reason FROM comb_status();
SELECT count(*) AS pairs, bool_and(moment - before >= interval '8 s') AS apart
FROM (SELECT moment, lag(moment) OVER (ORDER BY n) AS before
      FROM (SELECT n, comb_timestamp(comb_new()) AS moment FROM generate_series(1, 20) n) ids) moments
WHERE before IS NOT NULL;
SELECT ahead BETWEEN '2 min' AND '3 min' AS ahead FROM comb_status();
RESET comb.timestamp_step;
SELECT ahead < interval '1 min' AS by_another_clock FROM comb_status();

-- Names and values that there are not.
SET comb.scope = 'galaxy';
SET comb.scop = 'server';
DROP TABLE observed;
DROP EXTENSION comb;
