-- The commit horizon: tracked UUIDs, and the UUID below which nothing appears any more

CREATE FUNCTION comb_tracked() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_tracked';
COMMENT ON FUNCTION comb_tracked() IS
    'generate UUID version 7 that comb_horizon() stays below until the transaction ends';

CREATE FUNCTION comb_tracked(layout text) RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_tracked_layout';
COMMENT ON FUNCTION comb_tracked(text) IS
    'generate UUID in the given layout that comb_horizon() stays below until the transaction ends';

-- COST of comb_horizon() and comb_settled(): for each row. The first call of a statement costs as much as
-- comb_horizon_status().
CREATE FUNCTION comb_horizon(layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 10 AS 'MODULE_PATHNAME', 'comb_horizon';
COMMENT ON FUNCTION comb_horizon(text) IS
    'UUID below which all tracked UUIDs are settled: visible to this statement, or never committed';

CREATE FUNCTION comb_horizon_status(OUT horizon timestamptz, OUT held_for interval) RETURNS record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'comb_horizon_status';
COMMENT ON FUNCTION comb_horizon_status() IS
    'time of the horizon for the next statement, and for how long the oldest transaction has held it back';

CREATE FUNCTION comb_settled(id uuid, layout text DEFAULT 'uuidv7') RETURNS boolean
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 10 AS 'MODULE_PATHNAME', 'comb_settled';
COMMENT ON FUNCTION comb_settled(uuid, text) IS
    'whether a UUID and all tracked UUIDs before it are settled';

CREATE FUNCTION comb_hold() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_hold';
COMMENT ON FUNCTION comb_hold() IS
    'keep the horizon below the UUIDs that the client generates from now on in this transaction';

CREATE FUNCTION comb_guard() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_guard';
COMMENT ON FUNCTION comb_guard() IS
    'trigger that rejects rows whose key the horizon does not cover';

CREATE FUNCTION comb_track() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_track';
COMMENT ON FUNCTION comb_track() IS
    'trigger that keeps the horizon below the rows that a statement stores';

CREATE FUNCTION comb_version() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_version';
COMMENT ON FUNCTION comb_version() IS
    'trigger that generates a tracked UUID for each new version of a row';

CREATE FUNCTION comb_sequence_horizon(sequence regclass) RETURNS bigint
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 10 AS 'MODULE_PATHNAME', 'comb_sequence_horizon';
COMMENT ON FUNCTION comb_sequence_horizon(regclass) IS
    'number up to which all numbers of a sequence are settled: visible to this statement, or never committed';

-- The locks are advisory locks of class 3083: the database, and the two halves of a tick of 1/65536 ms.
CREATE FUNCTION comb_horizon_holders() RETURNS TABLE (
        pid integer, database name, username name, application text, state text,
        since timestamptz, floor_id uuid, floor_timestamp timestamptz, gid text
    )
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED ROWS 10
BEGIN ATOMIC
    SELECT l.pid, d.datname, coalesce(a.usename, r.rolname), a.application_name,
        CASE WHEN l.pid IS NULL THEN 'prepared' ELSE a.state END,
        coalesce(a.xact_start, x.prepared), comb_min(f.at, 'uuidv7'::text), f.at, x.gid
    FROM pg_catalog.pg_locks l
    JOIN pg_catalog.pg_database d ON d.oid = l.database
    CROSS JOIN LATERAL (
        SELECT timestamptz 'epoch'
            + (((l.classid::bigint << 32 | l.objid::bigint) >> 16) OPERATOR(pg_catalog.*) interval '1 millisecond')
    ) f (at)
    LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
    LEFT JOIN pg_catalog.pg_locks t ON l.pid IS NULL
        AND t.pid IS NULL AND t.locktype = 'transactionid' AND t.virtualtransaction = l.virtualtransaction
    LEFT JOIN pg_catalog.pg_prepared_xacts x ON x.transaction = t.transactionid
    LEFT JOIN pg_catalog.pg_roles r ON r.rolname = x.owner
    WHERE l.locktype = 'advisory' AND l.objsubid = 3083 AND l.granted
    ORDER BY f.at;
END;
COMMENT ON FUNCTION comb_horizon_holders() IS
    'transactions that hold the horizon back, oldest first';
