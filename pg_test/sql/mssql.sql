-- SQL Server's order: operators, operator classes, and the type uniqueidentifier.
\pset tuples_only on
\pset format unaligned
CREATE EXTENSION IF NOT EXISTS comb;
SET timezone = 'UTC';
SET datestyle = 'ISO, YMD';

-- SQL Server orders these as they stand here; uuid does not. Each is one in the byte compared next.
CREATE TABLE ranked (rank int, id uuid);
INSERT INTO ranked VALUES
    (1,  '00000000-0000-0000-0000-000000000000'), (2,  '01000000-0000-0000-0000-000000000000'),
    (3,  '00010000-0000-0000-0000-000000000000'), (4,  '00000100-0000-0000-0000-000000000000'),
    (5,  '00000001-0000-0000-0000-000000000000'), (6,  '00000000-0100-0000-0000-000000000000'),
    (7,  '00000000-0001-0000-0000-000000000000'), (8,  '00000000-0000-0100-0000-000000000000'),
    (9,  '00000000-0000-0001-0000-000000000000'), (10, '00000000-0000-0000-0001-000000000000'),
    (11, '00000000-0000-0000-0100-000000000000'), (12, '00000000-0000-0000-0000-000000000001'),
    (13, '00000000-0000-0000-0000-000000000100'), (14, '00000000-0000-0000-0000-000000010000'),
    (15, '00000000-0000-0000-0000-000001000000'), (16, '00000000-0000-0000-0000-000100000000'),
    (17, '00000000-0000-0000-0000-010000000000'), (18, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
SELECT array_agg(rank ORDER BY id USING <#) AS ascending, array_agg(rank ORDER BY id USING >#) AS descending FROM ranked;
SELECT array_agg(rank ORDER BY id::uniqueidentifier) AS uniqueidentifier, array_agg(rank ORDER BY id) AS uuid FROM ranked;

-- Every operator against the ranks, in every combination of the two types.
SELECT count(*) FROM ranked a, ranked b
WHERE (_comb_mssql_cmp(a.id, b.id) < 0) <> (a.rank < b.rank) OR (_comb_mssql_cmp(a.id, b.id) = 0) <> (a.rank = b.rank)
   OR (a.id <# b.id) <> (a.rank < b.rank) OR (a.id <=# b.id) <> (a.rank <= b.rank)
   OR (a.id >=# b.id) <> (a.rank >= b.rank) OR (a.id ># b.id) <> (a.rank > b.rank);
DO $$
DECLARE
    l text; r text; o text; wrong bigint;
BEGIN
    FOREACH l IN ARRAY ARRAY['uuid', 'uniqueidentifier'] LOOP
        FOREACH r IN ARRAY ARRAY['uuid', 'uniqueidentifier'] LOOP
            CONTINUE WHEN l = 'uuid' AND r = 'uuid';
            FOREACH o IN ARRAY ARRAY['<', '<=', '=', '>=', '>', '<>'] LOOP
                EXECUTE format('SELECT count(*) FROM ranked a, ranked b WHERE (a.id::%s %s b.id::%s) <> (a.rank %s b.rank)', l, o, r, o)
                INTO wrong;
                IF wrong > 0 THEN RAISE EXCEPTION '% % %: % wrong', l, o, r, wrong; END IF;
            END LOOP;
        END LOOP;
    END LOOP;
END $$;
SELECT min(id::uniqueidentifier), max(id::uniqueidentifier) FROM ranked WHERE rank BETWEEN 2 AND 17;

-- The classes are complete and consistent, as PostgreSQL sees it.
SELECT opcname, amname, amvalidate(c.oid)
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
WHERE c.oid IN (SELECT objid FROM pg_depend WHERE classid = 'pg_opclass'::regclass AND refclassid = 'pg_extension'::regclass)
ORDER BY 1, 2;

-- Input and output are uuid's: upper case, braces, no hyphens.
SELECT '{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}'::uniqueidentifier, 'a0eebc999c0b4ef8bb6d6bb9bd380a11'::uniqueidentifier;
SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1'::uniqueidentifier;
SELECT uniqueidentifier_send('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11');

-- To uuid by itself, from uuid on assignment; arrays; functions that take a uuid.
CREATE TABLE guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), old uuid, all_of_them uniqueidentifier[]);
INSERT INTO guids (id, old, all_of_them) VALUES
    ('d01c25cc-63a7-47cc-b5ba-018e5f3bff48'::uuid, 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48'::uniqueidentifier,
     '{d01c25cc-63a7-47cc-b5ba-018e5f3bff48,00000000-0000-0000-0000-000000000000}');
SELECT comb_timestamp_mssql(id), comb_timestamp(id, 'mssql'), comb_inspect(id)->'layouts'->0->>'layout' AS layout,
       comb_dotnet_swap(id), comb_convert(id, 'mssql', 'uuidv7') FROM guids;
SELECT id = old AS same, id = ANY (all_of_them) AS found, 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48' = id AS literal FROM guids;
SELECT array(SELECT unnest(all_of_them) ORDER BY 1) FROM guids;
INSERT INTO guids DEFAULT VALUES RETURNING comb_timestamp_mssql(id) > now() - interval '1 minute' AS now;
INSERT INTO guids (id) SELECT id FROM guids LIMIT 1 ON CONFLICT (id) DO NOTHING;
INSERT INTO guids (id) SELECT id FROM guids ORDER BY id LIMIT 1;
SELECT count(*), count(DISTINCT id) FROM guids;

-- An operator of other types with the same estimator.
CREATE OPERATOR @< (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = int8lt, RESTRICT = _comb_mssql_selectivity);
ANALYZE guids;
EXPLAIN (COSTS OFF) SELECT FROM pg_class WHERE oid::bigint @< 5::bigint;
CREATE FUNCTION is_other(uuid) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
CREATE FUNCTION is_other(uuid, int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN RETURN true; END';
CREATE OPERATOR ### (RIGHTARG = uuid, FUNCTION = is_other, RESTRICT = _comb_mssql_selectivity);
CREATE OPERATOR ### (LEFTARG = uuid, RIGHTARG = int, FUNCTION = is_other, RESTRICT = _comb_mssql_selectivity);
EXPLAIN (COSTS OFF) SELECT FROM guids WHERE ### old AND old ### 5 AND old <# 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48';
DROP FUNCTION is_other(uuid), is_other(uuid, int) CASCADE;
DROP OPERATOR @< (bigint, bigint);

-- Ranges of time.
SELECT comb_mssql_lower_bound('-infinity'), comb_mssql_lower_bound('2024-03-21 04:19:11.3041Z'), comb_mssql_lower_bound('infinity');
SELECT comb_between('d01c25cc-63a7-47cc-b5ba-018e5f3bff48'::uniqueidentifier, '2024-03-21Z', '2024-03-22Z') AS inside,
       comb_between('d01c25cc-63a7-47cc-b5ba-018e5f3bff48'::uniqueidentifier, '2024-03-22Z', 'infinity') AS outside;
DROP TABLE guids, ranked;
DROP EXTENSION comb;
