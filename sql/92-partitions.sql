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
-- Operators here are those of pg_catalog, whatever operators a schema of the search path has.

SET LOCAL search_path = pg_catalog, pg_temp;

-- Not IMMUTABLE, so that it is called where a CASE says so and not before.
CREATE FUNCTION @extschema@.comb_partition_error(fault text, name text) RETURNS text
    LANGUAGE c STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'comb_partition_error';
COMMENT ON FUNCTION @extschema@.comb_partition_error(text, text) IS 'internal: raise an error about partitions';

CREATE FUNCTION @extschema@.comb_partition_layout(parent regclass) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    SELECT CASE
        WHEN c.oid IS NULL THEN @extschema@.comb_partition_error('no table'::text, parent::oid::text)
        WHEN p.partrelid IS NULL THEN @extschema@.comb_partition_error('not partitioned'::text, parent::text)
        WHEN p.partstrat <> 'r' THEN @extschema@.comb_partition_error('not by range'::text, parent::text)
        WHEN p.partnatts <> 1 THEN @extschema@.comb_partition_error('several columns'::text, parent::text)
        WHEN p.partattrs[0] = 0 THEN @extschema@.comb_partition_error('expression'::text, parent::text)
        -- By what the partitions are compared by, which says more than a type.
        WHEN f.amproc::oid = ANY (ARRAY['uuid_cmp(uuid, uuid)'::regprocedure,
                                        '@extschema@.comb_time_cmp(uuid, uuid)'::regprocedure]) THEN 'uuidv7'
        WHEN f.amproc::oid = ANY (ARRAY['@extschema@.comb_mssql_cmp(uuid, uuid)'::regprocedure,
                                        '@extschema@.uniqueidentifier_cmp(@extschema@.uniqueidentifier, @extschema@.uniqueidentifier)'::regprocedure]) THEN 'mssql'
        ELSE @extschema@.comb_partition_error('not by id'::text, parent::text)
    END
    FROM (SELECT) one
    LEFT JOIN pg_catalog.pg_class c ON c.oid = parent
    LEFT JOIN pg_catalog.pg_partitioned_table p ON p.partrelid = c.oid
    LEFT JOIN pg_catalog.pg_opclass o ON o.oid = p.partclass[0]
    LEFT JOIN pg_catalog.pg_amproc f ON f.amprocfamily = o.opcfamily AND f.amproclefttype = o.opcintype
        AND f.amprocrighttype = o.opcintype AND f.amprocnum = 1;
END;
COMMENT ON FUNCTION @extschema@.comb_partition_layout(regclass) IS
    'layout of the UUIDs by which a table is partitioned';

-- Cuts are computed as timestamps without time zone, in UTC, where every day has 24 hours. Units of months
-- count from the year 0, shorter ones from Monday, 0001-01-01. So calls with other times cut at the same
-- moments, and the name of a partition says where it begins.
CREATE FUNCTION @extschema@.comb_partitions(parent regclass, from_time timestamptz, until timestamptz, step interval)
    RETURNS TABLE (name text, lower_bound uuid, upper_bound uuid, statement text)
    LANGUAGE sql STABLE STRICT PARALLEL SAFE ROWS 100
BEGIN ATOMIC
    WITH layout AS (
        SELECT @extschema@.comb_partition_layout(parent) AS label
    ), units AS (
        SELECT CASE WHEN isfinite(step) THEN (extract(year FROM step) * 12 + extract(month FROM step))::bigint END AS months,
            CASE WHEN isfinite(step) THEN
                ((extract(day FROM step) * 24 + extract(hour FROM step)) * 60 + extract(minute FROM step)) * 60000
                + extract(milliseconds FROM step) END AS ms
    ), checked AS MATERIALIZED (
        -- Once, and before anything is computed: the planner must not fold a step that fails the check.
        SELECT label, months, ms, from_time AT TIME ZONE 'UTC' AS first, until AT TIME ZONE 'UTC' AS last,
            CASE WHEN @extschema@.comb_partition_error(CASE
                WHEN NOT isfinite(from_time) OR NOT isfinite(until) THEN 'infinite'
                WHEN from_time > until THEN 'backwards'
                WHEN coalesce(months = 0 AND ms = 0, true) THEN 'step not positive'
                WHEN months <> 0 AND ms <> 0 THEN 'step mixed'
                WHEN months < 0 OR ms < 0 THEN 'step not positive'
                WHEN ms <> trunc(ms) THEN 'step too fine'
                -- No month is shorter than 28 days.
                WHEN (extract(epoch FROM until) - extract(epoch FROM from_time)) * 1000 > 10000 * (months * 2419200000 + ms) THEN 'too many'
            END, ''::text) IS NULL THEN step END AS checked_step
        FROM layout, units
        WHERE label IS NOT NULL
    ), cuts AS (
        SELECT label, start, start + checked_step AS stop, CASE
            WHEN months % 12 = 0 AND ms = 0 THEN '_YYYY'
            WHEN ms = 0 THEN '_YYYY_MM'
            WHEN ms % 86400000 = 0 THEN '_YYYY_MM_DD'
            WHEN ms % 3600000 = 0 THEN '_YYYY_MM_DD_HH24'
            WHEN ms % 60000 = 0 THEN '_YYYY_MM_DD_HH24MI'
            WHEN ms % 1000 = 0 THEN '_YYYY_MM_DD_HH24MISS'
            ELSE '_YYYY_MM_DD_HH24MISS_MS'
        END AS format
        FROM checked, LATERAL generate_series(
            CASE WHEN months > 0
                THEN date_trunc('month', first)
                    - ((extract(year FROM first) * 12 + extract(month FROM first) - 1) % months)::integer * interval '1 month'
                ELSE date_bin(checked_step, first, timestamp '0001-01-01')
            END, last, checked_step) start
        WHERE start < last
    ), names AS (
        SELECT start, @extschema@.comb_set_timestamp('00000000-0000-0000-0000-000000000000'::uuid, start AT TIME ZONE 'UTC', label) AS lower_bound,
            @extschema@.comb_set_timestamp('00000000-0000-0000-0000-000000000000'::uuid, stop AT TIME ZONE 'UTC', label) AS upper_bound,
            n.nspname AS schema, c.relnamespace, c.relname AS table, to_char(start, format) AS suffix
        -- All that is left of a table that does not exist is its error.
        FROM cuts LEFT JOIN pg_catalog.pg_class c ON c.oid = parent LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    ), fitting AS MATERIALIZED (
        -- Up to 63 bytes. A table's name that is too long ends in 8 digits of its hash.
        SELECT start, lower_bound, upper_bound, schema, relnamespace, "table", CASE
            WHEN octet_length("table") + octet_length(suffix) <= 63 THEN "table" || suffix
            ELSE (SELECT "left"("table", n) FROM generate_series(1, 63) n
                  WHERE octet_length("left"("table", n)) <= 54 - octet_length(suffix)
                  ORDER BY n DESC LIMIT 1)
                || '_' || "left"(encode(pg_catalog.sha256(textsend("table")), 'hex'), 8) || suffix
        END AS partition
        FROM names
    )
    -- What has the name but is another table or another partition must not pass for this one.
    SELECT format('%I.%I', schema, partition), lower_bound, upper_bound,
        format('CREATE TABLE %s%I.%I PARTITION OF %I.%I FOR VALUES FROM (%L) TO (%L)',
            CASE WHEN e.oid IS NULL OR EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = e.oid AND i.inhparent = parent)
                    AND pg_get_expr(e.relpartbound, e.oid) = format('FOR VALUES FROM (%L) TO (%L)', lower_bound, upper_bound)
                THEN 'IF NOT EXISTS ' ELSE '' END,
            schema, partition, schema, "table", lower_bound, upper_bound)
    FROM fitting LEFT JOIN pg_catalog.pg_class e ON e.relnamespace = fitting.relnamespace AND e.relname = partition::name
    ORDER BY start;
END;
COMMENT ON FUNCTION @extschema@.comb_partitions(regclass, timestamptz, timestamptz, interval) IS
    'statements that create the partitions of a table from one time until another';

CREATE FUNCTION @extschema@.comb_partition_range(partition regclass) RETURNS tstzrange
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
    WITH bounds AS (
        SELECT CASE
                WHEN c.oid IS NULL THEN @extschema@.comb_partition_error('no table'::text, partition::oid::text)
                WHEN NOT c.relispartition THEN @extschema@.comb_partition_error('no partition'::text, partition::text)
                ELSE @extschema@.comb_partition_layout((SELECT i.inhparent::regclass FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid))
            END AS layout,
            EXISTS (
                SELECT FROM pg_catalog.pg_inherits i
                JOIN pg_catalog.pg_partitioned_table p ON p.partrelid = i.inhparent
                JOIN pg_catalog.pg_opclass o ON o.oid = p.partclass[0]
                JOIN pg_catalog.pg_amproc f ON f.amprocfamily = o.opcfamily
                WHERE i.inhrelid = c.oid AND f.amproc::oid = '@extschema@.comb_time_cmp(uuid, uuid)'::regprocedure
            ) AS in_time_order,
            regexp_match(pg_get_expr(c.relpartbound, c.oid), '^FOR VALUES FROM \((.*)\) TO \((.*)\)$') AS sides
        FROM (SELECT) one LEFT JOIN pg_catalog.pg_class c ON c.oid = partition
    ), ids AS (
        SELECT layout, place, CASE
            WHEN btrim(side, '''') NOT IN ('MINVALUE', 'MAXVALUE', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff')
            THEN btrim(side, '''')::uuid END AS id
        FROM bounds, unnest(sides) WITH ORDINALITY u (side, place)
    ), times AS (
        SELECT place, CASE WHEN id IS NOT NULL THEN coalesce(
            CASE layout WHEN 'uuidv7' THEN @extschema@.comb_partman_decoder(id) ELSE @extschema@.comb_timestamp(id, layout) END,
            @extschema@.comb_partition_error('no time'::text, partition::text)::timestamptz) END AS at
        FROM ids
    )
    -- In time order, keys without a time come first: a partition without a lower bound has them.
    SELECT tstzrange((SELECT at FROM times WHERE place = 1), (SELECT at FROM times WHERE place = 2))
    FROM bounds
    WHERE layout IS NOT NULL AND sides IS NOT NULL AND NOT (in_time_order AND (SELECT at FROM times WHERE place = 1) IS NULL);
END;
COMMENT ON FUNCTION @extschema@.comb_partition_range(regclass) IS
    'times of the UUIDs in a partition; null for the default partition and for one with UUIDs before all of version 7';

SELECT set_config('search_path', '@extschema@, pg_temp', true);
