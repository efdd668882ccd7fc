-- Every layout: what it is, one real id of each, both ends of each, and what is refused.
\pset tuples_only on
\pset format unaligned
CREATE EXTENSION IF NOT EXISTS comb;
SET timezone = 'UTC';
SET datestyle = 'ISO, YMD';
SELECT label, time_field, byte_order, stamp, resolution, first, last FROM comb_layouts();

-- Public ids (RFC 9562, RT.Comb, NHibernate, UUIDNext, SequentialGuid, BSV and others) and their moments.
CREATE TABLE vectors (layout text, id text, moment timestamp, source text);
-- Read by psql: the server may run as somebody who may not read these files, or elsewhere.
\set vectors `tail -n +2 "$PG_ABS_SRCDIR/vectors.csv"`
INSERT INTO vectors
SELECT columns[1], columns[2], nullif(columns[3], '')::timestamp, columns[4]
FROM string_to_table(:'vectors', E'\n') line, regexp_match(line, '^([^,]*),([^,]*),([^,]*),(.*)$') columns;
SELECT count(*), count(source) AS complete FROM vectors;
CREATE TABLE readings AS
SELECT *, CASE WHEN layout = 'bsv' THEN comb_bsv_timestamp(id)
               ELSE comb_timestamp(id::uuid, layout) END AS reading
FROM vectors WHERE layout <> 'none';
SELECT layout, id, reading, moment FROM readings WHERE reading IS DISTINCT FROM moment AT TIME ZONE 'UTC';

-- The other way: another time and then its own written over it, the public id is itself again; but for the 100 ns
-- below the microsecond.
SELECT layout, public.id, rewritten
FROM (SELECT layout, reading, CASE WHEN layout <> 'bsv' THEN id::uuid END AS id FROM readings) public,
     LATERAL (SELECT comb_set_timestamp(comb_set_timestamp(public.id, '2001-01-01Z', layout), reading, layout) AS rewritten
              WHERE public.id IS NOT NULL) again
WHERE public.id <> rewritten ORDER BY public.id;

-- By functions of their own.
SELECT comb_timestamp_mssql('d01c25cc-63a7-47cc-b5ba-018e5f3bff48'),
       comb_timestamp_mssql_legacy('e25afe33-db2d-4502-9bf0-919001862cc4');

-- The first bound of each layout, and the microseconds before and after its range.
SELECT label, comb_lower_bound(first::timestamptz, label) FROM comb_layouts();
SELECT bool_and(comb_lower_bound('infinity', label) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
       AND comb_lower_bound('-infinity', label) = comb_lower_bound(first::timestamptz, label)) AS total FROM comb_layouts();
CREATE FUNCTION sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT label, function, what,
       sqlstate_of(format('SELECT %s(%L, %L)', function, at, label)) AS sqlstate
FROM comb_layouts(),
     unnest(ARRAY['comb_at']) function,
     LATERAL (VALUES ('before', (first::timestamptz - interval '1 us')::text), ('after', (last::timestamptz + interval '1 us')::text),
                     ('-infinity', '-infinity'), ('infinity', 'infinity')) beyond (what, at)
WHERE sqlstate_of(format('SELECT %s(%L, %L)', function, at, label)) <> '22008';
SELECT label FROM comb_layouts()
WHERE sqlstate_of(format('SELECT comb_set_timestamp(comb_new(), %L, %L)', 'infinity', label)) <> '22008'
OR sqlstate_of(format('SELECT comb_shifted(interval %L, %L)', '200000 years', label)) <> '22008';

-- All but uuidv7 end with year 9999 or before: an id that no date type of most programs can hold is a random one.
SELECT label FROM comb_layouts() WHERE last::timestamptz >= '10000-01-01Z';
SELECT * FROM (SELECT label, comb_timestamp('ffffffff-ffff-7fff-bfff-ffffffffffff', label) AS moment FROM comb_layouts()) moments WHERE moment IS NOT NULL;

-- The message names the layout and its range.
SELECT comb_at('2079-06-07 00:00:00Z', 'mssql_legacy');
SELECT comb_at('1899-12-31 23:59:59.999999Z', 'postgres_legacy');
SELECT comb_at('2059-03-14Z', 'laravel');
SELECT comb_at('10000-01-01Z', 'process_ticks');
SELECT comb_at('1969-12-31 23:59:59Z', 'mssql');
SELECT comb_shifted('-3000 years', 'sequential_at_end');

-- Leap days, the last 1/300 s of a day, and what NHibernate's divisor writes past midnight.
SELECT comb_timestamp(comb_at('2024-02-29 23:59:59.999999Z', 'mssql_legacy'), 'mssql_legacy');
SELECT comb_timestamp(comb_at('2079-06-06 23:59:59.999999Z', 'mssql_legacy'), 'mssql_legacy');
SELECT comb_timestamp_mssql_legacy('00000000-0000-0000-0000-ffff018b81ff') AS tick_25919999,
       comb_timestamp_mssql_legacy('00000000-0000-0000-0000-b0e1018b8200') AS tick_25920000,
       comb_timestamp_mssql_legacy('00000000-0000-0000-0000-b0e1018b8202') AS tick_25920002,
       comb_timestamp_mssql_legacy('00000000-0000-0000-0000-b0e1018b8203') AS tick_25920003;

-- Before the Unix epoch, where the clock goes that far.
SELECT count(*), bool_and(comb_timestamp(comb_at('1955-11-05 06:15:00Z', label), label) = '1955-11-05 06:15:00Z') AS same
FROM comb_layouts() WHERE first::timestamptz < '1955-11-05';

-- What cannot be of a layout reads as NULL: another version, 1/300 s beyond the day, past year 9999.
SELECT comb_timestamp('d01c25cc-63a7-47cc-b5ba-018e5f3bff48', 'uuidv7') IS NULL AS version_4,
       comb_timestamp('ffffffff-ffff-ffff-ffff-ffffffffffff', 'mssql_legacy') IS NULL AS beyond_the_day,
       comb_timestamp('ffffffff-ffff-ffff-ffff-ffffffffffff', 'process_ticks') IS NULL AS past_9999,
       comb_timestamp('00000000-0000-0000-0000-000000000000', 'process_ticks') AS year_1;

-- RT.Comb's Create(Guid, DateTime) changes six bytes. From one layout to another; the first four hold the same bits.
SELECT label, comb_set_timestamp('aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa', '2022-02-22 19:22:22Z', label), converted, comb_timestamp(converted, label)
FROM comb_layouts(), comb_convert('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 'uuidv7', label) converted;
SELECT comb_convert(comb_convert('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 'uuidv7', 'mssql'), 'mssql', 'uuidv7');
SELECT comb_convert('c2ff3d1f-e3b1-8dad-8361-017f22e279b0', 'mssql', 'uuidv7') IS NULL AS version_8_is_not_of_mssql;
SELECT comb_convert(comb_at('2090-01-01Z'), 'uuidv7', 'mssql_legacy');

-- Versions 1 and 6 as MySQL and SQL Server store them: nothing is lost, whoever wrote the id.
SELECT source.label AS source, target.label AS target, comb_convert(id, source.label, target.label),
       comb_convert(comb_convert(id, source.label, target.label), target.label, source.label) = id AS back
FROM (VALUES ('uuidv1', 'c232ab00-9414-11ec-bfc8-9e6bdeced846'::uuid), ('uuidv6', '1ec9414c-232a-6b00-b3c8-9f6bdeced846'),
             ('mysql_ordered', '11e1c57d-ff6f-8cb0-9b21-0800200c9a66'), ('newsequentialid', '63dd0ad3-a111-dd11-b2eb-005056ae063c')
     ) source (label, id), comb_layouts() target
WHERE target.time_field = 'gregorian_100ns';
-- As far as 58 random bits go, nor from and to other layouts.
SELECT target.label, comb_convert(id, 'uuidv7', target.label),
       comb_convert(comb_convert(id, 'uuidv7', target.label), target.label, 'uuidv7') = id AS back
FROM (VALUES ('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid)) ids (id), comb_layouts() target
WHERE target.label IN ('ulid', 'uuidv6', 'uuidv1', 'mysql_ordered', 'newsequentialid', 'uuidv8_mssql');
-- UUIDNext's version 8 is its own, and can be read as mssql.
SELECT comb_convert('c2ff3d1f-e3b1-8dad-8361-017f22e279b0', 'uuidv8_mssql', 'mssql') AS mssql,
       comb_timestamp('c2ff3d1f-e3b1-8dad-8361-017f22e279b0', 'mssql') AS read_as_mssql,
       comb_timestamp('d01c25cc-63a7-47cc-b5ba-018e5f3bff48', 'uuidv8_mssql') IS NULL AS mssql_is_not_version_8;

-- MySQL: UUID_TO_BIN(id, 1) and BIN_TO_UUID(id, 1), the example of its manual; other versions are not converted.
SELECT comb_convert('6ccd780c-baba-1026-9564-5b8c656024db', 'uuidv1', 'mysql_ordered'),
       comb_convert('1026baba-6ccd-780c-9564-5b8c656024db', 'mysql_ordered', 'uuidv1'),
       comb_convert(gen_random_uuid(), 'uuidv1', 'mysql_ordered') IS NULL AS version_4;

-- The text of ULID.
SELECT comb_encode('01563e3a-b5d3-d676-4c61-efb99302bd5b'), comb_decode('01ARZ3NDEKTSV4RRFFQ69G5FAV'), comb_decode('o1arz3ndektsv4rrffq69g5fav', 'crockford');
SELECT comb_decode('01ARZ3NDEK-TSV4RRFFQ69G5FA');
SELECT comb_decode('01ARZ3NDEKTSV4RRFFQ69G5FA');
SELECT comb_decode('80000000000000000000000000');
SELECT comb_encode(comb_new(), 'base58');

-- Swapped bytes.
SELECT id, comb_dotnet_swap(id), comb_dotnet_swap(comb_dotnet_swap(id)) = id AS back, encode(uuid_send(comb_dotnet_swap(id)), 'hex') AS to_byte_array
FROM (SELECT '00112233-4455-6677-8899-aabbccddeeff'::uuid AS id) ids;
-- Which kind is this?
SELECT comb_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f') - 'layouts' AS inspected;
-- A key of an early draft of version 7.
SELECT comb_inspect('06569220-0a3c-7b1d-8000-fedcba987654') - 'layouts' AS draft;
SELECT layout FROM jsonb_array_elements(comb_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')->'layouts') layout;
SELECT id, comb_inspect(id)->>'version' AS version, comb_inspect(id)->>'variant' AS variant,
       comb_inspect(id)->>'timestamp' AS "timestamp", comb_inspect(id)->'layouts'->0 AS first_layout
FROM unnest(ARRAY['d01c25cc-63a7-47cc-b5ba-018e5f3bff48', 'e25afe33-db2d-4502-9bf0-919001862cc4',
                  '39babcb4-e446-4ed5-4012-2e27653a9d13', 'c232ab00-9414-11ec-b3c8-9f6bdeced846',
                  '63dd0ad3-a111-dd11-b2eb-005056ae063c', '11e1c57d-ff6f-8cb0-9b21-0800200c9a66',
                  '016fa936-bff0-997a-0a3c-428548fee8c9', '45f98020-66e7-871d-9641-0170e4be4d77',
                  '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[]) id;

-- BSV text.
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF'), comb_bsv_uuid('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF', 'America/New_York');
SELECT length(comb_new_bsv()), comb_bsv_timestamp(comb_new_bsv()) > now() - interval '1 minute' AS now,
       substr(comb_bsv_uuid(comb_new_bsv())::text, 15, 1) AS version;
SELECT comb_bsv_timestamp('zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz') IS NULL AS past_9999;
SELECT comb_bsv_uuid('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smc');
SELECT comb_bsv_uuid('');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc+DXPivPF7nPBmO-smcF');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDocä$DXPivPF7nPBmO-smcF');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF', 'Middle-earth/Shire');
\set VERBOSITY sqlstate
SELECT comb_bsv_uuid('short');
SELECT comb_bsv_uuid('0Bj4hRXIFkDoc DXPivPF7nPBmO-smcF');
\set VERBOSITY default

-- Time fields that never repeat, also in parallel workers.
SET comb.timestamp_step = '4 ms';
SET client_min_messages = error;
SELECT min(moment - before) >= interval '4 ms' AS apart, count(*) AS pairs
FROM (SELECT comb_timestamp(id, 'mssql_legacy') AS moment,
             lag(comb_timestamp(id, 'mssql_legacy')) OVER (ORDER BY n) AS before
      FROM (SELECT n, comb_new('mssql_legacy') AS id FROM generate_series(1, 101) n) ids) moments
WHERE before IS NOT NULL;
RESET client_min_messages;
\set VERBOSITY sqlstate
SET comb.timestamp_step = -1;
SET comb.timestamp_step = '2 h';
\set VERBOSITY default
RESET comb.timestamp_step;

-- A shift moves the moment and keeps the order.
SELECT comb_timestamp(comb_shifted('-1 day')) BETWEEN now() - interval '1 day 1 minute' AND now() - interval '23 hours 59 minutes' AS yesterday,
       comb_timestamp(comb_shifted('1 month', 'laravel'), 'laravel') > now() + interval '27 days' AS next_month;
SELECT bool_and(id > before) AS increasing
FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before
      FROM (SELECT n, comb_shifted('-365 days 00:00:00.000001') AS id FROM generate_series(1, 100000) n) ids) pairs
WHERE before IS NOT NULL;

-- In process_ticks, shifted ids and those of now meet in the same ticks, and differ all the same.
SELECT count(*) - count(DISTINCT id) AS duplicates
FROM (SELECT comb_new('process_ticks') AS id FROM generate_series(1, 300000)
      UNION ALL SELECT comb_shifted('-50 ms', 'process_ticks') FROM generate_series(1, 300000)) ids;

-- A label that there is not, and no label at all.
SELECT comb_new('guid');
SELECT comb_timestamp('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', '');
\set VERBOSITY sqlstate
SELECT comb_at(now(), 'UUIDv7');
SELECT comb_convert(comb_new(), 'uuidv7', 'uuidv7 ');
SELECT comb_observe(comb_new(), repeat('x', 100000));
\set VERBOSITY default
SELECT comb_new(NULL) IS NULL AS new, comb_at(now(), NULL) IS NULL AS at, comb_timestamp(comb_new(), NULL) IS NULL AS "timestamp",
       comb_convert(comb_new(), 'uuidv7', NULL) IS NULL AS "convert";
-- From a column, and from one statement to the next.
SELECT layout, comb_timestamp('d01c25cc-63a7-47cc-b5ba-018e5f3bff48', layout)
FROM (VALUES ('mssql'), ('uuidv7'), ('laravel'), ('mssql'), (NULL), ('mssql'::varchar)) labels (layout);
PREPARE moment(text) AS SELECT comb_timestamp('d01c25cc-63a7-47cc-b5ba-018e5f3bff48', $1);
EXECUTE moment('mssql');
EXECUTE moment('laravel');
EXECUTE moment('homemade');
EXECUTE moment('mssql');

-- And after the extension was dropped and created again.
DROP TABLE vectors, readings;
DROP EXTENSION comb;
CREATE EXTENSION comb;
SELECT count(*) AS labels, bool_and(comb_timestamp(comb_new(label), label) > now() - interval '1 minute') AS now FROM comb_layouts();

-- Anybody may look at the layouts.
CREATE ROLE comb_regress_reader;
SET ROLE comb_regress_reader;
SELECT count(*) FROM comb_layouts();
RESET ROLE;
DROP ROLE comb_regress_reader;
DROP FUNCTION sqlstate_of;
DROP EXTENSION comb;
