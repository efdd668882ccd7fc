-- Ranges of time

CREATE FUNCTION comb_min(at timestamptz, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_min';
COMMENT ON FUNCTION comb_min(timestamptz, text) IS
    'smallest UUID in the given layout with the given timestamp';

CREATE FUNCTION comb_max(at timestamptz, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_max';
COMMENT ON FUNCTION comb_max(timestamptz, text) IS
    'largest UUID in the given layout with the given timestamp';

CREATE FUNCTION comb_lower_bound(at timestamptz) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_lower_bound';
COMMENT ON FUNCTION comb_lower_bound(timestamptz) IS
    'smallest UUID version 7 at or after the given time; accepts any time';
