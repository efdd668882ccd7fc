-- uniqueidentifier: a uuid whose default order is SQL Server's

CREATE TYPE uniqueidentifier;

CREATE FUNCTION uniqueidentifier_in(cstring) RETURNS uniqueidentifier
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'uniqueidentifier_in';
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
COMMENT ON FUNCTION uniqueidentifier_eq_support(internal) IS 'planner support for equality of uniqueidentifier and uuid';

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
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=), RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR pg_catalog.< (uniqueidentifier, uniqueidentifier) IS 'less than, in SQL Server''s order';
CREATE OPERATOR pg_catalog.< (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=), RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR pg_catalog.< (uniqueidentifier, uuid) IS 'less than, in SQL Server''s order';
CREATE OPERATOR pg_catalog.< (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_lt,
    COMMUTATOR = OPERATOR(pg_catalog.>), NEGATOR = OPERATOR(pg_catalog.>=), RESTRICT = scalarltsel, JOIN = scalarltjoinsel);
COMMENT ON OPERATOR pg_catalog.< (uuid, uniqueidentifier) IS 'less than, in SQL Server''s order';

CREATE OPERATOR pg_catalog.<= (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>), RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR pg_catalog.<= (uniqueidentifier, uniqueidentifier) IS 'less than or equal, in SQL Server''s order';
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>), RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR pg_catalog.<= (uniqueidentifier, uuid) IS 'less than or equal, in SQL Server''s order';
CREATE OPERATOR pg_catalog.<= (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_le,
    COMMUTATOR = OPERATOR(pg_catalog.>=), NEGATOR = OPERATOR(pg_catalog.>), RESTRICT = scalarlesel, JOIN = scalarlejoinsel);
COMMENT ON OPERATOR pg_catalog.<= (uuid, uniqueidentifier) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR pg_catalog.= (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>), RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR pg_catalog.= (uniqueidentifier, uniqueidentifier) IS 'equal';
CREATE OPERATOR pg_catalog.= (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>), RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR pg_catalog.= (uniqueidentifier, uuid) IS 'equal';
CREATE OPERATOR pg_catalog.= (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_eq,
    COMMUTATOR = OPERATOR(pg_catalog.=), NEGATOR = OPERATOR(pg_catalog.<>), RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES);
COMMENT ON OPERATOR pg_catalog.= (uuid, uniqueidentifier) IS 'equal';

CREATE OPERATOR pg_catalog.>= (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<), RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR pg_catalog.>= (uniqueidentifier, uniqueidentifier) IS 'greater than or equal, in SQL Server''s order';
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<), RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR pg_catalog.>= (uniqueidentifier, uuid) IS 'greater than or equal, in SQL Server''s order';
CREATE OPERATOR pg_catalog.>= (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ge,
    COMMUTATOR = OPERATOR(pg_catalog.<=), NEGATOR = OPERATOR(pg_catalog.<), RESTRICT = scalargesel, JOIN = scalargejoinsel);
COMMENT ON OPERATOR pg_catalog.>= (uuid, uniqueidentifier) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR pg_catalog.> (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=), RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR pg_catalog.> (uniqueidentifier, uniqueidentifier) IS 'greater than, in SQL Server''s order';
CREATE OPERATOR pg_catalog.> (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=), RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR pg_catalog.> (uniqueidentifier, uuid) IS 'greater than, in SQL Server''s order';
CREATE OPERATOR pg_catalog.> (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_gt,
    COMMUTATOR = OPERATOR(pg_catalog.<), NEGATOR = OPERATOR(pg_catalog.<=), RESTRICT = scalargtsel, JOIN = scalargtjoinsel);
COMMENT ON OPERATOR pg_catalog.> (uuid, uniqueidentifier) IS 'greater than, in SQL Server''s order';

CREATE OPERATOR pg_catalog.<> (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=), RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR pg_catalog.<> (uniqueidentifier, uniqueidentifier) IS 'not equal';
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=), RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR pg_catalog.<> (uniqueidentifier, uuid) IS 'not equal';
CREATE OPERATOR pg_catalog.<> (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ne,
    COMMUTATOR = OPERATOR(pg_catalog.<>), NEGATOR = OPERATOR(pg_catalog.=), RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR pg_catalog.<> (uuid, uniqueidentifier) IS 'not equal';

-- B-tree

CREATE OPERATOR CLASS uniqueidentifier_ops DEFAULT FOR TYPE uniqueidentifier USING btree
    FAMILY uuid_mssql_ops AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 uniqueidentifier_cmp(uniqueidentifier, uniqueidentifier),
    FUNCTION 2 _comb_mssql_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS uniqueidentifier_ops USING btree IS 'uniqueidentifier in SQL Server''s order';

ALTER OPERATOR FAMILY uuid_mssql_ops USING btree ADD
    OPERATOR 1 < (uniqueidentifier, uuid), OPERATOR 2 <= (uniqueidentifier, uuid), OPERATOR 3 = (uniqueidentifier, uuid),
    OPERATOR 4 >= (uniqueidentifier, uuid), OPERATOR 5 > (uniqueidentifier, uuid),
    FUNCTION 1 (uniqueidentifier, uuid) uniqueidentifier_cmp(uniqueidentifier, uuid), OPERATOR 1 < (uuid, uniqueidentifier),
    OPERATOR 2 <= (uuid, uniqueidentifier), OPERATOR 3 = (uuid, uniqueidentifier), OPERATOR 4 >= (uuid, uniqueidentifier),
    OPERATOR 5 > (uuid, uniqueidentifier), FUNCTION 1 (uuid, uniqueidentifier) uniqueidentifier_cmp(uuid, uniqueidentifier);

-- Hash: the hash of uuid for both types, so that equal values have equal hashes across them

CREATE FUNCTION uniqueidentifier_hash(uniqueidentifier) RETURNS integer
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'uuid_hash';
COMMENT ON FUNCTION uniqueidentifier_hash(uniqueidentifier) IS 'hash';

CREATE FUNCTION uniqueidentifier_hash_extended(uniqueidentifier, bigint) RETURNS bigint
    LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'uuid_hash_extended';
COMMENT ON FUNCTION uniqueidentifier_hash_extended(uniqueidentifier, bigint) IS 'hash';

CREATE OPERATOR FAMILY uniqueidentifier_ops USING hash;
COMMENT ON OPERATOR FAMILY uniqueidentifier_ops USING hash IS 'hash of uuid and uniqueidentifier';

CREATE OPERATOR CLASS uniqueidentifier_ops DEFAULT FOR TYPE uniqueidentifier USING hash
    FAMILY uniqueidentifier_ops AS
    OPERATOR 1 =,
    FUNCTION 1 uniqueidentifier_hash(uniqueidentifier),
    FUNCTION 2 uniqueidentifier_hash_extended(uniqueidentifier, bigint);
COMMENT ON OPERATOR CLASS uniqueidentifier_ops USING hash IS 'hash of uniqueidentifier';

ALTER OPERATOR FAMILY uniqueidentifier_ops USING hash ADD
    OPERATOR 1 = (uniqueidentifier, uuid), OPERATOR 1 = (uuid, uniqueidentifier), OPERATOR 1 = (uuid, uuid),
    FUNCTION 1 (uuid, uuid) uuid_hash(uuid), FUNCTION 2 (uuid, uuid) uuid_hash_extended(uuid, bigint);

-- BRIN

CREATE OPERATOR CLASS uniqueidentifier_minmax_ops DEFAULT FOR TYPE uniqueidentifier USING brin
    FAMILY uuid_mssql_minmax_ops AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS uniqueidentifier_minmax_ops USING brin IS 'uniqueidentifier in SQL Server''s order';

ALTER OPERATOR FAMILY uuid_mssql_minmax_ops USING brin ADD
    OPERATOR 1 < (uniqueidentifier, uuid), OPERATOR 2 <= (uniqueidentifier, uuid), OPERATOR 3 = (uniqueidentifier, uuid),
    OPERATOR 4 >= (uniqueidentifier, uuid), OPERATOR 5 > (uniqueidentifier, uuid), OPERATOR 1 < (uuid, uniqueidentifier),
    OPERATOR 2 <= (uuid, uniqueidentifier), OPERATOR 3 = (uuid, uniqueidentifier), OPERATOR 4 >= (uuid, uniqueidentifier),
    OPERATOR 5 > (uuid, uniqueidentifier);

-- Aggregates, in pg_catalog as the operators are

CREATE FUNCTION uniqueidentifier_smaller(uniqueidentifier, uniqueidentifier) RETURNS uniqueidentifier
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_smaller';
COMMENT ON FUNCTION uniqueidentifier_smaller(uniqueidentifier, uniqueidentifier) IS 'smaller of two, in SQL Server''s order';

CREATE AGGREGATE pg_catalog.min(uniqueidentifier) (
    SFUNC = uniqueidentifier_smaller, STYPE = uniqueidentifier,
    COMBINEFUNC = uniqueidentifier_smaller, SORTOP = OPERATOR(pg_catalog.<), PARALLEL = SAFE);
COMMENT ON AGGREGATE pg_catalog.min(uniqueidentifier) IS
    'minimum value of all uniqueidentifier input values, in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_larger(uniqueidentifier, uniqueidentifier) RETURNS uniqueidentifier
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_larger';
COMMENT ON FUNCTION uniqueidentifier_larger(uniqueidentifier, uniqueidentifier) IS 'larger of two, in SQL Server''s order';

CREATE AGGREGATE pg_catalog.max(uniqueidentifier) (
    SFUNC = uniqueidentifier_larger, STYPE = uniqueidentifier,
    COMBINEFUNC = uniqueidentifier_larger, SORTOP = OPERATOR(pg_catalog.>), PARALLEL = SAFE);
COMMENT ON AGGREGATE pg_catalog.max(uniqueidentifier) IS
    'maximum value of all uniqueidentifier input values, in SQL Server''s order';

-- Ranges of time, in layout mssql

CREATE FUNCTION comb_mssql_lower_bound(at timestamptz) RETURNS uniqueidentifier
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_mssql_lower_bound';
COMMENT ON FUNCTION comb_mssql_lower_bound(timestamptz) IS
    'smallest uniqueidentifier of layout mssql at or after the given time; accepts any time';
