\set ECHO none
\pset tuples_only on
\pset format unaligned
-- A superuser creates a trusted extension in a schema where others may have created operators and functions before. A body that
-- has one of these would run their code. Here are all operators for which pg_catalog has none of just these types.
CREATE SCHEMA hostile;
DO $$
DECLARE
    types text[] := ARRAY['"char"', 'boolean', 'smallint', 'integer', 'bigint', 'numeric', 'double precision', 'text', 'name', 'oid',
        'xid', 'regclass', 'regprocedure', 'uuid', 'interval', 'timestamp', 'timestamptz'];
    l text;
    r text;
    name text;
BEGIN
    FOREACH l IN ARRAY types LOOP
        FOREACH r IN ARRAY types LOOP
            EXECUTE format('CREATE FUNCTION hostile.compared(%s, %s) RETURNS boolean LANGUAGE sql RETURN NULL::boolean', l, r);
            EXECUTE format('CREATE FUNCTION hostile.computed(%1$s, %2$s) RETURNS %1$s LANGUAGE sql RETURN NULL::%1$s', l, r);
            FOREACH name IN ARRAY ARRAY['=', '<>', '<', '>', '<=', '>=', '+', '-', '*', '/', '%', '||', '|', '&', '<<', '>>', '~'] LOOP
                CONTINUE WHEN to_regoperator(format('pg_catalog.%s(%s,%s)', name, l, r)) IS NOT NULL;
                EXECUTE format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = hostile.%s)', name, l, r,
                    CASE WHEN name ~ '[=<>~]' AND name NOT IN ('<<', '>>') THEN 'compared' ELSE 'computed' END);
            END LOOP;
        END LOOP;
    END LOOP;
END
$$;
SELECT count(*) > 3000 AS operators FROM pg_operator WHERE oprnamespace = 'hostile'::regnamespace;
-- And functions that are called as ours are: with another type of one argument, or without those that have a default.
CREATE SCHEMA model;
CREATE EXTENSION comb SCHEMA model;
CREATE TEMPORARY TABLE ours AS
    SELECT p.proname, p.pronargs, p.pronargdefaults, p.prorettype, p.proretset, p.proargtypes::oid[] AS types
    FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
    WHERE p.pronamespace = 'model'::regnamespace AND p.prokind = 'f' AND p.pronargs > 0
        AND NOT 'internal'::regtype = ANY (p.proargtypes::oid[])
        AND NOT 'model.uniqueidentifier'::regtype = ANY (p.proargtypes::oid[] || p.prorettype);
DROP EXTENSION comb;
DROP SCHEMA model;
CREATE TEMPORARY TABLE lookalikes AS
    SELECT DISTINCT proname, prorettype, proretset, signature FROM (
        SELECT proname, prorettype, proretset, types[0:place - 1] || t::regtype::oid || types[place + 1:] AS signature
        FROM ours, generate_series(0, pronargs - 1) place, unnest(ARRAY['boolean', 'integer', 'bigint', 'numeric', 'text', 'varchar', 'name',
            'oid', 'regclass', 'uuid', 'interval', 'timestamp', 'timestamptz']) t
        UNION ALL
        SELECT proname, prorettype, proretset, types[0:pronargs - 1 - omitted]
        FROM ours, generate_series(1, pronargdefaults) omitted
    ) s
    WHERE NOT EXISTS (SELECT FROM ours WHERE ours.proname = s.proname AND array_to_string(ours.types, ' ') = array_to_string(s.signature, ' '));
DO $$
DECLARE
    f record;
BEGIN
    FOR f IN SELECT * FROM lookalikes LOOP
        EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS %s %s LANGUAGE sql AS ''SELECT NULL::%s''',
            f.proname, array_to_string(f.signature::regtype[], ', '), CASE WHEN f.proretset THEN 'SETOF' END, f.prorettype::regtype,
            f.prorettype::regtype);
    END LOOP;
END
$$;
CREATE TEMPORARY TABLE theirs AS SELECT oid FROM pg_proc WHERE pronamespace = 'hostile'::regnamespace AND proname ~ '^comb_';
SELECT count(*) > 300 AS functions FROM theirs;
CREATE EXTENSION comb SCHEMA hostile;
SELECT d.objid::regprocedure AS function, d.refobjid::regprocedure AS calls
FROM pg_depend d
WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid IN (SELECT oid FROM theirs)
ORDER BY 1, 2;
SELECT d.objid::regprocedure AS function, o.oid::regoperator AS operator
FROM pg_depend d
JOIN pg_operator o ON d.refclassid = 'pg_operator'::regclass AND d.refobjid = o.oid
WHERE d.classid = 'pg_proc'::regclass AND o.oprcode::text ~ 'hostile\.(compared|computed)'
ORDER BY 1, 2;
-- It works there, without what makes calls ambiguous.
DO $$
DECLARE
    f regprocedure;
BEGIN
    FOR f IN SELECT oid FROM theirs LOOP
        EXECUTE format('DROP FUNCTION %s', f);
    END LOOP;
END
$$;
SET search_path = hostile, public;
SELECT count(*) FROM comb_horizon_holders();
SHOW search_path;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA hostile CASCADE;
