-- The horizon of any table, as far as one connection shows it: where the triggers may stand, and which sequences are refused.
\pset tuples_only on
\pset format unaligned
CREATE EXTENSION comb;
\getenv directory PG_ABS_SRCDIR
\set refusal :directory '/refusal.sql'
\i :refusal
CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);

-- Rows would be lost with a trigger at another place.
CREATE VIEW all_events AS SELECT * FROM events;
CREATE TABLE triggers (trigger text, statement text);
INSERT INTO triggers VALUES ('AFTER INSERT ON events FOR EACH STATEMENT', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE INSERT ON events FOR EACH ROW', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE INSERT OR UPDATE OF body ON events FOR EACH STATEMENT', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE DELETE ON events FOR EACH STATEMENT', 'DELETE FROM events'),
    ('BEFORE TRUNCATE ON events FOR EACH STATEMENT', 'TRUNCATE events'),
    ('INSTEAD OF INSERT ON all_events FOR EACH ROW', 'INSERT INTO all_events (body) VALUES (NULL)');
SELECT trigger, refusal(format('CREATE TRIGGER t %s EXECUTE FUNCTION comb_track(); %s', trigger, statement)) FROM triggers;
SELECT refusal('SELECT comb_track()');
INSERT INTO triggers VALUES ('BEFORE UPDATE ON events FOR EACH STATEMENT', 'UPDATE events SET body = NULL'),
    ('AFTER UPDATE ON events FOR EACH ROW', 'INSERT INTO events DEFAULT VALUES; UPDATE events SET body = NULL');
SELECT trigger, refusal(format('CREATE TRIGGER t %s EXECUTE FUNCTION comb_row_version(); %s', trigger, statement)) FROM triggers
WHERE trigger LIKE '%UPDATE ON%';
SELECT refusal('CREATE TRIGGER t BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION comb_row_version(''body'');
                INSERT INTO events DEFAULT VALUES; UPDATE events SET body = NULL');
DROP TABLE triggers;
DROP VIEW all_events;

-- A sequence is refused while a table that uses it is not tracked.
SELECT refusal('SELECT comb_sequence_horizon(''events_position_seq'')');
CREATE TRIGGER tracked BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION comb_track();
SELECT comb_sequence_horizon('events_position_seq') AS before_the_first;
INSERT INTO events (body) SELECT 'stored' FROM generate_series(1, 3);
SELECT comb_sequence_horizon('events_position_seq');
SELECT count(*) FROM events WHERE position <= comb_sequence_horizon('events_position_seq');
-- A setting of the function changes what its C function is called by, not what it does.
ALTER FUNCTION comb_track() SET search_path = '';
INSERT INTO events (body) VALUES ('by a function with a setting');
SELECT count(*) FROM events WHERE position <= comb_sequence_horizon('events_position_seq');
ALTER FUNCTION comb_track() RESET ALL;
DELETE FROM events WHERE body = 'by a function with a setting';
CREATE TABLE states (statement text, restore text);
INSERT INTO states VALUES ('ALTER TABLE events DISABLE TRIGGER tracked', 'ALTER TABLE events ENABLE ALWAYS TRIGGER tracked'),
    ('ALTER TABLE events ENABLE REPLICA TRIGGER tracked', 'ALTER TABLE events ENABLE TRIGGER tracked'),
    ('DROP TRIGGER tracked ON events; CREATE TRIGGER tracked BEFORE INSERT ON events FOR EACH STATEMENT WHEN (false) EXECUTE FUNCTION comb_track()',
     'DROP TRIGGER tracked ON events; CREATE TRIGGER tracked BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION comb_track()'),
    ('CREATE TABLE other (n bigint DEFAULT nextval(''events_position_seq''))', 'DROP TABLE other'),
    ('ALTER SEQUENCE events_position_seq CACHE 2', 'ALTER SEQUENCE events_position_seq CACHE 1'),
    ('ALTER SEQUENCE events_position_seq INCREMENT 50', 'ALTER SEQUENCE events_position_seq INCREMENT 1'),
    ('ALTER SEQUENCE events_position_seq INCREMENT -1', 'ALTER SEQUENCE events_position_seq INCREMENT 1'),
    ('ALTER SEQUENCE events_position_seq CYCLE', 'ALTER SEQUENCE events_position_seq NO CYCLE');
INSERT INTO states VALUES ('CREATE VIEW drawing AS SELECT * FROM events; ALTER VIEW drawing ALTER position SET DEFAULT nextval(''events_position_seq'');
     CREATE TRIGGER instead INSTEAD OF DELETE ON drawing FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
     CREATE TRIGGER tracked BEFORE INSERT ON drawing FOR EACH STATEMENT EXECUTE FUNCTION comb_track()', 'DROP VIEW drawing'),
    ('CREATE TEMP TABLE staging (n bigint DEFAULT nextval(''events_position_seq''))', 'DROP TABLE staging'),
    ('CREATE RULE replaced AS ON INSERT TO events DO INSTEAD NOTHING', 'DROP RULE replaced ON events'),
    ('CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; CREATE FOREIGN TABLE far (n int DEFAULT nextval(''events_position_seq'')) SERVER s',
     'DROP FOREIGN TABLE far; DROP SERVER s; DROP FOREIGN DATA WRAPPER w');
-- Each in transactions of its own: a transaction keeps the answer that its snapshot has got.
\set ECHO none
SELECT statement, format('SELECT %L AS after, refusal(%L)', statement, 'SELECT comb_sequence_horizon(''events_position_seq'')'), restore,
    'SELECT comb_sequence_horizon(''events_position_seq'')' AS restored FROM states \gexec
\set ECHO all
-- A role without rights does not get the answer that a function got for another role.
CREATE FUNCTION peek() RETURNS bigint LANGUAGE sql STABLE SECURITY DEFINER AS $$SELECT comb_sequence_horizon('events_position_seq')$$;
CREATE ROLE comb_regress_nobody;
SET ROLE comb_regress_nobody;
SELECT refusal('SELECT peek(), comb_sequence_horizon(''events_position_seq'')');
RESET ROLE;
DROP ROLE comb_regress_nobody;
DROP FUNCTION peek();
-- A session of Citus that queries shards.
SET application_name = 'citus_internal gpid=10000000042';
SELECT call, refusal('SELECT ' || call) FROM unnest(ARRAY['comb_horizon()', 'comb_tracked()',
    'comb_sequence_horizon(''events_position_seq'')']) call;
SELECT refusal('INSERT INTO events (body) VALUES (NULL)');
RESET application_name;
-- The trigger is known by what it calls, not by its name or address.
ALTER FUNCTION comb_track() RENAME TO renamed;
ALTER FUNCTION renamed() SET search_path = pg_catalog;
INSERT INTO events (body) VALUES ('more');
SELECT comb_sequence_horizon('events_position_seq');
ALTER FUNCTION renamed() RESET search_path;
ALTER FUNCTION renamed() RENAME TO comb_track;
-- Other relations, and privileges.
SELECT refusal('SELECT comb_sequence_horizon(''events'')');
SELECT refusal('SELECT comb_sequence_horizon(1)');
CREATE UNLOGGED TABLE unlogged (n bigint GENERATED ALWAYS AS IDENTITY);
CREATE TRIGGER tracked BEFORE INSERT ON unlogged FOR EACH STATEMENT EXECUTE FUNCTION comb_track();
SELECT refusal('SELECT comb_sequence_horizon(''unlogged_n_seq'')');
ALTER SEQUENCE unlogged_n_seq SET LOGGED;
SELECT comb_sequence_horizon('unlogged_n_seq');
DROP TABLE unlogged;
CREATE SEQUENCE alone;
SELECT refusal('SELECT comb_sequence_horizon(''alone'')');
CREATE TABLE untracked (n bigint);
ALTER SEQUENCE alone OWNED BY events.position;
SELECT refusal('SELECT comb_sequence_horizon(''alone'')');
ALTER SEQUENCE alone OWNED BY untracked.n;
SELECT refusal('SELECT comb_sequence_horizon(''alone'')');
ALTER SEQUENCE alone OWNED BY NONE;
DROP TABLE untracked;
SELECT comb_sequence_horizon(NULL);
CREATE ROLE comb_reader;
SET ROLE comb_reader;
SELECT refusal('SELECT comb_sequence_horizon(''events_position_seq'')');
RESET ROLE;
GRANT USAGE ON SEQUENCE events_position_seq TO comb_reader;
SET ROLE comb_reader;
SELECT comb_sequence_horizon('events_position_seq');
RESET ROLE;
SET comb.scope = backend;
SELECT refusal('SELECT comb_sequence_horizon(''events_position_seq'')');
SELECT refusal('INSERT INTO events DEFAULT VALUES');
RESET comb.scope;
-- The column must store the number itself.
CREATE SEQUENCE posts_seq;
CREATE FUNCTION post_id() RETURNS bigint LANGUAGE sql VOLATILE AS $$SELECT 1700000000 << 10 | nextval('posts_seq') % 1024$$;
CREATE TABLE posts (id bigint PRIMARY KEY DEFAULT post_id());
CREATE TRIGGER tracked BEFORE INSERT ON posts FOR EACH STATEMENT EXECUTE FUNCTION comb_track();
SELECT refusal('SELECT comb_sequence_horizon(''posts_seq'')');
ALTER SEQUENCE posts_seq OWNED BY posts.id;
SELECT refusal('SELECT comb_sequence_horizon(''posts_seq'')');
ALTER TABLE posts ALTER id SET DEFAULT nextval('posts_seq') * 100 + 7;
SELECT refusal('SELECT comb_sequence_horizon(''posts_seq'')');
ALTER TABLE posts ALTER id SET DEFAULT nextval('alone');
SELECT refusal('SELECT comb_sequence_horizon(''posts_seq'')');
ALTER TABLE posts ALTER id TYPE numeric(20, 0), ALTER id SET DEFAULT nextval('posts_seq');
SELECT comb_sequence_horizon('posts_seq');
ALTER TABLE posts ALTER id TYPE numeric(20, -1);
SELECT left(refusal('SELECT comb_sequence_horizon(''posts_seq'')'), 5);
ALTER TABLE posts ALTER id TYPE real, ALTER id SET DEFAULT nextval('posts_seq');
SELECT refusal('SELECT comb_sequence_horizon(''posts_seq'')');
CREATE DOMAIN whole AS int;
ALTER TABLE posts ALTER id TYPE whole, ALTER id SET DEFAULT nextval('posts_seq');
INSERT INTO posts DEFAULT VALUES;
SELECT comb_sequence_horizon('posts_seq');
-- One that a program fills.
ALTER TABLE posts ALTER id DROP DEFAULT;
BEGIN;
SELECT comb_track('posts_seq');
INSERT INTO posts VALUES (nextval('posts_seq'));
COMMIT;
SELECT comb_sequence_horizon('posts_seq');
SELECT setval('posts_seq', 10, false), comb_sequence_horizon('posts_seq');
DROP TABLE posts;
DROP FUNCTION post_id;
DROP DOMAIN whole;
-- Another role's table cannot draw from the sequence, and holds nobody.
CREATE ROLE comb_regress_stranger;
GRANT CREATE ON SCHEMA public TO comb_regress_stranger;
SET ROLE comb_regress_stranger;
CREATE TABLE stranger (n bigint DEFAULT nextval('events_position_seq'));
RESET ROLE;
SELECT comb_sequence_horizon('events_position_seq');
DROP TABLE stranger;
REVOKE CREATE ON SCHEMA public FROM comb_regress_stranger;
DROP ROLE comb_regress_stranger;
-- Partitions are tracked by the trigger of their table, or by their own.
CREATE TABLE parts (n bigserial, body text) PARTITION BY LIST (body);
CREATE TABLE part_a PARTITION OF parts FOR VALUES IN ('a');
SELECT split_part(refusal('SELECT comb_sequence_horizon(''parts_n_seq'')'), E'\n', 1);
CREATE TRIGGER tracked BEFORE INSERT ON parts FOR EACH STATEMENT EXECUTE FUNCTION comb_track();
SELECT refusal('SELECT comb_sequence_horizon(''parts_n_seq'')');
-- A partition and a table that inherits may not have sequences of their own: the rows of both appear in polls.
CREATE TABLE part_b (n bigserial, body text);
ALTER TABLE parts ATTACH PARTITION part_b FOR VALUES IN ('b');
SELECT refusal('SELECT comb_sequence_horizon(''parts_n_seq'')');
ALTER SEQUENCE part_b_n_seq OWNED BY NONE;
SELECT left(refusal('SELECT comb_sequence_horizon(''parts_n_seq'')'), 20);
ALTER TABLE part_b ALTER n SET DEFAULT nextval('parts_n_seq');
SELECT comb_sequence_horizon('parts_n_seq');
CREATE TABLE inherits () INHERITS (events);
SELECT comb_sequence_horizon('events_position_seq') >= 0 AS known;
ALTER TABLE inherits ALTER position SET DEFAULT nextval('alone');
SELECT split_part(refusal('SELECT comb_sequence_horizon(''events_position_seq'')'), E'\n', 1);
DROP TABLE inherits;

-- A writer that is not allowed to call comb_tracked() holds the horizon by the trigger alone. A sequence that is set back
-- begins again.
REVOKE EXECUTE ON FUNCTION comb_tracked() FROM PUBLIC;
GRANT INSERT, SELECT ON events TO comb_reader;
SET ROLE comb_reader;
SELECT refusal('SELECT comb_tracked()');
BEGIN;
INSERT INTO events (body) VALUES ('open');
SELECT count(*) FROM comb_horizon_holders();
SELECT comb_sequence_horizon('events_position_seq') < max(position) AS held FROM events;
COMMIT;
SELECT comb_sequence_horizon('events_position_seq') - max(position) AS behind FROM events;
RESET ROLE;
TRUNCATE events RESTART IDENTITY;
SELECT comb_sequence_horizon('events_position_seq') AS before_the_first;
INSERT INTO events (body) VALUES ('again');
SELECT comb_sequence_horizon('events_position_seq');

-- A rollback brings the old number back.
BEGIN;
SAVEPOINT s;
ALTER SEQUENCE events_position_seq RESTART 1000;
SELECT refusal('SELECT comb_sequence_horizon(''events_position_seq'')');
INSERT INTO events (body) VALUES ('rolled back');
ROLLBACK TO s;
SELECT comb_sequence_horizon('events_position_seq') < 1 AS held;
INSERT INTO events (body) VALUES ('after a rollback');
COMMIT;
SELECT comb_sequence_horizon('events_position_seq');

-- Versions: each UPDATE generates a greater one, in the layout of the column's type.
GRANT EXECUTE ON FUNCTION comb_tracked() TO PUBLIC;
CREATE TABLE items (id int, version uuid DEFAULT comb_tracked());
CREATE TRIGGER version BEFORE UPDATE ON items FOR EACH ROW EXECUTE FUNCTION comb_row_version();
INSERT INTO items VALUES (1);
SELECT version AS before FROM items \gset
UPDATE items SET id = 2, version = NULL;
SELECT version > :'before' AS increased FROM items;
CREATE TABLE mssql (id int, changed uniqueidentifier);
CREATE TRIGGER version BEFORE INSERT OR UPDATE ON mssql FOR EACH ROW EXECUTE FUNCTION comb_row_version('changed');
INSERT INTO mssql VALUES (1);
SELECT comb_timestamp_mssql(changed) > now() - interval '1 minute' AS has_a_time FROM mssql;
DROP TABLE mssql, items, parts, events;
DROP SEQUENCE alone, part_b_n_seq;
DROP FUNCTION refusal;
DROP TABLE states;
DROP ROLE comb_reader;
DROP EXTENSION comb;
