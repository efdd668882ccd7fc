-- Partitions by time: their statements, their ranges, what is refused, and what pg_partman calls.
CREATE EXTENSION comb;
SET timezone = 'America/New_York';
\getenv directory PG_ABS_SRCDIR
\set refusal :directory '/refusal.sql'
\i :refusal

-- Statements that \gexec runs, and runs again. Months are cut in UTC; clocks change in March.
CREATE TABLE events (id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id);
\x on
SELECT * FROM comb_partitions('events', '2026-01-31Z', '2026-04-01Z', '1 month');
\x off
SELECT statement FROM comb_partitions('events', '2026-01-31Z', '2026-04-01Z', '1 month') \gexec
SET client_min_messages = warning;
SELECT statement FROM comb_partitions('events', '2026-02-15Z', '2026-05-01Z', '1 month') \gexec
RESET client_min_messages;
SELECT inhrelid::regclass AS partition, lower(r) AT TIME ZONE 'UTC' AS "from", upper(r) AT TIME ZONE 'UTC' AS "to",
       lower_inc(r) AS with_lower, upper_inc(r) AS with_upper
FROM pg_inherits, comb_partition_range(inhrelid) r WHERE inhparent = 'events'::regclass ORDER BY r;
-- Rows go where their time says, at the edges, too.
INSERT INTO events (id, body)
SELECT comb_at(at), at AT TIME ZONE 'UTC' FROM unnest('{2026-01-01Z, 2026-01-31T23:59:59.999Z, 2026-02-01Z, 2026-04-30T23:59:59.999999Z}'::timestamptz[]) at;
SELECT body, tableoid::regclass AS partition, comb_partition_range(tableoid) @> comb_timestamp(id) AS within FROM events ORDER BY id;
-- comb_between() of a month reads one partition.
SET enable_indexscan = off;
SET enable_bitmapscan = off;
EXPLAIN (costs off) SELECT * FROM events WHERE comb_between(id, '2026-02-01Z', '2026-03-01Z') AND body = 'x';
RESET enable_indexscan;
RESET enable_bitmapscan;

-- How steps are cut and what partitions are called. No step depends on a change of clocks.
SELECT step, array_agg(regexp_replace(name, '.*events_', '') ORDER BY lower_bound) AS names,
       min(comb_timestamp(lower_bound)) AT TIME ZONE 'UTC' AS "from", max(comb_timestamp(upper_bound)) AT TIME ZONE 'UTC' AS "to"
FROM (VALUES (interval '1 ms', '2026-03-08 00:00:00.003Z'::timestamptz), ('1.5 s', '2026-03-08 00:00:02Z'), ('1 minute', '2026-03-08 00:01:30Z'),
             ('90 minutes', '2026-03-08 03:00Z'), ('1 hour', '2026-03-08 02:00Z'), ('1 day -1 hour', '2026-03-09Z'), ('36 hours', '2026-03-10Z'),
             ('1 day', '2026-03-10Z'), ('1 week', '2026-03-12Z'), ('1 month', '2026-05-01Z'), ('3 months', '2026-09-30Z'),
             ('1 year', '2027-12-31Z'), ('10 years', '2030-01-02Z')) steps (step, until),
     comb_partitions('events', '2026-03-08Z', until, step)
GROUP BY step ORDER BY step;
SELECT count(*) FROM comb_partitions('events', '2026-03-08Z', '2026-03-08Z', '1 day');
SELECT count(*), count(DISTINCT name) FROM comb_partitions('events', '2026-01-01Z', '2027-02-01Z', '1 hour');
SELECT name, statement FROM comb_partitions('events', '2026-03-08Z', NULL, '1 day');

-- The other kinds of keys: the bounds are those of comb_between().
CREATE TABLE guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql()) PARTITION BY RANGE (id);
CREATE TABLE uuids (id uuid NOT NULL DEFAULT comb_new_mssql()) PARTITION BY RANGE (id uuid_mssql_ops);
SELECT statement FROM comb_partitions('guids', '2026-11-01Z', '2026-11-02Z', '1 day') UNION ALL
SELECT statement FROM comb_partitions('uuids', '2026-11-01Z', '2026-11-02Z', '1 day') \gexec
SELECT lower_bound = comb_mssql_lower_bound('2026-11-01Z')::uuid AS lower, upper_bound = comb_mssql_lower_bound('2026-11-02Z')::uuid AS upper
FROM comb_partitions('guids', '2026-11-01Z', '2026-11-02Z', '1 day');
SELECT comb_partition_range('guids_2026_11_01') = tstzrange('2026-11-01Z', '2026-11-02Z') AS guids,
       comb_partition_range('uuids_2026_11_01') = tstzrange('2026-11-01Z', '2026-11-02Z') AS uuids;
SET search_path = '';
SELECT public.comb_partition_range('public.guids_2026_11_01') = tstzrange('2026-11-01Z', '2026-11-02Z') AS guids,
       (SELECT name FROM public.comb_partitions('public.guids', '2026-11-01Z', '2026-11-02Z', '1 day'));
RESET search_path;
INSERT INTO guids SELECT comb_at(at, 'mssql') FROM unnest('{2026-11-01Z, 2026-11-01T23:59:59.999Z}'::timestamptz[]) at;
INSERT INTO uuids SELECT id FROM guids;
CREATE DOMAIN key AS uuid;
CREATE TABLE domains (id key) PARTITION BY RANGE (id);
SELECT comb_partition_layout('guids') AS guids, comb_partition_layout('uuids') AS uuids, comb_partition_layout('domains') AS domains;

-- In time order, random keys have a partition of their own.
CREATE TABLE mixed (id uuid NOT NULL) PARTITION BY RANGE (id uuid_time_ops);
CREATE TABLE mixed_random PARTITION OF mixed FOR VALUES FROM (MINVALUE) TO ('00000000-0000-7000-8000-000000000000');
SELECT statement FROM comb_partitions('mixed', '2026-11-01Z', '2026-11-03Z', '1 day') \gexec
INSERT INTO mixed VALUES ('019a3d40-0000-4000-8000-000000000000'), ('ffffffff-ffff-4fff-bfff-ffffffffffff'), (comb_at('2026-11-01Z')), (comb_at('2026-11-02Z'));
SELECT tableoid::regclass, count(*) FROM mixed GROUP BY 1 ORDER BY 1;
SELECT comb_partition_layout('mixed'), comb_partition_range('mixed_2026_11_01') = tstzrange('2026-11-01Z', '2026-11-02Z') AS range,
       comb_partition_range('mixed_random') AS random;
EXPLAIN (COSTS OFF) SELECT FROM mixed WHERE comb_between_time(id, '2026-11-02Z', '2026-11-03Z');
-- The names of functions do not matter.
ALTER FUNCTION comb_between_time(uuid, timestamptz, timestamptz) RENAME TO in_time;
ALTER FUNCTION comb_time_cmp(uuid, uuid) RENAME TO time_cmp;
CREATE INDEX ON mixed (id);
SET enable_seqscan = off;
SELECT count(*) FROM mixed WHERE in_time(id, '2020-01-01Z', '2026-11-03Z');
SELECT comb_partition_range('mixed_2026_11_01') = tstzrange('2026-11-01Z', '2026-11-02Z') AS range;
RESET enable_seqscan;
ALTER FUNCTION in_time(uuid, timestamptz, timestamptz) RENAME TO comb_between_time;
ALTER FUNCTION time_cmp(uuid, uuid) RENAME TO comb_time_cmp;
DROP TABLE mixed;

-- Names: quoted, in the schema of the table, of up to 63 bytes without a collision.
CREATE SCHEMA "Odd Schema";
CREATE TABLE "Odd Schema"."a ""table"" of 'ours'" (id uuid) PARTITION BY RANGE (id);
SELECT statement FROM comb_partitions('"Odd Schema"."a ""table"" of ''ours''"', '2026-11-01Z', '2026-11-02Z', '1 month') \gexec
SELECT comb_partition_range('"Odd Schema"."a ""table"" of ''ours''_2026_11"') IS NOT NULL AS made;
CREATE TABLE a123456789_123456789_123456789_123456789_123456789_aa1 (id uuid) PARTITION BY RANGE (id);
CREATE TABLE a123456789_123456789_123456789_123456789_123456789_aa2 (id uuid) PARTITION BY RANGE (id);
SELECT octet_length(name) - 7 AS bytes, name FROM (VALUES (interval '1 month'), ('1 day')) steps (step), pg_class,
    comb_partitions(pg_class.oid, '2026-11-01Z', '2026-11-02Z', step) WHERE relname LIKE 'a123456789%' AND relkind = 'p' ORDER BY step, relname;
-- What only has the name is not taken for the partition.
CREATE TABLE events_2026_07 (id uuid);
CREATE TABLE events_2026_08 PARTITION OF events FOR VALUES FROM (comb_min('2026-08-02Z')) TO (comb_min('2026-09-01Z'));
SELECT statement FROM comb_partitions('events', '2026-06-01Z', '2026-09-01Z', '1 month') \gexec
DROP TABLE events_2026_07, events_2026_08;

-- Ranges without an end, the default partition, and bounds that have no version or no time.
CREATE TABLE ends (id uuid) PARTITION BY RANGE (id);
CREATE TABLE ends_first PARTITION OF ends FOR VALUES FROM (MINVALUE) TO (comb_min('2026-01-01Z'));
CREATE TABLE ends_bare PARTITION OF ends FOR VALUES FROM (comb_min('2026-01-01Z')) TO ('01a19467-e800-0000-0000-000000000000');
CREATE TABLE ends_last PARTITION OF ends FOR VALUES FROM ('01a19467-e800-0000-0000-000000000000') TO (comb_lower_bound('infinity'));
CREATE TABLE ends_default PARTITION OF ends DEFAULT;
SELECT inhrelid::regclass AS partition, lower(r) AT TIME ZONE 'UTC' AS "from", upper(r) AT TIME ZONE 'UTC' AS "to", r IS NULL AS nothing
FROM pg_inherits, comb_partition_range(inhrelid) r WHERE inhparent = 'ends'::regclass ORDER BY inhrelid;
CREATE TABLE timeless (id uuid) PARTITION BY RANGE (id);
CREATE TABLE timeless_1 PARTITION OF timeless FOR VALUES FROM ('80000000-0000-4000-8000-000000000000') TO (MAXVALUE);
CREATE TABLE timeless_guids (id uniqueidentifier) PARTITION BY RANGE (id);
CREATE TABLE timeless_guids_1 PARTITION OF timeless_guids FOR VALUES FROM (MINVALUE) TO ('00000000-0000-4000-8000-fffffffffff0');
SELECT refusal($$SELECT comb_partition_range('timeless_1')$$) UNION ALL SELECT refusal($$SELECT comb_partition_range('timeless_guids_1')$$);

-- What is refused.
CREATE TABLE plain (id uuid);
CREATE TABLE by_hash (id uuid) PARTITION BY HASH (id);
CREATE TABLE by_hash_0 PARTITION OF by_hash FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE by_list (id uuid) PARTITION BY LIST (id);
CREATE TABLE by_two (id uuid, n int) PARTITION BY RANGE (id, n);
CREATE TABLE by_expression (id uuid) PARTITION BY RANGE (comb_timestamp(id));
CREATE TABLE by_time (at timestamptz) PARTITION BY RANGE (at);
CREATE TABLE by_time_1 PARTITION OF by_time FOR VALUES FROM ('2026-01-01Z') TO ('2027-01-01Z');
SELECT parent, refusal(format('SELECT comb_partitions(%L, ''2026-01-01Z'', ''2026-02-01Z'', ''1 month'')', parent))
FROM unnest('{plain, by_hash, by_list, by_two, by_expression, by_time, events_pkey, events_2026_01, 4711, -}'::text[]) parent;
-- A name is quoted once.
CREATE TABLE "Odd Schema"."Odd table" (id uuid);
SELECT split_part(refusal($$SELECT comb_partition_layout('"Odd Schema"."Odd table"')$$), E'\n', 1) UNION ALL
SELECT split_part(refusal($$SELECT comb_partition_range('"Odd Schema"."Odd table"')$$), E'\n', 1);
DROP TABLE "Odd Schema"."Odd table";
SELECT partition, refusal(format('SELECT comb_partition_range(%L)', partition))
FROM unnest('{plain, events, by_hash_0, by_time_1, 4711}'::text[]) partition;
SELECT times, step, refusal(format('SELECT comb_partitions(''events'', %s, %L)', times, step)) FROM (VALUES
    ('''2026-01-01Z'', ''2026-02-01Z''', '0'), ('''2026-01-01Z'', ''2026-02-01Z''', '-1 day'), ('''2026-01-01Z'', ''2026-02-01Z''', '-1 month'),
    ('''2026-01-01Z'', ''2026-02-01Z''', '1 month 1 day'), ('''2026-01-01Z'', ''2026-02-01Z''', '1 year -1 hour'),
    ('''2026-01-01Z'', ''2026-02-01Z''', '1 microsecond'), ('''2026-01-01Z'', ''2026-02-01Z''', '1 second'), ('''1970-01-01Z'', ''9999-02-01Z''', '1 hour'),
    ('''4714-11-24Z BC'', ''294276-12-31Z''', '1 month'),
    ('''2026-02-01Z'', ''2026-01-01Z''', '1 day'), ('''2026-02-01Z'', ''infinity''', '1 day'), ('''-infinity'', ''2026-01-01Z''', '1 day'),
    ('''1969-12-31Z'', ''1970-02-01Z''', '1 day'), ('''10889-07-31Z'', ''10889-08-03Z''', '1 day'), ('''2026-01-01Z'', ''2026-02-01Z''', '10000 years')) calls (times, step);
-- The limit is one of partitions: 10000 steps that begin between two cuts have 10001.
SELECT count(*) FROM comb_partitions('events', '2026-01-01 00:00Z', '2026-01-07 22:40Z', '1 minute');
SELECT refusal($$SELECT comb_partitions('events', '2026-01-01 00:00:30Z', '2026-01-07 22:40:30Z', '1 minute')$$);
SELECT count(*) FROM comb_partitions('events', '2026-01-01 00:00:30Z', '2026-01-07 22:39:30Z', '1 minute');
-- Nothing was made by what was refused.
SELECT count(*) FROM pg_inherits WHERE inhparent = 'events'::regclass;

-- pg_partman's functions: as it calls them, with any search path.
SELECT comb_partman_decoder(comb_lower_bound('2026-11-01Z')) = '2026-11-01Z' AS decoded,
       comb_partman_mssql_encoder('2026-11-01Z')::uniqueidentifier = comb_mssql_lower_bound('2026-11-01Z') AS mssql_encoded;
SELECT id, comb_partman_decoder(id) AT TIME ZONE 'UTC' AS by_text, comb_partman_decoder(id::uuid) = comb_partman_decoder(id) AS same
FROM unnest('{01a19467-e800-7000-8000-000000000000, 01a19467-e800-0000-0000-000000000000, 01a19467-e8ff-7abc-9def-0123456789ab,
              01a19467-e800-4000-8000-000000000000, 00000000-0000-0000-0000-000000000000, 1ec9414c-232a-6b00-b3c8-9f6bdeced846}'::text[]) id;
SELECT id, comb_partman_mssql_decoder(id) AT TIME ZONE 'UTC' AS by_text, comb_partman_mssql_decoder(id::uuid) = comb_partman_mssql_decoder(id) AS same
FROM unnest('{00000000-0000-4000-8000-01a19467e800, 00000000-0000-0000-0000-01a19467e800, 01234567-89ab-4cde-8f01-01a19467e800,
              01234567-89ab-4cde-8f01-71a19467e800, 00000000-0000-0000-0000-000000000000}'::text[]) id;
SELECT count(comb_partman_decoder(gen_random_uuid()::text)) AS of_random_keys FROM generate_series(1, 1000);
SELECT comb_partman_decoder(NULL) IS NULL AND comb_partman_mssql_encoder(NULL) IS NULL AS nothing;
SELECT refusal('SELECT comb_partman_decoder(''no id'')') UNION ALL SELECT refusal('SELECT comb_partman_mssql_encoder(''infinity'')');

DROP TABLE events, guids, uuids, domains, ends, timeless, timeless_guids, plain, by_hash, by_list, by_two, by_expression, by_time,
    a123456789_123456789_123456789_123456789_123456789_aa1, a123456789_123456789_123456789_123456789_123456789_aa2;
DROP DOMAIN key;
DROP FUNCTION refusal;
DROP EXTENSION comb;
DROP SCHEMA "Odd Schema" CASCADE;
