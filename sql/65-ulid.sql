-- The text of ULID

CREATE FUNCTION comb_encode(id uuid, format text DEFAULT 'crockford') RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_encode';
COMMENT ON FUNCTION comb_encode(uuid, text) IS
    'write UUID as 26 characters of Crockford''s base32, the text of ULID; sorts as the UUID under COLLATE "C"';

CREATE FUNCTION comb_decode(value text, format text DEFAULT 'crockford') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_decode';
COMMENT ON FUNCTION comb_decode(text, text) IS 'read UUID from 26 characters of Crockford''s base32, the text of ULID';
