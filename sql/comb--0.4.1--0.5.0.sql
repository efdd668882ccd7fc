-- comb 0.4.1 to 0.5.0
\echo Use "ALTER EXTENSION comb UPDATE TO '0.5.0'" to load this file. \quit

-- Skip support of btree, from PostgreSQL 18 on
--
-- An update script runs these statements again: pg_upgrade brings the operator family of the old major version, which lacks it.
-- A database may lack PL/pgSQL, hence an SQL function, called under a condition.

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
