-- Partitions by time

-- For pg_partman, which calls the decoder with text: a key's or a bound's. Its uuid7_time_decoder() reads a time from random keys as
-- well. The encoder for version 7 is comb_lower_bound().

CREATE FUNCTION comb_partman_decoder(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_partman_decoder';
COMMENT ON FUNCTION comb_partman_decoder(uuid) IS
    'extract timestamp from UUID version 7 or from bound of a partition; null for any other UUID';

CREATE FUNCTION comb_partman_decoder(id text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN comb_partman_decoder(id::uuid);
COMMENT ON FUNCTION comb_partman_decoder(text) IS
    'extract timestamp from text of UUID version 7 or of bound of a partition; null for any other UUID';

-- Without a stamp, as comb_mssql_lower_bound() makes it. pg_partman refuses an encoder that does not return uuid.
CREATE FUNCTION comb_partman_mssql_encoder(at timestamptz) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN comb_set_timestamp('00000000-0000-0000-0000-000000000000'::uuid, at, 'mssql'::text);
COMMENT ON FUNCTION comb_partman_mssql_encoder(timestamptz) IS
    'bound of a partition in SQL Server''s order that begins at the given time';

CREATE FUNCTION comb_partman_mssql_decoder(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_partman_mssql_decoder';
COMMENT ON FUNCTION comb_partman_mssql_decoder(uuid) IS
    'extract timestamp from UUID in layout mssql if it is plausible, or from bound of a partition';

CREATE FUNCTION comb_partman_mssql_decoder(id text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN comb_partman_mssql_decoder(id::uuid);
COMMENT ON FUNCTION comb_partman_mssql_decoder(text) IS
    'extract timestamp from text of UUID in layout mssql if it is plausible, or of bound of a partition';
