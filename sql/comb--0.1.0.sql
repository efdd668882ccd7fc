\echo Use "CREATE EXTENSION comb" to load this file. \quit

-- The install script is these files in the order of their names.

-- Generating UUIDs

CREATE FUNCTION comb_new() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new';
COMMENT ON FUNCTION comb_new() IS
    'generate UUID version 7, greater than every earlier one in its scope';

CREATE FUNCTION comb_new(layout text) RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_layout';
COMMENT ON FUNCTION comb_new(text) IS
    'generate UUID in the given layout, greater in its byte order than every earlier one in its scope';

CREATE FUNCTION comb_new_mssql() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_mssql';
COMMENT ON FUNCTION comb_new_mssql() IS
    'generate UUID in layout mssql, monotonic in SQL Server''s order';

CREATE FUNCTION comb_new_mssql_legacy() RETURNS uuid
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_mssql_legacy';
COMMENT ON FUNCTION comb_new_mssql_legacy() IS
    'generate UUID in layout mssql_legacy, monotonic in SQL Server''s order';

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
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_timestamp';
COMMENT ON FUNCTION comb_timestamp(uuid) IS
    'extract timestamp from UUID version 1, 6 or 7; null for any other version';

CREATE FUNCTION comb_timestamp(id uuid, layout text) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_timestamp_layout';
COMMENT ON FUNCTION comb_timestamp(uuid, text) IS
    'extract timestamp from UUID in the given layout; null if the UUID cannot be in that layout';

CREATE FUNCTION comb_timestamp_mssql(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_timestamp_mssql';
COMMENT ON FUNCTION comb_timestamp_mssql(uuid) IS
    'extract timestamp from UUID in layout mssql';

CREATE FUNCTION comb_timestamp_mssql_legacy(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_timestamp_mssql_legacy';
COMMENT ON FUNCTION comb_timestamp_mssql_legacy(uuid) IS
    'extract timestamp from UUID in layout mssql_legacy; null if the UUID cannot be in that layout';

CREATE FUNCTION comb_timestamp_micros(id uuid) RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_timestamp_micros';
COMMENT ON FUNCTION comb_timestamp_micros(uuid) IS
    'extract timestamp in microseconds from UUID version 7 whose rand_a holds a fraction of the millisecond; null for any other version';

CREATE FUNCTION comb_inspect(id uuid) RETURNS jsonb
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_inspect';
COMMENT ON FUNCTION comb_inspect(uuid) IS
    'version and variant of UUID, and its timestamp in every layout, plausible layouts first';

-- Rewriting UUIDs

CREATE FUNCTION comb_set_timestamp(id uuid, at timestamptz, layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_set_timestamp';
COMMENT ON FUNCTION comb_set_timestamp(uuid, timestamptz, text) IS
    'replace the time field of UUID and keep all other bits; layout uuidv7 also sets version and variant';

CREATE FUNCTION comb_convert(id uuid, source text, target text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_convert';
COMMENT ON FUNCTION comb_convert(uuid, text, text) IS
    'convert UUID from one layout to another; null if the UUID cannot be in the first';

CREATE FUNCTION comb_dotnet_swap(id uuid) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_dotnet_swap';
COMMENT ON FUNCTION comb_dotnet_swap(uuid) IS
    'reverse bytes 0 to 3, 4 to 5 and 6 to 7 of UUID, as Guid.ToByteArray() does; its own inverse';

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
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_lower_bound';
COMMENT ON FUNCTION comb_lower_bound(timestamptz) IS
    'smallest UUID version 7 at or after the given time; accepts any time';

-- The planner inlines it, so an index on id serves the two comparisons. It is not STRICT: the planner
-- inlines a STRICT function only if any null argument makes the body null, and AND does not.
CREATE FUNCTION comb_between(id uuid, from_time timestamptz, to_time timestamptz) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id >= comb_lower_bound(from_time) AND id < comb_lower_bound(to_time);
COMMENT ON FUNCTION comb_between(uuid, timestamptz, timestamptz) IS
    'is UUID version 7 at or after the first time and before the second?';

-- Layouts

CREATE FUNCTION comb_layouts() RETURNS TABLE (
        label text, time_field text, byte_order text, stamp integer, resolution text,
        first text, last text, known_as text
    )
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE ROWS 11 AS 'MODULE_PATHNAME', 'comb_layouts';
COMMENT ON FUNCTION comb_layouts() IS
    'layouts, with their time field, byte order, version, resolution, range and the programs that write them';

-- BSV COMBs: 32 characters of text

CREATE FUNCTION comb_new_bsv() RETURNS text
    LANGUAGE c VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_new_bsv';
COMMENT ON FUNCTION comb_new_bsv() IS
    'generate BSV COMB, time-ordered under COLLATE "C"';

CREATE FUNCTION comb_bsv_timestamp(bsv text, zone text DEFAULT 'UTC') RETURNS timestamptz
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_bsv_timestamp';
COMMENT ON FUNCTION comb_bsv_timestamp(text, text) IS
    'extract timestamp from BSV COMB written in the given time zone; null after year 9999';

CREATE FUNCTION comb_bsv_uuid(bsv text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_bsv_uuid';
COMMENT ON FUNCTION comb_bsv_uuid(text) IS
    'extract UUID version 4 from BSV COMB';

-- The clock that keeps generated UUIDs in order

CREATE FUNCTION comb_status(
        OUT scope text, OUT reason text,
        OUT latest timestamptz, OUT ahead interval, OUT level_at timestamptz, OUT lead_stays boolean,
        OUT steps_back bigint, OUT stepped_back interval, OUT largest_step_back interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT library_version text, OUT extension_version text, OUT update_due boolean
    ) RETURNS record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_status';
COMMENT ON FUNCTION comb_status() IS
    'state of the clock that UUIDs are generated from: its scope, its lead over the system clock, and how it started';

CREATE FUNCTION comb_observe(id uuid, layout text DEFAULT 'uuidv7') RETURNS timestamptz
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_observe';
COMMENT ON FUNCTION comb_observe(uuid, text) IS
    'advance the clock to the given UUID, so that the next UUID is greater; for use after failover or restore';

CREATE FUNCTION comb_reset_clock() RETURNS timestamptz
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'comb_reset_clock';
COMMENT ON FUNCTION comb_reset_clock() IS
    'set the clock back to the system clock; the next UUID may be smaller than earlier ones';

-- They change the order of everybody's UUIDs. 95-majors.sql grants them to pg_maintain.
REVOKE ALL ON FUNCTION comb_observe(uuid, text), comb_reset_clock() FROM PUBLIC;

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
-- uuid column serves in either order, so that a foreign key needs no index of its own.
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
-- They stand in pg_catalog, whatever the schema of the extension. Where a search_path lacks that
-- schema, an operator in it is not found, and the implicit cast makes id > $1 a comparison of uuids, in
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
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_smaller';
COMMENT ON FUNCTION uniqueidentifier_smaller(uniqueidentifier, uniqueidentifier) IS
    'smaller of two, in SQL Server''s order';

CREATE AGGREGATE pg_catalog.min(uniqueidentifier) (
    SFUNC = uniqueidentifier_smaller, STYPE = uniqueidentifier,
    COMBINEFUNC = uniqueidentifier_smaller, SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE
);
COMMENT ON AGGREGATE pg_catalog.min(uniqueidentifier) IS
    'minimum value of all uniqueidentifier input values, in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_larger(uniqueidentifier, uniqueidentifier) RETURNS uniqueidentifier
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_larger';
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
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_lower_bound';
COMMENT ON FUNCTION comb_mssql_lower_bound(timestamptz) IS
    'smallest uniqueidentifier of layout mssql at or after the given time; accepts any time';

-- Not STRICT for the same reason as comb_between(uuid, timestamptz, timestamptz).
CREATE FUNCTION comb_between(id uniqueidentifier, from_time timestamptz, to_time timestamptz)
    RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN id >= comb_mssql_lower_bound(from_time) AND id < comb_mssql_lower_bound(to_time);
COMMENT ON FUNCTION comb_between(uniqueidentifier, timestamptz, timestamptz) IS
    'is uniqueidentifier of layout mssql at or after the first time and before the second?';

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
