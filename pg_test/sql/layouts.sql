-- Every layout: what it is, both ends of each, and what is refused.
\pset tuples_only on
\pset format unaligned
CREATE EXTENSION IF NOT EXISTS comb;
SET timezone = 'UTC';
SET datestyle = 'ISO, YMD';
SELECT label, time_field, byte_order, stamp, resolution, first, last FROM comb_layouts();

-- By functions of their own.
SELECT comb_timestamp_mssql('d01c25cc-63a7-47cc-b5ba-018e5f3bff48'),
       comb_timestamp_mssql_legacy('e25afe33-db2d-4502-9bf0-919001862cc4');

-- The first bound of each layout, and the microseconds before and after its range.
SELECT comb_lower_bound(first::timestamptz, label) AS bound, string_agg(label, ', ' ORDER BY label)
FROM comb_layouts() GROUP BY bound ORDER BY bound;
SELECT bool_and(comb_lower_bound('infinity', label) = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
       AND comb_lower_bound('-infinity', label) = comb_lower_bound(first::timestamptz, label)) AS total FROM comb_layouts();
CREATE FUNCTION sqlstate_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE statement;
    RETURN 'none';
EXCEPTION WHEN OTHERS THEN
    RETURN sqlstate;
END $$;
SELECT label, what
FROM comb_layouts(),
     LATERAL (VALUES ('before', (first::timestamptz - interval '1 us')::text), ('after', (last::timestamptz + interval '1 us')::text),
                     ('-infinity', '-infinity'), ('infinity', 'infinity')) beyond (what, at)
WHERE sqlstate_of(format('SELECT comb_at(%L, %L)', at, label)) <> '22008';
SELECT label FROM comb_layouts()
WHERE sqlstate_of(format('SELECT comb_set_timestamp(comb_new(), %L, %L)', 'infinity', label)) <> '22008';

-- All but uuidv7 end with year 9999 or before: an id that no date type of most programs can hold is a random one.
SELECT label FROM comb_layouts() WHERE last::timestamptz >= '10000-01-01Z';
SELECT * FROM (SELECT label, comb_timestamp('ffffffff-ffff-7fff-bfff-ffffffffffff', label) AS moment FROM comb_layouts()) moments WHERE moment IS NOT NULL;

-- The message names the layout and its range.
SELECT comb_at('2079-06-07 00:00:00Z', 'mssql_legacy');

-- Before the Unix epoch, where the clock goes that far, and on a leap day.
SELECT count(*), bool_and(comb_timestamp(comb_at('1955-11-05 06:15:00Z', label), label) = '1955-11-05 06:15:00Z') AS same
FROM comb_layouts() WHERE first::timestamptz < '1955-11-05';
SELECT bool_and(comb_timestamp(comb_at('2024-02-29 23:59:59Z', label), label) = '2024-02-29 23:59:59Z') AS same
FROM comb_layouts();

-- RT.Comb's Create(Guid, DateTime) changes six bytes. From one layout to another; the first four hold the same bits.
SELECT label, comb_set_timestamp('aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa', '2022-02-22 19:22:22Z', label), converted, comb_timestamp(converted, label)
FROM comb_layouts(), comb_convert('017f22e2-79b0-7cc3-98c4-dc0c0c07398f', 'uuidv7', label) converted;
SELECT comb_convert('c2ff3d1f-e3b1-8dad-8361-017f22e279b0', 'mssql', 'uuidv7') IS NULL AS version_8_is_not_of_mssql;
SELECT comb_convert(comb_at('2090-01-01Z'), 'uuidv7', 'mssql_legacy') IS NULL AS too_late;

-- MySQL: UUID_TO_BIN(id, 1) and BIN_TO_UUID(id, 1), the example of its manual; other versions are not converted.
SELECT comb_convert('6ccd780c-baba-1026-9564-5b8c656024db', 'uuidv1', 'mysql_ordered'),
       comb_convert('1026baba-6ccd-780c-9564-5b8c656024db', 'mysql_ordered', 'uuidv1'),
       comb_convert(gen_random_uuid(), 'uuidv1', 'mysql_ordered') IS NULL AS version_4;

-- The text of ULID.
SELECT comb_encode('01563e3a-b5d3-d676-4c61-efb99302bd5b'), comb_decode('01ARZ3NDEKTSV4RRFFQ69G5FAV'), comb_decode('o1arz3ndektsv4rrffq69g5fav');
SELECT comb_decode('01ARZ3NDEK-TSV4RRFFQ69G5FA');
SELECT comb_decode('01ARZ3NDEKTSV4RRFFQ69G5FA');
SELECT comb_decode('80000000000000000000000000');

-- Swapped bytes.
SELECT id, comb_dotnet_swap(id), comb_dotnet_swap(comb_dotnet_swap(id)) = id AS back, encode(uuid_send(comb_dotnet_swap(id)), 'hex') AS to_byte_array
FROM (SELECT '00112233-4455-6677-8899-aabbccddeeff'::uuid AS id) ids;
-- Which kind is this?
SELECT comb_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f') - 'layouts' AS inspected;
-- A key of an early draft of version 7, and one of DuckDB 1.3.0.
SELECT comb_inspect('06569220-0a3c-7b1d-8000-fedcba987654') - 'layouts' AS draft;
SELECT comb_inspect('8196f946-5678-7ac0-a594-fe51da68ec69') - 'layouts' AS duckdb;
-- A key of EF Core, which reads as a plausible time in the layout of most random keys as well.
SELECT layout->>'layout' AS layout, layout->>'timestamp' AS "timestamp"
FROM jsonb_array_elements(comb_inspect('a34e3306-4ca0-4883-8df1-08df4bce0400')->'layouts') layout WHERE (layout->>'plausible')::boolean;
SELECT layout FROM jsonb_array_elements(comb_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')->'layouts') layout;
SELECT id, comb_inspect(id)->>'version' AS version, comb_inspect(id)->>'variant' AS variant,
       comb_inspect(id)->>'timestamp' AS "timestamp", comb_inspect(id)->'layouts'->0 AS first_layout
FROM unnest(ARRAY['d01c25cc-63a7-47cc-b5ba-018e5f3bff48', 'c232ab00-9414-11ec-b3c8-9f6bdeced846',
                  '00000000-0000-0000-0000-000000000000']::uuid[]) id;

-- BSV text.
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF'), comb_bsv_uuid('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF', 'America/New_York');
SELECT length(comb_new_bsv()), comb_bsv_timestamp(comb_new_bsv()) > now() - interval '1 minute' AS now,
       substr(comb_bsv_uuid(comb_new_bsv())::text, 15, 1) AS version;
SELECT comb_bsv_timestamp('zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz') IS NULL AS past_9999;
SELECT comb_bsv_uuid('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smc');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc+DXPivPF7nPBmO-smcF');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDocä$DXPivPF7nPBmO-smcF');
SELECT comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF', 'Middle-earth/Shire');
\set VERBOSITY sqlstate
SELECT comb_bsv_uuid('short');
\set VERBOSITY default

-- Steps that there are not.
\set VERBOSITY sqlstate
SET comb.timestamp_step = -1;
SET comb.timestamp_step = '2 h';
\set VERBOSITY default

-- A label that there is not, one that is nearly right, and no label at all.
SELECT comb_new('guid');
SELECT comb_new('MSSQL');
SELECT comb_at(now(), 'mssql_lagacy');
SELECT comb_new('mysql');
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
