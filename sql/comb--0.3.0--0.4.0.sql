-- comb 0.3.0 to 0.4.0
\echo Use "ALTER EXTENSION comb UPDATE TO '0.4.0'" to load this file. \quit

-- What goes. An object that uses one of these stops the update, which names it.
DROP FUNCTION comb_hold(), comb_settled(uuid, text), comb_guard(), comb_max(timestamptz, text),
    comb_mysql_swap(uuid), comb_mysql_unswap(uuid), comb_typeid(text, uuid), comb_typeid_uuid(text), comb_typeid_uuid(text, text),
    comb_partitions(regclass, timestamptz, timestamptz, interval), comb_partition_range(regclass),
    comb_partition_bounds(regclass), comb_partition_layout(regclass),
    comb_partition_step(timestamptz, timestamptz, interval),
    comb_between_time(uuid, timestamptz, timestamptz), comb_first_from(timestamptz), comb_last_before(timestamptz);
DROP OPERATOR FAMILY uuid_time_ops USING btree;
DROP OPERATOR FAMILY uuid_time_minmax_ops USING brin;
DROP OPERATOR <@~ (uuid, uuid), <=@~ (uuid, uuid), >=@~ (uuid, uuid), >@~ (uuid, uuid);
DROP FUNCTION comb_time_cmp(uuid, uuid), comb_time_lt(uuid, uuid), comb_time_le(uuid, uuid), comb_time_ge(uuid, uuid),
    comb_time_gt(uuid, uuid), comb_time_sortsupport(internal), comb_time_skipsupport(internal);

-- The text of ULID alone

CREATE OR REPLACE FUNCTION comb_encode(id uuid, format text DEFAULT 'crockford') RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_encode';
COMMENT ON FUNCTION comb_encode(uuid, text) IS
    'write UUID as 26 characters of Crockford''s base32, the text of ULID; sorts as the UUID under COLLATE "C"';
CREATE OR REPLACE FUNCTION comb_decode(value text, format text DEFAULT 'crockford') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_decode';
COMMENT ON FUNCTION comb_decode(text, text) IS 'read UUID from 26 characters of Crockford''s base32, the text of ULID';

COMMENT ON FUNCTION comb_between_support(internal) IS 'planner support of comb_between';
COMMENT ON FUNCTION comb_between_implied(internal, internal) IS 'planner support of comb_between';

-- The horizon

ALTER FUNCTION comb_tracked() PARALLEL UNSAFE;
ALTER FUNCTION comb_tracked(text) PARALLEL UNSAFE;
ALTER FUNCTION comb_horizon(text) PARALLEL SAFE;
ALTER FUNCTION comb_sequence_horizon(regclass) PARALLEL SAFE;
ALTER FUNCTION comb_version() RENAME TO comb_row_version;
COMMENT ON FUNCTION comb_horizon_status() IS 'time of the horizon, and for how long the oldest transaction has held it back';

CREATE FUNCTION comb_track(sequence regclass) RETURNS void
    LANGUAGE c VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'comb_track_sequence';
COMMENT ON FUNCTION comb_track(regclass) IS 'keep the horizon below the numbers that this transaction draws from now on';

CREATE FUNCTION comb_guard() RETURNS trigger
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_guard';
COMMENT ON FUNCTION comb_guard() IS 'trigger that rejects rows whose key the horizon does not cover';

CREATE FUNCTION comb_floors(OUT transaction xid8, OUT database oid, OUT floor_id uuid, OUT since timestamptz)
    RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED ROWS 10 AS 'MODULE_PATHNAME', 'comb_floors';
COMMENT ON FUNCTION comb_floors() IS 'columns of comb_horizon_holders() that comb knows';

CREATE OR REPLACE FUNCTION comb_horizon_holders() RETURNS TABLE (
        pid integer, database name, username name, application text, state text,
        since timestamptz, floor_id uuid, floor_timestamp timestamptz, gid text
    )
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED ROWS 10
BEGIN ATOMIC
    SELECT a.pid, d.datname, coalesce(a.usename, x.owner), a.application_name,
        CASE WHEN x.transaction IS NULL THEN a.state ELSE 'prepared' END,
        coalesce(x.prepared, f.since), f.floor_id, comb_timestamp(f.floor_id), x.gid
    FROM comb_floors() f
    JOIN pg_catalog.pg_database d ON d.oid OPERATOR(pg_catalog.=) f.database
    LEFT JOIN pg_catalog.pg_stat_activity a ON a.backend_xid OPERATOR(pg_catalog.=) f.transaction::xid
    LEFT JOIN pg_catalog.pg_prepared_xacts x ON x.transaction OPERATOR(pg_catalog.=) f.transaction::xid
    ORDER BY f.floor_id;
END;

-- Bounds in any layout. comb_horizon_holders() of 0.3.0 used comb_min().

DROP FUNCTION comb_min(timestamptz, text);
CREATE FUNCTION comb_lower_bound(at timestamptz, layout text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_lower_bound_layout';
COMMENT ON FUNCTION comb_lower_bound(timestamptz, text) IS
    'smallest UUID in the given layout at or after the given time; accepts any time';

-- The state of the clock, with other columns and the privileges of the old functions

ALTER FUNCTION comb_status() RENAME TO comb_status_0_3;
ALTER FUNCTION comb_clock_status() RENAME TO comb_clock_status_0_3;

CREATE FUNCTION comb_clock_status(
        OUT scope text, OUT reason text, OUT latest timestamptz, OUT ahead interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT places integer, OUT places_used integer, OUT library_version text
    ) RETURNS record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'comb_clock_state';
COMMENT ON FUNCTION comb_clock_status() IS 'columns of comb_status() without the version of the extension';

CREATE FUNCTION comb_status(
        OUT scope text, OUT reason text, OUT latest timestamptz, OUT ahead interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT places integer, OUT places_used integer,
        OUT library_version text, OUT extension_version text, OUT update_due boolean
    ) RETURNS record
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED COST 1000
BEGIN ATOMIC
    SELECT s.scope, s.reason, s.latest, s.ahead, s.seeded_at, s.seeded_from, s.seed_source,
        s.places, s.places_used, s.library_version, e.extversion,
        pg_catalog.string_to_array(e.extversion, '.')::integer[]
            OPERATOR(pg_catalog.<) pg_catalog.string_to_array(s.library_version, '.')::integer[]
    FROM comb_clock_status() s
    LEFT JOIN pg_catalog.pg_extension e ON e.extname OPERATOR(pg_catalog.=) 'comb'::pg_catalog.name;
END;
COMMENT ON FUNCTION comb_status() IS
    'state of the clock that UUIDs are generated from: its scope, its lead over the system clock, and how it started';

-- Owner and privileges, and the roles that therefore cannot be dropped. Default privileges may have given others to new functions.
DELETE FROM pg_catalog.pg_shdepend d
WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::regclass
    AND d.objid OPERATOR(pg_catalog.=) ANY (ARRAY['comb_status()', 'comb_clock_status()']::regprocedure[]::oid[])
    AND d.dbid OPERATOR(pg_catalog.=) (SELECT b.oid FROM pg_catalog.pg_database b
        WHERE b.datname OPERATOR(pg_catalog.=) pg_catalog.current_database());
INSERT INTO pg_catalog.pg_shdepend (dbid, classid, objid, objsubid, refclassid, refobjid, deptype)
SELECT d.dbid, d.classid, p.oid, d.objsubid, d.refclassid, d.refobjid, d.deptype
FROM (VALUES ('comb_status()'::regprocedure, 'comb_status_0_3()'::regprocedure),
    ('comb_clock_status()'::regprocedure, 'comb_clock_status_0_3()'::regprocedure)) p (oid, old)
JOIN pg_catalog.pg_shdepend d ON d.objid OPERATOR(pg_catalog.=) p.old::oid
WHERE d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_proc'::regclass
    AND d.deptype OPERATOR(pg_catalog.=) ANY ('{a,o}'::"char"[])
    AND d.dbid OPERATOR(pg_catalog.=) (SELECT b.oid FROM pg_catalog.pg_database b
        WHERE b.datname OPERATOR(pg_catalog.=) pg_catalog.current_database());
UPDATE pg_catalog.pg_proc new SET proowner = old.proowner, proacl = old.proacl
FROM pg_catalog.pg_proc old, (VALUES ('comb_status()'::regprocedure, 'comb_status_0_3()'::regprocedure),
    ('comb_clock_status()'::regprocedure, 'comb_clock_status_0_3()'::regprocedure)) p (new, old)
WHERE new.oid OPERATOR(pg_catalog.=) p.new::oid AND old.oid OPERATOR(pg_catalog.=) p.old::oid;

DROP FUNCTION comb_status_0_3(), comb_clock_status_0_3();

-- Skip support of btree, from PostgreSQL 18 on
--
-- An update script runs these statements again: pg_upgrade brings the operator family of the old major version, which lacks it.
-- A database may lack PL/pgSQL, hence an SQL function, called under a condition.

CREATE FUNCTION pg_catalog.comb_add_skip_support() RETURNS void LANGUAGE sql AS $$
    ALTER OPERATOR FAMILY uuid_mssql_ops USING btree ADD
        FUNCTION 6 (uuid, uuid) comb_mssql_skipsupport(internal),
        FUNCTION 6 (uniqueidentifier, uniqueidentifier) comb_mssql_skipsupport(internal)
$$;
SELECT pg_catalog.comb_add_skip_support()
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) 'comb_mssql_skipsupport(internal)'::regprocedure
);
DROP FUNCTION pg_catalog.comb_add_skip_support();
