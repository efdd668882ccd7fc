-- What a table needs to be polled: by CALL, and by hand.
\pset tuples_only on
\pset format unaligned
SET client_min_messages = warning;
CREATE EXTENSION comb;
\getenv directory PG_ABS_SRCDIR
\set refusal :directory '/refusal.sql'
\i :refusal
CREATE VIEW triggers AS
SELECT tgrelid::regclass AS relation, tgname, regexp_replace(pg_get_triggerdef(oid), '.* (BEFORE|AFTER)', '\1') AS definition, tgenabled
FROM pg_trigger ORDER BY tgrelid::regclass::text COLLATE "C", tgname;

-- A table, twice, and back.
CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
CALL comb_enable_polls('events', 'position');
TABLE triggers;
SELECT oid AS before FROM pg_trigger WHERE tgname ~ 'guard' \gset
SELECT xmin AS row_before FROM pg_trigger WHERE tgname ~ 'guard' \gset
CALL comb_enable_polls('events', 'position');
SELECT count(*) AS triggers, bool_or(tgname ~ 'guard' AND xmin <> :'row_before') AS the_guard_is_written_again FROM pg_trigger
WHERE tgrelid = 'events'::regclass;
INSERT INTO events (body) VALUES ('one'), ('two');
SELECT count(*) FROM events WHERE position > 0 AND position <= comb_number_horizon('events', after => 0);
CALL comb_disable_polls('events', 'position');
TABLE triggers;
SELECT refusal('SELECT comb_number_horizon(''events'')');
CALL comb_disable_polls('events', 'position');

-- A guard AFTER stays one, and a trigger that is not of comb keeps its name.
CREATE TRIGGER guard AFTER INSERT OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION comb_guard('position');
CREATE FUNCTION of_the_user() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER comb_track AFTER DELETE ON events EXECUTE FUNCTION of_the_user();
SELECT refusal('CALL comb_enable_polls(''events'', ''position'')');
ALTER TRIGGER comb_track ON events RENAME TO of_the_user;
CALL comb_enable_polls('events', 'position');
TABLE triggers;
CALL comb_disable_polls('events', 'position');
DROP TRIGGER of_the_user ON events;
DROP FUNCTION of_the_user;

-- What is there counts, and is replaced where it is wrong: other names, as after a restore or a rename, and halves.
CREATE TRIGGER tracked BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION comb_track();
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION comb_guard('position');
CALL comb_enable_polls('events', 'position');
TABLE triggers;
CREATE OR REPLACE TRIGGER zz_comb_guard_position BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION comb_guard('position');
CALL comb_enable_polls('events', 'position');
ALTER TABLE events DISABLE TRIGGER ALL;
CALL comb_enable_polls('events', 'position');
TABLE triggers;
CALL comb_disable_polls('events', 'position');
TABLE triggers;
DROP TABLE events;

-- In a DO block, as migration tools write it, in a function, and by another name of the schema.
CREATE SCHEMA "Odd ""name""";
CREATE TABLE "Odd ""name"""."Events's" ("Key 'k'" bigserial);
DO $$ BEGIN CALL comb_enable_polls('"Odd ""name"""."Events''s"', 'Key ''k'''); END $$;
TABLE triggers;
INSERT INTO "Odd ""name"""."Events's" DEFAULT VALUES;
SELECT comb_number_horizon('"Odd ""name"""."Events''s"');
CALL comb_disable_polls('"Odd ""name"""."Events''s"', 'Key ''k''');
DROP SCHEMA "Odd ""name""" CASCADE;

-- Each type of key, two keys of a table, and the sequence of a column that a program fills.
CREATE SEQUENCE drawn;
CREATE DOMAIN whole AS int;
CREATE TABLE keys (big bigserial, whole serial, small smallserial, of_domain whole DEFAULT nextval('drawn'), program bigint,
    id uuid DEFAULT comb_new(), changed uniqueidentifier DEFAULT comb_new_mssql(), plain uuid DEFAULT comb_new_mssql(), t text, n numeric);
CREATE SEQUENCE of_program OWNED BY keys.program;
SELECT format('CALL comb_enable_polls(%L, %L)', 'keys', attname) FROM pg_attribute
WHERE attrelid = 'keys'::regclass AND attnum > 0 AND attname NOT IN ('plain', 't', 'n') ORDER BY attnum \gexec
CALL comb_enable_polls('keys', 'plain', 'mssql');
-- The layout stays.
CALL comb_enable_polls('keys', 'plain');
TABLE triggers;
BEGIN;
CALL comb_track('keys');
INSERT INTO keys (program) VALUES (nextval('of_program'));
COMMIT;
SELECT comb_number_horizon('keys', 'big'), comb_number_horizon('keys', 'whole'), comb_number_horizon('keys', key => 'small'),
    comb_number_horizon('keys', 'of_domain'), comb_number_horizon('keys', 'program');
SELECT count(*) FROM keys WHERE id <= comb_uuid_horizon('keys', 'id') AND changed <= comb_uuid_horizon('keys', 'changed')
    AND plain <=# comb_uuid_horizon('keys', 'plain', layout => 'mssql');
SELECT refusal('SELECT comb_number_horizon(''keys'')') AS which, refusal('SELECT comb_uuid_horizon(''keys'', ''plain'')') AS which_layout,
    refusal('SELECT comb_uuid_horizon(''keys'', ''id'', layout => ''mssql'')') AS another_layout;
-- The sequence is named by the trigger, not found by search_path; a rename is repaired.
CREATE SCHEMA hostile;
CREATE SEQUENCE hostile.of_program START 1000;
SET search_path = hostile, public;
SELECT comb_number_horizon('keys', 'program');
RESET search_path;
ALTER SEQUENCE of_program RENAME TO renamed;
SELECT refusal('SELECT comb_number_horizon(''keys'', ''program'')');
CALL comb_enable_polls('keys', 'program');
SELECT comb_number_horizon('keys', 'program');
DROP SCHEMA hostile CASCADE;

-- What cannot be a key, or has no source.
SELECT key, refusal(format('CALL comb_enable_polls(%L, %L)', 'keys', key)) FROM unnest(ARRAY['t', 'n', 'none', 'ctid', '']) key;
SELECT layout, refusal(format('CALL comb_enable_polls(%L, %L, %L)', 'keys', key, layout))
FROM (VALUES ('id', 'none'), ('id', 'uuidv1'), ('changed', 'uuidv7'), ('big', 'uuidv7')) arguments (key, layout);
SELECT refusal('CALL comb_enable_polls(''keys'', ''"id"'')'), refusal('CALL comb_enable_polls(NULL, ''id'')'), refusal('CALL comb_enable_polls(''keys'', NULL)'), refusal('CALL comb_track(NULL)');
ALTER TABLE keys ADD no_source bigint, ADD computed bigint DEFAULT nextval('drawn') * 100 + 7, ADD made bigint GENERATED ALWAYS AS (1) STORED;
SELECT key, refusal(format('CALL comb_enable_polls(%L, %L)', 'keys', key)) FROM unnest(ARRAY['no_source', 'computed', 'made']) key;
SELECT definition, refusal('ALTER SEQUENCE drawn ' || definition || '; CALL comb_enable_polls(''keys'', ''of_domain'')')
FROM unnest(ARRAY['CACHE 2', 'INCREMENT 50', 'INCREMENT -1', 'CYCLE']) definition;
ALTER SEQUENCE drawn CACHE 1 INCREMENT 1 NO CYCLE;
DROP TABLE keys;
CREATE TABLE computed (id uuid DEFAULT comb_new(), made uuid GENERATED ALWAYS AS (id) STORED);
SELECT refusal('CALL comb_enable_polls(''computed'', ''made'')');
CREATE TRIGGER made BEFORE INSERT OR UPDATE ON computed FOR EACH ROW EXECUTE FUNCTION comb_guard('made');
SELECT refusal('SELECT comb_uuid_horizon(''computed'')') AS poll, refusal('INSERT INTO computed DEFAULT VALUES') AS row;
DROP TABLE computed;
DROP SEQUENCE drawn;
DROP DOMAIN whole;

-- Relations of other kinds.
CREATE TABLE parts (n bigserial, state text) PARTITION BY LIST (state);
CREATE TABLE part_new PARTITION OF parts FOR VALUES IN ('new') PARTITION BY LIST (state);
CREATE TABLE part_new_1 PARTITION OF part_new DEFAULT;
CREATE VIEW shown AS TABLE parts;
CREATE MATERIALIZED VIEW stored AS TABLE parts;
CREATE TEMP TABLE staging (n bigserial);
CREATE UNLOGGED TABLE unlogged (n bigserial);
CREATE FOREIGN DATA WRAPPER w;
CREATE SERVER far FOREIGN DATA WRAPPER w;
CREATE FOREIGN TABLE distant (n bigint) SERVER far;
SELECT relation, refusal(format('CALL comb_enable_polls(%L, %L)', relation, 'n')), left(refusal(format('CALL comb_track(%L)', relation)), 5) AS track
FROM unnest(ARRAY['part_new', 'part_new_1', 'shown', 'stored', 'staging', 'unlogged', 'distant', 'parts_n_seq', 'pg_class', '0', '4294967295'])
    relation;
DROP FOREIGN DATA WRAPPER w CASCADE;
DROP TABLE staging, unlogged;

-- A partitioned table: each partition, and one that comes later.
CALL comb_enable_polls('parts', 'n');
TABLE triggers;
CREATE TABLE part_done PARTITION OF parts FOR VALUES IN ('done');
SELECT relation, key, source, problem, untracked_tables FROM comb_horizon_status();
SELECT refusal('INSERT INTO part_done (state) VALUES (''done'')') AS directly;
CALL comb_enable_polls('parts', 'n');
INSERT INTO part_done (state) VALUES ('done');
SELECT untracked_tables FROM comb_horizon_status();
CALL comb_disable_polls('parts', 'n');
TABLE triggers;
DROP TABLE parts CASCADE;

-- Guards of columns whose long names begin in the same way.
CREATE TABLE long_names (a_name_that_is_as_long_as_names_of_columns_can_be_in_postgre1 uuid, a_name_that_is_as_long_as_names_of_columns_can_be_in_postgre2 uuid);
CALL comb_enable_polls('long_names', 'a_name_that_is_as_long_as_names_of_columns_can_be_in_postgre1');
SELECT refusal('CALL comb_enable_polls(''long_names'', ''a_name_that_is_as_long_as_names_of_columns_can_be_in_postgre2'')');
DROP TABLE long_names;

-- A parent and its children by INHERITS, of one level.
CREATE TABLE parent (n bigserial, body text);
CREATE TABLE child () INHERITS (parent);
CALL comb_enable_polls('parent', 'n');
TABLE triggers;
SELECT refusal('CALL comb_enable_polls(''child'', ''n'')');
CREATE SEQUENCE other;
ALTER TABLE child ALTER n SET DEFAULT nextval('other');
SELECT refusal('CALL comb_enable_polls(''parent'', ''n'')');
ALTER TABLE child ALTER n SET DEFAULT nextval('parent_n_seq');
CALL comb_enable_polls('parent', 'n');
DROP SEQUENCE other;
CREATE TABLE grandchild () INHERITS (child);
SELECT refusal('CALL comb_enable_polls(''parent'', ''n'')'), refusal('SELECT comb_number_horizon(''parent'')'),
    refusal('INSERT INTO parent (body) VALUES (''a'')');
DROP TABLE parent CASCADE;

-- Warnings.
CREATE TABLE filled (n bigserial, id uuid);
INSERT INTO filled VALUES (100, 'ffffffff-ffff-7fff-bfff-ffffffffffff');
CREATE FUNCTION changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER zzz BEFORE INSERT ON filled FOR EACH ROW EXECUTE FUNCTION changes();
CALL comb_enable_polls('filled', 'n');
CALL comb_enable_polls('filled', 'id');
SELECT problem FROM comb_horizon_status();
DROP TRIGGER zzz ON filled;
SELECT refusal('SELECT comb_number_horizon(''filled'', ''n'')');
DROP TABLE filled;
DROP FUNCTION changes;

-- Defaults that are no nextval() of a sequence: of a table, and of more text than such a call has.
CREATE SEQUENCE numbers;
CREATE TABLE defaults (n bigint);
SELECT d, refusal(format('ALTER TABLE defaults ALTER n SET DEFAULT %s; CALL comb_enable_polls(''defaults'', ''n'')', call))
FROM (VALUES (1, 'nextval(''numbers'')::int'), (2, 'nextval(''defaults'')'), (3, 'nextval(''numbers'')' || repeat('::int::bigint', 50))) v (d, call);
DROP TABLE defaults;
DROP SEQUENCE numbers;

-- A column of row versions is checked, and gets no trigger.
CREATE TABLE items (n int, version uuid);
CREATE TRIGGER version BEFORE INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION comb_row_version();
CALL comb_enable_polls('items', 'version');
TABLE triggers;
INSERT INTO items VALUES (1);
SELECT version AS before FROM items \gset
UPDATE items SET n = 2, version = NULL;
SELECT version > :'before' AS increased, version <= comb_uuid_horizon('items', after => :'before') AS settled FROM items;
CREATE OR REPLACE TRIGGER version BEFORE UPDATE ON items FOR EACH ROW EXECUTE FUNCTION comb_row_version();
SELECT refusal('CALL comb_enable_polls(''items'', ''version'')'), refusal('SELECT comb_uuid_horizon(''items'')');
DROP TABLE items;
CREATE TABLE items (n int, changed uniqueidentifier);
CREATE TRIGGER version BEFORE INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION comb_row_version('changed');
INSERT INTO items VALUES (1);
SELECT comb_timestamp_mssql(changed) > now() - interval '1 minute' AS has_a_time, changed <= comb_uuid_horizon('items') AS settled FROM items;
DROP TABLE items;

-- Triggers at other places.
CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY, body text, u uuid);
CREATE VIEW all_events AS SELECT * FROM events;
CREATE TABLE places (trigger text, statement text);
INSERT INTO places VALUES ('AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION comb_track()', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION comb_track()', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE DELETE ON events FOR EACH STATEMENT EXECUTE FUNCTION comb_track()', 'DELETE FROM events'),
    ('BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION comb_track()', 'TRUNCATE events'),
    ('INSTEAD OF INSERT ON all_events FOR EACH ROW EXECUTE FUNCTION comb_track()', 'INSERT INTO all_events (body) VALUES (NULL)'),
    ('BEFORE UPDATE ON events FOR EACH STATEMENT EXECUTE FUNCTION comb_row_version(''u'')', 'UPDATE events SET body = NULL'),
    ('AFTER UPDATE ON events FOR EACH ROW EXECUTE FUNCTION comb_row_version(''u'')', 'UPDATE events SET body = NULL'),
    ('BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION comb_row_version(''body'')', 'UPDATE events SET body = NULL'),
    ('BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION comb_row_version(''none'')', 'UPDATE events SET body = NULL'),
    ('BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION comb_guard(''position'')', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION comb_guard(''position'')', 'DELETE FROM events'),
    ('INSTEAD OF INSERT ON all_events FOR EACH ROW EXECUTE FUNCTION comb_guard(''position'')', 'INSERT INTO all_events (body) VALUES (NULL)'),
    ('BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION comb_guard()', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION comb_guard(''none'')', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION comb_guard(''body'')', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION comb_guard(''u'', ''none'')', 'INSERT INTO events DEFAULT VALUES'),
    ('BEFORE INSERT OR UPDATE OF body ON events FOR EACH ROW EXECUTE FUNCTION comb_guard(''position'')', 'INSERT INTO events DEFAULT VALUES');
INSERT INTO events DEFAULT VALUES;
SELECT trigger, refusal(format('CREATE TRIGGER t %s; %s', trigger, statement)) FROM places;
SELECT refusal('SELECT comb_track()'), refusal('SELECT comb_guard()'), refusal('SELECT comb_row_version()');
DROP VIEW all_events;
DROP TABLE places, events;

-- Who may: the owner of the table sets it up, and who may insert calls comb_track().
CREATE ROLE comb_regress_owner;
CREATE ROLE comb_regress_writer;
CREATE TABLE events (position bigint GENERATED BY DEFAULT AS IDENTITY, body text);
SET ROLE comb_regress_writer;
SELECT refusal('CALL comb_enable_polls(''events'', ''position'')');
RESET ROLE;
ALTER TABLE events OWNER TO comb_regress_owner;
SET ROLE comb_regress_owner;
CALL comb_enable_polls('events', 'position');
GRANT INSERT ON events TO comb_regress_writer;
SET ROLE comb_regress_writer;
SELECT refusal('CALL comb_disable_polls(''events'', ''position'')');
BEGIN;
CALL comb_track('events');
INSERT INTO events (body) VALUES ('a');
COMMIT;
RESET ROLE;
REVOKE INSERT ON events FROM comb_regress_writer;
SET ROLE comb_regress_writer;
SELECT refusal('CALL comb_track(''events'')');
RESET ROLE;
-- The privilege to create a trigger is not enough.
GRANT TRIGGER ON events TO comb_regress_writer;
SET ROLE comb_regress_writer;
SELECT refusal('CALL comb_enable_polls(''events'', ''position'')');
RESET ROLE;
-- The call of a superuser reads the table with the privileges of its owner, and keeps no setting of the owner's functions.
CREATE FUNCTION of_the_owner(bigint) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RAISE WARNING 'called by %, % for comb_regress_owner', current_user, set_config('search_path', 'elsewhere', false);
    RETURN $1;
END $$;
SET client_min_messages = error;
CREATE INDEX ON events (of_the_owner(position)) WHERE of_the_owner(position) > 0;
RESET client_min_messages;
CREATE POLICY of_the_owner ON events USING (of_the_owner(position) IS NOT NULL);
ALTER TABLE events ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CALL comb_enable_polls('events', 'position');
SHOW search_path;
SET client_min_messages = warning;
DROP TABLE events;
DROP FUNCTION of_the_owner;
-- A sequence that the owner of the table may not use: a horizon would say its last number.
CREATE SEQUENCE of_another;
CREATE TABLE events (position bigint, body text);
ALTER TABLE events OWNER TO comb_regress_owner;
SET ROLE comb_regress_owner;
DO $$BEGIN EXECUTE format('ALTER TABLE events ALTER position SET DEFAULT nextval(%L)', 'of_another'::regclass::oid); END$$;
SELECT refusal('CALL comb_enable_polls(''events'', ''position'')');
RESET ROLE;
GRANT SELECT ON of_another TO comb_regress_owner;
SET ROLE comb_regress_owner;
CALL comb_enable_polls('events', 'position');
RESET ROLE;
REVOKE SELECT ON of_another FROM comb_regress_owner;
SELECT refusal('SELECT comb_number_horizon(''events'')');
DROP TABLE events;
DROP SEQUENCE of_another;
DROP ROLE comb_regress_owner, comb_regress_writer;

-- The functions are known by what they call, not by their names, and settings of a function change nothing.
CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY, body text);
CALL comb_enable_polls('events', 'position');
ALTER FUNCTION comb_track() RENAME TO renamed;
ALTER FUNCTION comb_guard() RENAME TO renamed_guard;
ALTER FUNCTION renamed() SET search_path = '';
ALTER FUNCTION renamed_guard() SET search_path = '';
INSERT INTO events (body) VALUES ('a');
SELECT count(*) FROM events WHERE position <= comb_number_horizon('events');
ALTER FUNCTION renamed() RESET ALL;
ALTER FUNCTION renamed_guard() RESET ALL;
ALTER FUNCTION renamed_guard() RENAME TO comb_guard;
ALTER FUNCTION renamed() RENAME TO comb_track;
DROP TABLE events;

DROP VIEW triggers;
DROP FUNCTION refusal;
DROP EXTENSION comb;
