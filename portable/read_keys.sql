-- Read timestamps of UUIDs. Names, types and results are those of comb's functions. docs/without-comb.md says how to use them.
--
-- Plain SQL for PostgreSQL 14 to 18: no extension, no superuser. The planner inlines expressions of IMMUTABLE functions that are
-- not STRICT. No function generates a key: an order across connections needs a clock that they share.

-- 48 bits of milliseconds, as 24 and 24: intervals are multiplied in double precision. Versions 6 and 1 have 60 bits of 100 ns.
CREATE FUNCTION comb_timestamp(id uuid) RETURNS timestamptz IMMUTABLE PARALLEL SAFE RETURN CASE
    WHEN substr(id::text, 20, 1) NOT IN ('8', '9', 'a', 'b') THEN NULL
    WHEN substr(id::text, 15, 1) = '7' THEN (timestamp '1970-01-01'
        + ('x' || substr(id::text, 1, 6))::bit(24)::integer * interval '16777.216 s'
        + ('x' || substr(id::text, 7, 2) || substr(id::text, 10, 4))::bit(24)::integer * interval '1 ms') AT TIME ZONE 'UTC'
    WHEN substr(id::text, 15, 1) IN ('1', '6') THEN (timestamp '1582-10-15'
        + ('x0' || regexp_replace(id::text, '^(?:(.{8})-(.{4})-6(...)|(.{8})-(.{4})-1(...)).*', '\1\2\3\6\5\4'))::bit(64)::bigint
            / 10000000 * interval '1 s'
        + ('x0' || regexp_replace(id::text, '^(?:(.{8})-(.{4})-6(...)|(.{8})-(.{4})-1(...)).*', '\1\2\3\6\5\4'))::bit(64)::bigint
            % 10000000 / 10 * interval '1 us') AT TIME ZONE 'UTC'
END;

-- Up to the year 9999.
CREATE FUNCTION comb_timestamp_mssql(id uuid) RETURNS timestamptz IMMUTABLE PARALLEL SAFE RETURN CASE
    WHEN substr(id::text, 25) COLLATE "C" < 'e677d21fdc00' THEN
        (timestamp '1970-01-01'
        + ('x' || substr(id::text, 25, 6))::bit(24)::integer * interval '16777.216 s'
        + ('x' || substr(id::text, 31))::bit(24)::integer * interval '1 ms') AT TIME ZONE 'UTC'
END;

-- Milliseconds, and below them 16 bits with the fraction, of which 12 are before the variant.
CREATE FUNCTION comb_lower_bound(at timestamptz) RETURNS uuid IMMUTABLE PARALLEL SAFE RETURN CASE
    WHEN at < '1970-01-01 00:00:00Z' THEN '00000000-0000-7000-8000-000000000000'::uuid
    WHEN at >= '10889-08-02 05:31:50.656Z' THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid
    ELSE (lpad(to_hex(floor(extract(epoch FROM at AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0') || '7'
        || lpad(to_hex(ceil(mod(extract(epoch FROM at AT TIME ZONE 'UTC') * 1000, 1) * 65536)::integer >> 4), 3, '0')
        || to_hex(128 + (ceil(mod(extract(epoch FROM at AT TIME ZONE 'UTC') * 1000, 1) * 65536)::integer & 15) * 4)
        || '00000000000000')::uuid
END;

CREATE FUNCTION comb_between(id uuid, from_time timestamptz, to_time timestamptz) RETURNS boolean IMMUTABLE PARALLEL SAFE
    RETURN id >= comb_lower_bound(from_time) AND id < comb_lower_bound(to_time);

CREATE FUNCTION comb_dotnet_swap(id uuid) RETURNS uuid IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(id::text, '(..)(..)(..)(..)-(..)(..)-(..)(..)', '\4\3\2\1-\6\5-\8\7')::uuid;

-- Between mssql and uuidv7 only. Both have 48 bits of milliseconds, and 74 bits in the order in which their system compares.
CREATE FUNCTION comb_convert(id uuid, source text, target text) RETURNS uuid
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    bits bit(128) := 'x' || translate(id::text, '-', '');
    stamp text := substr(id::text, 15, 1) || (get_byte(uuid_send(id), 8) >> 6);
    low bit(74);
    year_10000 CONSTANT text := 'e677d21fdc00';
BEGIN
    IF (source, target) = ('mssql', 'uuidv7') THEN
        IF stamp <> '42' OR substr(id::text, 25) COLLATE "C" >= year_10000 THEN
            RETURN NULL;
        END IF;
        -- SQL Server compares bytes 10 to 15, then 8 and 9, then 7 to 0.
        low := substring(bits, 67, 14) || substring(bits, 57, 8) || substring(bits, 53, 4)
            || substring(bits, 41, 8) || substring(bits, 33, 8) || substring(bits, 25, 8) || substring(bits, 17, 8)
            || substring(bits, 9, 8) || bits::bit(8);
        bits := substring(bits, 81) || b'0111' || low::bit(12) || b'10' || substring(low, 13);
    ELSIF (source, target) = ('uuidv7', 'mssql') THEN
        IF stamp <> '72' OR translate(id::text, '-', '') COLLATE "C" >= year_10000 THEN
            RETURN NULL;
        END IF;
        low := substring(bits, 53, 12) || substring(bits, 67);
        bits := substring(low, 67) || substring(low, 59, 8) || substring(low, 51, 8) || substring(low, 43, 8)
            || substring(low, 35, 8) || substring(low, 27, 8) || b'0100' || substring(low, 23, 4) || substring(low, 15, 8)
            || b'10' || low::bit(14) || bits::bit(48);
    ELSE
        RAISE 'without comb, comb_convert() knows mssql to uuidv7 and uuidv7 to mssql' USING ERRCODE = '0A000';
    END IF;
    RETURN lpad(to_hex(bits::bit(64)::bigint), 16, '0') || lpad(to_hex(substring(bits, 65)::bigint), 16, '0');
END $$;
