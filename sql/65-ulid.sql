-- The text of ULID

CREATE FUNCTION comb_encode(id uuid) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_encode';
COMMENT ON FUNCTION comb_encode(uuid) IS
    'write UUID as 26 characters of Crockford''s base32, the text of ULID; sorts as the UUID under COLLATE "C"';

CREATE FUNCTION comb_decode(value text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_decode';
COMMENT ON FUNCTION comb_decode(text) IS 'read UUID from 26 characters of Crockford''s base32, the text of ULID';
