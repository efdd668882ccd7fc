//! The conversions of the pages, in tables that also have random, new and converted keys.

use comb_id::layouts::labelled;
use pg_test::pages::Page;
use postgres::Client;

use super::common::{connect_to_schema, run, value};

/// 100,000 keys of a layout, and in the same column: 5,000 random ones, 5,000 of version 7 as comb generates them, 5,000 of version 8,
/// and 5,000 of version 6.
fn table_of(client: &mut Client, table: &str, layout: &str) {
    run(
        client,
        &format!(
            "CREATE TABLE {table} (id uuid PRIMARY KEY, name text);
             INSERT INTO {table} SELECT comb_at('2015-01-01Z'::timestamptz + n * interval '50 min 7 ms', '{layout}'), 'old'
                 FROM generate_series(1, 100000) n;
             INSERT INTO {table} SELECT gen_random_uuid(), 'random' FROM generate_series(1, 5000);
             INSERT INTO {table} SELECT comb_at('2024-01-01Z'::timestamptz + n * interval '1 h'), 'version 7' FROM generate_series(1, 5000) n;
             INSERT INTO {table} SELECT comb_new('uuidv8_mssql'), 'other version' FROM generate_series(1, 5000) n;
             INSERT INTO {table} SELECT comb_new('uuidv6'), 'other version' FROM generate_series(1, 5000) n;
             ALTER TABLE {table} ADD number bigint GENERATED ALWAYS AS IDENTITY;
             CREATE TABLE {table}_before AS TABLE {table}"
        ),
    );
}

/// Each old key has its time in the target. No other key has changed, but for those that look like old ones: random keys or, if the
/// source has no version, keys of versions 6 and 8.
fn assert_converted(client: &mut Client, table: &str, source: &str, target: &str) {
    let joined = format!("FROM {table} a JOIN {table}_before b USING (number, name)");
    let of = |client: &mut Client, condition: &str| value::<i64>(client, &format!("SELECT count(*) {joined} WHERE {condition}"));
    assert_eq!(of(client, "true"), 120_000, "{table}");
    let right = format!("name = 'old' AND a.id <> b.id AND comb_timestamp(a.id, '{target}') = comb_timestamp(b.id, '{source}')");
    assert_eq!(of(client, &right), 100_000, "{table}");
    assert_eq!(of(client, "name = 'version 7' AND a.id <> b.id"), 0, "{table}");
    let has_version = labelled(source.as_bytes()).is_some_and(|layout| layout.version.is_some());
    let others = of(client, "name = 'other version' AND a.id <> b.id");
    assert!(others == 0 || !has_version && others < 90, "{table}, {source}: {others} keys of other versions");
    let random = of(client, "name = 'random' AND a.id <> b.id");
    assert!(random < 60, "{table}, {source}: {random} random keys");
}

/// The statements of a block from one that begins so to the end of that one.
fn statements<'a>(text: &'a str, begin: &str) -> &'a str {
    let text = &text[text.find(begin).unwrap_or_else(|| panic!("no {begin}"))..];
    &text[..=text.find(";\n").unwrap_or_else(|| panic!("{begin} has no end"))]
}

#[test]
fn a_large_table_is_converted_in_batches() {
    let mut client = connect_to_schema("conversion_in_batches");
    let page = Page::read("docs/other-keys.md");
    let block = page.block_with("Convert a large table", "parcel_keys");
    // The last layout has no version: any key can be read in it.
    for layout in ["mssql", "postgres", "sequential_at_end", "ulid"] {
        run(&mut client, "DROP TABLE IF EXISTS parcels, parcels_before, parcel_keys");
        table_of(&mut client, "parcels", layout);
        let text = block.text.replace("'mssql'", &format!("'{layout}'"));
        let (prepare, batches) =
            text[text.find("ALTER TABLE parcels ALTER id").expect("a default")..].split_once("DO $$").expect("batches");
        client.batch_execute(prepare).expect("which keys to convert");
        let chosen = value::<i64>(&mut client, "SELECT max(n) FROM parcel_keys");
        assert!(chosen >= 100_000, "{layout}: {chosen}");
        // A run that stops in the middle, and another one.
        for until in ["4", "(SELECT coalesce(max(n), 0) / 10000 FROM parcel_keys)"] {
            let loops = batches.replace("(SELECT coalesce(max(n), 0) / 10000 FROM parcel_keys)", until);
            client.batch_execute(&format!("DO $${loops}")).expect("batches");
        }
        assert_converted(&mut client, "parcels", layout, "uuidv7");
    }
}

/// The UPDATE statements of the page of SQL Server, twice: the second one changes nothing.
#[test]
fn one_statement_converts_a_table_with_other_keys() {
    let mut client = connect_to_schema("conversion_by_a_statement");
    let page = Page::read("docs/sql-server.md");
    for (table, source, target) in [("customers", "mssql", "uuidv7"), ("visits", "newsequentialid", "uuidv6")] {
        let update = format!("UPDATE {table} SET id = comb_convert");
        let text = &page.block_with("Convert the keys", &update).text;
        table_of(&mut client, table, source);
        for _ in 0..2 {
            client.batch_execute(statements(text, &update)).expect("a conversion");
        }
        assert_converted(&mut client, table, source, target);
    }
    // Local times become UTC.
    let text = &page.block_with("Read local times", "UPDATE journeys").text;
    table_of(&mut client, "journeys", "mssql_legacy");
    for _ in 0..2 {
        client.batch_execute(statements(text, "UPDATE journeys SET id = ")).expect("a conversion");
    }
    let right = "SELECT count(*) FROM journeys a JOIN journeys_before b USING (number)
                 WHERE b.name = 'old' AND comb_timestamp(b.id, 'mssql_legacy') - comb_timestamp(a.id) IN ('1 h', '2 h')";
    // Times of 1/300 s lose their microseconds.
    let right =
        right.replace("comb_timestamp(b.id, 'mssql_legacy')", "date_trunc('milliseconds', comb_timestamp(b.id, 'mssql_legacy'))");
    assert_eq!(value::<i64>(&mut client, &right), 100_000);
    assert_eq!(
        value::<i64>(
            &mut client,
            "SELECT count(*) FROM journeys JOIN journeys_before USING (number, id) WHERE journeys.name LIKE '%version%'"
        ),
        15_000
    );
}
