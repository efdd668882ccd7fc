-- Skip scans, from PostgreSQL 18 on.
CREATE FUNCTION comb_mssql_skipsupport(internal) RETURNS void
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_skipsupport';
COMMENT ON FUNCTION comb_mssql_skipsupport(internal) IS 'skip support';
ALTER OPERATOR FAMILY uuid_mssql_ops USING btree ADD
    FUNCTION 6 (uuid, uuid) comb_mssql_skipsupport(internal),
    FUNCTION 6 (uniqueidentifier, uniqueidentifier) comb_mssql_skipsupport(internal);
