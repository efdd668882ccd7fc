-- Polls, as far as one connection shows them, and all errors by their SQLSTATE.
\pset tuples_only on
\pset format unaligned
SET client_min_messages = warning;
CREATE EXTENSION comb;
\getenv directory PG_ABS_SRCDIR
\set refusal :directory '/refusal.sql'
\i :refusal

-- Numbers.
CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
CALL comb_enable_polls('events', 'position');
SELECT comb_number_horizon('events') AS before_the_first, comb_number_horizon('events', after => 0);
INSERT INTO events (body) SELECT 'stored' FROM generate_series(1, 3);
SELECT comb_number_horizon('events'), comb_number_horizon('events', after => 3), comb_number_horizon('events', 'position', -5);
SELECT position FROM events WHERE position > 1 AND position <= comb_number_horizon('events', after => 1) ORDER BY position;
-- A cursor that is NULL, one above the source, and what a reader does then.
SELECT refusal('SELECT comb_number_horizon(''events'', after => NULL)') AS no_cursor,
    refusal('SELECT comb_number_horizon(''events'', after => (SELECT max(position) FROM events WHERE body = ''none''))') AS empty_copy,
    refusal('SELECT comb_number_horizon(''events'', after => 4)') AS above;
SELECT setval('events_position_seq', 4);
SELECT comb_number_horizon('events', after => 4);
-- One's own rows are below it when they are committed; a savepoint that is rolled back changes nothing.
BEGIN;
INSERT INTO events (body) VALUES ('open');
SELECT comb_number_horizon('events') AS held;
SAVEPOINT a;
INSERT INTO events (body) VALUES ('never');
ROLLBACK TO a;
SELECT comb_number_horizon('events') AS held;
COMMIT;
SELECT comb_number_horizon('events') AS settled;
-- One answer for a snapshot.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(DISTINCT comb_number_horizon('events')) FROM events;
INSERT INTO events (body) VALUES ('later');
SELECT comb_number_horizon('events');
COMMIT;
-- The planner's estimate asks as well.
EXPLAIN (COSTS OFF) SELECT FROM events WHERE position <= comb_number_horizon('events');
CALL comb_disable_polls('events', 'position');
SELECT left(refusal('EXPLAIN SELECT FROM events WHERE position <= comb_number_horizon(''events'')'), 5);
CALL comb_enable_polls('events', 'position');
-- A rollback brings the old number back.
BEGIN;
SAVEPOINT s;
ALTER SEQUENCE events_position_seq RESTART 1000;
SELECT left(refusal('SELECT comb_number_horizon(''events'')'), 5);
INSERT INTO events (body) VALUES ('rolled back');
ROLLBACK TO s;
SELECT comb_number_horizon('events') < 1000 AS held;
INSERT INTO events (body) VALUES ('after a rollback');
COMMIT;
SELECT comb_number_horizon('events') - max(position) AS behind FROM events;

-- What stops a poll, and what does not. Each in a transaction of its own.
CREATE FUNCTION changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TABLE states (statement text, restore text);
INSERT INTO states VALUES
    ('ALTER TABLE events DISABLE TRIGGER zz_comb_guard_position', 'ALTER TABLE events ENABLE TRIGGER zz_comb_guard_position'),
    ('ALTER TABLE events ENABLE REPLICA TRIGGER zz_comb_guard_position', 'ALTER TABLE events ENABLE ALWAYS TRIGGER zz_comb_guard_position'),
    ('ALTER TRIGGER zz_comb_guard_position ON events RENAME TO guard', 'ALTER TRIGGER guard ON events RENAME TO zz_comb_guard_position'),
    ('CREATE TRIGGER zzz BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION changes()', 'ALTER TRIGGER zzz ON events RENAME TO aaa'),
    ('CREATE TRIGGER zzz BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION changes()', 'DROP TRIGGER zzz ON events; CALL comb_enable_polls(''events'', ''position'')'),
    ('CREATE TRIGGER zzz AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION changes()', 'DROP TRIGGER zzz ON events'),
    ('DROP TRIGGER comb_track ON events', 'CALL comb_enable_polls(''events'', ''position'')'),
    ('DROP TRIGGER zz_comb_guard_position ON events', 'CALL comb_enable_polls(''events'', ''position'')'),
    ('ALTER SEQUENCE events_position_seq CACHE 2', 'ALTER SEQUENCE events_position_seq CACHE 1'),
    ('ALTER SEQUENCE events_position_seq INCREMENT 50', 'ALTER SEQUENCE events_position_seq INCREMENT 1'),
    ('ALTER SEQUENCE events_position_seq INCREMENT -1', 'ALTER SEQUENCE events_position_seq INCREMENT 1'),
    ('ALTER SEQUENCE events_position_seq CYCLE', 'ALTER SEQUENCE events_position_seq NO CYCLE'),
    ('ALTER TABLE events SET UNLOGGED', 'ALTER TABLE events SET LOGGED'),
    ('ALTER TABLE events RENAME position TO place', 'ALTER TABLE events RENAME place TO position'),
    ('ALTER TABLE events ALTER position DROP IDENTITY', 'ALTER TABLE events ALTER position ADD GENERATED ALWAYS AS IDENTITY (START 100)'),
    ('CREATE TEMP TABLE child () INHERITS (events)', 'DROP TABLE child'),
    ('CREATE TABLE child () INHERITS (events)', 'CALL comb_enable_polls(''events'', ''position'')'),
    ('CREATE TABLE grandchild () INHERITS (child)', 'DROP TABLE grandchild'),
    ('CREATE TEMP TABLE staging (n bigint DEFAULT nextval(''events_position_seq''))', 'DROP TABLE staging'),
    ('CREATE TABLE other (n bigint DEFAULT nextval(''events_position_seq''))', 'DROP TABLE other'),
    ('CREATE RULE replaced AS ON INSERT TO events DO INSTEAD NOTHING', 'DROP RULE replaced ON events');
\set ECHO none
SELECT statement, format('SELECT %L AS after, refusal(%L)', statement, 'SELECT comb_number_horizon(''events'')'), restore,
    'SELECT comb_number_horizon(''events'') > 0 AS restored' FROM states \gexec
\set ECHO all
DROP TABLE states, events CASCADE;
DROP FUNCTION changes;

-- Privileges: SELECT on the table or on any of its columns. A function in a view runs as the caller. An answer of another role is
-- not given away.
CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY, body text);
CALL comb_enable_polls('events', 'position');
CREATE VIEW settled AS SELECT * FROM events WHERE position <= comb_number_horizon('events');
CREATE FUNCTION peek() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER AS $$SELECT comb_number_horizon('events')$$;
CREATE ROLE comb_regress_reader;
GRANT SELECT ON settled TO comb_regress_reader;
SET ROLE comb_regress_reader;
SELECT refusal('SELECT comb_number_horizon(''events'')'), refusal('SELECT peek(), comb_number_horizon(''events'')');
SELECT left(refusal('TABLE settled'), 5);
SELECT peek();
RESET ROLE;
GRANT SELECT (body) ON events TO comb_regress_reader;
SET ROLE comb_regress_reader;
SELECT comb_number_horizon('events');
TABLE settled;
RESET ROLE;
REVOKE SELECT (body) ON events FROM comb_regress_reader;
GRANT INSERT, UPDATE, DELETE ON events TO comb_regress_reader;
SET ROLE comb_regress_reader;
SELECT left(refusal('SELECT comb_number_horizon(''events'')'), 5);
RESET ROLE;
DROP TABLE events CASCADE;
DROP FUNCTION peek;
DROP ROLE comb_regress_reader;

-- UUIDs: the horizon is a UUID of the layout, in its order, whatever the tick.
CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked(), n int);
CALL comb_enable_polls('outbox', 'id');
INSERT INTO outbox (n) VALUES (1), (2);
SELECT count(*) FROM outbox WHERE id <= comb_uuid_horizon('outbox');
SELECT comb_timestamp(comb_uuid_horizon('outbox')) BETWEEN now() - interval '1 s' AND clock_timestamp() AS is_now;
BEGIN;
INSERT INTO outbox (n) VALUES (3);
SELECT count(*) FROM outbox WHERE id <= comb_uuid_horizon('outbox');
SAVEPOINT a;
INSERT INTO outbox (n) VALUES (4);
ROLLBACK TO a;
SELECT count(*) FROM outbox WHERE id <= comb_uuid_horizon('outbox');
COMMIT;
SELECT count(*) FROM outbox WHERE id <= comb_uuid_horizon('outbox');
SELECT refusal('SELECT comb_uuid_horizon(''outbox'', after => NULL)') AS no_cursor,
    regexp_replace(refusal('SELECT comb_uuid_horizon(''outbox'', after => comb_at(now() + interval ''1 hour''))'), '[-0-9a-f]{36}', '...', 'g') AS above;
DROP TABLE outbox;
CREATE TABLE generated (layout text, position bigserial, id uuid);
DO $$
DECLARE
    l text;
    next uuid;
BEGIN
    FOR l IN SELECT label FROM comb_layouts() LOOP
        BEGIN
            CALL comb_enable_polls('generated', 'id', l);
        EXCEPTION WHEN invalid_parameter_value THEN
            INSERT INTO generated VALUES (SQLERRM);
            CONTINUE;
        END;
        COMMIT;
        FOR n IN 1..50 LOOP
            INSERT INTO generated VALUES (l, DEFAULT, CASE WHEN n % 2 = 0 THEN comb_new(l) ELSE comb_tracked(l) END);
            COMMIT;
            next := comb_uuid_horizon('generated', layout => l);
            IF comb_timestamp(next, l) IS NULL OR comb_timestamp(next, l) NOT BETWEEN now() - interval '2 s' AND clock_timestamp() THEN
                RAISE 'layout %: the horizon % is no UUID of it', l, next;
            ELSIF (SELECT comb_timestamp(id, l) > comb_timestamp(next, l) FROM generated WHERE layout = l ORDER BY position DESC LIMIT 1) THEN
                RAISE 'layout %: the row is above the horizon', l;
            END IF;
        END LOOP;
        CALL comb_disable_polls('generated', 'id');
        COMMIT;
    END LOOP;
END $$;
SELECT CASE WHEN id IS NULL THEN layout ELSE 'rows of ' || layout END, count(*) FROM generated GROUP BY 1 ORDER BY 1;
DROP TABLE generated;
-- SQL Server's type compares in SQL Server's order alone.
CREATE TABLE typed (id uniqueidentifier DEFAULT comb_new_mssql());
SELECT refusal('CALL comb_enable_polls(''typed'', ''id'', ''uuidv7'')');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON typed FOR EACH ROW EXECUTE FUNCTION comb_guard('id', 'uuidv7');
SELECT left(refusal('SELECT comb_uuid_horizon(''typed'', layout => ''uuidv7'')'), 5);
DROP TABLE typed;
-- The least of two horizons, by one snapshot.
CREATE TABLE items (n int, version uuid);
CREATE TABLE deleted_items (n int, version uuid);
CREATE TRIGGER version BEFORE INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION comb_row_version();
CREATE TRIGGER version BEFORE INSERT OR UPDATE ON deleted_items FOR EACH ROW EXECUTE FUNCTION comb_row_version();
INSERT INTO items VALUES (1);
SELECT least(comb_uuid_horizon('items'), comb_uuid_horizon('deleted_items')) >= version AS settled FROM items;
DROP TABLE items, deleted_items;

-- What is polled, its state, and who holds it.
CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY, id uuid DEFAULT comb_new());
CALL comb_enable_polls('events', 'position');
CALL comb_enable_polls('events', 'id');
CREATE TABLE wrong (n bigserial);
CREATE TRIGGER guard BEFORE INSERT ON wrong FOR EACH ROW EXECUTE FUNCTION comb_guard('n');
CREATE TABLE no_source (n bigint);
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON no_source FOR EACH ROW EXECUTE FUNCTION comb_guard('n');
CREATE TABLE parent (n bigserial);
CREATE TABLE child () INHERITS (parent);
CALL comb_enable_polls('parent', 'n');
CREATE TABLE grandchild () INHERITS (child);
CREATE TABLE parts (n bigserial, state text) PARTITION BY LIST (state);
CALL comb_enable_polls('parts', 'n');
CREATE TABLE part_a PARTITION OF parts FOR VALUES IN ('a');
INSERT INTO events DEFAULT VALUES;
-- Tables that inherit from several: 2^30 paths.
CREATE TABLE level_0 () INHERITS (parent);
DO $$BEGIN FOR i IN 1..30 LOOP
    EXECUTE format('CREATE TABLE left_%1$s () INHERITS (level_%2$s); CREATE TABLE right_%1$s () INHERITS (level_%2$s);
                    CREATE TABLE level_%1$s () INHERITS (left_%1$s, right_%1$s)', i, i - 1);
END LOOP; END$$;
SELECT relation, key, source, problem, untracked_tables, CASE WHEN source IS NULL THEN length(horizon) ELSE horizon::int END AS horizon,
    horizon_timestamp BETWEEN now() - interval '1 s' AND clock_timestamp() AS time, held_since, held_by FROM comb_horizon_status();
BEGIN;
INSERT INTO events DEFAULT VALUES;
SELECT relation, key, held_since BETWEEN now() - interval '1 s' AND clock_timestamp() AS held_since, held_by = pg_current_xact_id() AS by_this
FROM comb_horizon_status() WHERE held_by IS NOT NULL;
SELECT pid = pg_backend_pid() AS pid, state, relation, floor_number, floor_timestamp BETWEEN now() - interval '1 s' AND clock_timestamp() AS floor,
    since BETWEEN now() - interval '1 s' AND clock_timestamp() AS since, gid
FROM comb_horizon_holders() WHERE database = current_database() ORDER BY relation;
COMMIT;
SELECT count(*) FROM comb_horizon_holders() WHERE database = current_database();
DROP TABLE wrong, no_source, parent, parts CASCADE;
ALTER TABLE events RENAME position TO other;
SELECT relation, key, problem, horizon IS NOT NULL AS horizon FROM comb_horizon_status() ORDER BY key;
DROP TABLE events;
SELECT count(*) FROM comb_horizon_status();

-- Without the clock of the server, nothing is tracked.
CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY, body text, id uuid DEFAULT comb_tracked());
CALL comb_enable_polls('events', 'position');
SET comb.scope = backend;
SELECT refusal('SELECT comb_number_horizon(''events'')'), refusal('SELECT comb_tracked()'), refusal('INSERT INTO events DEFAULT VALUES');
SELECT relation, key, left(problem, 20), horizon FROM comb_horizon_status();
RESET comb.scope;
BEGIN;
INSERT INTO events DEFAULT VALUES;
SET LOCAL comb.scope = backend;
SELECT left(refusal('SELECT comb_tracked()'), 5);
COMMIT;
-- A session of Citus that queries shards.
SET application_name = 'citus_internal gpid=10000000042';
SELECT call, refusal('SELECT ' || call) FROM unnest(ARRAY['comb_node_horizon()', 'comb_tracked()', 'comb_number_horizon(''events'')']) call;
SELECT left(refusal('INSERT INTO events (body) VALUES (NULL)'), 5);
RESET application_name;
SELECT refusal('SELECT comb_node_horizon()') AS without_citus;
DROP TABLE events;

-- The SQLSTATE of each error. Drivers repeat 40001 and 53xxx; they repeat no error that only a change of the schema ends.
CREATE TABLE events (position bigserial, body text, id uuid DEFAULT comb_tracked(), plain uuid);
CREATE TABLE bare (n bigserial, t text);
CREATE TABLE child () INHERITS (bare);
CREATE VIEW shown AS TABLE bare;
CREATE TABLE parts (n bigserial, state text) PARTITION BY LIST (state);
CREATE TABLE part_a PARTITION OF parts DEFAULT;
CREATE TEMP TABLE staging (n bigserial);
CALL comb_enable_polls('events', 'position');
CALL comb_enable_polls('events', 'id');
CALL comb_enable_polls('parts', 'n');
INSERT INTO events (body) VALUES ('a');
SELECT left(refusal(statement), 5), statement FROM unnest(ARRAY[
    'SELECT comb_number_horizon(''bare'')',
    'SELECT comb_number_horizon(''shown'')',
    'SELECT comb_number_horizon(''part_a'')',
    'SELECT comb_number_horizon(''child'')',
    'SELECT comb_number_horizon(''events_position_seq'')',
    'SELECT comb_number_horizon(''staging'')',
    'SELECT comb_number_horizon(''none'')',
    'SELECT comb_number_horizon(1)',
    'SELECT comb_number_horizon(NULL)',
    'SELECT comb_number_horizon(''events'', NULL)',
    'SELECT comb_number_horizon(''events'')',
    'SELECT comb_number_horizon(''events'', ''none'')',
    'SELECT comb_number_horizon(''events'', ''body'')',
    'SELECT comb_number_horizon(''events'', ''id'')',
    'SELECT comb_number_horizon(''events'', after => NULL)',
    'SELECT comb_number_horizon(''events'', ''position'', 9)',
    'SELECT comb_uuid_horizon(''events'', ''position'')',
    'SELECT comb_uuid_horizon(''events'', ''plain'')',
    'SELECT comb_uuid_horizon(''events'', ''id'', layout => ''none'')',
    'SELECT comb_uuid_horizon(''events'', ''id'', layout => ''mssql'')',
    'SELECT comb_uuid_horizon(''events'', ''id'', ''ffffffff-ffff-7fff-bfff-ffffffffffff'')',
    'SELECT comb_uuid_horizon(''events'', ''id'', NULL)',
    'SELECT comb_node_horizon(''none'')',
    'CALL comb_track(''events_position_seq'')',
    'CALL comb_track(''bare'')',
    'CALL comb_track(''shown'')',
    'CALL comb_track(''part_a'')',
    'CALL comb_enable_polls(''bare'', ''t'')',
    'CALL comb_enable_polls(''staging'', ''n'')',
    'CALL comb_disable_polls(''bare'', ''none'')',
    'INSERT INTO events (position) VALUES (0)',
    'INSERT INTO events (position) VALUES (1000)',
    'INSERT INTO events (id) VALUES (gen_random_uuid())',
    'SET LOCAL comb.scope = backend; SELECT comb_tracked()',
    'SELECT comb_track()']) statement;
BEGIN;
CALL comb_enable_polls('bare', 'n');
SELECT left(refusal('SELECT comb_number_horizon(''bare'')'), 5) AS in_the_transaction_of_the_definition;
ROLLBACK;
-- A transaction whose cursor another reader has moved since its first poll.
CREATE TABLE read_by_two (n bigserial, id uuid DEFAULT comb_new());
CALL comb_enable_polls('read_by_two', 'id');
SELECT refusal('SELECT comb_number_horizon(''read_by_two'')');
CALL comb_enable_polls('read_by_two', 'n');
BEGIN;
SELECT comb_number_horizon('read_by_two', 'n'), comb_uuid_horizon('read_by_two', 'id') IS NOT NULL;
SELECT nextval('read_by_two_n_seq');
SELECT comb_number_horizon('read_by_two', 'n', 1), comb_uuid_horizon('read_by_two', 'id', comb_new()) IS NOT NULL;
COMMIT;
DROP TABLE events, bare, parts, staging, read_by_two CASCADE;
DROP FUNCTION refusal;
DROP EXTENSION comb;
