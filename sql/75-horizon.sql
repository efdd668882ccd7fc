-- The horizon: what writers of a tracked table call, and the number or the UUID up to which readers miss nothing

CREATE FUNCTION comb_track() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_track';
COMMENT ON FUNCTION comb_track() IS 'trigger that keeps the horizon below the rows that a statement stores';

CREATE FUNCTION comb_track(sequence regclass) RETURNS void
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'comb_track_sequence';
COMMENT ON FUNCTION comb_track(regclass) IS 'keep the horizon below the numbers that this transaction draws from now on';

CREATE FUNCTION comb_tracked() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'comb_tracked';
COMMENT ON FUNCTION comb_tracked() IS 'generate UUID version 7 that comb_horizon() stays below until the transaction ends';

CREATE FUNCTION comb_tracked(layout text) RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'comb_tracked_layout';
COMMENT ON FUNCTION comb_tracked(text) IS
    'generate UUID in the given layout that comb_horizon() stays below until the transaction ends';

CREATE FUNCTION comb_row_version() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_version';
COMMENT ON FUNCTION comb_row_version() IS 'trigger that generates a tracked UUID for each new version of a row';

CREATE FUNCTION comb_guard() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_guard';
COMMENT ON FUNCTION comb_guard() IS 'trigger that rejects rows whose key the horizon does not cover';

-- COST: for each row. The first call of a statement costs more.
CREATE FUNCTION comb_horizon(layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'comb_horizon';
COMMENT ON FUNCTION comb_horizon(text) IS
    'UUID below which all tracked UUIDs are settled: visible to this statement, or never committed';

CREATE FUNCTION comb_sequence_horizon(sequence regclass) RETURNS bigint
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'comb_sequence_horizon';
COMMENT ON FUNCTION comb_sequence_horizon(regclass) IS
    'number up to which all numbers of a sequence are settled: visible to this statement, or never committed';

CREATE FUNCTION comb_horizon_status(OUT horizon timestamptz, OUT held_for interval) RETURNS record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'comb_horizon_status';
COMMENT ON FUNCTION comb_horizon_status() IS 'time of the horizon, and for how long the oldest transaction has held it back';

CREATE FUNCTION _comb_floors(OUT transaction xid8, OUT database oid, OUT floor_id uuid, OUT since timestamptz)
    RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED ROWS 10 AS 'MODULE_PATHNAME', 'comb_floors';
COMMENT ON FUNCTION _comb_floors() IS 'columns of comb_horizon_holders() that comb knows';

CREATE FUNCTION comb_horizon_holders() RETURNS TABLE (
        pid integer, database name, username name, application text, state text,
        since timestamptz, floor_id uuid, floor_timestamp timestamptz, gid text
    )
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED ROWS 10
BEGIN ATOMIC
    SELECT a.pid, d.datname, coalesce(a.usename, x.owner), a.application_name,
        CASE WHEN x.transaction IS NULL THEN a.state ELSE 'prepared' END,
        coalesce(x.prepared, f.since), f.floor_id, comb_timestamp(f.floor_id), x.gid
    FROM _comb_floors() f
    JOIN pg_catalog.pg_database d ON d.oid OPERATOR(pg_catalog.=) f.database
    LEFT JOIN pg_catalog.pg_stat_activity a ON a.backend_xid OPERATOR(pg_catalog.=) f.transaction::xid
    LEFT JOIN pg_catalog.pg_prepared_xacts x ON x.transaction OPERATOR(pg_catalog.=) f.transaction::xid
    ORDER BY f.floor_id;
END;
COMMENT ON FUNCTION comb_horizon_holders() IS 'transactions that hold the horizon back, oldest first';
