-- Keys in a range of time
--
-- Not STRICT: they are the AND of two comparisons, which is false if one of them is, whatever the other is.

CREATE FUNCTION _comb_between_support(internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_between_support';
COMMENT ON FUNCTION _comb_between_support(internal) IS 'planner support of comb_between';

CREATE FUNCTION comb_between(id uuid, from_time timestamptz, to_time timestamptz) RETURNS boolean
    LANGUAGE c IMMUTABLE PARALLEL SAFE LEAKPROOF COST 2 SUPPORT _comb_between_support
    AS 'MODULE_PATHNAME', 'comb_between';
COMMENT ON FUNCTION comb_between(uuid, timestamptz, timestamptz) IS
    'whether UUID version 7 is at or after the first time and before the second';

CREATE FUNCTION comb_between(id uniqueidentifier, from_time timestamptz, to_time timestamptz)
    RETURNS boolean
    LANGUAGE c IMMUTABLE PARALLEL SAFE LEAKPROOF COST 2 SUPPORT _comb_between_support
    AS 'MODULE_PATHNAME', 'comb_mssql_between';
COMMENT ON FUNCTION comb_between(uniqueidentifier, timestamptz, timestamptz) IS
    'whether uniqueidentifier of layout mssql is at or after the first time and before the second';

-- In a plan, the function of the two comparisons of a partitioned table, so that the support function recognizes them. Its
-- parameters are internal so that SQL cannot call it.

CREATE FUNCTION _comb_between_implied(internal, internal) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT _comb_between_support
    AS 'MODULE_PATHNAME', 'comb_between_implied';
COMMENT ON FUNCTION _comb_between_implied(internal, internal) IS 'planner support of comb_between';
