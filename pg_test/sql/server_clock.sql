-- The clock that all connections share. It is moved for all of them, so this is for a server of the tests alone, which
-- has the library preloaded.
CREATE EXTENSION comb;
SELECT scope, reason, ahead, level_at, lead_stays, steps_back, stepped_back, largest_step_back, seed_source,
       latest BETWEEN now() - interval '10 ms' AND clock_timestamp() + interval '10 ms' AS now,
       seeded_at BETWEEN pg_postmaster_start_time() AND clock_timestamp() AS seeded_since_the_start,
       update_due
FROM comb_status();

-- An id that another server made: what is made from now on is greater.
SET comb.drift_warning = -1;
CREATE TABLE observed AS SELECT comb_at(clock_timestamp() + interval '50 s') AS id;
SELECT comb_new() > id AS greater FROM observed;
SELECT comb_observe(id) BETWEEN comb_timestamp(id) AND comb_timestamp(id) + interval '1 s' AS observed FROM observed;
SELECT comb_new() > id AS greater FROM observed;
\c -
SET comb.drift_warning = -1;
SELECT comb_new() > id AS greater_in_a_new_session, comb_shifted('0') > id AS shifted,
       comb_convert(comb_new_mssql(), 'mssql', 'uuidv7') > id AS mssql,
       comb_timestamp(comb_new('process_ticks'), 'process_ticks') >= comb_timestamp(id) AS process_ticks,
       comb_bsv_timestamp(comb_new_bsv()) >= comb_timestamp(id) AS bsv
FROM observed;
-- In every layout; the coarsest counts in 1/300 s.
SELECT label, comb_timestamp(comb_new(label), label) > comb_timestamp(id) - interval '4 ms' AS after
FROM observed, comb_layouts();
SELECT ahead BETWEEN '49 s' AND '50 s' AS ahead,
       level_at BETWEEN clock_timestamp() + interval '780 s' AND clock_timestamp() + interval '800 s' AS level,
       lead_stays, steps_back
FROM comb_status();

-- In another scope there is another clock.
SET comb.scope = backend;
SELECT scope, reason, ahead FROM comb_status();
SELECT comb_observe(comb_at('2020-01-01')) < now() + interval '1 s' AS its_own;
SELECT comb_new() < id AS by_its_own_clock FROM observed;
SET comb.scope = server;
SELECT comb_new() > id AS by_the_servers FROM observed;
RESET comb.scope;
-- And with a distance of time fields, whose lead is nobody else's.
SET comb.timestamp_step = '1h';
SELECT scope, reason, ahead < interval '1 s' AS level FROM comb_status();
SELECT count(comb_new()) FROM generate_series(1, 100);
SELECT ahead > interval '98 h' AS ahead FROM comb_status();
RESET comb.timestamp_step;
SELECT scope, ahead < interval '1 min' AS by_the_servers FROM comb_status();

-- Going back is only on purpose.
SELECT comb_reset_clock() < clock_timestamp() + interval '1 s' AS reset;
SELECT comb_new() < id AS back, comb_timestamp(comb_new()) <= clock_timestamp() AS at_the_clock FROM observed;
\c -
SELECT comb_new() < id AS back, comb_timestamp(comb_new()) <= clock_timestamp() AS at_the_clock FROM observed;
SELECT ahead, level_at, lead_stays FROM comb_status();

-- A lead that is too long to be worked off stays, and is seen by all.
SET comb.drift_warning = -1;
SELECT comb_observe(comb_at(clock_timestamp() + interval '3 hours')) > now() + interval '2 hours' AS observed;
\c -
SET comb.drift_warning = -1;
SELECT ahead BETWEEN '02:59:59' AND '03:00' AS ahead, level_at, lead_stays FROM comb_status();
SELECT count(comb_reset_clock());
\c -
SELECT ahead, lead_stays FROM comb_status();

-- How far who is no superuser may lead everybody ahead.
CREATE ROLE comb_regress_user;
GRANT EXECUTE ON FUNCTION comb_observe, comb_reset_clock TO comb_regress_user;
SET comb.drift_warning = -1;
SET ROLE comb_regress_user;
SELECT comb_observe(comb_at(now() + interval '50 s')) > now() AS within_a_minute;
SELECT comb_observe(comb_at(now() + interval '70 s'));
SELECT comb_new() < comb_at(now() + interval '60 s') AS unmoved;
RESET ROLE;
SET comb.max_ahead = '2min';
SET ROLE comb_regress_user;
SELECT comb_observe(comb_at(now() + interval '70 s')) > now() AS within_two_minutes;
SELECT count(comb_reset_clock());
RESET ROLE;
REVOKE ALL ON FUNCTION comb_observe, comb_reset_clock FROM comb_regress_user;
DROP ROLE comb_regress_user;
DROP TABLE observed;
DROP EXTENSION comb;
