\echo Use "CREATE EXTENSION comb" to load this file. \quit

-- The install script is these files in the order of their names.

-- Generating UUIDs

CREATE FUNCTION comb_new() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new';
COMMENT ON FUNCTION comb_new() IS
    'generate UUID version 7, greater than all earlier ones in the scope';

CREATE FUNCTION comb_new(layout text) RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_layout';
COMMENT ON FUNCTION comb_new(text) IS
    'generate UUID in the given layout, greater in the order of the layout than all earlier ones in the scope';

CREATE FUNCTION comb_new_mssql() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_mssql';
COMMENT ON FUNCTION comb_new_mssql() IS
    'generate UUID in layout mssql, greater in SQL Server''s order than all earlier ones in the scope';

CREATE FUNCTION comb_new_mssql_legacy() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_mssql_legacy';
COMMENT ON FUNCTION comb_new_mssql_legacy() IS
    'generate UUID in layout mssql_legacy, greater in SQL Server''s order than all earlier ones in the scope';

CREATE FUNCTION comb_at(at timestamptz, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_at';
COMMENT ON FUNCTION comb_at(timestamptz, text) IS
    'generate UUID with the given timestamp';

CREATE FUNCTION comb_shifted(shift interval, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_shifted';
COMMENT ON FUNCTION comb_shifted(interval, text) IS
    'generate UUID with a timestamp shifted by the given interval';

-- Reading UUIDs

CREATE FUNCTION comb_timestamp(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_timestamp';
COMMENT ON FUNCTION comb_timestamp(uuid) IS
    'extract timestamp from UUID version 1, 6 or 7; null for any other version';

CREATE FUNCTION comb_timestamp(id uuid, layout text) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_timestamp_layout';
COMMENT ON FUNCTION comb_timestamp(uuid, text) IS
    'extract timestamp from UUID in the given layout; null if the UUID cannot be in that layout';

CREATE FUNCTION comb_timestamp_mssql(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_timestamp_mssql';
COMMENT ON FUNCTION comb_timestamp_mssql(uuid) IS
    'extract timestamp from UUID in layout mssql; null if the UUID cannot be in that layout';

CREATE FUNCTION comb_timestamp_mssql_legacy(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_timestamp_mssql_legacy';
COMMENT ON FUNCTION comb_timestamp_mssql_legacy(uuid) IS
    'extract timestamp from UUID in layout mssql_legacy; null if the UUID cannot be in that layout';

CREATE FUNCTION comb_timestamp_micros(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_timestamp_micros';
COMMENT ON FUNCTION comb_timestamp_micros(uuid) IS
    'extract timestamp in microseconds from UUID version 7 whose rand_a holds a fraction of the millisecond; null for any other version';

CREATE FUNCTION comb_inspect(id uuid) RETURNS jsonb
    LANGUAGE c STABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'comb_inspect';
COMMENT ON FUNCTION comb_inspect(uuid) IS
    'version and variant of UUID, and its timestamp in every layout, plausible layouts first';

-- Rewriting UUIDs

CREATE FUNCTION comb_set_timestamp(id uuid, at timestamptz, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_set_timestamp';
COMMENT ON FUNCTION comb_set_timestamp(uuid, timestamptz, text) IS
    'replace the timestamp of UUID and keep all other bits; layouts of versions 1, 6, 7 and 8 also set version and variant';

CREATE FUNCTION comb_convert(id uuid, source text, target text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_convert';
COMMENT ON FUNCTION comb_convert(uuid, text, text) IS
    'convert UUID from one layout to another; null if the UUID cannot be in the first';

CREATE FUNCTION comb_dotnet_swap(id uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_dotnet_swap';
COMMENT ON FUNCTION comb_dotnet_swap(uuid) IS
    'reverse bytes 0 to 3, 4 to 5 and 6 to 7 of UUID, as Guid.ToByteArray() does; its own inverse';

-- MySQL's order of the bytes of version 1

CREATE FUNCTION comb_mysql_swap(id uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mysql_swap';
COMMENT ON FUNCTION comb_mysql_swap(uuid) IS
    'move bytes 6 to 7 and 4 to 5 of UUID in front of bytes 0 to 3, as UUID_TO_BIN(id, 1) of MySQL does';

CREATE FUNCTION comb_mysql_unswap(id uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mysql_unswap';
COMMENT ON FUNCTION comb_mysql_unswap(uuid) IS
    'reverse comb_mysql_swap(), as BIN_TO_UUID(id, 1) of MySQL does';

-- Ranges of time

CREATE FUNCTION comb_min(at timestamptz, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_min';
COMMENT ON FUNCTION comb_min(timestamptz, text) IS
    'smallest UUID in the given layout with the given timestamp';

CREATE FUNCTION comb_max(at timestamptz, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_max';
COMMENT ON FUNCTION comb_max(timestamptz, text) IS
    'largest UUID in the given layout with the given timestamp';

CREATE FUNCTION comb_lower_bound(at timestamptz) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_lower_bound';
COMMENT ON FUNCTION comb_lower_bound(timestamptz) IS
    'smallest UUID version 7 at or after the given time; accepts any time';
-- Layouts. ROWS is about right, so that a new layout need not change it. STABLE, because a release can add a layout.

CREATE FUNCTION comb_layouts() RETURNS TABLE (
        label text, time_field text, byte_order text, stamp integer, resolution text,
        first text, last text, known_as text
    )
    LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 20 AS 'MODULE_PATHNAME', 'comb_layouts';
COMMENT ON FUNCTION comb_layouts() IS
    'layouts, with their time field, byte order, version, resolution, range and the programs that write them';

-- BSV COMBs: 32 characters of text

CREATE FUNCTION comb_new_bsv() RETURNS text
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_bsv';
COMMENT ON FUNCTION comb_new_bsv() IS
    'generate BSV COMB, sorted by time under COLLATE "C"';

CREATE FUNCTION comb_bsv_timestamp(bsv text, zone text DEFAULT 'UTC') RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_bsv_timestamp';
COMMENT ON FUNCTION comb_bsv_timestamp(text, text) IS
    'extract timestamp from BSV COMB written in the given time zone; null after year 9999';

CREATE FUNCTION comb_bsv_uuid(bsv text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_bsv_uuid';
COMMENT ON FUNCTION comb_bsv_uuid(text) IS
    'extract UUID version 4 from BSV COMB';

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

-- The clock that keeps generated UUIDs in order

CREATE FUNCTION comb_observe(id uuid, layout text DEFAULT 'uuidv7') RETURNS timestamptz
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_observe';
COMMENT ON FUNCTION comb_observe(uuid, text) IS
    'advance the clock to the given UUID, so that the next UUID is greater; for use after failover or restore';

CREATE FUNCTION comb_reset_clock() RETURNS timestamptz
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_reset_clock';
COMMENT ON FUNCTION comb_reset_clock() IS
    'set the clock back to the system clock; the next UUID may be smaller than earlier ones';

-- They change the order of all sessions' UUIDs. 95-majors.sql grants them to pg_maintain.
REVOKE ALL ON FUNCTION comb_observe(uuid, text), comb_reset_clock() FROM PUBLIC;

-- What the clock and the horizon are doing

CREATE FUNCTION comb_clock_status(
        OUT scope text, OUT reason text,
        OUT latest timestamptz, OUT ahead interval, OUT level_at timestamptz, OUT lead_stays boolean,
        OUT steps_back bigint, OUT stepped_back interval, OUT largest_step_back interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT library_version text
    ) RETURNS record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'comb_clock_status';
COMMENT ON FUNCTION comb_clock_status() IS 'columns of comb_status() without the version of the extension';

-- Its columns stay, for privileges on it and views over it to stay over an update. An update is due where the library is newer.
CREATE OR REPLACE FUNCTION comb_status(
        OUT scope text, OUT reason text,
        OUT latest timestamptz, OUT ahead interval, OUT level_at timestamptz, OUT lead_stays boolean,
        OUT steps_back bigint, OUT stepped_back interval, OUT largest_step_back interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT library_version text, OUT extension_version text, OUT update_due boolean
    ) RETURNS record
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED COST 1000
BEGIN ATOMIC
    SELECT s.scope, s.reason, s.latest, s.ahead, s.level_at, s.lead_stays, s.steps_back, s.stepped_back,
        s.largest_step_back, s.seeded_at, s.seeded_from, s.seed_source, s.library_version, e.extversion,
        pg_catalog.string_to_array(e.extversion, '.')::integer[]
            OPERATOR(pg_catalog.<) pg_catalog.string_to_array(s.library_version, '.')::integer[]
    FROM comb_clock_status() s
    LEFT JOIN pg_catalog.pg_extension e ON e.extname OPERATOR(pg_catalog.=) 'comb'::pg_catalog.name;
END;
COMMENT ON FUNCTION comb_status() IS
    'state of the clock that UUIDs are generated from: its scope, its lead over the system clock, and how it started';
-- The commit horizon: tracked UUIDs, and the UUID below which nothing appears any more

CREATE FUNCTION comb_tracked() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_tracked';
COMMENT ON FUNCTION comb_tracked() IS
    'generate UUID version 7 that comb_horizon() stays below until the transaction ends';

CREATE FUNCTION comb_tracked(layout text) RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_tracked_layout';
COMMENT ON FUNCTION comb_tracked(text) IS
    'generate UUID in the given layout that comb_horizon() stays below until the transaction ends';

-- COST of comb_horizon() and comb_settled(): for each row. The first call of a statement costs as much as comb_horizon_now().
CREATE FUNCTION comb_horizon(layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 10 AS 'MODULE_PATHNAME', 'comb_horizon';
COMMENT ON FUNCTION comb_horizon(text) IS
    'UUID below which all tracked UUIDs are settled: visible to this statement, or never committed';

CREATE FUNCTION comb_horizon_now(layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 1000 AS 'MODULE_PATHNAME', 'comb_horizon_now';
COMMENT ON FUNCTION comb_horizon_now(text) IS
    'horizon for the next statement of a READ COMMITTED transaction';

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
-- SQL Server's order for uuid
--
-- SQL Server compares bytes 10 to 15 first, then bytes 8 and 9, then 7 and 6, 5 and 4, and 3 to 0.

CREATE FUNCTION comb_mssql_cmp(uuid, uuid) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_cmp';
COMMENT ON FUNCTION comb_mssql_cmp(uuid, uuid) IS 'less-equal-greater, in SQL Server''s order';

CREATE FUNCTION comb_mssql_lt(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION comb_mssql_lt(uuid, uuid) IS 'implementation of <# operator';

CREATE FUNCTION comb_mssql_le(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_le';
COMMENT ON FUNCTION comb_mssql_le(uuid, uuid) IS 'implementation of <=# operator';

CREATE FUNCTION comb_mssql_ge(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION comb_mssql_ge(uuid, uuid) IS 'implementation of >=# operator';

CREATE FUNCTION comb_mssql_gt(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_gt';
COMMENT ON FUNCTION comb_mssql_gt(uuid, uuid) IS 'implementation of ># operator';

CREATE OPERATOR <# (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_mssql_lt,
    COMMUTATOR = >#, NEGATOR = >=#, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR <# (uuid, uuid) IS 'less than, in SQL Server''s order';

CREATE OPERATOR <=# (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_mssql_le,
    COMMUTATOR = >=#, NEGATOR = >#, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <=# (uuid, uuid) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR >=# (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_mssql_ge,
    COMMUTATOR = <=#, NEGATOR = <#, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >=# (uuid, uuid) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR ># (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_mssql_gt,
    COMMUTATOR = <#, NEGATOR = <=#, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR ># (uuid, uuid) IS 'greater than, in SQL Server''s order';

-- B-tree

CREATE FUNCTION comb_mssql_sortsupport(internal) RETURNS void
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_sortsupport';
COMMENT ON FUNCTION comb_mssql_sortsupport(internal) IS 'sort support';

-- Skip support exists in PostgreSQL 18 and newer; 95-majors.sql adds it to the operator family there.
CREATE FUNCTION comb_mssql_skipsupport(internal) RETURNS void
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_skipsupport';
COMMENT ON FUNCTION comb_mssql_skipsupport(internal) IS 'skip support';

-- One family for uuid and uniqueidentifier, so that comparisons across the two types use its indexes.
CREATE OPERATOR FAMILY uuid_mssql_ops USING btree;
COMMENT ON OPERATOR FAMILY uuid_mssql_ops USING btree IS
    'B-tree comparison of uuid and uniqueidentifier in SQL Server''s order';

-- Equality is uuid's own operator, so WHERE id = $1, ON CONFLICT and foreign keys use such an index.
CREATE OPERATOR CLASS uuid_mssql_ops FOR TYPE uuid USING btree FAMILY uuid_mssql_ops AS
    OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =, OPERATOR 4 >=#, OPERATOR 5 >#,
    FUNCTION 1 comb_mssql_cmp(uuid, uuid),
    FUNCTION 2 comb_mssql_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS uuid_mssql_ops USING btree IS 'uuid in SQL Server''s order';

-- BRIN

CREATE OPERATOR FAMILY uuid_mssql_minmax_ops USING brin;
COMMENT ON OPERATOR FAMILY uuid_mssql_minmax_ops USING brin IS
    'BRIN minmax of uuid and uniqueidentifier in SQL Server''s order';

CREATE OPERATOR CLASS uuid_mssql_minmax_ops FOR TYPE uuid USING brin FAMILY uuid_mssql_minmax_ops AS
    OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =, OPERATOR 4 >=#, OPERATOR 5 >#,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS uuid_mssql_minmax_ops USING brin IS 'uuid in SQL Server''s order';

-- Time order for uuid
--
-- UUIDs that are not of version 7 come first, then those of version 7; each part is in uuid's order. Therefore new
-- UUIDs of version 7 go to the right edge of an index that also has random ones.

CREATE FUNCTION comb_time_cmp(uuid, uuid) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_time_cmp';
COMMENT ON FUNCTION comb_time_cmp(uuid, uuid) IS 'less-equal-greater, in time order';

CREATE FUNCTION comb_time_lt(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_time_lt';
COMMENT ON FUNCTION comb_time_lt(uuid, uuid) IS 'implementation of <@~ operator';

CREATE FUNCTION comb_time_le(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_time_le';
COMMENT ON FUNCTION comb_time_le(uuid, uuid) IS 'implementation of <=@~ operator';

CREATE FUNCTION comb_time_ge(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_time_ge';
COMMENT ON FUNCTION comb_time_ge(uuid, uuid) IS 'implementation of >=@~ operator';

CREATE FUNCTION comb_time_gt(uuid, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_time_gt';
COMMENT ON FUNCTION comb_time_gt(uuid, uuid) IS 'implementation of >@~ operator';

CREATE OPERATOR <@~ (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_time_lt,
    COMMUTATOR = >@~, NEGATOR = >=@~, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR <@~ (uuid, uuid) IS 'less than, in time order';

CREATE OPERATOR <=@~ (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_time_le,
    COMMUTATOR = >=@~, NEGATOR = >@~, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <=@~ (uuid, uuid) IS 'less than or equal, in time order';

CREATE OPERATOR >=@~ (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_time_ge,
    COMMUTATOR = <=@~, NEGATOR = <@~, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >=@~ (uuid, uuid) IS 'greater than or equal, in time order';

CREATE OPERATOR >@~ (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_time_gt,
    COMMUTATOR = <@~, NEGATOR = <=@~, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR >@~ (uuid, uuid) IS 'greater than, in time order';

-- B-tree

CREATE FUNCTION comb_time_sortsupport(internal) RETURNS void
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_time_sortsupport';
COMMENT ON FUNCTION comb_time_sortsupport(internal) IS 'sort support';

-- Skip support exists in PostgreSQL 18 and newer; 95-majors.sql adds it to the operator family there.
CREATE FUNCTION comb_time_skipsupport(internal) RETURNS void
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_time_skipsupport';
COMMENT ON FUNCTION comb_time_skipsupport(internal) IS 'skip support';

CREATE OPERATOR FAMILY uuid_time_ops USING btree;
COMMENT ON OPERATOR FAMILY uuid_time_ops USING btree IS 'B-tree comparison of uuid in time order';

-- Equality is uuid's own operator, so WHERE id = $1, ON CONFLICT and foreign keys use such an index.
CREATE OPERATOR CLASS uuid_time_ops FOR TYPE uuid USING btree FAMILY uuid_time_ops AS
    OPERATOR 1 <@~, OPERATOR 2 <=@~, OPERATOR 3 pg_catalog.=, OPERATOR 4 >=@~, OPERATOR 5 >@~,
    FUNCTION 1 comb_time_cmp(uuid, uuid),
    FUNCTION 2 comb_time_sortsupport(internal),
    FUNCTION 4 pg_catalog.btequalimage(oid);
COMMENT ON OPERATOR CLASS uuid_time_ops USING btree IS 'uuid in time order';

-- BRIN

CREATE OPERATOR FAMILY uuid_time_minmax_ops USING brin;
COMMENT ON OPERATOR FAMILY uuid_time_minmax_ops USING brin IS 'BRIN minmax of uuid in time order';

CREATE OPERATOR CLASS uuid_time_minmax_ops FOR TYPE uuid USING brin FAMILY uuid_time_minmax_ops AS
    OPERATOR 1 <@~, OPERATOR 2 <=@~, OPERATOR 3 pg_catalog.=, OPERATOR 4 >=@~, OPERATOR 5 >@~,
    FUNCTION 1 pg_catalog.brin_minmax_opcinfo(internal),
    FUNCTION 2 pg_catalog.brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 pg_catalog.brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 pg_catalog.brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS uuid_time_minmax_ops USING brin IS 'uuid in time order';

-- Ranges of time
--
-- Two bounds, since UUIDs of version 7 have no upper one in this order: none comes after the last of them.

CREATE FUNCTION comb_first_from(at timestamptz) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_first_from';
COMMENT ON FUNCTION comb_first_from(timestamptz) IS
    'smallest UUID version 7 at or after the given time, in time order; accepts any time';

CREATE FUNCTION comb_last_before(at timestamptz) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_last_before';
COMMENT ON FUNCTION comb_last_before(timestamptz) IS
    'largest UUID before the given time, in time order; accepts any time';
-- uniqueidentifier: a uuid whose default order is SQL Server's

CREATE TYPE uniqueidentifier;

CREATE FUNCTION uniqueidentifier_in(cstring) RETURNS uniqueidentifier
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'uuid_in';
COMMENT ON FUNCTION uniqueidentifier_in(cstring) IS 'I/O';

CREATE FUNCTION uniqueidentifier_out(uniqueidentifier) RETURNS cstring
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'uuid_out';
COMMENT ON FUNCTION uniqueidentifier_out(uniqueidentifier) IS 'I/O';

CREATE FUNCTION uniqueidentifier_recv(internal) RETURNS uniqueidentifier
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'uuid_recv';
COMMENT ON FUNCTION uniqueidentifier_recv(internal) IS 'I/O';

CREATE FUNCTION uniqueidentifier_send(uniqueidentifier) RETURNS bytea
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'uuid_send';
COMMENT ON FUNCTION uniqueidentifier_send(uniqueidentifier) IS 'I/O';

CREATE TYPE uniqueidentifier (
    INPUT = uniqueidentifier_in, OUTPUT = uniqueidentifier_out,
    RECEIVE = uniqueidentifier_recv, SEND = uniqueidentifier_send,
    LIKE = uuid
);
COMMENT ON TYPE uniqueidentifier IS 'UUID that sorts in SQL Server''s order';

-- The casts keep the bytes. The one to uuid is implicit, so that every function of uuid accepts a
-- uniqueidentifier; the one from uuid is not, so that an operator with both types is never ambiguous.

CREATE CAST (uniqueidentifier AS uuid) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (uniqueidentifier AS uuid) IS 'same bytes';

CREATE CAST (uuid AS uniqueidentifier) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (uuid AS uniqueidentifier) IS 'same bytes';

-- Functions of the operators

CREATE FUNCTION uniqueidentifier_cmp(uniqueidentifier, uniqueidentifier) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_cmp';
COMMENT ON FUNCTION uniqueidentifier_cmp(uniqueidentifier, uniqueidentifier) IS 'less-equal-greater, in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_cmp(uniqueidentifier, uuid) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_cmp';
COMMENT ON FUNCTION uniqueidentifier_cmp(uniqueidentifier, uuid) IS 'less-equal-greater, in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_cmp(uuid, uniqueidentifier) RETURNS integer
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_cmp';
COMMENT ON FUNCTION uniqueidentifier_cmp(uuid, uniqueidentifier) IS 'less-equal-greater, in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_lt(uniqueidentifier, uniqueidentifier) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION uniqueidentifier_lt(uniqueidentifier, uniqueidentifier) IS 'implementation of < operator';

CREATE FUNCTION uniqueidentifier_lt(uniqueidentifier, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION uniqueidentifier_lt(uniqueidentifier, uuid) IS 'implementation of < operator';

CREATE FUNCTION uniqueidentifier_lt(uuid, uniqueidentifier) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION uniqueidentifier_lt(uuid, uniqueidentifier) IS 'implementation of < operator';

CREATE FUNCTION uniqueidentifier_le(uniqueidentifier, uniqueidentifier) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_le';
COMMENT ON FUNCTION uniqueidentifier_le(uniqueidentifier, uniqueidentifier) IS 'implementation of <= operator';

CREATE FUNCTION uniqueidentifier_le(uniqueidentifier, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_le';
COMMENT ON FUNCTION uniqueidentifier_le(uniqueidentifier, uuid) IS 'implementation of <= operator';

CREATE FUNCTION uniqueidentifier_le(uuid, uniqueidentifier) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_le';
COMMENT ON FUNCTION uniqueidentifier_le(uuid, uniqueidentifier) IS 'implementation of <= operator';

CREATE FUNCTION uniqueidentifier_eq(uniqueidentifier, uniqueidentifier) RETURNS boolean
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'uuid_eq';
COMMENT ON FUNCTION uniqueidentifier_eq(uniqueidentifier, uniqueidentifier) IS 'implementation of = operator';

-- Across the two types, the planner replaces equality: if the uuid has no columns, by uniqueidentifier =
-- uniqueidentifier, which the indexes of the other side serve; else by uuid = uuid, which an index on the
-- uuid column serves in either order, so that a foreign key needs no separate index.
CREATE FUNCTION uniqueidentifier_eq_support(internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'uniqueidentifier_eq_support';
COMMENT ON FUNCTION uniqueidentifier_eq_support(internal) IS
    'planner support for equality of uniqueidentifier and uuid';

CREATE FUNCTION uniqueidentifier_eq(uniqueidentifier, uuid) RETURNS boolean
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT uniqueidentifier_eq_support AS 'uuid_eq';
COMMENT ON FUNCTION uniqueidentifier_eq(uniqueidentifier, uuid) IS 'implementation of = operator';

CREATE FUNCTION uniqueidentifier_eq(uuid, uniqueidentifier) RETURNS boolean
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF
    SUPPORT uniqueidentifier_eq_support AS 'uuid_eq';
COMMENT ON FUNCTION uniqueidentifier_eq(uuid, uniqueidentifier) IS 'implementation of = operator';

CREATE FUNCTION uniqueidentifier_ge(uniqueidentifier, uniqueidentifier) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION uniqueidentifier_ge(uniqueidentifier, uniqueidentifier) IS 'implementation of >= operator';

CREATE FUNCTION uniqueidentifier_ge(uniqueidentifier, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION uniqueidentifier_ge(uniqueidentifier, uuid) IS 'implementation of >= operator';

CREATE FUNCTION uniqueidentifier_ge(uuid, uniqueidentifier) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION uniqueidentifier_ge(uuid, uniqueidentifier) IS 'implementation of >= operator';

CREATE FUNCTION uniqueidentifier_gt(uniqueidentifier, uniqueidentifier) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_gt';
COMMENT ON FUNCTION uniqueidentifier_gt(uniqueidentifier, uniqueidentifier) IS 'implementation of > operator';

CREATE FUNCTION uniqueidentifier_gt(uniqueidentifier, uuid) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_gt';
COMMENT ON FUNCTION uniqueidentifier_gt(uniqueidentifier, uuid) IS 'implementation of > operator';

CREATE FUNCTION uniqueidentifier_gt(uuid, uniqueidentifier) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_gt';
COMMENT ON FUNCTION uniqueidentifier_gt(uuid, uniqueidentifier) IS 'implementation of > operator';

CREATE FUNCTION uniqueidentifier_ne(uniqueidentifier, uniqueidentifier) RETURNS boolean
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'uuid_ne';
COMMENT ON FUNCTION uniqueidentifier_ne(uniqueidentifier, uniqueidentifier) IS 'implementation of <> operator';

CREATE FUNCTION uniqueidentifier_ne(uniqueidentifier, uuid) RETURNS boolean
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'uuid_ne';
COMMENT ON FUNCTION uniqueidentifier_ne(uniqueidentifier, uuid) IS 'implementation of <> operator';

CREATE FUNCTION uniqueidentifier_ne(uuid, uniqueidentifier) RETURNS boolean
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'uuid_ne';
COMMENT ON FUNCTION uniqueidentifier_ne(uuid, uniqueidentifier) IS 'implementation of <> operator';

-- Operators
--
-- They are in pg_catalog, whatever the schema of the extension. Where a search_path lacks that
-- schema, an operator in it is not found, and the implicit cast turns id > $1 into a comparison of uuids, in
-- another order than ORDER BY id and than the index. Every search_path includes pg_catalog.

CREATE OPERATOR pg_catalog.< (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (uniqueidentifier, uniqueidentifier) IS 'less than, in SQL Server''s order';

CREATE OPERATOR pg_catalog.< (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (uniqueidentifier, uuid) IS 'less than, in SQL Server''s order';

CREATE OPERATOR pg_catalog.< (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=),
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR pg_catalog.< (uuid, uniqueidentifier) IS 'less than, in SQL Server''s order';

CREATE OPERATOR pg_catalog.<= (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (uniqueidentifier, uniqueidentifier) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR pg_catalog.<= (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (uniqueidentifier, uuid) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR pg_catalog.<= (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>),
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR pg_catalog.<= (uuid, uniqueidentifier) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (uniqueidentifier, uniqueidentifier) IS 'equal';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (uniqueidentifier, uuid) IS 'equal';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>),
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR pg_catalog.= (uuid, uniqueidentifier) IS 'equal';

CREATE OPERATOR pg_catalog.>= (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (uniqueidentifier, uniqueidentifier) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR pg_catalog.>= (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (uniqueidentifier, uuid) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR pg_catalog.>= (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<),
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR pg_catalog.>= (uuid, uniqueidentifier) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR pg_catalog.> (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (uniqueidentifier, uniqueidentifier) IS 'greater than, in SQL Server''s order';

CREATE OPERATOR pg_catalog.> (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (uniqueidentifier, uuid) IS 'greater than, in SQL Server''s order';

CREATE OPERATOR pg_catalog.> (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=),
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR pg_catalog.> (uuid, uniqueidentifier) IS 'greater than, in SQL Server''s order';

CREATE OPERATOR pg_catalog.<> (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (uniqueidentifier, uniqueidentifier) IS 'not equal';

CREATE OPERATOR pg_catalog.<> (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (uniqueidentifier, uuid) IS 'not equal';

CREATE OPERATOR pg_catalog.<> (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=),
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR pg_catalog.<> (uuid, uniqueidentifier) IS 'not equal';

-- B-tree

CREATE OPERATOR CLASS uniqueidentifier_ops DEFAULT FOR TYPE uniqueidentifier USING btree
    FAMILY uuid_mssql_ops AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 uniqueidentifier_cmp(uniqueidentifier, uniqueidentifier),
    FUNCTION 2 comb_mssql_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS uniqueidentifier_ops USING btree IS 'uniqueidentifier in SQL Server''s order';

ALTER OPERATOR FAMILY uuid_mssql_ops USING btree ADD
    OPERATOR 1 < (uniqueidentifier, uuid),
    OPERATOR 2 <= (uniqueidentifier, uuid),
    OPERATOR 3 = (uniqueidentifier, uuid),
    OPERATOR 4 >= (uniqueidentifier, uuid),
    OPERATOR 5 > (uniqueidentifier, uuid),
    FUNCTION 1 (uniqueidentifier, uuid) uniqueidentifier_cmp(uniqueidentifier, uuid),
    OPERATOR 1 < (uuid, uniqueidentifier),
    OPERATOR 2 <= (uuid, uniqueidentifier),
    OPERATOR 3 = (uuid, uniqueidentifier),
    OPERATOR 4 >= (uuid, uniqueidentifier),
    OPERATOR 5 > (uuid, uniqueidentifier),
    FUNCTION 1 (uuid, uniqueidentifier) uniqueidentifier_cmp(uuid, uniqueidentifier);

-- Hash: the hash of uuid for both types, so that equal values have equal hashes across them

CREATE FUNCTION uniqueidentifier_hash(uniqueidentifier) RETURNS integer
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'uuid_hash';
COMMENT ON FUNCTION uniqueidentifier_hash(uniqueidentifier) IS 'hash';

CREATE FUNCTION uniqueidentifier_hash_extended(uniqueidentifier, bigint) RETURNS bigint
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'uuid_hash_extended';
COMMENT ON FUNCTION uniqueidentifier_hash_extended(uniqueidentifier, bigint) IS 'hash';

CREATE OPERATOR FAMILY uniqueidentifier_ops USING hash;
COMMENT ON OPERATOR FAMILY uniqueidentifier_ops USING hash IS
    'hash of uuid and uniqueidentifier';

CREATE OPERATOR CLASS uniqueidentifier_ops DEFAULT FOR TYPE uniqueidentifier USING hash
    FAMILY uniqueidentifier_ops AS
    OPERATOR 1 =,
    FUNCTION 1 uniqueidentifier_hash(uniqueidentifier),
    FUNCTION 2 uniqueidentifier_hash_extended(uniqueidentifier, bigint);
COMMENT ON OPERATOR CLASS uniqueidentifier_ops USING hash IS 'hash of uniqueidentifier';

ALTER OPERATOR FAMILY uniqueidentifier_ops USING hash ADD
    OPERATOR 1 = (uniqueidentifier, uuid),
    OPERATOR 1 = (uuid, uniqueidentifier),
    OPERATOR 1 = (uuid, uuid),
    FUNCTION 1 (uuid, uuid) uuid_hash(uuid),
    FUNCTION 2 (uuid, uuid) uuid_hash_extended(uuid, bigint);

-- BRIN

CREATE OPERATOR CLASS uniqueidentifier_minmax_ops DEFAULT FOR TYPE uniqueidentifier USING brin
    FAMILY uuid_mssql_minmax_ops AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS uniqueidentifier_minmax_ops USING brin IS
    'uniqueidentifier in SQL Server''s order';

ALTER OPERATOR FAMILY uuid_mssql_minmax_ops USING brin ADD
    OPERATOR 1 < (uniqueidentifier, uuid),
    OPERATOR 2 <= (uniqueidentifier, uuid),
    OPERATOR 3 = (uniqueidentifier, uuid),
    OPERATOR 4 >= (uniqueidentifier, uuid),
    OPERATOR 5 > (uniqueidentifier, uuid),
    OPERATOR 1 < (uuid, uniqueidentifier),
    OPERATOR 2 <= (uuid, uniqueidentifier),
    OPERATOR 3 = (uuid, uniqueidentifier),
    OPERATOR 4 >= (uuid, uniqueidentifier),
    OPERATOR 5 > (uuid, uniqueidentifier);

-- Aggregates, in pg_catalog as the operators are

CREATE FUNCTION uniqueidentifier_smaller(uniqueidentifier, uniqueidentifier) RETURNS uniqueidentifier
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_smaller';
COMMENT ON FUNCTION uniqueidentifier_smaller(uniqueidentifier, uniqueidentifier) IS
    'smaller of two, in SQL Server''s order';

CREATE AGGREGATE pg_catalog.min(uniqueidentifier) (
    SFUNC = uniqueidentifier_smaller, STYPE = uniqueidentifier,
    COMBINEFUNC = uniqueidentifier_smaller, SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(uniqueidentifier) IS
    'minimum value of all uniqueidentifier input values, in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_larger(uniqueidentifier, uniqueidentifier) RETURNS uniqueidentifier
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_larger';
COMMENT ON FUNCTION uniqueidentifier_larger(uniqueidentifier, uniqueidentifier) IS
    'larger of two, in SQL Server''s order';

CREATE AGGREGATE pg_catalog.max(uniqueidentifier) (
    SFUNC = uniqueidentifier_larger, STYPE = uniqueidentifier,
    COMBINEFUNC = uniqueidentifier_larger, SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.max(uniqueidentifier) IS
    'maximum value of all uniqueidentifier input values, in SQL Server''s order';

-- Ranges of time, in layout mssql

CREATE FUNCTION comb_mssql_lower_bound(at timestamptz) RETURNS uniqueidentifier
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_lower_bound';
COMMENT ON FUNCTION comb_mssql_lower_bound(timestamptz) IS
    'smallest uniqueidentifier of layout mssql at or after the given time; accepts any time';
-- The first and the last key
--
-- Not under the names min and max, which databases may have defined for uuid themselves.

CREATE FUNCTION comb_smaller(uuid, uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_smaller';
COMMENT ON FUNCTION comb_smaller(uuid, uuid) IS 'smaller of two';

CREATE AGGREGATE comb_first(uuid) (
    SFUNC = comb_smaller, STYPE = uuid,
    COMBINEFUNC = comb_smaller, SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE comb_first(uuid) IS 'smallest of all uuid input values';

CREATE FUNCTION comb_larger(uuid, uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_larger';
COMMENT ON FUNCTION comb_larger(uuid, uuid) IS 'larger of two';

CREATE AGGREGATE comb_last(uuid) (
    SFUNC = comb_larger, STYPE = uuid,
    COMBINEFUNC = comb_larger, SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE comb_last(uuid) IS 'largest of all uuid input values';

-- Without these, the implicit cast would give the first and the last in uuid's order.

CREATE AGGREGATE comb_first(uniqueidentifier) (
    SFUNC = uniqueidentifier_smaller, STYPE = uniqueidentifier,
    COMBINEFUNC = uniqueidentifier_smaller, SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE comb_first(uniqueidentifier) IS
    'minimum value of all uniqueidentifier input values, in SQL Server''s order';

CREATE AGGREGATE comb_last(uniqueidentifier) (
    SFUNC = uniqueidentifier_larger, STYPE = uniqueidentifier,
    COMBINEFUNC = uniqueidentifier_larger, SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE
);
COMMENT ON AGGREGATE comb_last(uniqueidentifier) IS
    'maximum value of all uniqueidentifier input values, in SQL Server''s order';

-- Partitions by time

-- For pg_partman, which calls the decoder with text: a key's or a bound's. The encoder for version 7 is comb_lower_bound().

CREATE FUNCTION comb_partman_decoder(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_partman_decoder';
COMMENT ON FUNCTION comb_partman_decoder(uuid) IS
    'extract timestamp from UUID version 7 or from bound of a partition; null for any other UUID';

CREATE FUNCTION comb_partman_decoder(id text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN comb_partman_decoder(id::uuid);
COMMENT ON FUNCTION comb_partman_decoder(text) IS
    'extract timestamp from text of UUID version 7 or of bound of a partition; null for any other UUID';

-- Without a stamp, as comb_mssql_lower_bound() makes it. pg_partman refuses an encoder that does not return uuid.
CREATE FUNCTION comb_partman_mssql_encoder(at timestamptz) RETURNS uuid
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN comb_set_timestamp('00000000-0000-0000-0000-000000000000'::uuid, at, 'mssql'::text);
COMMENT ON FUNCTION comb_partman_mssql_encoder(timestamptz) IS
    'bound of a partition in SQL Server''s order that begins at the given time';

CREATE FUNCTION comb_partman_mssql_decoder(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_partman_mssql_decoder';
COMMENT ON FUNCTION comb_partman_mssql_decoder(uuid) IS
    'extract timestamp from UUID in layout mssql if it is plausible, or from bound of a partition';

CREATE FUNCTION comb_partman_mssql_decoder(id text) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN comb_partman_mssql_decoder(id::uuid);
COMMENT ON FUNCTION comb_partman_mssql_decoder(text) IS
    'extract timestamp from text of UUID in layout mssql if it is plausible, or of bound of a partition';

-- Without pg_partman
--
-- Operators here are those of pg_catalog, whatever operators a schema of the search path has. The functions of the
-- extension, whose schema then is not in the search path, need its name.

SET LOCAL search_path = pg_catalog, pg_temp;

CREATE FUNCTION @extschema@.comb_partition_layout(parent regclass) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_partition_layout';
COMMENT ON FUNCTION @extschema@.comb_partition_layout(regclass) IS
    'layout of the UUIDs by which a table is partitioned';

-- Not IMMUTABLE, so that the planner does not call it.
CREATE FUNCTION @extschema@.comb_partition_step(from_time timestamptz, until timestamptz, step interval) RETURNS interval
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_partition_step';
COMMENT ON FUNCTION @extschema@.comb_partition_step(timestamptz, timestamptz, interval) IS
    'internal: step of partitions, after a check';

-- Cuts are computed as timestamps without time zone, in UTC, where every day has 24 hours. Units of months
-- count from the year 0, shorter ones from Monday, 0001-01-01. Therefore calls with other times cut at the same
-- times, and the name of a partition tells where it begins.
CREATE FUNCTION @extschema@.comb_partitions(parent regclass, from_time timestamptz, until timestamptz, step interval)
    RETURNS TABLE (name text, lower_bound uuid, upper_bound uuid, statement text)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    WITH checked AS MATERIALIZED (
        -- Once, and before anything is computed: the planner must not fold a step that fails the check.
        SELECT @extschema@.comb_partition_layout(parent) AS label,
            @extschema@.comb_partition_step(from_time, until, step) AS unit,
            from_time AT TIME ZONE 'UTC' AS first, until AT TIME ZONE 'UTC' AS last
    ), units AS (
        SELECT label, unit, first, last, extract(epoch FROM unit) AS seconds,
            (extract(year FROM unit) * 12 + extract(month FROM unit))::integer AS months
        FROM checked
    ), cuts AS (
        SELECT label, start, start + unit AS stop, to_char(start, CASE
            WHEN months > 0 AND months % 12 = 0 THEN '_YYYY'
            WHEN months > 0 THEN '_YYYY_MM'
            WHEN seconds % 86400 = 0 THEN '_YYYY_MM_DD'
            WHEN seconds % 3600 = 0 THEN '_YYYY_MM_DD_HH24'
            WHEN seconds % 60 = 0 THEN '_YYYY_MM_DD_HH24MI'
            WHEN seconds % 1 = 0 THEN '_YYYY_MM_DD_HH24MISS'
            ELSE '_YYYY_MM_DD_HH24MISS_MS'
        END) AS suffix
        FROM units, generate_series(
            CASE WHEN months > 0
                THEN date_trunc('month', first) - (extract(year FROM first) * 12 + extract(month FROM first) - 1)::integer
                    % months * interval '1 month'
                ELSE date_bin(unit, first, timestamp '0001-01-01')
            END, last, unit) start
        WHERE start < last
    ), bounds AS (
        SELECT start, suffix, @extschema@.comb_set_timestamp(nil, start AT TIME ZONE 'UTC', label) AS lower_bound,
            @extschema@.comb_set_timestamp(nil, stop AT TIME ZONE 'UTC', label) AS upper_bound
        FROM cuts, (VALUES ('00000000-0000-0000-0000-000000000000'::uuid)) zeros (nil)
    ), names AS MATERIALIZED (
        -- Up to 63 bytes. A table's name that is too long ends in 8 digits of its hash.
        SELECT start, n.nspname AS schema, c.relnamespace, c.relname AS table, lower_bound, upper_bound, CASE
            WHEN octet_length(c.relname) + octet_length(suffix) <= 63 THEN c.relname || suffix
            ELSE (SELECT "left"(c.relname, size) FROM generate_series(1, 63) size
                  WHERE octet_length("left"(c.relname, size)) <= 54 - octet_length(suffix) ORDER BY size DESC LIMIT 1)
                || '_' || "left"(encode(pg_catalog.sha256(textsend(c.relname)), 'hex'), 8) || suffix
        END AS partition
        -- All that is left of a table that does not exist is its error.
        FROM bounds LEFT JOIN pg_catalog.pg_class c ON c.oid = parent LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    )
    -- What has the name but is another table or another partition must not pass for this one.
    SELECT format('%I.%I', schema, partition), lower_bound, upper_bound,
        format('CREATE TABLE %s%I.%I PARTITION OF %I.%I FOR VALUES FROM (%L) TO (%L)',
            CASE WHEN e.oid IS NULL OR EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = e.oid AND i.inhparent = parent)
                    AND pg_get_expr(e.relpartbound, e.oid) = format('FOR VALUES FROM (%L) TO (%L)', lower_bound, upper_bound)
                THEN 'IF NOT EXISTS ' ELSE '' END,
            schema, partition, schema, "table", lower_bound, upper_bound)
    FROM names LEFT JOIN pg_catalog.pg_class e ON e.relnamespace = names.relnamespace AND e.relname = partition::name
    ORDER BY start;
END;
COMMENT ON FUNCTION @extschema@.comb_partitions(regclass, timestamptz, timestamptz, interval) IS
    'statements that create the partitions of a table from one time until another';

CREATE FUNCTION @extschema@.comb_partition_bounds(partition regclass) RETURNS TABLE (lower timestamptz, upper timestamptz)
    LANGUAGE c STABLE STRICT PARALLEL SAFE ROWS 1 AS 'MODULE_PATHNAME', 'comb_partition_bounds';
COMMENT ON FUNCTION @extschema@.comb_partition_bounds(regclass) IS
    'internal: times of the bounds of a partition';

CREATE FUNCTION @extschema@.comb_partition_range(partition regclass) RETURNS tstzrange
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    RETURN (SELECT tstzrange(lower, upper) FROM @extschema@.comb_partition_bounds(partition));
COMMENT ON FUNCTION @extschema@.comb_partition_range(regclass) IS
    'times of the UUIDs in a partition; null for the default partition and for one with UUIDs before all of version 7';

SELECT set_config('search_path', '@extschema@, pg_temp', true);
-- Keys in a range of time
--
-- Not STRICT: they are the AND of two comparisons, which is false if one of them is, whatever the other is.
-- OR REPLACE, since 0.1.0 had two of them, written in SQL.

CREATE FUNCTION comb_between_support(internal) RETURNS internal
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_between_support';
COMMENT ON FUNCTION comb_between_support(internal) IS 'planner support of comb_between and comb_between_time';

CREATE OR REPLACE FUNCTION comb_between(id uuid, from_time timestamptz, to_time timestamptz) RETURNS boolean
    LANGUAGE c IMMUTABLE PARALLEL SAFE LEAKPROOF COST 2 SUPPORT comb_between_support
    AS 'MODULE_PATHNAME', 'comb_between';
COMMENT ON FUNCTION comb_between(uuid, timestamptz, timestamptz) IS
    'whether UUID version 7 is at or after the first time and before the second';

CREATE OR REPLACE FUNCTION comb_between(id uniqueidentifier, from_time timestamptz, to_time timestamptz)
    RETURNS boolean
    LANGUAGE c IMMUTABLE PARALLEL SAFE LEAKPROOF COST 2 SUPPORT comb_between_support
    AS 'MODULE_PATHNAME', 'comb_mssql_between';
COMMENT ON FUNCTION comb_between(uniqueidentifier, timestamptz, timestamptz) IS
    'whether uniqueidentifier of layout mssql is at or after the first time and before the second';

CREATE FUNCTION comb_between_time(id uuid, from_time timestamptz, to_time timestamptz) RETURNS boolean
    LANGUAGE c IMMUTABLE PARALLEL SAFE LEAKPROOF COST 2 SUPPORT comb_between_support
    AS 'MODULE_PATHNAME', 'comb_between_time';
COMMENT ON FUNCTION comb_between_time(uuid, timestamptz, timestamptz) IS
    'whether UUID version 7 is at or after the first time and before the second, in time order';

-- In the place of the functions of the operators, these mark the two comparisons for a partitioned table, so that the
-- support function recognizes them in a partition. Their parameters are internal so that SQL cannot call them.

CREATE FUNCTION comb_between_lower(internal, internal) RETURNS boolean
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT comb_between_support AS 'uuid_ge';
COMMENT ON FUNCTION comb_between_lower(internal, internal) IS 'planner support of comb_between(uuid)';

CREATE FUNCTION comb_between_upper(internal, internal) RETURNS boolean
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT comb_between_support AS 'uuid_lt';
COMMENT ON FUNCTION comb_between_upper(internal, internal) IS 'planner support of comb_between(uuid)';

CREATE FUNCTION comb_mssql_between_lower(internal, internal) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT comb_between_support
    AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION comb_mssql_between_lower(internal, internal) IS 'planner support of comb_between(uniqueidentifier)';

CREATE FUNCTION comb_mssql_between_upper(internal, internal) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT comb_between_support
    AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION comb_mssql_between_upper(internal, internal) IS 'planner support of comb_between(uniqueidentifier)';

CREATE FUNCTION comb_between_time_lower(internal, internal) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT comb_between_support
    AS 'MODULE_PATHNAME', 'comb_time_ge';
COMMENT ON FUNCTION comb_between_time_lower(internal, internal) IS 'planner support of comb_between_time';

CREATE FUNCTION comb_between_time_upper(internal, internal) RETURNS boolean
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF SUPPORT comb_between_support
    AS 'MODULE_PATHNAME', 'comb_time_le';
COMMENT ON FUNCTION comb_between_time_upper(internal, internal) IS 'planner support of comb_between_time';

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
CREATE FUNCTION comb_add_time_skip_support() RETURNS void LANGUAGE sql AS $$
    ALTER OPERATOR FAMILY uuid_time_ops USING btree ADD
        FUNCTION 6 (uuid, uuid) comb_time_skipsupport(internal)
$$;
SELECT comb_add_skip_support()
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) 'comb_mssql_skipsupport(internal)'::regprocedure
);
SELECT comb_add_time_skip_support()
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) 'comb_time_skipsupport(internal)'::regprocedure
);
DROP FUNCTION comb_add_skip_support(), comb_add_time_skip_support();
