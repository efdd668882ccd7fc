-- comb_guard(): the keys that it lets in, and the triggers that it refuses.
CREATE EXTENSION comb;
\getenv directory PG_ABS_SRCDIR
\set refusal :directory '/refusal.sql'
\i :refusal
CREATE TABLE guarded (id uuid DEFAULT comb_tracked(), n int);
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION comb_guard();
INSERT INTO guarded VALUES (DEFAULT, 1);
INSERT INTO guarded VALUES (NULL);
SELECT refusal('INSERT INTO guarded VALUES (comb_new())');
SELECT comb_new() AS before \gset
BEGIN;
SELECT comb_hold() \g /dev/null
SELECT refusal(format('INSERT INTO guarded VALUES (%L)', :'before')) AS earlier_than_the_floor,
       refusal('INSERT INTO guarded VALUES (comb_new())') AS now,
       refusal('INSERT INTO guarded VALUES (comb_at(now() + interval ''1 hour''))') AS in_the_future,
       refusal('INSERT INTO guarded VALUES (gen_random_uuid())') AS random \gx
-- A savepoint that is rolled back keeps the floor.
SAVEPOINT a;
INSERT INTO guarded VALUES (DEFAULT, 2);
ROLLBACK TO a;
INSERT INTO guarded VALUES (comb_new(), 2);
COMMIT;
-- The next transaction has none.
SELECT refusal('INSERT INTO guarded VALUES (comb_new())');
UPDATE guarded SET n = 3, id = id;
SELECT refusal('UPDATE guarded SET id = comb_new() WHERE n = 3');
UPDATE guarded SET id = comb_tracked();
UPDATE guarded SET id = NULL;
SELECT refusal('INSERT INTO guarded SELECT CASE n WHEN 3 THEN comb_new() END FROM generate_series(1, 3) n');
-- Another trigger changes the key.
CREATE FUNCTION change_key() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.id := comb_new(); RETURN NEW; END';
CREATE TRIGGER before_guard BEFORE UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION change_key();
SELECT refusal('UPDATE guarded SET n = 4');
DROP TABLE guarded;
DROP FUNCTION change_key;

-- A client whose keys have a time of milliseconds, and random bits after it.
CREATE TABLE guarded (id uuid);
CREATE TRIGGER guard BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION comb_guard();
DO $$
BEGIN
    FOR n IN 1..100 LOOP
        PERFORM comb_hold();
        INSERT INTO guarded VALUES (comb_set_timestamp(gen_random_uuid(), clock_timestamp()));
        COMMIT;
    END LOOP;
END
$$;
SELECT count(*) FROM guarded;
BEGIN;
SELECT comb_hold() \g /dev/null
INSERT INTO guarded VALUES (comb_at(clock_timestamp() + interval '900 ms'));
COMMIT;
-- A lead is longer than comb_hold() waits for. The warning of the lead does not replace the error.
SET client_min_messages = error;
SELECT count(comb_observe(comb_at(clock_timestamp() + interval '10 minutes')));
SELECT comb_hold();
RESET client_min_messages;
SELECT count(comb_reset_clock());
-- Each layout, also those that keep less than a tick.
CREATE TABLE generated (layout text, id uuid);
DO $$
DECLARE
    layout text;
BEGIN
    FOR layout IN SELECT label FROM comb_layouts() LOOP
        EXECUTE format('CREATE OR REPLACE TRIGGER guard BEFORE INSERT ON generated FOR EACH ROW EXECUTE FUNCTION comb_guard(''id'', %L)', layout);
        FOR n IN 1..100 LOOP
            INSERT INTO generated VALUES (layout, comb_tracked(layout));
            COMMIT;
        END LOOP;
    END LOOP;
END
$$;
SELECT layout, count(*) FROM generated GROUP BY layout ORDER BY layout;
DROP TABLE guarded, generated;

-- An UPDATE moves rows to another partition.
CREATE TABLE moved (id uuid DEFAULT comb_tracked(), state text) PARTITION BY LIST (state);
CREATE TABLE moved_new PARTITION OF moved FOR VALUES IN ('new');
CREATE TABLE moved_done PARTITION OF moved FOR VALUES IN ('done');
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON moved FOR EACH ROW EXECUTE FUNCTION comb_guard();
INSERT INTO moved SELECT comb_tracked(), 'new' FROM generate_series(1, 3);
UPDATE moved SET state = 'done';
SELECT count(*) FROM moved_done;
SELECT refusal('UPDATE moved SET state = ''new'', id = comb_new()');
CREATE TABLE not_moved (LIKE moved);
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON not_moved FOR EACH ROW EXECUTE FUNCTION comb_guard();
BEGIN;
UPDATE moved SET state = state;
SELECT refusal('INSERT INTO not_moved SELECT * FROM moved');
COMMIT;
-- A copy of a key that an earlier statement updated, and kept in its partition, is not moved.
BEGIN;
SELECT id AS old FROM moved LIMIT 1 \gset
UPDATE moved SET state = state;
SELECT left(refusal(format('INSERT INTO moved VALUES (%L, ''new'')', :'old')), 5) AS after_an_update;
SAVEPOINT undone;
UPDATE moved SET state = state;
ROLLBACK TO undone;
SELECT left(refusal(format('INSERT INTO moved VALUES (%L, ''new'')', :'old')), 5) AS after_one_that_was_undone;
COMMIT;
-- Another trigger that updates a row of a partition in between, and a second guard.
CREATE TABLE counted (id uuid DEFAULT comb_tracked(), n int) PARTITION BY RANGE (n);
CREATE TABLE counted_all PARTITION OF counted DEFAULT;
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON counted FOR EACH ROW EXECUTE FUNCTION comb_guard();
INSERT INTO counted (n) VALUES (0);
CREATE FUNCTION count_it() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE counted SET n = n + 1; RETURN NEW; END';
CREATE TRIGGER later BEFORE UPDATE ON moved FOR EACH ROW EXECUTE FUNCTION count_it();
CREATE TRIGGER latest BEFORE INSERT OR UPDATE ON moved FOR EACH ROW EXECUTE FUNCTION comb_guard();
UPDATE moved SET state = 'new';
SELECT n, (SELECT count(*) FROM moved_new) FROM counted;
DROP TABLE not_moved, counted;
DROP TRIGGER later ON moved;
DROP FUNCTION count_it;
SELECT refusal('WITH deleted AS (DELETE FROM moved RETURNING id) INSERT INTO moved SELECT id, ''new'' FROM deleted');
DROP TABLE moved;

-- Triggers that cannot guard.
CREATE TABLE mistaken (id int, u uuid DEFAULT comb_tracked());
CREATE TABLE triggers (trigger text);
INSERT INTO triggers VALUES ('AFTER INSERT ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard(''u'')'),
    ('BEFORE INSERT ON mistaken FOR EACH STATEMENT EXECUTE FUNCTION comb_guard(''u'')'),
    ('BEFORE INSERT ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard()'),
    ('BEFORE INSERT ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard(''none'')'),
    ('BEFORE INSERT ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard(''u'', ''none'')'),
    ('BEFORE INSERT OR UPDATE OF u ON mistaken FOR EACH ROW EXECUTE FUNCTION comb_guard(''u'')');
SELECT trigger, refusal('CREATE TRIGGER guard ' || trigger || '; INSERT INTO mistaken DEFAULT VALUES') FROM triggers;
DROP TABLE mistaken, triggers;

-- Domains.
CREATE DOMAIN key AS uuid NOT NULL;
CREATE DOMAIN subkey AS key CHECK (VALUE <> '00000000-0000-0000-0000-000000000000');
CREATE TABLE guarded (id subkey DEFAULT comb_tracked());
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION comb_guard();
INSERT INTO guarded DEFAULT VALUES;
SELECT refusal('INSERT INTO guarded VALUES (comb_new())');
CREATE DOMAIN mssql_key AS uniqueidentifier;
CREATE TABLE guarded_mssql (id mssql_key DEFAULT comb_tracked('mssql'));
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded_mssql FOR EACH ROW EXECUTE FUNCTION comb_guard();
INSERT INTO guarded_mssql DEFAULT VALUES;
SELECT refusal('INSERT INTO guarded_mssql VALUES (comb_new(''mssql''))');
DROP TABLE guarded, guarded_mssql;
DROP DOMAIN subkey, key, mssql_key;
-- The guard knows the layout of uniqueidentifier.
CREATE TABLE guarded (id uniqueidentifier PRIMARY KEY DEFAULT comb_tracked('mssql')::uniqueidentifier);
CREATE TRIGGER guard BEFORE INSERT ON guarded FOR EACH ROW EXECUTE FUNCTION comb_guard();
INSERT INTO guarded DEFAULT VALUES;
SELECT refusal('INSERT INTO guarded VALUES (comb_new(''mssql'')::uniqueidentifier)');
DROP TABLE guarded;

-- Generated columns are computed after the trigger, which would see NULL. PostgreSQL 18 has virtual ones.
CREATE TABLE computed (body jsonb, id uuid GENERATED ALWAYS AS ((body->>'id')::uuid) STORED);
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON computed FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT refusal('INSERT INTO computed SELECT jsonb_build_object(''id'', comb_at(now() - interval ''1 hour''))');
SELECT refusal('INSERT INTO computed VALUES (''{}'')');
SELECT CASE WHEN current_setting('server_version_num')::int >= 180000 THEN 'VIRTUAL' ELSE 'STORED' END AS virtual \gset
CREATE TABLE computed_when_read (body jsonb, id uuid GENERATED ALWAYS AS ((body->>'id')::uuid) :virtual);
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON computed_when_read FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT refusal('INSERT INTO computed_when_read VALUES (''{}'')');
DROP TABLE computed, computed_when_read;

-- Other types of these names must not be read as 16 bytes.
CREATE SCHEMA others;
CREATE TYPE others.uuid AS ENUM ('a');
CREATE TYPE others.uniqueidentifier AS (a text, b int);
CREATE TABLE of_enum (id others.uuid);
CREATE TRIGGER guard BEFORE INSERT ON of_enum FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT refusal('INSERT INTO of_enum VALUES (''a'')');
CREATE TABLE of_row (id others.uniqueidentifier);
CREATE TRIGGER guard BEFORE INSERT ON of_row FOR EACH ROW EXECUTE FUNCTION comb_guard();
SELECT refusal('INSERT INTO of_row VALUES (ROW(''a'', 1))');
DROP TABLE of_enum, of_row;
SET client_min_messages = warning;
DROP SCHEMA others CASCADE;
DROP FUNCTION refusal;
DROP EXTENSION comb;
