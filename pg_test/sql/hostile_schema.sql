-- A superuser creates a trusted extension in a schema where others may have created operators before. A body that has such an
-- operator would run their code. Here are all for which pg_catalog has none of just these types.
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
CREATE EXTENSION comb SCHEMA hostile;
SELECT d.objid::regprocedure AS function, o.oid::regoperator AS operator
FROM pg_depend d
JOIN pg_operator o ON d.refclassid = 'pg_operator'::regclass AND d.refobjid = o.oid
WHERE d.classid = 'pg_proc'::regclass AND o.oprcode::text ~ 'hostile\.(compared|computed)'
ORDER BY 1, 2;
-- It works there.
SET search_path = hostile, public;
CREATE TABLE events (id uuid NOT NULL) PARTITION BY RANGE (id);
SELECT name FROM comb_partitions('events', '2026-01-01Z', '2026-03-01Z', '1 month');
SELECT count(*) FROM comb_horizon_holders();
SHOW search_path;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA hostile CASCADE;
