-- What `make demo` shows, by psql --echo-queries. Variables: rows is the number of rows of a bulk insert; bold and plain
-- begin and end the headings. In the environment, OTHER_SESSION is the psql command of a second session.

\set ON_ERROR_STOP on

\echo :bold'-- One statement adds comb to a database.':plain
CREATE EXTENSION comb;

\echo :bold'-- Each new key is greater than all keys before it.':plain
CREATE TABLE orders (
    id   uuid PRIMARY KEY DEFAULT comb_new(),
    item text
);
INSERT INTO orders (item) VALUES ('apples'), ('pears'), ('plums') RETURNING id, item;

\echo :bold'-- The time is in the key.':plain
SELECT id, comb_timestamp_micros(id) AS ordered_at FROM orders ORDER BY id;

\echo :bold'-- This transaction gets its key first, and commits last.':plain
CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked(), body text);
BEGIN;
INSERT INTO outbox (body) VALUES ('A');
\echo :bold'-- Meanwhile, a second session inserts a row and reads the table, without and with the horizon:':plain
\! $OTHER_SESSION -c "INSERT INTO outbox (body) VALUES ('B')"
\! $OTHER_SESSION -c "SELECT id, body FROM outbox ORDER BY id"
\! $OTHER_SESSION -c "SELECT id, body FROM outbox WHERE id < comb_horizon() ORDER BY id"
COMMIT;
\echo :bold'-- A reader that continues after the last key that it got never gets A:':plain
SELECT id, body FROM outbox WHERE id > (SELECT id FROM outbox WHERE body = 'B') ORDER BY id;
\echo :bold'-- The reader with the horizon got no row before, and gets both in order:':plain
SELECT id, body FROM outbox WHERE id < comb_horizon() ORDER BY id;

\set ECHO none
CREATE TABLE by_bigint (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload text);
CREATE TABLE by_random (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), payload text);
CREATE TABLE by_comb   (id uuid PRIMARY KEY DEFAULT comb_new(), payload text);
SELECT current_setting('server_version_num')::int >= 180000 AS has_uuidv7 \gset
\if :has_uuidv7
    CREATE TABLE by_uuidv7 (id uuid PRIMARY KEY DEFAULT uuidv7(), payload text);
\endif
CREATE TABLE demo_rates (key text, rows_a_second bigint);
-- After a checkpoint, so that each insert begins with the same write-ahead log.
CREATE PROCEDURE measure(tables text, number_of_rows int) LANGUAGE plpgsql AS $$
DECLARE
    start timestamptz;
BEGIN
    RAISE INFO '% ...', tables;
    EXECUTE format('TRUNCATE %I', tables);
    COMMIT;
    CHECKPOINT;
    start := clock_timestamp();
    EXECUTE format('INSERT INTO %I (payload) SELECT repeat(''x'', 100) FROM generate_series(1, %s)', tables, number_of_rows);
    COMMIT;
    INSERT INTO demo_rates VALUES (tables, number_of_rows / extract(epoch FROM clock_timestamp() - start));
END $$;
\echo :bold'-- Bulk inserts of' :rows 'rows with each kind of key, two rounds.':plain
SELECT format('CALL measure(%L, %s)', relname, :rows)
FROM generate_series(1, 2) AS round, pg_class
WHERE relkind = 'r' AND relname LIKE 'by\_%' ORDER BY round, relname \gexec
VACUUM ANALYZE by_comb;
SELECT format('%L, %L', first + (last - first) / 4, first + (last - first) / 2) AS range
FROM (SELECT min(comb_timestamp(id)) AS first, max(comb_timestamp(id)) AS last FROM by_comb) times \gset
\set ECHO queries
SELECT key AS "table", max(rows_a_second) AS rows_a_second,
       pg_size_pretty(pg_relation_size(key || '_pkey')) AS index_size
FROM demo_rates GROUP BY key ORDER BY key;

\echo :bold'-- A range of time is a range of keys: the index of the primary key finds it, without a column created_at and its index.':plain
SELECT min(comb_timestamp(id)) AS first, max(comb_timestamp(id)) AS last, count(*) FROM by_comb;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
SELECT count(*) FROM by_comb
WHERE comb_between(id, :range);

\echo :bold'-- The time of a key from SQL Server, and new keys in the order of SQL Server.':plain
SELECT comb_timestamp('e25afe33-db2d-4502-9bf0-919001862cc4', 'mssql_legacy');
CREATE TABLE invoices (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
INSERT INTO invoices (number) SELECT generate_series(1, 3);
SELECT id, number, comb_timestamp(id, 'mssql') FROM invoices ORDER BY id;

\echo :bold'-- A random UUID has no time. A time that a UUID cannot contain is an error.':plain
SELECT comb_timestamp(gen_random_uuid()) IS NULL AS no_time_in_a_random_uuid;
\set ON_ERROR_STOP off
SELECT comb_at('1969-07-20 20:17:40Z');
