-- The first and the last key
--
-- Not under the names min and max, which databases may have defined for uuid themselves.

CREATE FUNCTION _comb_smaller(uuid, uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_smaller';
COMMENT ON FUNCTION _comb_smaller(uuid, uuid) IS 'smaller of two';

CREATE AGGREGATE comb_first(uuid) (
    SFUNC = _comb_smaller, STYPE = uuid,
    COMBINEFUNC = _comb_smaller, SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE);
COMMENT ON AGGREGATE comb_first(uuid) IS 'smallest of all uuid input values';

CREATE FUNCTION _comb_larger(uuid, uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_larger';
COMMENT ON FUNCTION _comb_larger(uuid, uuid) IS 'larger of two';

CREATE AGGREGATE comb_last(uuid) (
    SFUNC = _comb_larger, STYPE = uuid,
    COMBINEFUNC = _comb_larger, SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE);
COMMENT ON AGGREGATE comb_last(uuid) IS 'largest of all uuid input values';

-- Without these, the implicit cast would give the first and the last in uuid's order.

CREATE AGGREGATE comb_first(uniqueidentifier) (
    SFUNC = uniqueidentifier_smaller, STYPE = uniqueidentifier,
    COMBINEFUNC = uniqueidentifier_smaller, SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE);
COMMENT ON AGGREGATE comb_first(uniqueidentifier) IS
    'minimum value of all uniqueidentifier input values, in SQL Server''s order';

CREATE AGGREGATE comb_last(uniqueidentifier) (
    SFUNC = uniqueidentifier_larger, STYPE = uniqueidentifier,
    COMBINEFUNC = uniqueidentifier_larger, SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE);
COMMENT ON AGGREGATE comb_last(uniqueidentifier) IS 'maximum value of all uniqueidentifier input values, in SQL Server''s order';

