//! The shared memory cannot be had: each connection generates ids by a clock of its own, comb_status() says why, and nothing
//! fails that did not ask for the server's order. And dynamic shared memory, which parallel queries need, cannot be had (as
//! where /dev/shm is full): ids do without.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use pg_test::{SHARINGS, Server, Session, Sharing, check, listen, mutants, sqlstate, value, within};
use postgres::Client;
use postgres::error::DbError;

/// Dynamic shared memory is files in the data directory, which a test can forbid.
const SETTINGS: &[(&str, &str)] = &[("dynamic_shared_memory_type", "mmap")];

#[test]
fn no_dynamic_shared_memory() {
    for sharing in SHARINGS {
        let server = Server::start(sharing, SETTINGS);
        let forbid = |mode| {
            let directory = server.data().join("pg_dynshmem");
            fs::set_permissions(directory, Permissions::from_mode(mode)).expect("permissions");
        };
        forbid(0o500);
        let mut client = server.connect();
        client
            .batch_execute(
                "CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) n;
                 SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0",
            )
            .expect("a table");
        client.batch_execute("ANALYZE source").expect("ANALYZE");
        let parallel = "SELECT count(*) FROM source";
        assert_eq!(sqlstate(&mut client, parallel), "42501", "{sharing:?}: a parallel query has none");
        let mut client = server.connect();
        check(&mut client, "the first id of the server is generated", "SELECT comb_new() IS NOT NULL");
        check(&mut client, "its scope is the server", "SELECT scope = 'server' FROM comb_status()");
        forbid(0o700);
        server.assert_clean_log();
    }
}

/// The library of the database `mutant` asks for too much; that of the database postgres is the installed one.
fn server_without_room() -> Server {
    let server = Server::start(Sharing::Attached, &[]);
    server.execute("CREATE DATABASE mutant");
    let path = server.place_library(mutants());
    server.execute(&format!("ALTER DATABASE mutant SET dynamic_library_path = '{path}'"));
    server.connect_to("mutant").batch_execute("CREATE EXTENSION comb").expect("comb");
    server.mutate("too much memory");
    server
}

/// Preloaded, the server reserves the memory when it starts.
#[test]
fn no_shared_memory() {
    let server = server_without_room();
    let mut client = server.connect_to("mutant");
    client
        .batch_execute(
            "CREATE TABLE stored (id uuid PRIMARY KEY DEFAULT comb_new(), n int);
             INSERT INTO stored (n) SELECT generate_series(1, 10000)",
        )
        .expect("an INSERT works");
    check(
        &mut client,
        "in the order of the connection",
        "SELECT count(*) = 10000 AND array_agg(n ORDER BY id) = array_agg(n ORDER BY n) FROM stored",
    );
    let status: String = value(&mut client, "SELECT scope || ': ' || reason FROM comb_status()");
    assert_eq!(status, "backend: shared memory could not be allocated");
    let other: String = server.value("SELECT scope FROM comb_status()");
    assert_eq!(other, "server", "another session gets what it asks for");

    client.batch_execute("SET comb.scope = server").expect("a setting");
    let error = client.batch_execute("SELECT comb_new()").expect_err("no shared memory");
    let error = error.as_db_error().expect("an error of the server");
    println!("with comb.scope = server: {error:?}");
    assert_eq!(error.code().code(), "55000");
    assert!(error.detail().is_some_and(|detail| !detail.is_empty() && !detail.contains('\n')));
    assert!(error.hint().is_some_and(|hint| hint.contains("\"shared_preload_libraries\"")));
    client.batch_execute("RESET comb.scope; SELECT comb_new()").expect("the session goes on");

    a_session_is_warned_once(&server);
    assert_eq!(ends_with(&mut generated(&server)), "57014", "a statement can be canceled");
    server.assert_clean_log();
}

/// The warnings of a session that runs these statements.
fn warnings(server: &Server, statements: &[&str]) -> Vec<DbError> {
    let mut config = server.config();
    config.dbname("mutant");
    let (mut client, heard) = listen(config);
    for statement in statements {
        client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error:?}"));
    }
    let heard = heard.lock().expect("notices");
    heard.iter().filter(|notice| notice.severity() == "WARNING").cloned().collect()
}

fn a_session_is_warned_once(server: &Server) {
    const GENERATE: &str = "SELECT comb_new()";
    const WARNING: &str = "UUIDs of this connection are not ordered with those of other connections";
    let heard = warnings(server, &[GENERATE, "SET comb.scope = backend", GENERATE, "RESET comb.scope", GENERATE]);
    println!("{heard:?}");
    let [warning] = &heard[..] else { panic!("{} warnings", heard.len()) };
    assert!(warning.message().starts_with(WARNING));
    assert!(warning.detail().is_some_and(|detail| detail.contains("shared memory could not be allocated")));
    assert!(warning.hint().is_some_and(|hint| hint.contains("\"shared_preload_libraries\"")));
    assert!(server.log().contains("WARNING:  UUIDs of this connection"), "so does the log");
    let heard = warnings(server, &["SET comb.scope = backend", GENERATE]);
    assert!(heard.is_empty(), "not if its scope is backend: {heard:?}");
}

/// A session that could not have the memory.
fn generated(server: &Server) -> Client {
    let mut client = server.connect_to("mutant");
    client.batch_execute("SELECT comb_new(); SET statement_timeout = 200").expect("an id");
    client
}

/// How a statement of it ends that is to be canceled.
fn ends_with(client: &mut Client) -> String {
    sqlstate(client, "SELECT pg_sleep(2)")
}

#[test]
fn a_lock_that_is_not_released_in_order_is_caught() {
    let server = server_without_room();
    server.mutate("interrupts miscounted");
    if server.value::<String>("SHOW debug_assertions") == "on" {
        assert!(server.connect_to("mutant").execute("SELECT comb_new()", &[]).is_err());
        assert!(within(20, || server.crashes() == 1), "an assertion of PostgreSQL catches it");
        return;
    }
    assert_eq!(ends_with(&mut generated(&server)), "00000", "no statement can be canceled");
    server.mutate("lock of memory kept");
    let keeps = generated(&server);
    let mut other = Session::start(&server, "other", &["SELECT scope FROM comb_status()"]);
    assert!(!within(2, || !other.runs()), "another session waits");
    drop(keeps);
    assert_eq!(other.end(), Ok(vec!["server".to_owned()]));
    server.assert_clean_log();
}
