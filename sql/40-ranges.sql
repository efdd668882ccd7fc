-- Ranges of time

CREATE FUNCTION comb_lower_bound(at timestamptz) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_lower_bound';
COMMENT ON FUNCTION comb_lower_bound(timestamptz) IS 'smallest UUID version 7 at or after the given time; accepts any time';

-- Without a default: the call with one argument is the function above.
CREATE FUNCTION comb_lower_bound(at timestamptz, layout text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_lower_bound_layout';
COMMENT ON FUNCTION comb_lower_bound(timestamptz, text) IS
    'smallest UUID in the given layout at or after the given time; accepts any time';
