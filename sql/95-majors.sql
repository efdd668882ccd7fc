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
SELECT pg_catalog.comb_add_skip_support()
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) 'comb_mssql_skipsupport(internal)'::regprocedure
);
DROP FUNCTION pg_catalog.comb_add_skip_support();
