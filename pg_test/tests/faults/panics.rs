//! A panic is an ERROR with its place. Its session goes on, and so does the server.
//!
//! No statement is known to panic: pg_test/mistakes/panics.patch has some do so.

use pg_test::{Server, Sharing, sqlstate, value};

/// Statements that panic with that patch, and the file where.
const STATEMENTS: [(&str, &str); 3] = [
    ("SELECT comb_timestamp('ffffffff-ffff-ffff-ffff-ffffffffffff')", "read.rs"),
    // In a callback of a sort.
    (
        "SELECT array_agg(id ORDER BY id) FROM (VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff'::uniqueidentifier), (NULL)) AS t (id)",
        "sort_support.rs",
    ),
    // While the transaction has a floor.
    ("BEGIN; SELECT comb_tracked(), comb_timestamp('ffffffff-ffff-ffff-ffff-ffffffffffff')", "read.rs"),
];

#[test]
#[ignore = "needs the library of pg_test/mistakes/panics.patch"]
fn a_panic_is_an_error() {
    let server = Server::start(Sharing::Preloaded, &[]);
    let mut other = server.connect();
    let pid: i32 = value(&mut other, "SELECT pg_backend_pid()");
    for (statement, file) in STATEMENTS {
        let mut session = server.connect();
        let error = session.batch_execute(statement).expect_err(statement);
        let error = error.as_db_error().unwrap_or_else(|| panic!("{statement}: {error:?}"));
        assert_eq!((error.code().code(), error.message()), ("XX000", "a panic of a test"), "{statement}");
        assert!(error.file() == Some(file) && error.line() > Some(1), "{statement}: {error:?}");
        assert_eq!(sqlstate(&mut session, "ROLLBACK; SELECT comb_new()"), "00000", "the session after {statement}");
        let held = "SELECT count(*) FROM comb_horizon_holders()";
        assert_eq!(value::<i64>(&mut session, held), 0, "floors after {statement}");
        assert_eq!(value::<i32>(&mut other, "SELECT pg_backend_pid()"), pid, "another session after {statement}");
    }
    assert_eq!(server.crashes(), 0);
}
