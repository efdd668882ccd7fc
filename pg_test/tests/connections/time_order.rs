//! Time order: ids that are not of version 7 first. In PostgreSQL's indexes and plans.

use postgres::Client;

use super::common::{connect_to_schema, leaves, major, plan, run, value};

/// A table whose old keys are random and whose new ones are not, with a unique index in time order and no
/// other.
fn connect_to_items(schema: &str, rows: i32) -> Client {
    let mut client = connect_to_schema(schema);
    run(
        &mut client,
        &format!(
            "CREATE TABLE items (id uuid NOT NULL DEFAULT gen_random_uuid(), number int);
             CREATE UNIQUE INDEX items_id ON items (id uuid_time_ops);
             INSERT INTO items (number) SELECT generate_series(1, {rows});
             ALTER TABLE items ALTER id SET DEFAULT comb_new();
             INSERT INTO items (number) SELECT generate_series({rows} + 1, 2 * {rows});
             VACUUM ANALYZE items;"
        ),
    );
    client
}

fn assert_plan(client: &mut Client, query: &str, wanted: &[&str]) {
    let plan = plan(client, query);
    for part in wanted {
        assert!(plan.contains(part), "{query}: no {part} in\n{plan}");
    }
}

/// Ids of all kinds, with the key that an independent statement of the rule gives.
const ALL_KINDS: &str = "
    CREATE TABLE all_kinds AS
    SELECT id, (CASE WHEN substr(id::text, 15, 1) = '7' AND substr(id::text, 20, 1) IN ('8', '9', 'a', 'b') THEN '1' ELSE '0' END
                || id::text) COLLATE \"C\" AS key
    FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 40000)
          UNION SELECT md5(random()::text)::uuid FROM generate_series(1, 40000)
          UNION SELECT overlay(md5(random()::text) PLACING '7' FROM 13)::uuid FROM generate_series(1, 40000)
          UNION SELECT comb_new() FROM generate_series(1, 40000)
          UNION SELECT ('018e5f3b-ff48-7d6e-8' || substr(md5(random()::text), 1, 3) || '-000000000000')::uuid FROM generate_series(1, 1000)
          UNION SELECT id FROM unnest('{00000000-0000-0000-0000-000000000000,00000000-0000-7000-8000-000000000000,
                                        00000000-0000-7000-7fff-ffffffffffff,00000000-0000-7000-c000-000000000000,
                                        ffffffff-ffff-7fff-bfff-ffffffffffff,ffffffff-ffff-ffff-ffff-ffffffffffff}'::uuid[]) id) ids;
    CREATE UNIQUE INDEX all_kinds_id ON all_kinds (id uuid_time_ops);
    VACUUM ANALYZE all_kinds;";

#[test]
fn sorts_and_scans_follow_the_rule() {
    let mut client = connect_to_schema("time_sorting");
    run(&mut client, ALL_KINDS);
    assert!(value::<i64>(&mut client, "SELECT count(*) FROM all_kinds") > 150_000);
    let ordered = "SELECT key, lag(key) OVER (ORDER BY id USING <@~) AS before FROM all_kinds";
    let inverted = format!("SELECT count(*) FROM ({ordered}) pairs WHERE key <= before");
    run(&mut client, "SET enable_indexscan = off");
    assert_plan(&mut client, ordered, &["Sort"]);
    assert_eq!(value::<i64>(&mut client, &inverted), 0);
    // A sort too large for its memory.
    run(&mut client, "SET work_mem = '64kB'");
    assert_eq!(value::<i64>(&mut client, &inverted), 0);
    run(&mut client, "RESET enable_indexscan; SET enable_seqscan = off; SET enable_sort = off");
    assert_plan(&mut client, ordered, &["Index Scan using all_kinds_id"]);
    assert_eq!(value::<i64>(&mut client, &inverted), 0);
    // The operators, without an index.
    let differences = "SELECT count(*) FROM all_kinds a JOIN
            (SELECT id, key FROM all_kinds ORDER BY hashtext(id::text) LIMIT 200) b
            ON (a.id <@~ b.id) <> (a.key < b.key) OR (a.id <=@~ b.id) <> (a.key <= b.key)
            OR (a.id >=@~ b.id) <> (a.key >= b.key) OR (a.id >@~ b.id) <> (a.key > b.key)
            OR sign(comb_time_cmp(a.id, b.id)) <> (a.key > b.key)::int - (a.key < b.key)::int
        WHERE hashtext(a.id::text) % 50 = 0";
    assert_eq!(value::<i64>(&mut client, differences), 0);
}

#[test]
fn new_keys_go_to_the_right_edge() {
    let mut client = connect_to_items("time_edge", 100_000);
    run(
        &mut client,
        "CREATE TABLE plain (LIKE items INCLUDING DEFAULTS);
         CREATE UNIQUE INDEX plain_id ON plain (id);
         INSERT INTO plain SELECT gen_random_uuid(), number FROM generate_series(1, 100000) number;
         INSERT INTO plain (number) SELECT generate_series(100001, 200000);",
    );
    let size_of_plains: f64 = value(&mut client, "SELECT pg_relation_size('items_id')::float8 / pg_relation_size('plain_id')");
    assert!(size_of_plains < 0.8, "{size_of_plains}");
    // Half of either index is as random keys leave it.
    let both = leaves(&mut client, "items_id").zip(leaves(&mut client, "plain_id"));
    if let Some((items, plain)) = both {
        assert!(items.density > plain.density + 13.0, "{} and {}", items.density, plain.density);
    }
}

#[test]
fn an_index_in_time_order_serves_everything_that_uuid_does() {
    let mut client = connect_to_items("time_serving", 10_000);
    let some_id = "'d01c25cc-63a7-47cc-b5ba-018e5f3bff48'";
    for id in [some_id, &format!("{some_id}::uniqueidentifier"), "$1"] {
        if id == "$1" {
            run(&mut client, "SET plan_cache_mode = force_generic_plan");
            run(&mut client, "PREPARE one (uuid) AS SELECT * FROM items WHERE id = $1");
            assert_plan(&mut client, "EXECUTE one (gen_random_uuid())", &["Index Cond: (items.id = $1)"]);
            continue;
        }
        let query = format!("SELECT * FROM items WHERE id = {id}");
        assert_plan(&mut client, &query, &["Index Scan", "Index Cond: (items.id = "]);
    }
    let newest = "SELECT number FROM items ORDER BY id USING >@~ LIMIT 1";
    assert_plan(&mut client, newest, &["Index Scan Backward using items_id"]);
    assert_eq!(value::<i32>(&mut client, newest), 20_000);

    run(
        &mut client,
        "INSERT INTO items SELECT id, -1 FROM items WHERE number IN (7, 10007)
                 ON CONFLICT (id) DO UPDATE SET number = 70007;
             CREATE TABLE children (item uuid REFERENCES items (id) ON DELETE CASCADE);
             INSERT INTO children SELECT id FROM items WHERE number IN (1, 2, 10001, 10002);
             DELETE FROM items WHERE number IN (1, 10001);
             ALTER TABLE items REPLICA IDENTITY USING INDEX items_id;
             UPDATE items SET number = 0 WHERE number = 2;
             CREATE INDEX CONCURRENTLY again ON items (id uuid_time_ops);
             REINDEX INDEX CONCURRENTLY again;
             REINDEX TABLE items;",
    );
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM items WHERE number = 70007"), 2);
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM children"), 2);
    let of_constraint = "SELECT conindid = 'items_id'::regclass FROM pg_constraint
                         WHERE conrelid = 'children'::regclass AND contype = 'f'";
    assert!(value::<bool>(&mut client, of_constraint));
    let orphan = client.execute("INSERT INTO children VALUES (comb_new())", &[]);
    let code = orphan.expect_err("no such parent").code().cloned();
    assert_eq!(code, Some(postgres::error::SqlState::FOREIGN_KEY_VIOLATION));
    let twin = client.execute("INSERT INTO items (id) SELECT id FROM items LIMIT 1", &[]);
    let code = twin.expect_err("a duplicate").code().cloned();
    assert_eq!(code, Some(postgres::error::SqlState::UNIQUE_VIOLATION));
}

#[test]
fn ranges_of_time_use_the_index_and_find_no_random_key() {
    let mut client = connect_to_items("time_ranges", 20_000);
    let day = "comb_between_time(id, now() - interval '1 day', 'infinity')";
    let found = format!("SELECT count(*) FROM items WHERE {day}");
    assert_eq!(value::<i64>(&mut client, &found), 20_000);
    let ever = "SELECT count(*) FROM items WHERE comb_between_time(id, '-infinity', 'infinity')";
    assert_eq!(value::<i64>(&mut client, ever), 20_000);
    assert_plan(
        &mut client,
        "SELECT * FROM items WHERE comb_between_time(id, '2024-01-01Z', '2024-02-01Z')",
        &["Index Scan using items_id", "Index Cond: ((items.id >=@~ '", " AND (items.id <=@~ '"],
    );
    // No filter is left that would be evaluated for each row.
    run(&mut client, "SET enable_seqscan = off; SET enable_bitmapscan = off");
    let range = format!("SELECT * FROM items WHERE {day}");
    assert!(!plan(&mut client, &range).contains("Filter"));
    assert_plan(&mut client, &range, &["Index Cond: ((items.id >=@~ comb_first_from("]);
}

#[test]
fn comb_between_time_is_what_the_timestamps_say() {
    let mut client = connect_to_schema("time_definition");
    let differences: i64 = value(
        &mut client,
        "WITH ids AS (
             SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '250 us') AS id
             FROM generate_series(-40, 40) n
             UNION ALL SELECT overlay(comb_at('2024-01-01Z')::text PLACING v FROM 15)::uuid
             FROM unnest('{1,4,6,8}'::text[]) v
             UNION ALL SELECT unnest(ARRAY[comb_min('1970-01-01Z'), comb_min('10889-08-02 05:31:50.655Z')])
             UNION ALL SELECT gen_random_uuid() FROM generate_series(1, 100)),
         bounds AS (
             SELECT timestamptz '2024-01-01Z' + f * interval '333 us' AS from_time,
                    timestamptz '2024-01-01Z' + t * interval '500 us' AS to_time
             FROM generate_series(-20, 20) f, generate_series(-15, 15) t
             UNION ALL VALUES (timestamptz '-infinity', timestamptz 'infinity'),
                              ('infinity', 'infinity'), ('-infinity', '-infinity'),
                              ('0044-03-15 BC', '1970-01-01Z'), ('1970-01-01Z', '1970-01-01 00:00:00.001Z'),
                              ('10889-08-02 05:31:50.655Z', 'infinity'), ('10889-08-02 05:31:50.656Z', 'infinity'),
                              ('0044-03-15 BC', '2024-01-01Z'), ('2024-01-01Z', '294276-01-01'))
         SELECT count(*) FROM ids, bounds, LATERAL (
             SELECT substr(id::text, 15, 1) = '7' AS is_version_7, comb_timestamp(id) AS moment) m
         WHERE comb_between_time(id, from_time, to_time)
               IS DISTINCT FROM (is_version_7 AND moment >= from_time AND moment < to_time)",
    );
    assert_eq!(differences, 0);
    // After the last id there is none that could be a bound.
    let backwards = "SELECT bool_or(comb_between_time(id, from_time, '10889-09-01Z')
                OR id >=@~ comb_first_from(from_time) AND id <=@~ comb_last_before('10889-09-01Z'))
         FROM (VALUES (comb_max('10889-08-02 05:31:50.655999Z'), timestamptz 'infinity')) ids (id, from_time)";
    assert!(!value::<bool>(&mut client, backwards));
}

#[test]
fn joins_use_the_order_of_the_index() {
    let mut client = connect_to_items("time_joins", 20_000);
    run(
        &mut client,
        "CREATE TABLE others AS SELECT id FROM items WHERE number % 4 = 0;
         CREATE UNIQUE INDEX others_id ON others (id uuid_time_ops);
         VACUUM ANALYZE others;
         SET enable_hashjoin = off;
         SET enable_nestloop = off;
         SET enable_seqscan = off",
    );
    let join = "SELECT count(*) FROM items JOIN others USING (id)";
    assert_plan(&mut client, join, &["Merge Join"]);
    assert!(!plan(&mut client, join).contains("Sort"));
    assert_eq!(value::<i64>(&mut client, join), 10_000);
}

#[test]
fn partitions_in_time_order_keep_random_keys_apart_and_have_a_primary_key() {
    let mut client = connect_to_schema("time_partitions");
    run(
        &mut client,
        "CREATE TABLE items (id uuid PRIMARY KEY, number int) PARTITION BY RANGE (id uuid_time_ops);
             CREATE TABLE before PARTITION OF items FOR VALUES FROM (MINVALUE) TO (comb_first_from('2024-01-01Z'));
             CREATE TABLE january PARTITION OF items FOR VALUES
                 FROM (comb_first_from('2024-01-01Z')) TO (comb_first_from('2024-02-01Z'));
             CREATE TABLE february PARTITION OF items FOR VALUES FROM (comb_first_from('2024-02-01Z')) TO (MAXVALUE);
             INSERT INTO items SELECT gen_random_uuid(), 0 FROM generate_series(1, 1000);
             INSERT INTO items SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '1 hour'), n
                 FROM generate_series(0, 31 * 24 + 29 * 24 - 1) n;",
    );
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM before"), 1000);
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM january"), 31 * 24);
    for (from_time, to_time, only) in [
        ("2024-02-01Z", "infinity", "february"),
        ("2024-01-01Z", "2024-02-01Z", "january"),
        ("-infinity", "2024-01-01Z", "before"),
    ] {
        let range = format!("SELECT * FROM items WHERE comb_between_time(id, '{from_time}', '{to_time}')");
        let plan = plan(&mut client, &range);
        for partition in ["before", "january", "february"] {
            assert_eq!(plan.contains(partition), partition == only, "{partition}:\n{plan}");
        }
    }
    assert_plan(
        &mut client,
        "SELECT * FROM items WHERE id = 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48'",
        &["Index Scan using before_pkey"],
    );
}

#[test]
fn brin_in_time_order_leaves_random_keys_out() {
    let mut client = connect_to_schema("time_brin");
    run(
        &mut client,
        "CREATE TABLE items AS SELECT gen_random_uuid() AS id FROM generate_series(1, 100000);
             INSERT INTO items SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '1 minute')
                 FROM generate_series(0, 99999) n;
             CREATE INDEX items_id ON items USING brin (id uuid_time_minmax_ops) WITH (pages_per_range = 4);
             ANALYZE items;
             SET enable_seqscan = off;",
    );
    let day = "SELECT count(*) FROM items WHERE comb_between_time(id, '2024-02-01Z', '2024-02-02Z')";
    assert_plan(&mut client, day, &["Bitmap Index Scan on items_id"]);
    assert_eq!(value::<i64>(&mut client, day), 24 * 60);
    let analysed = client.query(&format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) {day}"), &[]);
    let blocks = analysed
        .expect("a plan")
        .iter()
        .map(|line| line.get::<_, String>(0))
        .find_map(|line| line.split_once("lossy=")?.1.trim().parse::<i64>().ok())
        .expect("a count of blocks");
    let pages: i64 = value(&mut client, "SELECT pg_relation_size('items') / 8192");
    assert!(blocks < pages / 20, "{blocks} of {pages} pages");
}

/// PostgreSQL 18 finds a second column by skipping through the distinct values of the first.
#[test]
fn skip_scans_in_time_order_find_every_row() {
    let mut client = connect_to_schema("time_skipping");
    if major(&mut client) < 18 {
        return;
    }
    run(
        &mut client,
        "CREATE TABLE items (id uuid, number int);
             INSERT INTO items
                 SELECT id::uuid, number
                 FROM unnest('{00000000-0000-0000-0000-000000000000,00000000-0000-7000-7fff-ffffffffffff,
                               10000000-0000-4000-8000-000000000000,ffffffff-ffff-ffff-ffff-ffffffffffff,
                               00000000-0000-7000-8000-000000000000,018e5f3b-ff48-7fff-bfff-ffffffffffff,
                               018e5f3b-ff49-7000-8000-000000000000,ffffffff-ffff-7fff-bfff-ffffffffffff}'::text[]) id,
                      generate_series(1, 20000) number;
             CREATE INDEX items_id_number ON items (id uuid_time_ops, number);
             VACUUM ANALYZE items;
             SET enable_seqscan = off; SET enable_bitmapscan = off;",
    );
    let query = "SELECT count(*) FROM items WHERE number = 77";
    assert_plan(&mut client, query, &["Index Cond: (items.number = 77)"]);
    assert_eq!(value::<i64>(&mut client, query), 8);
    for (direction, order) in
        [("<@~", "0000 0000 1000 ffff 0000 018e 018e ffff"), (">@~", "ffff 018e 018e 0000 ffff 1000 0000 0000")]
    {
        let ids = format!("SELECT id FROM items WHERE number = 77 ORDER BY id USING {direction}");
        assert!(!plan(&mut client, &ids).contains("Sort"));
        let starts = format!("SELECT string_agg(left(id::text, 4), ' ') FROM ({ids}) ids");
        assert_eq!(value::<String>(&mut client, &starts), order);
    }
}
