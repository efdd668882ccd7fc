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

-- The planner inlines it, so an index on id serves the two comparisons. It is not STRICT: the planner
-- inlines a STRICT function only if any null argument makes the body null, and AND does not.
CREATE FUNCTION comb_between(id uuid, from_time timestamptz, to_time timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id >= comb_lower_bound(from_time) AND id < comb_lower_bound(to_time);
COMMENT ON FUNCTION comb_between(uuid, timestamptz, timestamptz) IS
    'is UUID version 7 at or after the first time and before the second?';

