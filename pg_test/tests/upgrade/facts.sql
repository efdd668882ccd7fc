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
SELECT 'clock ' || scope FROM clock;
SELECT 'inserted ' || count(*) FROM (SELECT FROM orders WHERE id > (SELECT id FROM orders ORDER BY id OFFSET 10 LIMIT 1)) later;
-- Every function of 0.1.0.
SELECT 'layouts ' || count(*) || ' of 0.1.0', bool_and(comb_timestamp(comb_new(label), label) > now() - interval '1 minute'),
       bool_and(comb_convert(comb_at('2024-01-01Z', label), label, 'uuidv7') IS NOT NULL)
FROM comb_layouts() WHERE label IN ('uuidv7', 'postgres', 'postgres_legacy', 'mssql', 'mssql_legacy', 'binary', 'laravel',
    'sequential_as_string', 'sequential_as_binary', 'sequential_at_end', 'process_ticks');
SELECT 'reading', comb_timestamp('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'), comb_timestamp_micros('017f22e2-79b0-7cc3-98c4-dc0c0c07398f'),
       comb_timestamp_mssql('d01c25cc-63a7-47cc-b5ba-018e5f3bff48'), comb_timestamp_mssql_legacy('e25afe33-db2d-4502-9bf0-919001862cc4'),
       comb_inspect('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')->'layouts'->0, comb_bsv_timestamp('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF'),
       comb_bsv_uuid('0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF');
SELECT 'making', comb_new() < comb_new(), comb_new_mssql() <# comb_new_mssql(), comb_new_mssql_legacy() IS NOT NULL, comb_new_bsv() COLLATE "C" < comb_new_bsv(),
       comb_shifted('1 day') > comb_new(), comb_dotnet_swap(comb_dotnet_swap(id)) = id, comb_set_timestamp(id, '2024-01-01Z'),
       comb_min('2024-01-01Z'), comb_max('2024-01-01Z', 'mssql'), comb_lower_bound('2024-01-01Z'), comb_mssql_lower_bound('2024-01-01Z')
FROM (SELECT '017f22e2-79b0-7cc3-98c4-dc0c0c07398f'::uuid AS id) one;
SELECT 'order', scope IN ('server', 'backend'), ahead < '1 second', level_at, lead_stays, steps_back, seed_source IS NOT NULL FROM comb_status();
SELECT 'observed', comb_observe(comb_new()) IS NOT NULL, comb_reset_clock() IS NOT NULL;
