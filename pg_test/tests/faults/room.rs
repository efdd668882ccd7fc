//! The shared memory cannot be had: each connection generates ids by a clock of its own, comb_status() says why, and nothing
//! fails that did not ask for the server's order. And dynamic shared memory, which parallel queries need, cannot be had (as
//! where /dev/shm is full): ids do without.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use pg_test::{SHARINGS, Server, Sharing, check, create_parallel_source, listen, say, sqlstate, value};
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
        create_parallel_source(&mut client, 10_000);
        let parallel = "SELECT count(*) FROM source";
        assert_eq!(sqlstate(&mut client, parallel), "42501", "{sharing:?}: a parallel query has none");
        let mut client = server.connect();
        check(&mut client, "the first id of the server is generated", "SELECT comb_new() IS NOT NULL");
        check(&mut client, "its scope is the server", "SELECT scope = 'server' FROM comb_status()");
        forbid(0o700);
        server.assert_clean_log();
    }
}

/// With a library that asks for too much: pg_test/mistakes/too-much-memory.patch. Preloaded, the server reserves the memory
/// when it starts.
#[test]
fn no_shared_memory() {
    if std::env::var_os("COMB_LIBRARY").is_none() {
        say("Not tested: a server without room in its shared memory, which needs COMB_MISTAKES");
        return;
    }
    let server = Server::start(Sharing::Attached, &[]);
    let mut client = server.connect();
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

    client.batch_execute("SET comb.scope = server").expect("a setting");
    let error = client.batch_execute("SELECT comb_new()").expect_err("no shared memory");
    let error = error.as_db_error().expect("an error of the server");
    println!("with comb.scope = server: {error:?}");
    assert_eq!(error.code().code(), "F0000");
    assert!(error.detail().is_some_and(|detail| !detail.is_empty() && !detail.contains('\n')));
    assert!(error.hint().is_some_and(|hint| hint.contains("\"shared_preload_libraries\"")));
    client.batch_execute("RESET comb.scope; SELECT comb_new()").expect("the session goes on");

    a_session_is_warned_once(&server);
    assert_eq!(ends_with(&mut generated(&server)), "57014", "a statement can be canceled");
    server.assert_clean_log();
}

/// The warnings of a session that runs these statements.
fn warnings(server: &Server, statements: &[&str]) -> Vec<DbError> {
    let (mut client, heard) = listen(server.config());
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
    let mut client = server.connect();
    client.batch_execute("SELECT comb_new(); SET statement_timeout = 200").expect("an id");
    client
}

/// How a statement of it ends that is to be canceled.
fn ends_with(client: &mut Client) -> String {
    sqlstate(client, "SELECT pg_sleep(2)")
}
