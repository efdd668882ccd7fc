-- BSV COMBs: 32 characters of text

CREATE FUNCTION comb_new_bsv() RETURNS text
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_bsv';
COMMENT ON FUNCTION comb_new_bsv() IS 'generate BSV COMB, sorted by time under COLLATE "C"';

CREATE FUNCTION comb_bsv_timestamp(bsv text, zone text DEFAULT 'UTC') RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_bsv_timestamp';
COMMENT ON FUNCTION comb_bsv_timestamp(text, text) IS
    'extract timestamp from BSV COMB written in the given time zone; null after year 9999';

CREATE FUNCTION comb_bsv_uuid(bsv text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_bsv_uuid';
COMMENT ON FUNCTION comb_bsv_uuid(text) IS 'extract UUID version 4 from BSV COMB';

