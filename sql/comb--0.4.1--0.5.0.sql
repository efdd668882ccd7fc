-- comb 0.4.1 to 0.5.0
\echo Use "ALTER EXTENSION comb UPDATE TO '0.5.0'" to load this file. \quit

-- Internal functions, which \df comb* does not show
ALTER FUNCTION comb_mssql_cmp(uuid, uuid) RENAME TO _comb_mssql_cmp;
ALTER FUNCTION comb_mssql_lt(uuid, uuid) RENAME TO _comb_mssql_lt;
ALTER FUNCTION comb_mssql_le(uuid, uuid) RENAME TO _comb_mssql_le;
ALTER FUNCTION comb_mssql_ge(uuid, uuid) RENAME TO _comb_mssql_ge;
ALTER FUNCTION comb_mssql_gt(uuid, uuid) RENAME TO _comb_mssql_gt;
ALTER FUNCTION comb_mssql_sortsupport(internal) RENAME TO _comb_mssql_sortsupport;
ALTER FUNCTION comb_mssql_skipsupport(internal) RENAME TO _comb_mssql_skipsupport;
ALTER FUNCTION comb_between_support(internal) RENAME TO _comb_between_support;
ALTER FUNCTION comb_between_implied(internal, internal) RENAME TO _comb_between_implied;
ALTER FUNCTION comb_smaller(uuid, uuid) RENAME TO _comb_smaller;
ALTER FUNCTION comb_larger(uuid, uuid) RENAME TO _comb_larger;
ALTER FUNCTION comb_clock_status() RENAME TO _comb_clock_status;
ALTER FUNCTION comb_floors() RENAME TO _comb_floors;

-- Conversions

COMMENT ON FUNCTION comb_convert(uuid, text, text) IS
    'convert UUID from one layout to another; null if the UUID cannot be in the first, or the second cannot hold its time';

-- Estimates of comparisons in SQL Server's order

CREATE FUNCTION _comb_mssql_selectivity(internal, oid, internal, integer) RETURNS float8
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_selectivity';
COMMENT ON FUNCTION _comb_mssql_selectivity(internal, oid, internal, integer) IS
    'restriction selectivity of operators in SQL Server''s order';
ALTER OPERATOR <# (uuid, uuid) SET (RESTRICT = _comb_mssql_selectivity);
ALTER OPERATOR <=# (uuid, uuid) SET (RESTRICT = _comb_mssql_selectivity);
ALTER OPERATOR >=# (uuid, uuid) SET (RESTRICT = _comb_mssql_selectivity);
ALTER OPERATOR ># (uuid, uuid) SET (RESTRICT = _comb_mssql_selectivity);

-- Skip support of btree, from PostgreSQL 18 on
--
-- An update script runs these statements again: pg_upgrade brings the operator family of the old major version, which lacks it.
-- A database may lack PL/pgSQL, hence an SQL function, called under a condition.

CREATE FUNCTION pg_catalog.comb_add_skip_support() RETURNS void LANGUAGE sql AS $$
    ALTER OPERATOR FAMILY uuid_mssql_ops USING btree ADD
        FUNCTION 6 (uuid, uuid) _comb_mssql_skipsupport(internal),
        FUNCTION 6 (uniqueidentifier, uniqueidentifier) _comb_mssql_skipsupport(internal)
$$;
SELECT pg_catalog.comb_add_skip_support()
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) '_comb_mssql_skipsupport(internal)'::regprocedure
);
DROP FUNCTION pg_catalog.comb_add_skip_support();
