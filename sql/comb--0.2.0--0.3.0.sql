-- comb 0.2.0 to 0.3.0
\echo Use "ALTER EXTENSION comb UPDATE TO '0.3.0'" to load this file. \quit

-- Its errors name the type.
CREATE OR REPLACE FUNCTION uniqueidentifier_in(cstring) RETURNS uniqueidentifier
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'uniqueidentifier_in';

-- As those of uuid.
ALTER FUNCTION uniqueidentifier_hash(uniqueidentifier) NOT LEAKPROOF;
ALTER FUNCTION uniqueidentifier_hash_extended(uniqueidentifier, bigint) NOT LEAKPROOF;

-- comb_horizon() does the same. Where something uses it, it stays, as an ordinary function.
DO $$
BEGIN
    DROP FUNCTION comb_horizon_now(text);
EXCEPTION WHEN dependent_objects_still_exist THEN
    ALTER EXTENSION comb DROP FUNCTION comb_horizon_now(text);
END
$$;

-- The horizon of any table
CREATE FUNCTION comb_track() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_track';

CREATE FUNCTION comb_version() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_version';

CREATE FUNCTION comb_sequence_horizon(sequence regclass) RETURNS bigint
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 10 AS 'MODULE_PATHNAME', 'comb_sequence_horizon';

COMMENT ON FUNCTION comb_tracked() IS
    'generate UUID version 7 that comb_horizon() stays below until the transaction ends';
COMMENT ON FUNCTION comb_tracked(text) IS
    'generate UUID in the given layout that comb_horizon() stays below until the transaction ends';
COMMENT ON FUNCTION comb_horizon(text) IS
    'UUID below which all tracked UUIDs are settled: visible to this statement, or never committed';
COMMENT ON FUNCTION comb_horizon_status() IS
    'time of the horizon for the next statement, and for how long the oldest transaction has held it back';
COMMENT ON FUNCTION comb_settled(uuid, text) IS
    'whether a UUID and all tracked UUIDs before it are settled';
COMMENT ON FUNCTION comb_hold() IS
    'keep the horizon below the UUIDs that the client generates from now on in this transaction';
COMMENT ON FUNCTION comb_guard() IS
    'trigger that rejects rows whose key the horizon does not cover';
COMMENT ON FUNCTION comb_track() IS
    'trigger that keeps the horizon below the rows that a statement stores';
COMMENT ON FUNCTION comb_version() IS
    'trigger that generates a tracked UUID for each new version of a row';
COMMENT ON FUNCTION comb_sequence_horizon(regclass) IS
    'number up to which all numbers of a sequence are settled: visible to this statement, or never committed';
COMMENT ON FUNCTION comb_horizon_holders() IS
    'transactions that hold the horizon back, oldest first';
-- The planner support of partitioned tables needs one function.

DROP FUNCTION comb_between_lower(internal, internal), comb_between_upper(internal, internal),
    comb_mssql_between_lower(internal, internal), comb_mssql_between_upper(internal, internal),
    comb_between_time_lower(internal, internal), comb_between_time_upper(internal, internal);
CREATE FUNCTION comb_between_implied(internal, internal) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT comb_between_support
    AS 'MODULE_PATHNAME', 'comb_between_implied';
COMMENT ON FUNCTION comb_between_implied(internal, internal) IS 'planner support of comb_between and comb_between_time';

-- What pg_upgrade to a newer major version left out.

-- What only newer major versions of PostgreSQL have
--
-- An update script may run these statements again: pg_upgrade brings the catalogs of the old major
-- version, which lack it. A database may lack PL/pgSQL, hence SQL functions, called under a condition.

-- PostgreSQL 17: the role pg_maintain

CREATE FUNCTION pg_catalog.comb_grant_to_pg_maintain() RETURNS void LANGUAGE sql AS $$
    GRANT EXECUTE ON FUNCTION comb_observe(uuid, text), comb_reset_clock() TO pg_maintain
$$;
SELECT pg_catalog.comb_grant_to_pg_maintain()
WHERE EXISTS (
    SELECT FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) 'pg_maintain'
) AND NOT EXISTS (
    -- Granted before: what was revoked since stays so.
    SELECT FROM pg_catalog.pg_init_privs
    WHERE classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::pg_catalog.regclass
    AND objoid OPERATOR(pg_catalog.=) 'comb_reset_clock()'::regprocedure
    AND initprivs::text OPERATOR(pg_catalog.~) 'pg_maintain'
);
DROP FUNCTION pg_catalog.comb_grant_to_pg_maintain();

-- PostgreSQL 18: skip support

CREATE FUNCTION pg_catalog.comb_add_skip_support() RETURNS void LANGUAGE sql AS $$
    ALTER OPERATOR FAMILY uuid_mssql_ops USING btree ADD
        FUNCTION 6 (uuid, uuid) comb_mssql_skipsupport(internal),
        FUNCTION 6 (uniqueidentifier, uniqueidentifier) comb_mssql_skipsupport(internal)
$$;
CREATE FUNCTION pg_catalog.comb_add_time_skip_support() RETURNS void LANGUAGE sql AS $$
    ALTER OPERATOR FAMILY uuid_time_ops USING btree ADD
        FUNCTION 6 (uuid, uuid) comb_time_skipsupport(internal)
$$;
SELECT pg_catalog.comb_add_skip_support()
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) 'comb_mssql_skipsupport(internal)'::regprocedure
);
SELECT pg_catalog.comb_add_time_skip_support()
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) 'comb_time_skipsupport(internal)'::regprocedure
);
DROP FUNCTION pg_catalog.comb_add_skip_support(), pg_catalog.comb_add_time_skip_support();
