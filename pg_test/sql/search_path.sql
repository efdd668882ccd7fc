-- The order of uniqueidentifier where the extension's schema is not on the search path, as in hardened functions: it is
\pset tuples_only on
\pset format unaligned
-- SQL Server's all the same, or there is an error. Never uuid's, which the cast to uuid would give.
CREATE SCHEMA comb_schema;
CREATE EXTENSION comb SCHEMA comb_schema;
CREATE SCHEMA app;
SET search_path = '';

-- SQL Server orders these as they are numbered; uuid does not.
CREATE TABLE app.ranked (rank int, id comb_schema.uniqueidentifier PRIMARY KEY, plain uuid);
INSERT INTO app.ranked SELECT rank, id, id FROM (
    SELECT rank, overlay('00000000-0000-0000-0000-000000000000' PLACING '1' FROM place)::uuid
    FROM unnest(ARRAY[1, 3, 5, 7, 10, 12, 15, 17, 22, 20, 35, 33, 31, 29, 27, 25]) WITH ORDINALITY places (place, rank)
) ids (rank, id);
ANALYZE app.ranked;
SELECT array_agg(rank ORDER BY id) AS uniqueidentifier, array_agg(rank ORDER BY plain) AS uuid FROM app.ranked;
SELECT id AS middle FROM app.ranked WHERE rank = 6 \gset

-- Comparisons with a literal, with parameters and columns of either type.
PREPARE of_uniqueidentifier (comb_schema.uniqueidentifier) AS SELECT array_agg(rank ORDER BY rank) AS above FROM app.ranked WHERE id > $1;
PREPARE of_uuid (uuid) AS SELECT array_agg(rank ORDER BY rank) AS above FROM app.ranked WHERE id > $1;
PREPARE of_unknown AS SELECT array_agg(rank ORDER BY rank) AS above FROM app.ranked WHERE $1 < id;
SELECT array_agg(rank ORDER BY rank) AS above FROM app.ranked WHERE id > :'middle';
EXECUTE of_uniqueidentifier(:'middle');
EXECUTE of_uuid(:'middle');
EXECUTE of_unknown(:'middle');
SELECT count(*) FROM app.ranked a, app.ranked b WHERE (a.id < b.id) <> (a.rank < b.rank) OR (a.id <= b.plain) <> (a.rank <= b.rank)
    OR (a.plain > b.id) <> (a.rank > b.rank) OR (a.plain >= b.id) <> (a.rank >= b.rank) OR (a.id <> b.plain) <> (a.rank <> b.rank);
SELECT array_agg(rank ORDER BY rank) AS between_them FROM app.ranked
WHERE id BETWEEN (SELECT id FROM app.ranked WHERE rank = 3) AND (SELECT plain FROM app.ranked WHERE rank = 8);
SELECT array_agg(rank ORDER BY rank) AS above FROM app.ranked WHERE (id, rank) > (:'middle', 6);
SELECT array_agg(rank ORDER BY rank) AS above FROM app.ranked WHERE (id, rank) >= (:'middle'::uuid, 7);
SELECT a.rank, min(b.rank) AS next FROM app.ranked a JOIN app.ranked b ON ROW(b.id) > ROW(a.id) WHERE a.rank < 4 GROUP BY a.rank ORDER BY a.rank;
SELECT min(id) = (SELECT id FROM app.ranked WHERE rank = 1) AS least, max(id) = (SELECT id FROM app.ranked WHERE rank = 16) AS greatest FROM app.ranked;
SELECT array_agg(rank) FROM (SELECT rank, rank() OVER (ORDER BY id DESC) AS place FROM app.ranked) ranks WHERE place <= 3;
SELECT count(DISTINCT id), count(*) FILTER (WHERE id IN (:'middle', :'middle'::uuid)) AS in_list FROM app.ranked;
-- By the index.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT rank FROM app.ranked WHERE id > :'middle'::uuid ORDER BY id LIMIT 3;
-- Not shown, since the text of the plan is another in newer major versions.
CREATE FUNCTION app.plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query; END $$;
SELECT trim(line) AS line FROM app.plan('SELECT max(id) FROM app.ranked') line WHERE line LIKE '%ranked%';
RESET enable_seqscan;
RESET enable_bitmapscan;

-- Of both types in one expression comes uuid, whatever the search path is, and so does its order.
SELECT pg_typeof(coalesce(id, plain)) = 'uuid'::regtype AS "coalesce", pg_typeof(greatest(plain, id)) = 'uuid'::regtype AS "greatest",
       pg_typeof(CASE WHEN rank > 0 THEN id ELSE plain END) = 'uuid'::regtype AS "case", pg_typeof(ARRAY[id, plain]) = 'uuid[]'::regtype AS "array",
       pg_typeof(coalesce(id, id)) AS of_one, pg_typeof(greatest(id, '00000000-0000-0000-0000-000000000000')) AS and_a_literal
FROM app.ranked WHERE rank = 6;
SELECT DISTINCT pg_typeof(id) AS "union" FROM (SELECT id FROM app.ranked UNION SELECT plain FROM app.ranked) ids;
SELECT count(*) AS "union" FROM (SELECT id FROM app.ranked UNION SELECT plain FROM app.ranked) ids;
SELECT greatest(a.id, b.id) = b.id AS uniqueidentifier, greatest(a.id, b.plain) = a.id AS uuid FROM app.ranked a, app.ranked b WHERE a.rank = 1 AND b.rank = 16;
-- An operator of the extension's schema is not found.
\set VERBOSITY terse
SELECT :'middle'::uuid <# :'middle'::uuid;
\set VERBOSITY default

-- comb_status() reads a catalog by an operator of pg_catalog, whatever comes before that in the search path.
CREATE SCHEMA operators;
CREATE FUNCTION operators.raised(name, name) RETURNS boolean LANGUAGE sql RETURN 1 / 0 = 1;
CREATE OPERATOR operators.= (LEFTARG = name, RIGHTARG = name, FUNCTION = operators.raised);
SET search_path = operators, pg_catalog;
SELECT update_due FROM comb_schema.comb_status();

RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA app, operators CASCADE;
DROP EXTENSION comb;
DROP SCHEMA comb_schema;
