-- Rewriting UUIDs

CREATE FUNCTION comb_set_timestamp(id uuid, at timestamptz, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_set_timestamp';
COMMENT ON FUNCTION comb_set_timestamp(uuid, timestamptz, text) IS
    'replace the timestamp of UUID and keep all other bits; layouts of versions 1, 6, 7 and 8 also set version and variant';

CREATE FUNCTION comb_convert(id uuid, source text, target text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_convert';
COMMENT ON FUNCTION comb_convert(uuid, text, text) IS
    'convert UUID from one layout to another; null if the UUID cannot be in the first, or the second cannot hold its time';

CREATE FUNCTION comb_dotnet_swap(id uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_dotnet_swap';
COMMENT ON FUNCTION comb_dotnet_swap(uuid) IS
    'reverse bytes 0 to 3, 4 to 5 and 6 to 7 of UUID, as Guid.ToByteArray() does; its own inverse';

