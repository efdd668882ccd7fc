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
