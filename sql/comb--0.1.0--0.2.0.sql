-- comb 0.1.0 to 0.2.0
\echo Use "ALTER EXTENSION comb UPDATE TO '0.2.0'" to load this file. \quit

-- The commit horizon: tracked UUIDs, and the UUID below which nothing appears any more

CREATE FUNCTION comb_tracked() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_tracked';
COMMENT ON FUNCTION comb_tracked() IS
    'generate a version 7 UUID that comb_horizon() stays below until the transaction ends';

CREATE FUNCTION comb_tracked(layout text) RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_tracked_layout';
COMMENT ON FUNCTION comb_tracked(text) IS
    'generate a UUID of a layout that comb_horizon() stays below until the transaction ends';

CREATE FUNCTION comb_horizon(layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_horizon';
COMMENT ON FUNCTION comb_horizon(text) IS
    'UUID below which all tracked UUIDs are settled: visible to this statement, or never to come';

CREATE FUNCTION comb_horizon_timestamp() RETURNS timestamptz
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_horizon_timestamp';
COMMENT ON FUNCTION comb_horizon_timestamp() IS 'time of the horizon';

CREATE FUNCTION comb_horizon_now(layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_horizon_now';
COMMENT ON FUNCTION comb_horizon_now(text) IS
    'horizon for the next statement of a READ COMMITTED transaction';

CREATE FUNCTION comb_settled(id uuid, layout text DEFAULT 'uuidv7') RETURNS boolean
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_settled';
COMMENT ON FUNCTION comb_settled(uuid, text) IS
    'whether a UUID and all tracked UUIDs before it are settled';

CREATE FUNCTION comb_hold() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_hold';
COMMENT ON FUNCTION comb_hold() IS
    'let the horizon stay below the UUIDs that the client generates from now on in this transaction';

CREATE FUNCTION comb_guard() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_guard';
COMMENT ON FUNCTION comb_guard() IS
    'trigger that rejects rows whose key the horizon does not cover';

-- The locks are advisory locks of class 3083: the database, and the two halves of a tick of 1/65536 ms.
CREATE FUNCTION comb_horizon_holders() RETURNS TABLE (
        pid integer, database name, username name, application text, state text,
        since timestamptz, floor_id uuid, floor_timestamp timestamptz, gid text
    )
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED ROWS 10
BEGIN ATOMIC
    SELECT l.pid, d.datname, coalesce(a.usename, r.rolname), a.application_name,
        CASE WHEN l.pid IS NULL THEN 'prepared' ELSE a.state END,
        coalesce(a.xact_start, x.prepared), comb_min(f.at), f.at, x.gid
    FROM pg_catalog.pg_locks l
    JOIN pg_catalog.pg_database d ON d.oid = l.database
    CROSS JOIN LATERAL (
        SELECT timestamptz 'epoch'
            + ((l.classid::bigint << 32 | l.objid::bigint) >> 16) * interval '1 millisecond'
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
    'transactions that hold the horizon back, the oldest first';

-- comb_status() has two more columns.

DROP FUNCTION comb_status();
CREATE FUNCTION comb_status(
        OUT scope text, OUT reason text,
        OUT latest timestamptz, OUT ahead interval, OUT level_at timestamptz, OUT lead_stays boolean,
        OUT steps_back bigint, OUT stepped_back interval, OUT largest_step_back interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT library_version text, OUT extension_version text, OUT update_due boolean,
        OUT horizon timestamptz, OUT horizon_held_for interval
    ) RETURNS record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_status';
COMMENT ON FUNCTION comb_status() IS
    'state of the clock that UUIDs are generated from: its scope, its lead over the system clock, and how it started';

-- What only newer major versions of PostgreSQL have
--
-- An update script may run these statements again: pg_upgrade brings the catalogs of the old major
-- version, which lack it. A database may lack PL/pgSQL, hence SQL functions, called under a condition.

-- PostgreSQL 17: the role pg_maintain

CREATE FUNCTION comb_grant_to_pg_maintain() RETURNS void LANGUAGE sql AS $$
    GRANT EXECUTE ON FUNCTION comb_observe(uuid, text), comb_reset_clock() TO pg_maintain
$$;
SELECT comb_grant_to_pg_maintain()
WHERE EXISTS (
    SELECT FROM pg_catalog.pg_roles WHERE rolname OPERATOR(pg_catalog.=) 'pg_maintain'
);
DROP FUNCTION comb_grant_to_pg_maintain();

-- PostgreSQL 18: skip support

CREATE FUNCTION comb_add_skip_support() RETURNS void LANGUAGE sql AS $$
    ALTER OPERATOR FAMILY uuid_mssql_ops USING btree ADD
        FUNCTION 6 (uuid, uuid) comb_mssql_skipsupport(internal),
        FUNCTION 6 (uniqueidentifier, uniqueidentifier) comb_mssql_skipsupport(internal)
$$;
SELECT comb_add_skip_support()
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) 'comb_mssql_skipsupport(internal)'::regprocedure
);
DROP FUNCTION comb_add_skip_support();
