//! What operators do to a database that uses the extension: dump and restore it, update the extension from the last
//! release, upgrade PostgreSQL.

mod extension;
mod operate;

use std::path::Path;

use pg_test::Server;

/// Runs a script of this directory in a database, with psql's options. Returns what psql shows.
fn script(server: &Server, database: &str, name: &str, options: &[&str]) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade").join(name);
    let output = server.psql().args(options).args(["-d", database, "-f"]).arg(path).output();
    let output = output.expect("psql");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{name}: {shown}{}", String::from_utf8_lossy(&output.stderr));
    assert!(!shown.is_empty() || !name.contains("facts"), "{name} shows nothing");
    shown
}

/// Some builds of PostgreSQL 15 note in each column which version wrote it, which no other major can restore.
fn forget_writers(server: &Server) {
    let databases = "SELECT datname FROM pg_database WHERE datallowconn";
    for row in server.connect().query(databases, &[]).expect(databases) {
        let mut client = server.connect_to(row.get(0));
        client
            .batch_execute(
                "SET allow_system_table_mods = on;
                 UPDATE pg_attribute SET attoptions = NULL WHERE attoptions::text LIKE '%pg_attver%'",
            )
            .expect("column options");
    }
}
