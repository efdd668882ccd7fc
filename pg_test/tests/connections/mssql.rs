//! SQL Server's order in PostgreSQL's indexes and plans.

use postgres::Client;

use super::common::{assert_btree_is_sound, assert_equal_keys_share_posting_lists, connect_to_schema, major, plan, run, value};

/// A table of uuids with a unique index in SQL Server's order, and nothing else.
fn connect_to_guids(schema: &str, rows: i32) -> Client {
    let mut client = connect_to_schema(schema);
    run(
        &mut client,
        &format!(
            "CREATE TABLE guids (id uuid NOT NULL DEFAULT comb_new_mssql(), number int);
             CREATE UNIQUE INDEX guids_id ON guids (id uuid_mssql_ops);
             INSERT INTO guids (number) SELECT generate_series(1, {rows});
             VACUUM ANALYZE guids;"
        ),
    );
    client
}

/// Ids in every way alike: random ones, such that share their first 8, 10 or 15 bytes in SQL
/// Server's order, the ends of the order and their neighbours. With each the key that an
/// independent statement of SQL Server's rule gives: the last six bytes, then bytes 8 and 9, then
/// 7 6, 5 4, 3 2 1 0.
const NEAR_AND_FAR: &str = "
    CREATE TABLE near_and_far AS
    SELECT id, decode(substr(t, 25) || substr(t, 20, 4) || substr(t, 17, 2) || substr(t, 15, 2) || substr(t, 12, 2) || substr(t, 10, 2)
                      || substr(t, 7, 2) || substr(t, 5, 2) || substr(t, 3, 2) || left(t, 2), 'hex') AS key
    FROM (SELECT id, id::text AS t
          FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 60000)
                UNION SELECT (left(gen_random_uuid()::text, 18) || '-8000-018e5f3bff48')::uuid FROM generate_series(1, 30000)
                UNION SELECT (left(gen_random_uuid()::text, 13) || '-4000-8000-018e5f3bff48')::uuid FROM generate_series(1, 30000)
                UNION SELECT (left(gen_random_uuid()::text, 2) || '000000-0000-4000-8000-018e5f3bff48')::uuid FROM generate_series(1, 1000)
                UNION SELECT id FROM unnest('{00000000-0000-0000-0000-000000000000,01000000-0000-0000-0000-000000000000,
                                              fffffffe-ffff-ffff-ffff-ffffffffffff,ffffffff-ffff-ffff-ffff-ffffffffffff}'::uuid[]) id) ids) texts;
    ANALYZE near_and_far;";

#[test]
fn sorting_follows_sql_servers_rule() {
    let mut client = connect_to_schema("sorting");
    run(&mut client, NEAR_AND_FAR);
    assert!(value::<i64>(&mut client, "SELECT count(*) FROM near_and_far") > 120_000);

    // Numbering the rows by either order gives the same numbers.
    let differences = |client: &mut Client, order: &str| -> i64 {
        value(
            client,
            &format!(
                "SELECT count(*) FROM (
                     SELECT row_number() OVER (ORDER BY key) AS by_rule,
                            row_number() OVER (ORDER BY {order}) AS by_order
                     FROM near_and_far) numbered
                 WHERE by_rule <> by_order"
            ),
        )
    };
    assert_eq!(differences(&mut client, "id USING <#"), 0);
    assert_eq!(differences(&mut client, "id::uniqueidentifier"), 0);
    // In a sort too large for its memory, and in one whose keys all tie.
    run(&mut client, "SET work_mem = '64kB'");
    assert_eq!(differences(&mut client, "id USING <#"), 0);
    run(&mut client, "DELETE FROM near_and_far WHERE right(id::text, 17) <> '8000-018e5f3bff48'");
    assert!(value::<i64>(&mut client, "SELECT count(*) FROM near_and_far") > 50_000);
    assert_eq!(differences(&mut client, "id USING <#"), 0);
}

#[test]
fn index_scans_and_joins_follow_sql_servers_rule() {
    let mut client = connect_to_schema("scanning");
    run(&mut client, NEAR_AND_FAR);
    run(
        &mut client,
        "CREATE UNIQUE INDEX near_and_far_id ON near_and_far (id uuid_mssql_ops);
         CREATE TABLE uuids AS SELECT id FROM near_and_far ORDER BY random() LIMIT 50000;
         CREATE UNIQUE INDEX uuids_id ON uuids (id uuid_mssql_ops);
         CREATE TABLE guids AS SELECT id::uniqueidentifier FROM uuids;
         CREATE UNIQUE INDEX guids_id ON guids (id);
         CREATE TABLE other_guids AS SELECT id::uniqueidentifier FROM near_and_far;
         CREATE UNIQUE INDEX other_guids_id ON other_guids (id);
         VACUUM ANALYZE near_and_far;
         VACUUM ANALYZE uuids;
         VACUUM ANALYZE guids;
         VACUUM ANALYZE other_guids;
         SET enable_seqscan = off;
         SET enable_bitmapscan = off",
    );
    let scan = "SELECT key, lag(key) OVER (ORDER BY id USING <#) AS before FROM near_and_far";
    let scan_plan = plan(&mut client, scan);
    assert!(scan_plan.contains("Index Scan using near_and_far_id"), "{scan_plan}");
    assert!(!scan_plan.contains("Sort"), "{scan_plan}");
    let inverted: i64 = value(&mut client, &format!("SELECT count(*) FROM ({scan}) pairs WHERE key <= before"));
    assert_eq!(inverted, 0);

    let join = |client: &mut Client, a: &str, b: &str, wanted: &str, unwanted: &str| {
        let query = format!("SELECT count(*) FROM {a} JOIN {b} ON {a}.id = {b}.id");
        let plan = plan(client, &query);
        assert!(plan.contains(wanted) && !plan.contains(unwanted), "{plan}");
        assert_eq!(value::<i64>(client, &query), 50_000, "{query}");
    };
    run(&mut client, "SET enable_hashjoin = off; SET enable_nestloop = off");
    join(&mut client, "near_and_far", "uuids", "Merge Join", "Sort");
    join(&mut client, "other_guids", "guids", "Merge Join", "Sort");
    // Across the types the planner does not see that the index of the uuids is in order already:
    // their equality belongs to uuid's own order too, that of the two types does not.
    join(&mut client, "near_and_far", "guids", "Merge Join", "Hash");
    join(&mut client, "other_guids", "uuids", "Merge Join", "Hash");

    run(&mut client, "RESET enable_hashjoin; SET enable_mergejoin = off; RESET enable_seqscan");
    join(&mut client, "other_guids", "guids", "Hash Join", "Merge");
    join(&mut client, "near_and_far", "guids", "Hash Join", "Merge");
}

#[test]
fn an_index_in_sql_servers_order_serves_everything_that_uuid_does() {
    let mut client = connect_to_guids("serving", 10_000);
    let contains = |client: &mut Client, query: &str, wanted: &[&str]| {
        let plan = plan(client, query);
        for part in wanted {
            assert!(plan.contains(part), "{query}: no {part} in\n{plan}");
        }
    };
    let some_id = "'d01c25cc-63a7-47cc-b5ba-018e5f3bff48'";
    contains(&mut client, &format!("SELECT * FROM guids WHERE id = {some_id}"), &["Index Scan", "Index Cond: (guids.id = "]);
    contains(&mut client, &format!("SELECT * FROM guids WHERE id <# {some_id}"), &["Index Cond: (guids.id <# "]);
    let newest = "SELECT id FROM guids ORDER BY id USING ># LIMIT 3";
    contains(&mut client, newest, &["Index Only Scan Backward using guids_id"]);
    let newest_are_last: bool =
        value(&mut client, &format!("SELECT array_agg(number) = '{{10000,9999,9998}}' FROM guids JOIN ({newest}) n USING (id)"));
    assert!(newest_are_last);

    // A range of time, by bounds of the layout.
    let range = "SELECT count(*) FROM guids
                 WHERE id >=# comb_lower_bound(now() - interval '1 hour', 'mssql')
                       AND id <# comb_lower_bound(now() + interval '1 hour', 'mssql')";
    // It is all of the table, which the planner would rather read as a whole.
    run(&mut client, "SET enable_seqscan = off");
    contains(&mut client, range, &["Index Cond: ((guids.id >=# comb_lower_bound("]);
    assert_eq!(value::<i64>(&mut client, range), 10_000);

    run(
        &mut client,
        "INSERT INTO guids SELECT id, -1 FROM guids WHERE number = 7
                 ON CONFLICT (id) DO UPDATE SET number = 70007;
             CREATE TABLE children (guid uuid REFERENCES guids (id) ON DELETE CASCADE);
             INSERT INTO children SELECT id FROM guids WHERE number <= 3;
             DELETE FROM guids WHERE number = 1;
             ALTER TABLE guids REPLICA IDENTITY USING INDEX guids_id;
             UPDATE guids SET number = 0 WHERE number = 2;
             CREATE INDEX CONCURRENTLY again ON guids (id uuid_mssql_ops);
             REINDEX INDEX CONCURRENTLY again;
             REINDEX TABLE guids;",
    );
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM guids WHERE number = 70007"), 1);
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM children"), 2);
    let orphan = client.execute("INSERT INTO children VALUES (gen_random_uuid())", &[]);
    let code = orphan.expect_err("no such parent").code().cloned();
    assert_eq!(code, Some(postgres::error::SqlState::FOREIGN_KEY_VIOLATION));
    let twin = client.execute("INSERT INTO guids (id) SELECT id FROM guids LIMIT 1", &[]);
    let code = twin.expect_err("a duplicate").code().cloned();
    assert_eq!(code, Some(postgres::error::SqlState::UNIQUE_VIOLATION));
}

#[test]
fn a_uniqueidentifier_key_serves_everything_too() {
    let mut client = connect_to_schema("uniqueidentifier_key");
    run(
        &mut client,
        "CREATE TABLE guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
             INSERT INTO guids (number) SELECT generate_series(1, 10000);
             CREATE TABLE children (guid uuid REFERENCES guids (id));
             INSERT INTO children SELECT id FROM guids WHERE number <= 3;
             ALTER TABLE guids REPLICA IDENTITY USING INDEX guids_pkey;
             CREATE INDEX ON guids USING hash (id);
             VACUUM ANALYZE guids;",
    );
    for (query, wanted) in [
        ("SELECT number FROM guids ORDER BY id", "Index Scan using guids_pkey"),
        ("SELECT min(id), max(id) FROM guids", "Index Only Scan"),
        ("SELECT * FROM guids WHERE id > 'd01c25cc-63a7-47cc-b5ba-998e5f3bff48'", "Index Cond"),
        // A parameter of type uuid.
        ("SELECT * FROM guids WHERE id = 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48'::uuid", "Index Cond"),
        ("SELECT * FROM guids WHERE comb_between(id, '2024-01-01Z', '2024-02-01Z')", "Index Cond"),
        ("SELECT * FROM guids WHERE comb_between(id, now() - interval '1 day', now() - interval '20 h')", "Index Cond"),
    ] {
        let plan = plan(&mut client, query);
        assert!(plan.contains(wanted), "{query}: no {wanted} in\n{plan}");
    }
    let in_order: bool =
        value(&mut client, "SELECT array_agg(number ORDER BY id) = array_agg(number ORDER BY number) FROM guids");
    assert!(in_order);
    let between = "SELECT count(*) FROM guids
                   WHERE comb_between(id, now() - interval '1 hour', now() + interval '1 hour')";
    assert_eq!(value::<i64>(&mut client, between), 10_000);
}

#[test]
fn btrees_stay_sound_under_random_changes() {
    let mut client = connect_to_schema("sound");
    run(
        &mut client,
        "CREATE TABLE guids (id uniqueidentifier, other uuid);
             CREATE INDEX guids_id ON guids (id);
             CREATE INDEX guids_other ON guids (other uuid_mssql_ops);
             INSERT INTO guids SELECT gen_random_uuid(), gen_random_uuid() FROM generate_series(1, 400000);
             DELETE FROM guids WHERE random() < 0.5;
             VACUUM guids;
             INSERT INTO guids SELECT comb_new_mssql(), comb_new_mssql_legacy() FROM generate_series(1, 100000);
             INSERT INTO guids SELECT comb_new_mssql(), comb_new() FROM generate_series(1, 100000);
             INSERT INTO guids SELECT id, other FROM guids ORDER BY random() LIMIT 200000;
             INSERT INTO guids SELECT (SELECT id FROM guids LIMIT 1), (SELECT other FROM guids LIMIT 1)
                 FROM generate_series(1, 200000);
             DELETE FROM guids WHERE random() < 0.3;",
    );
    for index in ["guids_id", "guids_other"] {
        assert_btree_is_sound(&mut client, index);
    }
    assert_equal_keys_share_posting_lists(&mut client, "guids", "uniqueidentifier_ops");
}

/// Wrong text is an error that has the name of the type, and no error for a caller that asks first.
#[test]
fn wrong_text_of_a_uniqueidentifier_has_the_name_of_the_type() {
    let mut client = connect_to_schema("wrong_text");
    run(&mut client, "CREATE TABLE guids (id uniqueidentifier)");
    let error = client.batch_execute("INSERT INTO guids VALUES ('d01c25cc-63a7')").expect_err("too short");
    let error = error.as_db_error().expect("an error of the server");
    assert_eq!(error.code().code(), "22P02");
    assert_eq!(error.message(), "invalid input syntax for type uniqueidentifier: \"d01c25cc-63a7\"");
    if major(&mut client) >= 16 {
        let asked = "SELECT NOT pg_input_is_valid('d01c25cc-63a7', 'uniqueidentifier')
                     AND pg_input_is_valid('{D01C25CC63A747CCB5BA018E5F3BFF48}', 'uniqueidentifier')
                     AND message LIKE '%type uniqueidentifier: \"d01c25cc-63a7\"' AND sql_error_code = '22P02'
                     FROM pg_input_error_info('d01c25cc-63a7', 'uniqueidentifier')";
        assert!(value::<bool>(&mut client, asked));
    }
}

#[test]
fn partitions_by_range_of_a_uniqueidentifier() {
    let mut client = connect_to_schema("guid_partitions");
    run(
        &mut client,
        "CREATE TABLE guids (id uniqueidentifier PRIMARY KEY) PARTITION BY RANGE (id);
             CREATE TABLE january PARTITION OF guids FOR VALUES
                 FROM (comb_mssql_lower_bound('2024-01-01Z')) TO (comb_mssql_lower_bound('2024-02-01Z'));
             CREATE TABLE february PARTITION OF guids FOR VALUES
                 FROM (comb_mssql_lower_bound('2024-02-01Z')) TO (comb_mssql_lower_bound('2024-03-01Z'));
             INSERT INTO guids
                 SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '1 hour', 'mssql')
                 FROM generate_series(0, 31 * 24 + 29 * 24 - 1) n;",
    );
    assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM january"), 31 * 24);
    let query = "SELECT * FROM guids WHERE comb_between(id, '2024-02-10Z', '2024-02-11Z')";
    let plan = plan(&mut client, query);
    assert!(plan.contains("february") && !plan.contains("january"), "{plan}");
}

#[test]
fn brin_finds_a_range_of_time() {
    let mut client = connect_to_schema("brin");
    run(
        &mut client,
        "CREATE TABLE guids AS
                 SELECT comb_at(timestamptz '2024-01-01Z' + n * interval '1 minute', 'mssql') AS id
                 FROM generate_series(0, 199999) n;
             ALTER TABLE guids ADD guid uniqueidentifier;
             UPDATE guids SET guid = id;
             VACUUM FULL guids;
             CREATE INDEX guids_id ON guids USING brin (id uuid_mssql_minmax_ops) WITH (pages_per_range = 4);
             CREATE INDEX guids_guid ON guids USING brin (guid) WITH (pages_per_range = 4);
             ANALYZE guids;
             SET enable_seqscan = off;",
    );
    for condition in [
        "id >=# comb_lower_bound('2024-02-01Z', 'mssql') AND id <# comb_lower_bound('2024-02-02Z', 'mssql')",
        "guid >= comb_lower_bound('2024-02-01Z', 'mssql') AND guid < comb_lower_bound('2024-02-02Z', 'mssql')",
    ] {
        let query = format!("SELECT count(*) FROM guids WHERE {condition}");
        let plan = plan(&mut client, &query);
        assert!(plan.contains("Bitmap Index Scan"), "{plan}");
        assert_eq!(value::<i64>(&mut client, &query), 24 * 60);
    }
}

/// PostgreSQL 18 finds a second column by skipping through the distinct values of the first.
#[test]
fn skip_scans_find_every_row() {
    let mut client = connect_to_schema("skipping");
    if major(&mut client) < 18 {
        return;
    }
    run(
        &mut client,
        "CREATE TABLE guids (id uniqueidentifier, number int);
             INSERT INTO guids
                 SELECT id::uuid, number
                 FROM unnest('{00000000-0000-0000-0000-000000000000,01000000-0000-0000-0000-000000000000,
                               02000000-0000-0000-0000-000000000000,d01c25cc-63a7-47cc-b5ba-018e5f3bff48,
                               feffffff-ffff-ffff-ffff-ffffffffffff,ffffffff-ffff-ffff-ffff-ffffffffffff}'::text[]) id,
                      generate_series(1, 20000) number;
             CREATE INDEX guids_id_number ON guids (id, number);
             VACUUM ANALYZE guids;
             SET enable_seqscan = off; SET enable_bitmapscan = off;",
    );
    let query = "SELECT count(*) FROM guids WHERE number = 77";
    let skipping = plan(&mut client, query);
    assert!(skipping.contains("Index Cond: (guids.number = 77)"), "{skipping}");
    assert_eq!(value::<i64>(&mut client, query), 6);
    let backward = "SELECT string_agg(left(id::text, 2), ' ') FROM (
                        SELECT id FROM guids WHERE number = 77 ORDER BY id DESC) ids";
    assert_eq!(value::<String>(&mut client, backward), "ff fe d0 02 01 00");
    // Not by reading the whole index.
    let pages: i64 = value(&mut client, "SELECT pg_relation_size('guids_id_number') / 8192");
    let analysed = client.query(&format!("EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF) {query}"), &[]).expect("a plan");
    let buffers = analysed
        .iter()
        .map(|line| line.get::<_, String>(0))
        .find_map(|line| line.split_once("shared hit=")?.1.split(' ').next()?.parse::<i64>().ok())
        .expect("a count of buffers");
    assert!(buffers < pages / 4, "{buffers} of {pages} pages");
}
