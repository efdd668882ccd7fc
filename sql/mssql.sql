-- SQL Server's order of uuids: the last six bytes first, from left to right, then bytes 8 and 9, then
-- 7 and 6, 5 and 4, 3 to 0.

-- Comparing uuids in that order

CREATE FUNCTION comb_mssql_cmp(uuid, uuid) RETURNS integer
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_cmp';
COMMENT ON FUNCTION comb_mssql_cmp(uuid, uuid) IS
    'less than, equal to or greater than 0, as the first UUID is before, equal to or after the second in SQL Server''s order';

CREATE FUNCTION comb_mssql_lt(uuid, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION comb_mssql_lt(uuid, uuid) IS 'implementation of <# operator';

CREATE FUNCTION comb_mssql_le(uuid, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_le';
COMMENT ON FUNCTION comb_mssql_le(uuid, uuid) IS 'implementation of <=# operator';

CREATE FUNCTION comb_mssql_ge(uuid, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION comb_mssql_ge(uuid, uuid) IS 'implementation of >=# operator';

CREATE FUNCTION comb_mssql_gt(uuid, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_gt';
COMMENT ON FUNCTION comb_mssql_gt(uuid, uuid) IS 'implementation of ># operator';

CREATE OPERATOR <# (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_mssql_lt,
    COMMUTATOR = >#, NEGATOR = >=#,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR <# (uuid, uuid) IS 'less than, in SQL Server''s order';

CREATE OPERATOR <=# (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_mssql_le,
    COMMUTATOR = >=#, NEGATOR = >#,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <=# (uuid, uuid) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR >=# (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_mssql_ge,
    COMMUTATOR = <=#, NEGATOR = <#,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >=# (uuid, uuid) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR ># (
    LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = comb_mssql_gt,
    COMMUTATOR = <#, NEGATOR = <=#,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR ># (uuid, uuid) IS 'greater than, in SQL Server''s order';

-- The type whose default order it is: uuid's bytes and text

CREATE TYPE uniqueidentifier;

CREATE FUNCTION uniqueidentifier_in(cstring) RETURNS uniqueidentifier
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE internal AS 'uuid_in';
COMMENT ON FUNCTION uniqueidentifier_in(cstring) IS 'I/O';
CREATE FUNCTION uniqueidentifier_out(uniqueidentifier) RETURNS cstring
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE internal AS 'uuid_out';
COMMENT ON FUNCTION uniqueidentifier_out(uniqueidentifier) IS 'I/O';
CREATE FUNCTION uniqueidentifier_recv(internal) RETURNS uniqueidentifier
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE internal AS 'uuid_recv';
COMMENT ON FUNCTION uniqueidentifier_recv(internal) IS 'I/O';
CREATE FUNCTION uniqueidentifier_send(uniqueidentifier) RETURNS bytea
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE internal AS 'uuid_send';
COMMENT ON FUNCTION uniqueidentifier_send(uniqueidentifier) IS 'I/O';

CREATE TYPE uniqueidentifier (
    INPUT = uniqueidentifier_in, OUTPUT = uniqueidentifier_out,
    RECEIVE = uniqueidentifier_recv, SEND = uniqueidentifier_send,
    LIKE = uuid
);
COMMENT ON TYPE uniqueidentifier IS 'UUID that sorts as SQL Server sorts it';

-- No function: the bytes are the same.
CREATE CAST (uniqueidentifier AS uuid) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (uniqueidentifier AS uuid) IS 'the same bytes';
CREATE CAST (uuid AS uniqueidentifier) WITHOUT FUNCTION AS ASSIGNMENT;
COMMENT ON CAST (uuid AS uniqueidentifier) IS 'the same bytes';

-- Its operators, with itself and with uuid: a parameter or a foreign key of type uuid uses its
-- indexes, and compares in its order.

CREATE FUNCTION uniqueidentifier_cmp(uniqueidentifier, uniqueidentifier) RETURNS integer
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_cmp';
COMMENT ON FUNCTION uniqueidentifier_cmp(uniqueidentifier, uniqueidentifier) IS 'less than, equal to or greater than 0, in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_lt(uniqueidentifier, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION uniqueidentifier_lt(uniqueidentifier, uniqueidentifier) IS 'implementation of < operator';

CREATE FUNCTION uniqueidentifier_le(uniqueidentifier, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_le';
COMMENT ON FUNCTION uniqueidentifier_le(uniqueidentifier, uniqueidentifier) IS 'implementation of <= operator';

CREATE FUNCTION uniqueidentifier_eq(uniqueidentifier, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE internal AS 'uuid_eq';
COMMENT ON FUNCTION uniqueidentifier_eq(uniqueidentifier, uniqueidentifier) IS 'implementation of = operator';

CREATE FUNCTION uniqueidentifier_ge(uniqueidentifier, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION uniqueidentifier_ge(uniqueidentifier, uniqueidentifier) IS 'implementation of >= operator';

CREATE FUNCTION uniqueidentifier_gt(uniqueidentifier, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_gt';
COMMENT ON FUNCTION uniqueidentifier_gt(uniqueidentifier, uniqueidentifier) IS 'implementation of > operator';

CREATE FUNCTION uniqueidentifier_ne(uniqueidentifier, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE internal AS 'uuid_ne';
COMMENT ON FUNCTION uniqueidentifier_ne(uniqueidentifier, uniqueidentifier) IS 'implementation of <> operator';

CREATE FUNCTION uniqueidentifier_cmp(uniqueidentifier, uuid) RETURNS integer
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_cmp';
COMMENT ON FUNCTION uniqueidentifier_cmp(uniqueidentifier, uuid) IS 'less than, equal to or greater than 0, in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_lt(uniqueidentifier, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION uniqueidentifier_lt(uniqueidentifier, uuid) IS 'implementation of < operator';

CREATE FUNCTION uniqueidentifier_le(uniqueidentifier, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_le';
COMMENT ON FUNCTION uniqueidentifier_le(uniqueidentifier, uuid) IS 'implementation of <= operator';

CREATE FUNCTION uniqueidentifier_eq(uniqueidentifier, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE internal AS 'uuid_eq';
COMMENT ON FUNCTION uniqueidentifier_eq(uniqueidentifier, uuid) IS 'implementation of = operator';

CREATE FUNCTION uniqueidentifier_ge(uniqueidentifier, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION uniqueidentifier_ge(uniqueidentifier, uuid) IS 'implementation of >= operator';

CREATE FUNCTION uniqueidentifier_gt(uniqueidentifier, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_gt';
COMMENT ON FUNCTION uniqueidentifier_gt(uniqueidentifier, uuid) IS 'implementation of > operator';

CREATE FUNCTION uniqueidentifier_ne(uniqueidentifier, uuid) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE internal AS 'uuid_ne';
COMMENT ON FUNCTION uniqueidentifier_ne(uniqueidentifier, uuid) IS 'implementation of <> operator';

CREATE FUNCTION uniqueidentifier_cmp(uuid, uniqueidentifier) RETURNS integer
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_cmp';
COMMENT ON FUNCTION uniqueidentifier_cmp(uuid, uniqueidentifier) IS 'less than, equal to or greater than 0, in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_lt(uuid, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_lt';
COMMENT ON FUNCTION uniqueidentifier_lt(uuid, uniqueidentifier) IS 'implementation of < operator';

CREATE FUNCTION uniqueidentifier_le(uuid, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_le';
COMMENT ON FUNCTION uniqueidentifier_le(uuid, uniqueidentifier) IS 'implementation of <= operator';

CREATE FUNCTION uniqueidentifier_eq(uuid, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE internal AS 'uuid_eq';
COMMENT ON FUNCTION uniqueidentifier_eq(uuid, uniqueidentifier) IS 'implementation of = operator';

CREATE FUNCTION uniqueidentifier_ge(uuid, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_ge';
COMMENT ON FUNCTION uniqueidentifier_ge(uuid, uniqueidentifier) IS 'implementation of >= operator';

CREATE FUNCTION uniqueidentifier_gt(uuid, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_gt';
COMMENT ON FUNCTION uniqueidentifier_gt(uuid, uniqueidentifier) IS 'implementation of > operator';

CREATE FUNCTION uniqueidentifier_ne(uuid, uniqueidentifier) RETURNS boolean
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE internal AS 'uuid_ne';
COMMENT ON FUNCTION uniqueidentifier_ne(uuid, uniqueidentifier) IS 'implementation of <> operator';

CREATE OPERATOR < (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_lt,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (uniqueidentifier, uniqueidentifier) IS 'less than, in SQL Server''s order';

CREATE OPERATOR <= (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_le,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (uniqueidentifier, uniqueidentifier) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR = (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_eq,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (uniqueidentifier, uniqueidentifier) IS 'equal';

CREATE OPERATOR >= (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ge,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (uniqueidentifier, uniqueidentifier) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR > (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_gt,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (uniqueidentifier, uniqueidentifier) IS 'greater than, in SQL Server''s order';

CREATE OPERATOR <> (
    LEFTARG = uniqueidentifier, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ne,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (uniqueidentifier, uniqueidentifier) IS 'not equal';

CREATE OPERATOR < (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_lt,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (uniqueidentifier, uuid) IS 'less than, in SQL Server''s order';

CREATE OPERATOR <= (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_le,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (uniqueidentifier, uuid) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR = (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_eq,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (uniqueidentifier, uuid) IS 'equal';

CREATE OPERATOR >= (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_ge,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (uniqueidentifier, uuid) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR > (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_gt,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (uniqueidentifier, uuid) IS 'greater than, in SQL Server''s order';

CREATE OPERATOR <> (
    LEFTARG = uniqueidentifier, RIGHTARG = uuid, FUNCTION = uniqueidentifier_ne,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (uniqueidentifier, uuid) IS 'not equal';

CREATE OPERATOR < (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_lt,
    COMMUTATOR = >, NEGATOR = >=,
    RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR < (uuid, uniqueidentifier) IS 'less than, in SQL Server''s order';

CREATE OPERATOR <= (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_le,
    COMMUTATOR = >=, NEGATOR = >,
    RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR <= (uuid, uniqueidentifier) IS 'less than or equal, in SQL Server''s order';

CREATE OPERATOR = (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_eq,
    COMMUTATOR = =, NEGATOR = <>,
    RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
COMMENT ON OPERATOR = (uuid, uniqueidentifier) IS 'equal';

CREATE OPERATOR >= (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ge,
    COMMUTATOR = <=, NEGATOR = <,
    RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR >= (uuid, uniqueidentifier) IS 'greater than or equal, in SQL Server''s order';

CREATE OPERATOR > (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_gt,
    COMMUTATOR = <, NEGATOR = <=,
    RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR > (uuid, uniqueidentifier) IS 'greater than, in SQL Server''s order';

CREATE OPERATOR <> (
    LEFTARG = uuid, RIGHTARG = uniqueidentifier, FUNCTION = uniqueidentifier_ne,
    COMMUTATOR = <>, NEGATOR = =,
    RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (uuid, uniqueidentifier) IS 'not equal';

-- btree

CREATE FUNCTION comb_mssql_sortsupport(internal) RETURNS void
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_sortsupport';
COMMENT ON FUNCTION comb_mssql_sortsupport(internal) IS 'sort support';

CREATE OPERATOR FAMILY uuid_mssql_ops USING btree;
COMMENT ON OPERATOR FAMILY uuid_mssql_ops USING btree IS 'SQL Server''s order';

-- Equality is uuid's own, so that WHERE id = $1, ON CONFLICT and foreign keys use such an index.
CREATE OPERATOR CLASS uuid_mssql_ops FOR TYPE uuid USING btree FAMILY uuid_mssql_ops AS
    OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =, OPERATOR 4 >=#, OPERATOR 5 >#,
    FUNCTION 1 comb_mssql_cmp(uuid, uuid),
    FUNCTION 2 comb_mssql_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS uuid_mssql_ops USING btree IS 'uuid in SQL Server''s order';

CREATE OPERATOR CLASS uniqueidentifier_ops DEFAULT FOR TYPE uniqueidentifier USING btree
    FAMILY uuid_mssql_ops AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 uniqueidentifier_cmp(uniqueidentifier, uniqueidentifier),
    FUNCTION 2 comb_mssql_sortsupport(internal),
    FUNCTION 4 btequalimage(oid);
COMMENT ON OPERATOR CLASS uniqueidentifier_ops USING btree IS 'SQL Server''s order';

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

-- hash: uuid's

CREATE FUNCTION uniqueidentifier_hash(uniqueidentifier) RETURNS integer
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE internal AS 'uuid_hash';
COMMENT ON FUNCTION uniqueidentifier_hash(uniqueidentifier) IS 'hash';
CREATE FUNCTION uniqueidentifier_hash_extended(uniqueidentifier, bigint) RETURNS bigint
STRICT IMMUTABLE PARALLEL SAFE LEAKPROOF LANGUAGE internal AS 'uuid_hash_extended';
COMMENT ON FUNCTION uniqueidentifier_hash_extended(uniqueidentifier, bigint) IS 'hash';

CREATE OPERATOR FAMILY uniqueidentifier_ops USING hash;
COMMENT ON OPERATOR FAMILY uniqueidentifier_ops USING hash IS 'uuid''s hash';
CREATE OPERATOR CLASS uniqueidentifier_ops DEFAULT FOR TYPE uniqueidentifier USING hash
    FAMILY uniqueidentifier_ops AS
    OPERATOR 1 =,
    FUNCTION 1 uniqueidentifier_hash(uniqueidentifier),
    FUNCTION 2 uniqueidentifier_hash_extended(uniqueidentifier, bigint);
COMMENT ON OPERATOR CLASS uniqueidentifier_ops USING hash IS 'uuid''s hash';
ALTER OPERATOR FAMILY uniqueidentifier_ops USING hash ADD
    OPERATOR 1 = (uniqueidentifier, uuid),
    OPERATOR 1 = (uuid, uniqueidentifier),
    OPERATOR 1 = (uuid, uuid),
    FUNCTION 1 (uuid, uuid) uuid_hash(uuid),
    FUNCTION 2 (uuid, uuid) uuid_hash_extended(uuid, bigint);

-- BRIN minmax

CREATE OPERATOR CLASS uuid_mssql_minmax_ops FOR TYPE uuid USING brin AS
    OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =, OPERATOR 4 >=#, OPERATOR 5 >#,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS uuid_mssql_minmax_ops USING brin IS 'SQL Server''s order';
COMMENT ON OPERATOR FAMILY uuid_mssql_minmax_ops USING brin IS 'SQL Server''s order';

CREATE OPERATOR CLASS uniqueidentifier_minmax_ops DEFAULT FOR TYPE uniqueidentifier USING brin AS
    OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
    FUNCTION 1 brin_minmax_opcinfo(internal),
    FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
    FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
    FUNCTION 4 brin_minmax_union(internal, internal, internal);
COMMENT ON OPERATOR CLASS uniqueidentifier_minmax_ops USING brin IS 'SQL Server''s order';
COMMENT ON OPERATOR FAMILY uniqueidentifier_minmax_ops USING brin IS 'SQL Server''s order';

ALTER OPERATOR FAMILY uniqueidentifier_minmax_ops USING brin ADD
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

-- min and max

CREATE FUNCTION uniqueidentifier_smaller(uniqueidentifier, uniqueidentifier) RETURNS uniqueidentifier
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_smaller';
COMMENT ON FUNCTION uniqueidentifier_smaller(uniqueidentifier, uniqueidentifier) IS 'smaller of two, in SQL Server''s order';
CREATE AGGREGATE min(uniqueidentifier) (
    SFUNC = uniqueidentifier_smaller, STYPE = uniqueidentifier, SORTOP = <,
    COMBINEFUNC = uniqueidentifier_smaller, PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(uniqueidentifier) IS 'smallest in SQL Server''s order';

CREATE FUNCTION uniqueidentifier_larger(uniqueidentifier, uniqueidentifier) RETURNS uniqueidentifier
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_larger';
COMMENT ON FUNCTION uniqueidentifier_larger(uniqueidentifier, uniqueidentifier) IS 'larger of two, in SQL Server''s order';
CREATE AGGREGATE max(uniqueidentifier) (
    SFUNC = uniqueidentifier_larger, STYPE = uniqueidentifier, SORTOP = >,
    COMBINEFUNC = uniqueidentifier_larger, PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(uniqueidentifier) IS 'largest in SQL Server''s order';

-- Ranges of time, of layout mssql

CREATE FUNCTION comb_mssql_lower_bound(at timestamptz) RETURNS uniqueidentifier
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_mssql_lower_bound';
COMMENT ON FUNCTION comb_mssql_lower_bound(timestamptz) IS
    'value from which on COMBs of layout mssql are not before the given moment; saturates beyond their range';

CREATE FUNCTION comb_between(id uniqueidentifier, from_time timestamptz, to_time timestamptz)
RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN id >= comb_mssql_lower_bound(from_time) AND id < comb_mssql_lower_bound(to_time);
COMMENT ON FUNCTION comb_between(uniqueidentifier, timestamptz, timestamptz) IS
    'whether a COMB of layout mssql is of a moment from the first on and before the second; served by an ordinary index';
