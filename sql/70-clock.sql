-- The clock that keeps generated UUIDs in order

CREATE FUNCTION comb_observe(id uuid, layout text DEFAULT 'uuidv7') RETURNS timestamptz
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_observe';
COMMENT ON FUNCTION comb_observe(uuid, text) IS
    'advance the clock to the given UUID, so that the next UUID is greater; for use after failover or restore';

CREATE FUNCTION comb_reset_clock() RETURNS timestamptz
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_reset_clock';
COMMENT ON FUNCTION comb_reset_clock() IS
    'set the clock back to the system clock; the next UUID may be smaller than earlier ones';

-- They change the order of all sessions' UUIDs.
REVOKE ALL ON FUNCTION comb_observe(uuid, text), comb_reset_clock() FROM PUBLIC;
-- From PostgreSQL 17 on, there is pg_maintain. An update script must not grant: the privileges that others have by then would
-- become those of the extension, which dumps omit.
SELECT _comb_execute('GRANT EXECUTE ON FUNCTION comb_observe(uuid, text), comb_reset_clock() TO pg_maintain'::text)
WHERE EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) 'pg_maintain');

