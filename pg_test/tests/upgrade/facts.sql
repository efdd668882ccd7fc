-- What has to be the same before and after an update of the extension or of PostgreSQL.
SET enable_seqscan = off;
SELECT 'orders ' || md5(string_agg(o::text, ',' ORDER BY id)), count(*) FROM orders o;
SELECT 'legacy ' || md5(string_agg(id::text, ',' ORDER BY id USING <#)) FROM legacy;
SELECT 'guids in order ' || (array_agg(number ORDER BY id) = array_agg(number ORDER BY number)) FROM guids;
SELECT 'parts ' || count(*) FROM parts;
SELECT 'recent ' || count(*) FROM recent;
SELECT 'guids from ' || count(*) FROM guids_from;
SELECT 'default ' || pg_get_expr(adbin, adrelid) FROM pg_attrdef ORDER BY 1;
SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'app' ORDER BY 1;
SELECT 'made later ' || bool_and(new.id > o.id) FROM (SELECT comb_new() AS id) new, orders o;
SELECT 'inserted ' || count(*) FROM (SELECT FROM orders WHERE id > (SELECT id FROM orders ORDER BY id OFFSET 10 LIMIT 1)) later;
SELECT 'events ' || count(*) FROM events;
SELECT 'outbox ' || count(*) FROM outbox;
SELECT 'version ' || (version > comb_lower_bound('2024-01-01Z')) FROM items;
SELECT 'reading', comb_timestamp('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), comb_timestamp_micros('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'),
       comb_timestamp_mssql('d01c25cc-63a7-47cc-b5ba-018e5f3bff48'), comb_timestamp_mssql_legacy('e25afe33-db2d-4502-9bf0-919001862cc4'),
       comb_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')->'layouts'->0, comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF'),
       comb_bsv_uuid('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF'), comb_decode(comb_encode(comb_lower_bound('2024-01-01Z'))),
       comb_partman_decoder(comb_lower_bound('2024-01-01Z')), 'D01C25CC-63A7-47CC-B5BA-018E5F3BFF48'::uniqueidentifier;
SELECT 'observed', comb_observe(comb_new()) IS NOT NULL;
