//! Connections to the test server.

use std::io::{self, Write};
use std::sync::Once;
use std::{env, process};

use postgres::{Client, Config, NoTls};

/// A new connection. The first one creates the extension, which stays.
pub fn connect() -> Client {
    // Of two connections that create the same extension at once, one fails, IF NOT EXISTS or not.
    static EXTENSION: Once = Once::new();

    EXTENSION.call_once_force(|_| {
        open().batch_execute("CREATE EXTENSION IF NOT EXISTS comb").expect("the extension");
    });
    open()
}

fn open() -> Client {
    let variable = |name| env::var(name).ok().filter(|value| !value.is_empty());
    let Some(host) = variable("PGHOST") else {
        // Once for all tests, and not into the output that libtest captures.
        let why = "error: PGHOST names no server: make test PG=18 starts one and runs these tests";
        let _ = writeln!(io::stderr(), "{why}");
        process::exit(1);
    };
    let user = variable("PGUSER").unwrap_or_else(|| "postgres".into());
    let mut config = Config::new();
    config.host(&host).dbname(&variable("PGDATABASE").unwrap_or_else(|| user.clone())).user(&user);
    if let Some(port) = variable("PGPORT") {
        config.port(port.parse().expect("PGPORT is a number"));
    }
    if let Some(password) = variable("PGPASSWORD") {
        config.password(password);
    }
    config.connect(NoTls).unwrap_or_else(|error| panic!("{host}: {error:?}"))
}

/// The server's major version.
pub fn major(client: &mut Client) -> i32 {
    value::<i32>(client, "SELECT current_setting('server_version_num')::int / 10000")
}

/// A new connection to a schema of its own, empty at first, where a test's tables stand.
pub fn connect_to_schema(schema: &str) -> Client {
    static EXTENSIONS: Once = Once::new();

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

/// The one value of a query's one row.
pub fn value<T>(client: &mut Client, query: &str) -> T
where
    T: for<'a> postgres::types::FromSql<'a>,
{
    client.query_one(query, &[]).unwrap_or_else(|error| panic!("{query}: {error:?}")).get(0)
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
