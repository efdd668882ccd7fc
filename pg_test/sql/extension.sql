-- The extension as a user meets it. Every query is followed by what it says in expected/.
\pset tuples_only on
\pset format unaligned
CREATE EXTENSION comb;

SELECT e.extname, e.extrelocatable, obj_description(e.oid, 'pg_extension') AS comment, a.trusted
FROM pg_extension e JOIN pg_available_extension_versions a ON (a.name, a.version) = (e.extname, e.extversion)
WHERE e.extname = 'comb';
-- Its functions that are not IMMUTABLE, PARALLEL SAFE and STRICT; not those that only operators and indexes call.
SELECT p.oid::regprocedure AS function, p.provolatile AS volatility, p.proparallel AS parallel, p.proisstrict AS strict
FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
WHERE d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_proc'::regclass
      AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'comb')
      AND p.proname LIKE 'comb\_%' AND p.oid NOT IN (SELECT oprcode FROM pg_operator)
      AND p.proargtypes[0] IS DISTINCT FROM 'internal'::regtype
      AND (p.provolatile, p.proparallel, p.proisstrict) <> ('i', 's', true)
ORDER BY p.oid::regprocedure::text COLLATE "C";

-- Those that raise no error, whatever their arguments are, and those that cost more than an operator.
SELECT string_agg(CASE WHEN p.proleakproof THEN p.oid::regprocedure::text END, E'\n' ORDER BY p.oid::regprocedure::text COLLATE "C") AS leakproof,
       string_agg(CASE WHEN p.procost > 1 AND l.lanname = 'c' THEN p.oid::regprocedure || ': ' || p.procost END, E'\n'
                  ORDER BY p.oid::regprocedure::text COLLATE "C") AS cost
FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid JOIN pg_language l ON l.oid = p.prolang
WHERE d.refclassid = 'pg_extension'::regclass AND d.classid = 'pg_proc'::regclass
      AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'comb')
      AND p.oid NOT IN (SELECT oprcode FROM pg_operator) AND p.oid NOT IN (SELECT amproc FROM pg_amproc);

-- \df comb* shows functions that users call, and fits a screen.
SELECT count(*) < 55 AS few, count(*) FILTER (WHERE pg_get_function_arguments(oid) ~ 'internal') AS internal
FROM pg_proc WHERE proname LIKE 'comb%' AND oid IN (SELECT objid FROM pg_depend WHERE classid = 'pg_proc'::regclass AND deptype = 'e');

-- No object of it is without a comment.
SELECT pg_describe_object(d.classid, d.objid, 0)
FROM pg_depend d
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
      AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'comb')
      AND obj_description(d.objid, d.classid::regclass::text) IS NULL
      -- array and row types, which PostgreSQL 18 counts as members
      AND NOT EXISTS (SELECT FROM pg_type t WHERE d.classid = 'pg_type'::regclass AND t.oid = d.objid
                      AND (t.typelem <> 0 OR t.typrelid <> 0));

-- It stays in its schema.
CREATE SCHEMA elsewhere;
ALTER EXTENSION comb SET SCHEMA elsewhere;
DROP EXTENSION comb;

-- An ordinary user who may create objects in a database can create it: it is trusted. In any schema; whoever names
-- that one needs no search path.
\set regress_database :DBNAME
CREATE ROLE comb_regress_owner;
CREATE DATABASE comb_regress_owned OWNER comb_regress_owner TEMPLATE template0;
\c comb_regress_owned
SET SESSION AUTHORIZATION comb_regress_owner;
CREATE SCHEMA extensions;
CREATE EXTENSION comb SCHEMA extensions;
SET search_path = '';
SELECT extensions.comb_between(extensions.comb_new(), now() - interval '1 hour', now() + interval '1 hour') AS now;
CREATE SCHEMA app;
CREATE TABLE app.orders (id extensions.uniqueidentifier PRIMARY KEY DEFAULT extensions.comb_new_mssql(), number int);
INSERT INTO app.orders (number) SELECT generate_series(1, 100);
SELECT array_agg(number ORDER BY id) = array_agg(number ORDER BY number) AS in_order, min(id) < max(id) AS less FROM app.orders;
SELECT count(*) FROM app.orders WHERE id >= (SELECT id FROM app.orders WHERE number = 90);
SELECT extensions.comb_timestamp(extensions.comb_new('laravel'), 'laravel') > now() - interval '1 minute' AS now;
SELECT extensions.comb_between(id, now() - interval '1 hour', now() + interval '1 hour') AS now FROM app.orders LIMIT 1;
RESET search_path;
-- Where its objects stand.
SELECT DISTINCT d.classid::regclass AS catalog, coalesce(p.pronamespace, o.oprnamespace, t.typnamespace, c.opcnamespace, f.opfnamespace)::regnamespace AS schema
FROM pg_depend d
LEFT JOIN pg_proc p ON (d.classid, d.objid) = ('pg_proc'::regclass, p.oid)
LEFT JOIN pg_operator o ON (d.classid, d.objid) = ('pg_operator'::regclass, o.oid)
LEFT JOIN pg_type t ON (d.classid, d.objid) = ('pg_type'::regclass, t.oid)
LEFT JOIN pg_opclass c ON (d.classid, d.objid) = ('pg_opclass'::regclass, c.oid)
LEFT JOIN pg_opfamily f ON (d.classid, d.objid) = ('pg_opfamily'::regclass, f.oid)
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'comb')
ORDER BY catalog, schema;
DROP TABLE app.orders;
DROP EXTENSION comb;

-- Among PostgreSQL's own functions, too.
CREATE EXTENSION comb SCHEMA pg_catalog;
SET search_path = '';
SELECT comb_between(comb_new(), now() - interval '1 hour', now() + interval '1 hour') AS now;
CREATE TABLE app.orders (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
INSERT INTO app.orders (number) SELECT generate_series(1, 100);
SELECT array_agg(number ORDER BY id) = array_agg(number ORDER BY number) AS in_order, min(id) < max(id) AS less FROM app.orders;
CREATE INDEX ON app.orders ((id::uuid) uuid_mssql_ops);
DROP TABLE app.orders;
DROP EXTENSION comb;
SELECT count(*) FROM pg_proc WHERE proname LIKE 'comb%' OR proname LIKE 'uniqueidentifier%';
RESET SESSION AUTHORIZATION;
\c :regress_database
DROP DATABASE comb_regress_owned;
DROP ROLE comb_regress_owner;

-- Dropping it does not lose the keys of partitions in SQL Server's order, once they stand for themselves: without that,
-- PostgreSQL drops the tables, whose order would be gone.
CREATE EXTENSION comb;
CREATE TABLE kept_guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), name text) PARTITION BY RANGE (id);
CREATE TABLE kept_guids_all PARTITION OF kept_guids DEFAULT;
CREATE TABLE kept_uuids (id uuid NOT NULL DEFAULT comb_new_mssql(), name text) PARTITION BY RANGE (id uuid_mssql_ops);
CREATE TABLE kept_uuids_all PARTITION OF kept_uuids DEFAULT;
INSERT INTO kept_guids (name) VALUES ('one'), ('two');
INSERT INTO kept_uuids (name) VALUES ('three'), ('four');
\set VERBOSITY sqlstate
ALTER TABLE kept_guids ALTER COLUMN id TYPE uuid;
DROP EXTENSION comb;
ALTER TABLE kept_guids DETACH PARTITION kept_guids_all;
ALTER TABLE kept_uuids DETACH PARTITION kept_uuids_all;
ALTER TABLE kept_guids_all ALTER COLUMN id TYPE uuid;
DROP EXTENSION comb CASCADE;
\set VERBOSITY default
SELECT name FROM kept_guids_all UNION ALL SELECT name FROM kept_uuids_all ORDER BY name;
SELECT to_regclass('kept_guids') AS guids, to_regclass('kept_uuids') AS uuids;
