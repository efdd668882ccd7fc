-- comb 0.4.1 to 0.5.0
\echo Use "ALTER EXTENSION comb UPDATE TO '0.5.0'" to load this file. \quit

-- Statements that only some major versions have

CREATE FUNCTION _comb_execute(statement text) RETURNS void
    LANGUAGE c VOLATILE STRICT AS 'MODULE_PATHNAME', 'comb_execute';
COMMENT ON FUNCTION _comb_execute(text) IS 'execute a statement of the extension''s scripts, in a query that has its condition';
REVOKE ALL ON FUNCTION _comb_execute(text) FROM PUBLIC;

-- Internal functions, which \df comb* does not show
ALTER FUNCTION comb_mssql_cmp(uuid, uuid) RENAME TO _comb_mssql_cmp;
ALTER FUNCTION comb_mssql_lt(uuid, uuid) RENAME TO _comb_mssql_lt;
ALTER FUNCTION comb_mssql_le(uuid, uuid) RENAME TO _comb_mssql_le;
ALTER FUNCTION comb_mssql_ge(uuid, uuid) RENAME TO _comb_mssql_ge;
ALTER FUNCTION comb_mssql_gt(uuid, uuid) RENAME TO _comb_mssql_gt;
ALTER FUNCTION comb_mssql_sortsupport(internal) RENAME TO _comb_mssql_sortsupport;
ALTER FUNCTION comb_mssql_skipsupport(internal) RENAME TO _comb_mssql_skipsupport;
ALTER FUNCTION comb_between_support(internal) RENAME TO _comb_between_support;
ALTER FUNCTION comb_between_implied(internal, internal) RENAME TO _comb_between_implied;
ALTER FUNCTION comb_smaller(uuid, uuid) RENAME TO _comb_smaller;
ALTER FUNCTION comb_larger(uuid, uuid) RENAME TO _comb_larger;
ALTER FUNCTION comb_clock_status() RENAME TO _comb_clock_status;

-- An update is due where the library is newer. What follows a hyphen, as of 0.5.0-dev, is not compared.
CREATE OR REPLACE FUNCTION comb_status(
        OUT scope text, OUT reason text, OUT latest timestamptz, OUT ahead interval,
        OUT seeded_at timestamptz, OUT seeded_from timestamptz, OUT seed_source text,
        OUT places integer, OUT places_used integer,
        OUT library_version text, OUT extension_version text, OUT update_due boolean
    ) RETURNS record
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED COST 1000
BEGIN ATOMIC
    SELECT s.scope, s.reason, s.latest, s.ahead, s.seeded_at, s.seeded_from, s.seed_source,
        s.places, s.places_used, s.library_version, e.extversion,
        pg_catalog.string_to_array(pg_catalog.split_part(e.extversion, '-', 1), '.')::integer[]
            OPERATOR(pg_catalog.<) pg_catalog.string_to_array(pg_catalog.split_part(s.library_version, '-', 1), '.')::integer[]
    FROM _comb_clock_status() s
    LEFT JOIN pg_catalog.pg_extension e ON e.extname OPERATOR(pg_catalog.=) 'comb'::pg_catalog.name;
END;

-- Conversions

COMMENT ON FUNCTION comb_convert(uuid, text, text) IS
    'convert UUID from one layout to another; null if the UUID cannot be in the first, or the second cannot hold its time';

-- A shifted time, and a text format of which there is one

DROP FUNCTION comb_shifted(interval, text);
DROP FUNCTION comb_encode(uuid, text);
DROP FUNCTION comb_decode(text, text);
CREATE FUNCTION comb_encode(id uuid) RETURNS text
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'comb_encode';
COMMENT ON FUNCTION comb_encode(uuid) IS
    'write UUID as 26 characters of Crockford''s base32, the text of ULID; sorts as the UUID under COLLATE "C"';
CREATE FUNCTION comb_decode(value text) RETURNS uuid
    LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_decode';
COMMENT ON FUNCTION comb_decode(text) IS 'read UUID from 26 characters of Crockford''s base32, the text of ULID';

-- Estimates of comparisons in SQL Server's order

CREATE FUNCTION _comb_mssql_selectivity(internal, oid, internal, integer) RETURNS float8
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_mssql_selectivity';
COMMENT ON FUNCTION _comb_mssql_selectivity(internal, oid, internal, integer) IS
    'restriction selectivity of operators in SQL Server''s order';
ALTER OPERATOR <# (uuid, uuid) SET (RESTRICT = _comb_mssql_selectivity);
ALTER OPERATOR <=# (uuid, uuid) SET (RESTRICT = _comb_mssql_selectivity);
ALTER OPERATOR >=# (uuid, uuid) SET (RESTRICT = _comb_mssql_selectivity);
ALTER OPERATOR ># (uuid, uuid) SET (RESTRICT = _comb_mssql_selectivity);

-- Polls name their table. A view that uses an old function makes these statements fail: drop it, update, and create it again.

DROP FUNCTION comb_horizon_holders();
DROP FUNCTION comb_floors();
DROP FUNCTION comb_horizon_status();
DROP FUNCTION comb_horizon(text);
DROP FUNCTION comb_sequence_horizon(regclass);
DROP FUNCTION comb_track(regclass);

COMMENT ON FUNCTION comb_track() IS 'trigger that writes the floor of a transaction before a statement generates keys';
COMMENT ON FUNCTION comb_guard() IS 'trigger that rejects rows whose key is not above the floor of their transaction';
COMMENT ON FUNCTION comb_tracked() IS 'generate UUID version 7 above a floor of the transaction';
COMMENT ON FUNCTION comb_tracked(text) IS 'generate UUID in the given layout above a floor of the transaction';

CREATE PROCEDURE comb_enable_polls(relation regclass, key text, layout text DEFAULT NULL)
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_enable_polls';
COMMENT ON PROCEDURE comb_enable_polls(regclass, text, text) IS
    'create the triggers with which a table can be polled by a column';

CREATE PROCEDURE comb_disable_polls(relation regclass, key text)
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_disable_polls';
COMMENT ON PROCEDURE comb_disable_polls(regclass, text) IS 'drop the triggers of comb_enable_polls()';

CREATE PROCEDURE comb_track(relation regclass)
    LANGUAGE c AS 'MODULE_PATHNAME', 'comb_track_table';
COMMENT ON PROCEDURE comb_track(regclass) IS 'write the floor of this transaction before a program generates keys of a table itself';

-- Without a cursor, after is a value that is above no key: NULL is an error, since a query that finds no cursor would return no row.
-- COST: for each row. The first call of a statement costs more.
CREATE FUNCTION comb_number_horizon(relation regclass, key text DEFAULT '', after bigint DEFAULT -9223372036854775808)
    RETURNS bigint
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 10 AS 'MODULE_PATHNAME', 'comb_number_horizon';
COMMENT ON FUNCTION comb_number_horizon(regclass, text, bigint) IS
    'number up to which no row of a table will appear any more that this statement does not see';

CREATE FUNCTION comb_uuid_horizon(
        relation regclass, key text DEFAULT '', after uuid DEFAULT '00000000-0000-0000-0000-000000000000', layout text DEFAULT ''
    ) RETURNS uuid
    LANGUAGE c STABLE PARALLEL RESTRICTED COST 10 AS 'MODULE_PATHNAME', 'comb_uuid_horizon';
COMMENT ON FUNCTION comb_uuid_horizon(regclass, text, uuid, text) IS
    'UUID up to which no row of a table will appear any more that this statement does not see';

CREATE FUNCTION comb_node_horizon(layout text DEFAULT 'uuidv7') RETURNS uuid
    LANGUAGE c STABLE STRICT PARALLEL RESTRICTED COST 10 AS 'MODULE_PATHNAME', 'comb_node_horizon';
COMMENT ON FUNCTION comb_node_horizon(text) IS
    'UUID up to which no key of comb_tracked() or comb_row_version() will appear any more on this node of Citus; checks no table';

CREATE FUNCTION comb_horizon_status(
        OUT relation regclass, OUT key text, OUT source regclass, OUT problem text, OUT untracked_tables integer,
        OUT horizon text, OUT horizon_timestamp timestamptz, OUT held_since timestamptz, OUT held_by xid8
    ) RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED COST 1000 ROWS 10 AS 'MODULE_PATHNAME', 'comb_polled_columns';
COMMENT ON FUNCTION comb_horizon_status() IS 'the polled columns of this database, their horizons, and the transactions that hold them back';

CREATE FUNCTION _comb_floors(
        OUT transaction xid8, OUT database oid, OUT relation oid, OUT attribute integer, OUT floor_id uuid, OUT floor_number bigint,
        OUT since timestamptz
    ) RETURNS SETOF record
    LANGUAGE c VOLATILE STRICT PARALLEL RESTRICTED ROWS 10 AS 'MODULE_PATHNAME', 'comb_table_floors';
COMMENT ON FUNCTION _comb_floors() IS 'columns of comb_horizon_holders() that comb knows';

CREATE FUNCTION comb_horizon_holders() RETURNS TABLE (
        pid integer, database name, username name, application text, state text,
        since timestamptz, relation regclass, floor_number bigint, floor_id uuid, floor_timestamp timestamptz, gid text
    )
    LANGUAGE sql VOLATILE PARALLEL RESTRICTED ROWS 10
BEGIN ATOMIC
    SELECT a.pid, d.datname, coalesce(a.usename, x.owner), a.application_name,
        CASE WHEN x.transaction IS NULL THEN a.state ELSE 'prepared' END,
        coalesce(x.prepared, f.since),
        CASE WHEN d.datname OPERATOR(pg_catalog.=) current_database() THEN f.relation END::regclass, f.floor_number, f.floor_id, comb_timestamp(f.floor_id), x.gid
    FROM _comb_floors() f
    JOIN pg_catalog.pg_database d ON d.oid OPERATOR(pg_catalog.=) f.database
    LEFT JOIN pg_catalog.pg_stat_activity a ON a.backend_xid OPERATOR(pg_catalog.=) f.transaction::xid
    LEFT JOIN pg_catalog.pg_prepared_xacts x ON x.transaction OPERATOR(pg_catalog.=) f.transaction::xid
    ORDER BY f.since;
END;
COMMENT ON FUNCTION comb_horizon_holders() IS 'transactions that hold a horizon back, oldest first';

-- Skip support of btree, from PostgreSQL 18 on
--
-- An update script runs these statements again: pg_upgrade brings the operator family of the old major version, which lacks it.
-- A database may lack PL/pgSQL, hence an SQL function, called under a condition.

SELECT _comb_execute(
    'ALTER OPERATOR FAMILY uuid_mssql_ops USING btree ADD
        FUNCTION 6 (uuid, uuid) _comb_mssql_skipsupport(internal),
        FUNCTION 6 (uniqueidentifier, uniqueidentifier) _comb_mssql_skipsupport(internal)'::text)
WHERE pg_catalog.current_setting('server_version_num')::integer OPERATOR(pg_catalog.>=) 180000
AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_amproc
    WHERE amproc OPERATOR(pg_catalog.=) '_comb_mssql_skipsupport(internal)'::regprocedure
);
