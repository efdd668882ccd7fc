-- The rows, and whether everything that depends on the extension still works; one line a fact.
SET search_path = :schema;
SELECT 'rows ' || md5(string_agg(o::text, ',' ORDER BY id)) FROM app.orders o;
SELECT 'guids in order ' || (array_agg(number ORDER BY id) = array_agg(number ORDER BY number))::text FROM app.guids;
SELECT 'default ' || count(*) FROM pg_attrdef WHERE pg_get_expr(adbin, adrelid) LIKE '%comb_new%';
SELECT 'generated after those before ' || bool_and(new.id > o.id)::text
FROM (SELECT comb_new() AS id) new, app.orders o;
SELECT 'view ' || count(*) FROM app.recent;
SELECT 'check ' || count(*) FROM pg_constraint WHERE conname = 'of_this_century' AND convalidated;
SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'app' ORDER BY indexdef;
SELECT 'in order ' || count(*) FROM app.items WHERE id >=# comb_mssql_lower_bound('2020-01-01Z');
SELECT 'foreign key by ' || conindid::regclass FROM pg_constraint WHERE conrelid = 'app.parts'::regclass AND contype = 'f';
SELECT 'replica identity ' || indexrelid::regclass FROM pg_index WHERE indisreplident;
SELECT 'partition ' || tableoid::regclass || ' ' || count(*) FROM app.journal GROUP BY tableoid ORDER BY 1;
SELECT 'operator ' || (app.guids.id < 'ffffffff-ffff-ffff-ffff-ffffffffffff')::text FROM app.guids LIMIT 1;
SELECT 'layouts ' || count(*) FROM comb_layouts();
SELECT 'schema ' || extnamespace::regnamespace FROM pg_extension WHERE extname = 'comb';
