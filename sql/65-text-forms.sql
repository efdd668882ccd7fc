-- Text forms of UUIDs

CREATE FUNCTION comb_encode(id uuid, format text) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_encode';
COMMENT ON FUNCTION comb_encode(uuid, text) IS
    'write UUID as short text in format crockford, base32hex or base58; sorts as the UUID under COLLATE "C"';

CREATE FUNCTION comb_decode(value text, format text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_decode';
COMMENT ON FUNCTION comb_decode(text, text) IS
    'read UUID from text in format crockford, base32hex or base58';

CREATE FUNCTION comb_typeid(prefix text, id uuid) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_typeid';
COMMENT ON FUNCTION comb_typeid(text, uuid) IS
    'write UUID as TypeID with the given prefix';

CREATE FUNCTION comb_typeid_uuid(typeid text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_typeid_uuid';
COMMENT ON FUNCTION comb_typeid_uuid(text) IS
    'read UUID from TypeID with any prefix';

CREATE FUNCTION comb_typeid_uuid(typeid text, prefix text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_typeid_uuid_prefix';
COMMENT ON FUNCTION comb_typeid_uuid(text, text) IS
    'read UUID from TypeID; an error if its prefix is not the given one';

