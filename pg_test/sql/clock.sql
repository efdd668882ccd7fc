-- The clock, in scope backend: what is done to it here concerns this connection alone.
\pset tuples_only on
\pset format unaligned
CREATE EXTENSION comb;
SET comb.scope = backend;
SELECT scope, reason, ahead, seed_source,
       latest BETWEEN now() - interval '10 ms' AND clock_timestamp() + interval '10 ms' AS now,
       seeded_at BETWEEN pg_postmaster_start_time() AND clock_timestamp() AS seeded_since_the_start,
       library_version = extversion AS library, extension_version = extversion AS extension, update_due
FROM comb_status(), pg_extension WHERE extname = 'comb';

-- A UUID that another server generated: new ones are greater, in every layout.
SET comb.drift_warning = -1;
CREATE TABLE observed AS SELECT comb_at(clock_timestamp() + interval '50 s') AS id;
SELECT comb_new() > id AS greater FROM observed;
SELECT comb_observe(id) >= comb_timestamp(id) AS observed FROM observed;
SELECT comb_new() > id AS greater,
       comb_convert(comb_new_mssql(), 'mssql', 'uuidv7') > id AS mssql,
       comb_bsv_timestamp(comb_new_bsv()) >= comb_timestamp(id) AS bsv
FROM observed;
-- The coarsest layout counts in 1/300 s.
SELECT string_agg(label, ', ') AS not_after FROM observed, comb_layouts()
WHERE comb_timestamp(comb_new(label), label) < comb_timestamp(id) - interval '4 ms';
-- Time stands still until the system clock has caught up.
SELECT ahead BETWEEN '49 s' AND '50 s' AS ahead FROM comb_status();
CREATE TABLE stands AS SELECT latest, clock_timestamp() AS system FROM comb_status();
SELECT count(comb_new()) FROM generate_series(1, 1000);
SELECT s.latest - stands.latest < interval '1 ms' AS stands_still FROM comb_status() s, stands;
SET client_min_messages = warning;
-- One from before changes nothing; NULL neither.
SELECT comb_observe(comb_at('2020-01-01')) BETWEEN now() + interval '49 s' AND clock_timestamp() + interval '50 s' AS unchanged,
       comb_observe(NULL);
-- A layout of another time field, from before 1970.
SELECT comb_observe(comb_at('1950-01-01Z', 'mssql_legacy'), 'mssql_legacy') < clock_timestamp() + interval '50 s' AS unchanged;
SELECT comb_observe(comb_at(now() + interval '55 s', 'mssql'), 'mssql') BETWEEN now() + interval '55 s' AND now() + interval '56 s' AS raised;
-- Going back is only on purpose.
SELECT comb_reset_clock() < clock_timestamp() + interval '1 s' AS reset;
SELECT comb_new() < id AS back, comb_timestamp(comb_new()) <= clock_timestamp() AS at_the_clock FROM observed;
SELECT ahead FROM comb_status();

-- comb.max_ahead limits superusers too, who raise it on purpose. The error names the time.
SELECT comb_observe(comb_at('2198-01-01Z'));
SELECT comb_new() < comb_at(now() + interval '1 s') AS unchanged;
SET comb.max_ahead = -1;
-- Longer than a layout's range: an error that tells it from a wrong clock.
SELECT comb_observe(comb_at('2071-01-01Z')) > '2070-12-31' AS observed;
SELECT comb_new('laravel');
SELECT comb_timestamp(comb_new('mssql'), 'mssql') > '2070-12-31' AS another_holds_it;
SELECT count(comb_reset_clock());

-- A warning for the session whose UUIDs are ahead, once a minute.
SELECT count(comb_observe(comb_at(clock_timestamp() + interval '50 s')));
RESET comb.drift_warning;
\set VERBOSITY sqlstate
SELECT count(comb_new()) FROM generate_series(1, 3);
-- And for the session that advances them, each time; then not again by the next UUID.
SELECT count(comb_observe(comb_at(clock_timestamp() + interval '55 s')));
SELECT count(comb_observe(comb_at(clock_timestamp() + interval '40 s')));
SELECT count(comb_new()) FROM generate_series(1, 3);
\set VERBOSITY default
SELECT count(comb_reset_clock());

-- What cannot be.
SELECT comb_observe('1ec9414c-232a-6b00-b3c8-9f6bdeced846');
SELECT comb_observe(comb_lower_bound('10889-01-01Z'));
SELECT comb_new() < comb_at('2900-01-01Z') AS unmoved;

-- Who may do it.
CREATE ROLE comb_regress_user;
SET ROLE comb_regress_user;
SELECT comb_observe(comb_at(now()));
SELECT comb_reset_clock();
SELECT count(*) FROM comb_status();
SET comb.max_ahead = '2min';
SET comb.timestamp_step = '1s';
RESET ROLE;
SELECT has_function_privilege(rolname, 'comb_observe(uuid, text)', 'EXECUTE') AS observe,
       has_function_privilege(rolname, 'comb_reset_clock()', 'EXECUTE') AS reset
FROM (SELECT coalesce((SELECT rolname FROM pg_roles WHERE rolname = 'pg_maintain'), current_user) AS rolname) maintainer;
DROP ROLE comb_regress_user;
RESET ALL;

-- Steps of time fields, on the clock of the scope.
SET comb.scope = backend;
SET client_min_messages = warning;
SELECT count(comb_reset_clock());
SET comb.drift_warning = -1;
SET comb.timestamp_step = '8s';
SELECT count(*) AS pairs, bool_and(at - before >= interval '8 s') AS apart
FROM (SELECT at, lag(at) OVER (ORDER BY n) AS before
      FROM (SELECT n, comb_timestamp(comb_new()) AS at FROM generate_series(1, 20) n) ids) times
WHERE before IS NOT NULL;
SELECT ahead BETWEEN '2 min' AND '3 min' AS ahead FROM comb_status();
RESET comb.timestamp_step;
SELECT ahead BETWEEN '2 min' AND '3 min' AS same_clock FROM comb_status();

-- Names and values that there are not.
SET comb.scope = 'galaxy';
SET comb.scop = 'server';
DROP TABLE observed, stands;
DROP EXTENSION comb;
