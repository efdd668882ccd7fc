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
