-- The commit horizon, as far as one connection shows it: who may ask for it, every layout, ranges, the plan of a poll.
CREATE EXTENSION comb;
\getenv directory PG_ABS_SRCDIR
\set refusal :directory '/refusal.sql'
\i :refusal
CREATE TABLE calls (call text);
INSERT INTO calls VALUES ('comb_tracked()'), ('comb_tracked(''mssql'')'), ('comb_horizon()'),
    ('comb_settled(comb_new())'), ('comb_hold()');
SET comb.scope = backend;
SELECT call, refusal('SELECT ' || call) FROM calls;
SELECT horizon, held_for FROM comb_horizon_status();
RESET comb.scope;
SET comb.timestamp_step = 1;
SELECT call, refusal('SELECT ' || call) FROM calls;
RESET comb.timestamp_step;
SELECT call, refusal('SELECT ' || call) FROM calls;
SELECT split_part(refusal('SELECT comb_horizon(''none'')'), E'\n', 1) AS comb_horizon,
       split_part(refusal('SELECT comb_tracked(''none'')'), E'\n', 1) AS comb_tracked;
SELECT refusal('SELECT comb_settled(gen_random_uuid())');
SELECT comb_settled(NULL), comb_horizon(NULL), comb_tracked(NULL);
-- Nobody holds it back.
SELECT comb_new() AS before \gset
SELECT comb_horizon() > :'before' AS above, count(holders) FROM comb_horizon_holders() holders;

-- PostgreSQL has two orders. Where it lacks the layout's, a comparison would lose rows.
CREATE TABLE tracked (layout text, id uuid);
BEGIN;
INSERT INTO tracked SELECT label, comb_tracked(label) FROM comb_layouts();
SELECT layout, comb_settled(id, layout) FROM tracked;
COMMIT;
SELECT layout, comb_settled(id, layout), CASE byte_order
    WHEN 'postgres' THEN (id < comb_horizon(layout))::text
    WHEN 'sqlserver' THEN (id::uniqueidentifier < comb_horizon(layout)::uniqueidentifier)::text
    ELSE left(refusal(format('SELECT comb_horizon(%L)', layout)), 5)
    END AS below
FROM tracked JOIN comb_layouts() ON label = layout;
CREATE TABLE mssql (id uniqueidentifier PRIMARY KEY DEFAULT comb_tracked('mssql')::uniqueidentifier);
INSERT INTO mssql SELECT FROM generate_series(1, 1000);
SELECT count(*) FROM mssql WHERE id < comb_horizon('mssql')::uniqueidentifier;
BEGIN;
INSERT INTO mssql SELECT FROM generate_series(1, 1000);
SELECT count(*) FROM mssql WHERE id < comb_horizon('mssql')::uniqueidentifier;
COMMIT;

-- Ranges that end at the horizon's time. Their keys are of one millisecond, and only the transaction sees them: a time that was
-- rounded up would let them through.
CREATE TABLE ranged (layout text, id uuid);
CREATE TABLE ranges (layout text, range text);
INSERT INTO ranges VALUES
    ('uuidv7', 'id < comb_horizon()'), ('uuidv7', 'id < comb_min(horizon)'), ('uuidv7', 'id < comb_lower_bound(horizon)'),
    ('uuidv7', 'comb_between(id, ''-infinity'', horizon)'), ('uuidv7', 'comb_between_time(id, ''-infinity'', horizon)'),
    ('uuidv7', 'id <@~ comb_first_from(horizon)'), ('uuidv7', 'id <=@~ comb_last_before(horizon)'), ('uuidv7', 'comb_timestamp(id) < horizon'),
    ('mssql', 'id <# comb_horizon(''mssql'')'), ('mssql', 'id <# comb_mssql_lower_bound(horizon)'),
    ('mssql', 'id <# comb_partman_mssql_encoder(horizon)'), ('mssql', 'comb_between(id::uniqueidentifier, ''-infinity'', horizon)');
INSERT INTO ranges SELECT label, format(CASE byte_order WHEN 'sqlserver' THEN 'id <# comb_min(horizon, %L)' ELSE 'id < comb_min(horizon, %L)' END, label)
    FROM comb_layouts() WHERE byte_order IN ('postgres', 'sqlserver');
CREATE FUNCTION found(layout text, range text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found bigint;
BEGIN
    EXECUTE format('WITH settled AS MATERIALIZED (SELECT comb_timestamp(comb_horizon(%1$L), %1$L) AS horizon)
                    SELECT count(*) FROM ranged, settled WHERE layout = %1$L AND %2$s', layout, range) INTO found;
    RETURN found;
END $$;
BEGIN;
INSERT INTO ranged SELECT label, comb_tracked(label) FROM comb_layouts(), generate_series(1, 20);
SELECT layout, range, (SELECT count(*) FROM ranged WHERE ranged.layout = ranges.layout) AS keys, found(layout, range) FROM ranges;
ROLLBACK;

CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked(), n int);
INSERT INTO outbox (n) SELECT 0 FROM generate_series(1, 50000);
ANALYZE outbox;
EXPLAIN (COSTS OFF) SELECT * FROM outbox WHERE id > comb_min(now() - interval '1 s') AND id < comb_horizon() ORDER BY id LIMIT 1000;
CREATE VIEW outbox_settled AS SELECT * FROM outbox WHERE id < comb_horizon();
EXPLAIN (COSTS OFF) SELECT * FROM outbox_settled WHERE id > comb_min(now() - interval '1 s') ORDER BY id LIMIT 1000;

-- PostgreSQL 18 prunes partitions in parallel workers, too, by a function that the condition calls itself.
CREATE TABLE partitioned (id uuid DEFAULT comb_tracked()) PARTITION BY RANGE (id);
CREATE TABLE partition_of_all PARTITION OF partitioned DEFAULT;
CREATE TABLE partition_of_past PARTITION OF partitioned FOR VALUES FROM (MINVALUE) TO (comb_lower_bound('2020-01-01Z'));
INSERT INTO partitioned SELECT FROM generate_series(1, 3);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(comb_horizon());
SELECT (SELECT count(*) FROM outbox) FROM partitioned WHERE id < (SELECT comb_horizon());
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
DROP TABLE partitioned;

-- A default keeps the extension. Without it the table stays, and the extension comes back.
DROP VIEW outbox_settled;
DROP TABLE mssql;
DROP EXTENSION comb;
DROP EXTENSION comb CASCADE;
SELECT count(*) FROM outbox;
CREATE EXTENSION comb;
SELECT comb_horizon() > max(id::text)::uuid AS above FROM outbox;
DROP TABLE calls, tracked, ranged, ranges, outbox;
DROP FUNCTION refusal, found;
DROP EXTENSION comb;
