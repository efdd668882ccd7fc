//! Connections to the test server.

use std::sync::OnceLock;

pub use pg_test::value;
use pg_test::{Server, Sharing};
use postgres::Client;

/// The one server of all these tests, with the library preloaded, as most have it.
pub fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        Server::start(Sharing::Preloaded, &[("autovacuum", "on"), ("max_worker_processes", "16")])
    })
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
    static EXTENSIONS: std::sync::Once = std::sync::Once::new();

    let mut client = connect();
    EXTENSIONS.call_once(|| {
        client
            .batch_execute(
                "CREATE EXTENSION IF NOT EXISTS pgstattuple SCHEMA public;
                 CREATE EXTENSION IF NOT EXISTS amcheck SCHEMA public;",
            )
            .expect("the extensions that look at indexes");
    });
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
    lines.iter().map(|line| line.get::<_, String>(0)).collect::<Vec<_>>().join("\n")
}

/// How a btree's leaf pages are filled, and how many of them are out of order; both in percent.
pub struct Leaves {
    pub density: f64,
    pub fragmentation: f64,
}

pub fn leaves(client: &mut Client, index: &str) -> Leaves {
    let query = "SELECT avg_leaf_density, leaf_fragmentation FROM pgstatindex($1::text)";
    let row = client.query_one(query, &[&index]).expect(index);
    Leaves { density: row.get(0), fragmentation: row.get(1) }
}
