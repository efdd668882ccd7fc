-- SQL Server's order for uuid
--
-- SQL Server compares bytes 10 to 15 first, then bytes 8 and 9, then 7 and 6, 5 and 4, and 3 to 0.

CREATE FUNCTION _comb_mssql_cmp(uuid, uuid) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_cmp';
COMMENT ON FUNCTION _comb_mssql_cmp(uuid, uuid) IS 'less-equal-greater, in SQL Server''s order';

CREATE FUNCTION _comb_mssql_lt(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION _comb_mssql_lt(uuid, uuid) IS 'implementation of <# operator';

CREATE FUNCTION _comb_mssql_le(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_le';
COMMENT ON FUNCTION _comb_mssql_le(uuid, uuid) IS 'implementation of <=# operator';

CREATE FUNCTION _comb_mssql_ge(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION _comb_mssql_ge(uuid, uuid) IS 'implementation of >=# operator';

CREATE FUNCTION _comb_mssql_gt(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_gt';
COMMENT ON FUNCTION _comb_mssql_gt(uuid, uuid) IS 'implementation of ># operator';

-- PostgreSQL's own functions would estimate a range by the histogram, which is in uuid's order: one row.
CREATE FUNCTION _comb_mssql_selectivity(internal, oid, internal, integer) RETURNS float8
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_selectivity';
COMMENT ON FUNCTION _comb_mssql_selectivity(internal, oid, internal, integer) IS
    'restriction selectivity of operators in SQL Server''s order';

CREATE OPERATOR <# (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = _comb_mssql_lt,
    COMMUTATOR = >#, NEGATOR = >=#, RESTRICT = _comb_mssql_selectivity, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR <# (uuid, uuid) IS 'less than, in SQL Server''s order';

CREATE OPERATOR <=# (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = _comb_mssql_le,
    COMMUTATOR = >=#, NEGATOR = >#, RESTRICT = _comb_mssql_selectivity, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR <=# (uuid, uuid) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR >=# (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = _comb_mssql_ge,
    COMMUTATOR = <=#, NEGATOR = <#, RESTRICT = _comb_mssql_selectivity, JOIN = scalargejoinsel);
COMMENT ON OPERATOR >=# (uuid, uuid) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR ># (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = _comb_mssql_gt,
    COMMUTATOR = <#, NEGATOR = <=#, RESTRICT = _comb_mssql_selectivity, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR ># (uuid, uuid) IS 'greater than, in SQL Server''s order';

-- B-tree

CREATE FUNCTION _comb_mssql_sortsupport(internal) RETURNS void
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_sortsupport';
COMMENT ON FUNCTION _comb_mssql_sortsupport(internal) IS 'sort support';

-- Skip support exists in PostgreSQL 18 and newer; 95-skip-support.sql adds it to the operator family there.
CREATE FUNCTION _comb_mssql_skipsupport(internal) RETURNS void
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_skipsupport';
COMMENT ON FUNCTION _comb_mssql_skipsupport(internal) IS 'skip support';

-- One family for uuid and uniqueidentifier, so that comparisons across the two types use its indexes.
CREATE OPERATOR FAMILY uuid_mssql_ops USING btree;
COMMENT ON OPERATOR FAMILY uuid_mssql_ops USING btree IS 'B-tree comparison of uuid and uniqueidentifier in SQL Server''s order';

-- Equality is uuid's own operator, so WHERE id = $1, ON CONFLICT and foreign keys use such an index.
CREATE OPERATOR CLASS uuid_mssql_ops FOR TYPE uuid USING btree FAMILY uuid_mssql_ops AS
    OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =, OPERATOR 4 >=#, OPERATOR 5 >#,
    FUNCTION 1 _comb_mssql_cmp(uuid, uuid),
    FUNCTION 2 _comb_mssql_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS uuid_mssql_ops USING btree IS 'uuid in SQL Server''s order';

-- BRIN

CREATE OPERATOR FAMILY uuid_mssql_minmax_ops USING brin;
COMMENT ON OPERATOR FAMILY uuid_mssql_minmax_ops USING brin IS 'BRIN minmax of uuid and uniqueidentifier in SQL Server''s order';

CREATE OPERATOR CLASS uuid_mssql_minmax_ops FOR TYPE uuid USING brin FAMILY uuid_mssql_minmax_ops AS
    OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =, OPERATOR 4 >=#, OPERATOR 5 >#,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS uuid_mssql_minmax_ops USING brin IS 'uuid in SQL Server''s order';

