//! Connections to the test server.

use std::sync::OnceLock;

pub use pg_test::value;
use pg_test::{Server, Sharing, installation};
use postgres::Client;

/// The one server of all these tests, with the library preloaded, as most have it.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| Server::start(Sharing::Preloaded, &[("autovacuum", "on"), ("max_worker_processes", "16")]))
}

/// A new connection.
pub fn connect() -> Client {
    server().connect()
}

/// The server's major version.
pub fn major(client: &mut Client) -> i32 {
    value::<i32>(client, "SELECT current_setting('server_version_num')::int / 10000")
}

/// A new connection to a schema of its own, empty at first, where a test's tables stand.
pub fn connect_to_schema(schema: &str) -> Client {
    let mut client = connect();
    client
        .batch_execute(&format!(
            "DROP SCHEMA IF EXISTS {schema} CASCADE; CREATE SCHEMA {schema};
             SET search_path = {schema}, public;"
        ))
        .expect("a schema");
    client
}

/// Statements one by one, each in a transaction of its own, which VACUUM and others ask for. A
/// semicolon at the end of a line ends one.
pub fn run(client: &mut Client, script: &str) {
    for statement in script.split(";\n") {
        client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error:?}"));
    }
}

/// The lines of a query's plan.
pub fn plan(client: &mut Client, query: &str) -> String {
    let lines = client.query(&format!("EXPLAIN (COSTS OFF, VERBOSE) {query}"), &[]).expect(query);
    let lines = lines.iter().map(|line| line.get::<_, String>(0));
    // PostgreSQL 19 also names the nodes that are not in the plan.
    lines.filter(|line| !line.trim().starts_with("Replaces: ")).collect::<Vec<_>>().join("\n")
}

/// Whether the server has the extensions that look at indexes.
fn has_contrib(client: &mut Client) -> bool {
    static HAS_CONTRIB: OnceLock<bool> = OnceLock::new();
    *HAS_CONTRIB.get_or_init(|| {
        let has_contrib = ["amcheck", "pgstattuple"].iter().all(|name| installation().has(name));
        if has_contrib {
            run(client, "CREATE EXTENSION amcheck SCHEMA public;\nCREATE EXTENSION pgstattuple SCHEMA public");
        }
        has_contrib
    })
}

/// How a btree's leaf pages are filled, and how many of them are out of order; both in percent.
pub struct Leaves {
    pub density: f64,
    pub fragmentation: f64,
}

/// `None` without contrib.
pub fn leaves(client: &mut Client, index: &str) -> Option<Leaves> {
    if !has_contrib(client) {
        return None;
    }
    let query = "SELECT avg_leaf_density, leaf_fragmentation FROM pgstatindex($1::text)";
    let row = client.query_one(query, &[&index]).expect(index);
    Some(Leaves { density: row.get(0), fragmentation: row.get(1) })
}

/// Asserts that a btree is sound. Without contrib it does nothing.
pub fn assert_btree_is_sound(client: &mut Client, index: &str) {
    if has_contrib(client) {
        let check = format!("SELECT bt_index_parent_check('{index}', true, true)");
        client.batch_execute(&check).expect(index);
    }
}

/// Asserts that a btree stores equal keys once, of a table in which a quarter of the rows carry one id. In a copy, without
/// deleted rows: how many of them are still in the indexes depends on what other tests do meanwhile.
pub fn assert_equal_keys_share_posting_lists(client: &mut Client, table: &str, class: &str) {
    let indexes = format!(
        "DROP TABLE IF EXISTS copied;
         CREATE TABLE copied AS SELECT id FROM {table};
         CREATE INDEX shared ON copied (id {class});
         CREATE INDEX one_by_one ON copied (id {class}) WITH (deduplicate_items = off)"
    );
    client.batch_execute(&indexes).expect(table);
    let query = "SELECT pg_relation_size('shared')::float8 / pg_relation_size('one_by_one')";
    let ratio: f64 = value(client, query);
    assert!(ratio < 0.8, "{ratio}");
}
