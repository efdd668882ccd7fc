-- What DROP EXTENSION comb CASCADE takes along, and the query that lists it beforehand.
CREATE EXTENSION comb;
CREATE SCHEMA zoo;
SET search_path = zoo, public;
SET client_min_messages = warning;

-- What stays: a key of type uuid, of which only the default goes.
CREATE TABLE kept (id uuid PRIMARY KEY DEFAULT comb_new(), n int);
CREATE VIEW kept_view AS SELECT n FROM kept;
-- Columns, with their values: of the type, of arrays, ranges and domains of it; generated ones.
CREATE TABLE guid (id uniqueidentifier PRIMARY KEY, n int);
CREATE TABLE guid_child (n int, pid uuid REFERENCES guid);
CREATE INDEX guid_child_pid ON guid_child (pid);
CREATE TABLE arrays (n int, ids uniqueidentifier[]);
CREATE TYPE guid_range AS RANGE (SUBTYPE = uniqueidentifier);
CREATE TABLE ranges (n int, period guid_range);
CREATE DOMAIN guid_domain AS uniqueidentifier CHECK (VALUE <> '00000000-0000-0000-0000-000000000000');
CREATE TABLE domains (n int, id guid_domain);
CREATE TABLE generated (id uuid, made timestamptz GENERATED ALWAYS AS (comb_timestamp(id)) STORED);
CREATE INDEX generated_made ON generated (made);
-- A domain over uuid, and its columns, if its default or check is one of our functions.
CREATE DOMAIN with_default AS uuid DEFAULT comb_new();
CREATE TABLE of_domain (id with_default, n int);
CREATE DOMAIN with_check AS uuid CHECK (comb_timestamp(VALUE) IS NOT NULL);
CREATE TABLE of_checked (id with_check, n int);
-- An attribute of a composite type, and so of columns of it.
CREATE TYPE pair AS (id uniqueidentifier, n int);
CREATE TABLE pairs (id int, pair pair);
-- Tables, with all rows: by the partition key.
CREATE TABLE by_expression (id uuid, n int) PARTITION BY RANGE (comb_timestamp(id));
CREATE TABLE by_expression_all PARTITION OF by_expression DEFAULT;
CREATE TABLE by_class (id uuid, n int) PARTITION BY RANGE (id uuid_mssql_ops);
CREATE TABLE by_class_all PARTITION OF by_class DEFAULT;
CREATE TABLE by_type (id uniqueidentifier, n int) PARTITION BY HASH (id);
CREATE TABLE by_type_all PARTITION OF by_type FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE of_composite OF pair;
-- A table that goes takes along what stands on it.
CREATE VIEW by_expression_view AS SELECT n FROM by_expression;
-- Without rows: indexes, constraints, statistics, triggers, policies, views, functions and what stands on them.
CREATE INDEX kept_mssql ON kept (id uuid_mssql_ops);
CREATE INDEX kept_expression ON kept (comb_timestamp(id));
CREATE INDEX kept_predicate ON kept (n) WHERE comb_timestamp(id) > '2020-01-01Z';
CREATE INDEX kept_brin ON kept USING brin (id uuid_mssql_minmax_ops);
CREATE STATISTICS kept_statistics ON comb_timestamp(id), n FROM kept;
ALTER TABLE kept ADD CONSTRAINT kept_check CHECK (comb_timestamp(id) IS NOT NULL);
CREATE VIEW dated AS SELECT id, comb_timestamp(id) AS made FROM kept;
CREATE VIEW on_dated AS SELECT max(made) FROM dated;
CREATE MATERIALIZED VIEW stored AS SELECT comb_new() AS id;
CREATE FUNCTION of_type(uniqueidentifier) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION with_body() RETURNS uuid LANGUAGE sql RETURN comb_new();
CREATE FUNCTION with_text() RETURNS uuid LANGUAGE sql AS 'SELECT comb_new()';
CREATE FUNCTION with_argument(id uuid DEFAULT comb_new()) RETURNS uuid LANGUAGE sql AS 'SELECT id';
CREATE POLICY kept_policy ON kept USING (comb_timestamp(id) > '2020-01-01Z');
CREATE FUNCTION touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
CREATE TRIGGER kept_trigger BEFORE INSERT ON kept FOR EACH ROW WHEN (comb_timestamp(NEW.id) IS NULL) EXECUTE FUNCTION touch();
CREATE RULE kept_rule AS ON DELETE TO kept WHERE comb_timestamp(OLD.id) IS NULL DO NOTHING;
CREATE AGGREGATE least_of(uniqueidentifier) (SFUNC = uniqueidentifier_smaller, STYPE = uniqueidentifier);
CREATE FUNCTION of_extension() RETURNS int LANGUAGE sql AS 'SELECT 1';
ALTER FUNCTION of_extension() DEPENDS ON EXTENSION comb;
CREATE CAST (uniqueidentifier AS bytea) WITH FUNCTION uniqueidentifier_send(uniqueidentifier);
INSERT INTO kept (n) VALUES (1);
INSERT INTO pairs VALUES (1, ROW('d01c25cc-63a7-47cc-b5ba-018e5f3bff48', 7));

-- The objects of the database, and the columns of its tables.
CREATE VIEW objects AS
SELECT classid, objid, objsubid FROM pg_depend WHERE objid >= 16384
UNION
SELECT 'pg_class'::regclass, attrelid, attnum FROM pg_attribute WHERE attrelid >= 16384 AND attnum > 0 AND NOT attisdropped;

-- What would go. The recursion follows pg_depend as DROP does.
CREATE VIEW going AS
WITH RECURSIVE going (classid, objid, objsubid) AS (
    SELECT 'pg_extension'::regclass::oid, oid, 0 FROM pg_extension WHERE extname = 'comb'
    UNION
    SELECT next.* FROM going g, LATERAL (
        -- What depends on it,
        SELECT classid, objid, objsubid FROM pg_depend
        WHERE (refclassid, refobjid) = (g.classid, g.objid) AND g.objsubid IN (0, refobjsubid)
        UNION ALL
        -- and what it is a part of: the view of a rule, the column of an expression, the table of a partition key.
        SELECT refclassid, refobjid, refobjsubid FROM pg_depend
        WHERE (classid, objid, objsubid) = (g.classid, g.objid, g.objsubid) AND deptype IN ('i', 'e')
    ) next
)
TABLE going;
-- For a reader: no part of anything that goes, but all tables.
SELECT type, identity FROM going g, pg_identify_object(classid, objid, objsubid)
WHERE type <> 'extension' AND (objsubid = 0 OR (classid, objid, 0) NOT IN (TABLE going)) AND (type = 'table' OR NOT EXISTS (
    SELECT FROM pg_depend d WHERE (d.classid, d.objid, d.objsubid) = (g.classid, g.objid, g.objsubid)
    AND deptype IN ('a', 'i', 'e') AND (refclassid, refobjid, refobjsubid) IN (TABLE going)))
ORDER BY type COLLATE "C", identity COLLATE "C";

-- It is what goes, and all that does.
CREATE TABLE before AS TABLE objects;
CREATE TABLE listed AS
TABLE going
UNION
SELECT 'pg_class'::regclass, attrelid, attnum FROM going JOIN pg_attribute ON attrelid = objid
WHERE classid = 'pg_class'::regclass AND objsubid = 0 AND attnum > 0 AND NOT attisdropped;
DROP EXTENSION comb CASCADE;
CREATE TABLE gone AS TABLE before EXCEPT TABLE objects;
SELECT count(*) > 200 AS many, (SELECT count(*) FROM (TABLE gone EXCEPT TABLE listed) o) AS not_listed,
       (SELECT count(*) FROM (TABLE listed EXCEPT TABLE gone) o) AS not_gone FROM gone;
-- What stays.
SELECT id IS NOT NULL AS id, n FROM kept;
SELECT * FROM pairs;
SELECT relname, array_agg(attname ORDER BY attnum) AS columns FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
WHERE relnamespace = 'zoo'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
AND relname NOT IN ('before', 'listed', 'gone')
GROUP BY relname ORDER BY relname COLLATE "C";
\set VERBOSITY terse
SELECT with_text();
\set VERBOSITY default

RESET search_path;
DROP SCHEMA zoo CASCADE;
