-- What `make demo` shows, by psql --echo-queries. Variables: rows is the number of rows of a bulk insert; terminal is whether to
-- wait for Enter; bold and plain begin and end the headings. In the environment, SESSION is the psql command of other sessions.

\set ON_ERROR_STOP on
\pset footer off
\set next '\\if :terminal \\prompt ''\nEnter: go on '' answer \\endif'
CREATE EXTENSION comb;

\echo :bold'1. Three rows, and the times in their keys':plain
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new(), item text);
INSERT INTO orders (item) VALUES ('apples'), ('pears'), ('plums');
SELECT id, comb_timestamp_micros(id) AS ordered_at, item FROM orders ORDER BY id;
:next

\set ECHO none
\echo
\echo :bold'2. Bulk load: two statements of' :rows 'rows into each table, the index of the key, and the write-ahead log (WAL)':plain
CREATE TABLE "bigint identity" (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payload text);
CREATE TABLE "gen_random_uuid()" (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), payload text);
CREATE TABLE "comb_new()" (id uuid PRIMARY KEY DEFAULT comb_new(), payload text);
SELECT current_setting('server_version_num')::int >= 180000 AS has_uuidv7 \gset
\if :has_uuidv7
    CREATE TABLE "uuidv7()" (id uuid PRIMARY KEY DEFAULT uuidv7(), payload text);
\endif
SELECT :rows / 20 AS few \gset
CREATE TABLE loads (key text, seconds numeric, index_bytes bigint, wal_bytes numeric);
-- After a checkpoint, so that each load begins with the same write-ahead log.
CREATE PROCEDURE load(key text, number_of_rows int) LANGUAGE plpgsql AS $$
DECLARE
    start timestamptz;
    wal pg_lsn;
BEGIN
    CHECKPOINT;
    wal := pg_current_wal_insert_lsn();
    start := clock_timestamp();
    EXECUTE format('INSERT INTO %I (payload) SELECT repeat(''x'', 100) FROM generate_series(1, %s)', key, number_of_rows);
    COMMIT;
    INSERT INTO loads VALUES (key, extract(epoch FROM clock_timestamp() - start), pg_relation_size(quote_ident(key || '_pkey')),
                              pg_current_wal_insert_lsn() - wal);
END $$;
SELECT format('CALL load(%L, %s)', relname, :rows)
FROM generate_series(1, 2) AS round, pg_class WHERE relkind = 'r' AND relname ~ 'bigint|\(\)' ORDER BY round, relname \gexec
SELECT key, round(sum(seconds), 2) AS seconds, repeat('█', (30 * sum(seconds) / max(sum(seconds)) OVER ())::int) AS "time: shorter is better",
       pg_size_pretty(max(index_bytes)) AS "index", repeat('█', (20 * max(index_bytes) / max(max(index_bytes)) OVER ())::int) AS "size of the index",
       pg_size_pretty(sum(wal_bytes)) AS "WAL"
FROM loads GROUP BY key ORDER BY sum(seconds);
SELECT round(b.seconds / c.seconds, 1) AS ratio
FROM (SELECT sum(seconds) AS seconds FROM loads WHERE key = 'comb_new()') c,
     (SELECT sum(seconds) AS seconds FROM loads WHERE key = 'gen_random_uuid()') b \gset
\echo 'Random keys go to random pages of the index. After a checkpoint, the first change of each page writes the whole page into the WAL:'
\echo 'here,' :few 'rows into the tables above.'
TRUNCATE loads;
SELECT format('CALL load(%L, %s)', relname, :few) FROM pg_class WHERE relkind = 'r' AND relname ~ 'bigint|\(\)' ORDER BY relname \gexec
SELECT key, round(wal_bytes / :few) AS "WAL, bytes per row", repeat('█', (50 * wal_bytes / max(wal_bytes) OVER ())::int) AS "shorter is better"
FROM loads ORDER BY wal_bytes;
:next

\echo
\echo :bold'3. The race: four writers, and two readers that poll for new rows, ten seconds':plain
\set ECHO queries
CREATE TABLE events (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
CALL comb_enable_polls('events', 'id');
\set ECHO none
\echo 'A writer inserts one to five rows, works for up to 10 ms, and commits or, one time in ten, rolls back. Every 10 ms, the readers run'
\echo '  id > cursor:  SELECT id FROM events WHERE id > $cursor ORDER BY id'
\echo '  horizon:      SELECT id FROM events WHERE id > $cursor AND id <= comb_number_horizon(''events'', after => $cursor) ORDER BY id'
\echo 'and set $cursor to the last id that they got.'
INSERT INTO events DEFAULT VALUES;
CREATE TABLE read_by_cursor AS TABLE events;
CREATE TABLE read_by_horizon AS TABLE events;
CREATE PROCEDURE write_events() LANGUAGE plpgsql AS $$
DECLARE
    stop timestamptz := clock_timestamp() + interval '10 seconds';
BEGIN
    WHILE clock_timestamp() < stop LOOP
        INSERT INTO events (body) SELECT 'an event' FROM generate_series(0, (random() * 4)::int);
        PERFORM pg_sleep(random() / 100);
        IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
    END LOOP;
END $$;
-- Until after the last commit, so that the horizon has passed all rows.
CREATE PROCEDURE read_events(place text, condition text) LANGUAGE plpgsql AS $$
DECLARE
    stop timestamptz := clock_timestamp() + interval '11 seconds';
    cursor_ events.id%TYPE;
    last events.id%TYPE;
BEGIN
    EXECUTE format('SELECT id FROM %I', place) INTO cursor_;
    WHILE clock_timestamp() < stop LOOP
        EXECUTE format('WITH new AS (INSERT INTO %I SELECT * FROM events WHERE id > $1 AND %s RETURNING id)
                        SELECT id FROM new ORDER BY id DESC LIMIT 1', place, condition) INTO last USING cursor_;
        COMMIT;
        cursor_ := coalesce(last, cursor_);
        PERFORM pg_sleep(0.01);
    END LOOP;
END $$;
-- The rows that the readers have passed without reading them, after that second.
CREATE FUNCTION standings(start timestamptz, second int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_sleep_until(start + make_interval(secs => second));
    RETURN (SELECT to_char(second, '99') || to_char(count(*) - 1, '9,999,999') || to_char(count(c.id) - 1, '9,999,999')
            || to_char(count(*) FILTER (WHERE c.id IS NULL AND e.id < (SELECT id FROM read_by_cursor ORDER BY id DESC LIMIT 1)), '9,999,999')
            || to_char(count(h.id) - 1, '99,999,999')
            || to_char(count(*) FILTER (WHERE h.id IS NULL AND e.id < (SELECT id FROM read_by_horizon ORDER BY id DESC LIMIT 1)), '9,999,999')
            FROM events e LEFT JOIN read_by_cursor c USING (id) LEFT JOIN read_by_horizon h USING (id));
END $$;
\! for writer in 1 2 3 4; do $SESSION -c "CALL write_events()" & done
\! $SESSION -c "CALL read_events('read_by_cursor', 'true')" &
\! $SESSION -c "CALL read_events('read_by_horizon', 'id <= comb_number_horizon(''events'', after => \$1)')" &
\echo
\echo '                 id > cursor          horizon'
\echo '  s committed      read    missed       read    missed'
\pset tuples_only on
\pset format unaligned
SELECT format('SELECT standings(%L, %s)', now(), second) FROM generate_series(1, 10) AS second \gexec
DO $$
BEGIN
    WHILE EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE 'CALL %_events(%' AND state <> 'idle') LOOP
        PERFORM pg_sleep(0.1), pg_stat_clear_snapshot();
    END LOOP;
END $$;
SELECT count(*) - 1 AS committed, count(*) - count(c.id) AS missed, count(*) - count(h.id) AS missed_by_horizon
FROM events LEFT JOIN read_by_cursor c USING (id) LEFT JOIN read_by_horizon h USING (id) \gset
SELECT to_char(:committed, 'FM9,999,999') AS committed, to_char(:missed, 'FM9,999,999') AS missed \gset
\echo
\echo :bold'Committed' :committed '· id > cursor missed' :missed '· horizon missed' :missed_by_horizon', a second after the last commit':plain
:next

\echo
\echo :bold'4. A range of time, found by the primary key':plain
\pset tuples_only off
\pset format aligned
\set ECHO queries
CREATE TABLE visits (id uuid PRIMARY KEY, page text);
\set ECHO none
\echo '-- A row each three seconds of the last 30 days, as if they had been inserted then. No index but that of the primary key.'
INSERT INTO visits SELECT comb_at(now() - make_interval(secs => n)), 'a page' FROM generate_series(2592000, 3, -3) AS n;
VACUUM ANALYZE visits;
\set ECHO queries
EXPLAIN (ANALYZE, TIMING OFF, BUFFERS OFF)
SELECT count(*) FROM visits WHERE comb_between(id, now() - interval '7 days', now() - interval '6 days');
\set ECHO none
\echo 'In the line of the scan, the first rows= is the estimate of the planner, the second the rows that were found.'
:next

\echo
\echo :bold'What you have seen':plain
\echo '  A bulk load with gen_random_uuid() took' :ratio 'times as long as with comb_new().'
\echo '  A reader with id > cursor missed' :missed 'of' :committed 'rows; with the horizon,' :missed_by_horizon'.'
\echo '  A range of time needs no column created_at and no second index.'
\if :terminal
\echo :bold'Five statements to try':plain
\echo '  \\dt'
\echo '  SELECT comb_encode(id) FROM orders;'
\echo '  SELECT count(*) FROM visits WHERE comb_between(id, date_trunc(''day'', now()), ''infinity'');'
\echo '  BEGIN; INSERT INTO events (body) VALUES (''held'');    -- keep it open, and in a second terminal:'
\echo '  SELECT * FROM comb_horizon_status();    --' :second_session
\else
\echo 'To try statements, run make demo in a terminal.'
\endif
\echo :bold'To install it':plain 'for a PostgreSQL' :major 'of yours: make package PG=':major', or make and sudo make install (docs/install.md)'
