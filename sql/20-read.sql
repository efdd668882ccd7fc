-- Reading UUIDs

CREATE FUNCTION comb_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_timestamp';
COMMENT ON FUNCTION comb_timestamp(uuid) IS 'extract timestamp from UUID version 1, 6 or 7; null for any other version';

CREATE FUNCTION comb_timestamp(id uuid, layout text) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_timestamp_layout';
COMMENT ON FUNCTION comb_timestamp(uuid, text) IS
    'extract timestamp from UUID in the given layout; null if the UUID cannot be in that layout';

CREATE FUNCTION comb_timestamp_mssql(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_timestamp_mssql';
COMMENT ON FUNCTION comb_timestamp_mssql(uuid) IS
    'extract timestamp from UUID in layout mssql; null if the UUID cannot be in that layout';

CREATE FUNCTION comb_timestamp_mssql_legacy(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_timestamp_mssql_legacy';
COMMENT ON FUNCTION comb_timestamp_mssql_legacy(uuid) IS
    'extract timestamp from UUID in layout mssql_legacy; null if the UUID cannot be in that layout';

CREATE FUNCTION comb_timestamp_micros(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_timestamp_micros';
COMMENT ON FUNCTION comb_timestamp_micros(uuid) IS
    'extract timestamp in microseconds from UUID version 7 whose rand_a holds a fraction of the millisecond; null for any other version';

CREATE FUNCTION comb_inspect(id uuid) RETURNS jsonb
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'comb_inspect';
COMMENT ON FUNCTION comb_inspect(uuid) IS
    'version and variant of UUID, and its timestamp in every layout, plausible layouts first';

