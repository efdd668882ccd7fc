-- comb 0.5.0 to 0.6.0-dev
\echo Use "ALTER EXTENSION comb UPDATE TO '0.6.0-dev'" to load this file. \quit

-- Skip support of btree, from PostgreSQL 18 on
--
-- An update script runs this statement again: pg_upgrade brings the operator family of the old major version, which lacks it.

SELECT _comb_execute(
    'ALTER OPERATOR FAMILY uuid_mssql_ops USING btree ADD
        FUNCTION 6 (uuid, uuid) _comb_mssql_skipsupport(internal),
        FUNCTION 6 (uniqueidentifier, uniqueidentifier) _comb_mssql_skipsupport(internal)'::text)
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) '_comb_mssql_skipsupport(internal)'::regprocedure
);
