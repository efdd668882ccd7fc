//! What time-ordered keys are for: rows and index entries arrive in order, and pages stay full.

use postgres::Client;

use super::common::{connect, connect_to_schema, leaves, value};

const ROWS: i64 = 1_000_000;

/// How a key's order is named in SQL.
struct Order {
    /// The key's type, and what stands behind it in an index.
    key: &'static str,
    opclass: &'static str,
    /// That `id` is not above `before`.
    inverted: &'static str,
}

const UUID: Order = Order { key: "uuid", opclass: "", inverted: "id <= before" };
const UNIQUEIDENTIFIER: Order = Order { key: "uniqueidentifier", opclass: "", inverted: "id <= before" };
const UUID_MSSQL: Order = Order { key: "uuid", opclass: "uuid_mssql_ops", inverted: "id <=# before" };

fn create_table(client: &mut Client, order: &Order, default: &str) {
    let Order { key, opclass, .. } = order;
    client
        .batch_execute(&format!(
            "CREATE TABLE keyed (id {key} NOT NULL DEFAULT {default}, number int NOT NULL);
             CREATE UNIQUE INDEX keyed_id ON keyed (id {opclass});"
        ))
        .expect("a table");
}

fn insert_select(client: &mut Client) {
    let insert = format!("INSERT INTO keyed (number) SELECT generate_series(1, {ROWS})");
    client.batch_execute(&insert).expect("the rows");
}

/// Rows whose id is not above that of the row stored before it.
fn inversions(client: &mut Client, order: &Order) -> i64 {
    let query = format!(
        "SELECT count(*) FROM (
             SELECT id, lag(id) OVER (ORDER BY ctid) AS before FROM keyed) pairs
         WHERE {}",
        order.inverted
    );
    value(client, &query)
}

fn assert_in_order(client: &mut Client, order: &Order) {
    assert_eq!(value::<i64>(client, "SELECT count(*) FROM keyed"), ROWS);
    assert_eq!(inversions(client, order), 0);
    if let Some(leaves) = leaves(client, "keyed_id") {
        assert!(leaves.density >= 89.0, "leaf density {}", leaves.density);
        assert!(leaves.fragmentation < 1.0, "leaf fragmentation {}", leaves.fragmentation);
    }
}

#[test]
fn rows_fill_the_index_in_order() {
    for (schema, order, default) in [("insert_select", &UUID, "comb_new()"), ("guids", &UNIQUEIDENTIFIER, "comb_new_mssql()")] {
        let mut client = connect_to_schema(schema);
        create_table(&mut client, order, default);
        insert_select(&mut client);
        assert_in_order(&mut client, order);
    }
}

/// The same keys are out of order in uuid's own order: the tests can fail.
#[test]
fn uuids_go_in_in_the_order_of_the_operator_class() {
    let mut client = connect_to_schema("operator_class");
    create_table(&mut client, &UUID_MSSQL, "comb_new_mssql()");
    client.batch_execute("CREATE UNIQUE INDEX in_uuid_order ON keyed (id)").expect("an index");
    insert_select(&mut client);
    assert_in_order(&mut client, &UUID_MSSQL);
    assert!(inversions(&mut client, &UUID) > ROWS / 3);
    if let Some(leaves) = leaves(&mut client, "in_uuid_order") {
        assert!(leaves.density < 80.0 && leaves.fragmentation > 10.0, "{} and {}", leaves.density, leaves.fragmentation);
    }
}

#[test]
fn eight_connections_insert_at_the_same_time() {
    const CONNECTIONS: i32 = 8;
    const ROWS_EACH: i32 = 50_000;
    /// Two single-row statements, then one of this many rows less two.
    const ROWS_A_ROUND: i32 = 50;

    let mut client = connect_to_schema("side_by_side");
    create_table(&mut client, &UUID, "comb_new()");
    client.batch_execute("ALTER TABLE keyed ADD connection int").expect("a column");
    let writers: Vec<_> = (0..CONNECTIONS)
        .map(|connection| {
            std::thread::spawn(move || {
                let mut client = connect();
                let insert = "INSERT INTO side_by_side.keyed (connection, number)";
                let one = client.prepare(&format!("{insert} VALUES ($1, $2)")).expect("statement");
                let many =
                    client.prepare(&format!("{insert} SELECT $1, n FROM generate_series($2::int, $3) n")).expect("statement");
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
    let pairs = "SELECT id, lag(id) OVER (PARTITION BY connection ORDER BY number) AS before FROM keyed";
    let inversions: i64 = value(&mut client, &format!("SELECT count(*) FROM ({pairs}) pairs WHERE id <= before"));
    assert_eq!(inversions, 0);
    if let Some(leaves) = leaves(&mut client, "keyed_id") {
        assert!(leaves.density >= 85.0, "leaf density {}", leaves.density);
    }
}
