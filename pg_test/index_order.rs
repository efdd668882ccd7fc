//! What time-ordered keys are for: rows and index entries arrive in order, and pages stay full.

use std::io::Write;

use postgres::Client;

use super::server::{connect, connect_to_schema, leaves, value};

const ROWS: i64 = 1_000_000;

/// Rows whose id is not above that of the row stored before it.
fn inversions(client: &mut Client, table: &str) -> i64 {
    let query = format!(
        "SELECT count(*) FROM (
             SELECT id <= lag(id) OVER (ORDER BY ctid) AS inverted FROM {table}) pairs
         WHERE inverted"
    );
    value(client, &query)
}

fn create_table(client: &mut Client, table: &str, key: &str) {
    client
        .batch_execute(&format!(
            "CREATE TABLE {table} (id uuid PRIMARY KEY DEFAULT {key}, number int NOT NULL)"
        ))
        .expect("a table");
}

fn insert_select(client: &mut Client, table: &str) {
    let insert = format!("INSERT INTO {table} (number) SELECT generate_series(1, {ROWS})");
    client.batch_execute(&insert).expect("the rows");
}

fn assert_in_order(client: &mut Client, table: &str) {
    assert_eq!(value::<i64>(client, &format!("SELECT count(*) FROM {table}")), ROWS);
    assert_eq!(inversions(client, table), 0);
    let leaves = leaves(client, &format!("{table}_pkey"));
    assert!(leaves.density >= 89.0, "leaf density {}", leaves.density);
    assert!(leaves.fragmentation < 1.0, "leaf fragmentation {}", leaves.fragmentation);
}

#[test]
fn insert_select_fills_the_index_in_order() {
    let mut client = connect_to_schema("insert_select");
    create_table(&mut client, "keyed", "comb_new()");
    insert_select(&mut client, "keyed");
    assert_in_order(&mut client, "keyed");
}

#[test]
fn copy_fills_the_index_in_order() {
    let mut client = connect_to_schema("copied");
    create_table(&mut client, "keyed", "comb_new()");
    let mut rows = client.copy_in("COPY keyed (number) FROM STDIN").expect("COPY");
    for number in 1..=ROWS {
        writeln!(rows, "{number}").expect("a row");
    }
    assert_eq!(rows.finish().expect("the rows"), ROWS as u64);
    assert_in_order(&mut client, "keyed");
}

/// That the test can fail: random keys in the same table.
#[test]
fn random_keys_do_worse() {
    let mut client = connect_to_schema("random_keys");
    create_table(&mut client, "keyed", "gen_random_uuid()");
    insert_select(&mut client, "keyed");
    assert!(inversions(&mut client, "keyed") > ROWS / 3);
    let leaves = leaves(&mut client, "keyed_pkey");
    assert!(leaves.density < 80.0, "leaf density {}", leaves.density);
    assert!(leaves.fragmentation > 10.0, "leaf fragmentation {}", leaves.fragmentation);
}

#[test]
fn eight_connections_insert_side_by_side() {
    const CONNECTIONS: i32 = 8;
    const ROWS_EACH: i32 = 50_000;
    /// Two single-row statements, then one of this many rows less two.
    const ROWS_A_ROUND: i32 = 50;

    let mut client = connect_to_schema("side_by_side");
    client
        .batch_execute(
            "CREATE TABLE keyed (id uuid PRIMARY KEY DEFAULT comb_new(), connection int, number int)",
        )
        .expect("a table");
    let writers: Vec<_> = (0..CONNECTIONS)
        .map(|connection| {
            std::thread::spawn(move || {
                let mut client = connect();
                let insert = "INSERT INTO side_by_side.keyed (connection, number)";
                let one = client.prepare(&format!("{insert} VALUES ($1, $2)")).expect("statement");
                let many = client
                    .prepare(&format!("{insert} SELECT $1, n FROM generate_series($2::int, $3) n"))
                    .expect("statement");
                for first in (0..ROWS_EACH).step_by(ROWS_A_ROUND as usize) {
                    client.execute(&one, &[&connection, &first]).expect("a row");
                    client.execute(&one, &[&connection, &(first + 1)]).expect("a row");
                    let last = first + ROWS_A_ROUND - 1;
                    client.execute(&many, &[&connection, &(first + 2), &last]).expect("rows");
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().expect("a writer's rows");
    }

    let rows = i64::from(CONNECTIONS * ROWS_EACH);
    assert_eq!(value::<i64>(&mut client, "SELECT count(DISTINCT id) FROM keyed"), rows);
    let inversions: i64 = value(
        &mut client,
        "SELECT count(*) FROM (
             SELECT id <= lag(id) OVER (PARTITION BY connection ORDER BY number) AS inverted
             FROM keyed) pairs
         WHERE inverted",
    );
    assert_eq!(inversions, 0);
    let leaves = leaves(&mut client, "keyed_pkey");
    assert!(leaves.density >= 85.0, "leaf density {}", leaves.density);
}
