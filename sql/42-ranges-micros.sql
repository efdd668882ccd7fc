-- Ranges of time in microseconds, of UUIDs whose rand_a holds a fraction of the millisecond

CREATE FUNCTION comb_lower_bound_micros(at timestamptz) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_lower_bound_micros';
COMMENT ON FUNCTION comb_lower_bound_micros(timestamptz) IS
    'smallest UUID version 7 whose timestamp in microseconds is at or after the given time; accepts any time';

-- Not STRICT for the same reason as comb_between(uuid, timestamptz, timestamptz).
CREATE FUNCTION comb_between_micros(id uuid, from_time timestamptz, to_time timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id OPERATOR(pg_catalog.>=) comb_lower_bound_micros(from_time)
        AND id OPERATOR(pg_catalog.<) comb_lower_bound_micros(to_time);
COMMENT ON FUNCTION comb_between_micros(uuid, timestamptz, timestamptz) IS
    'is UUID version 7 at or after the first time and before the second, in microseconds?';

