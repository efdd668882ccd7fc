//! What holds the horizon back: transactions that stay open, are prepared, or wait at their end.

use std::thread::sleep;
use std::time::Duration;

use pg_test::{SHARINGS, Server, Session, Sharing, create_parallel_source, sqlstate, within};

fn server(sharing: Sharing) -> Server {
    let mut server = Server::create(sharing, &[("max_prepared_transactions", "100")]);
    server.up();
    server.execute("CREATE EXTENSION comb; CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked())");
    server.execute("CALL comb_enable_polls('outbox', 'id')");
    server
}

/// Whether the horizon is below an id that was generated before it.
fn is_held(server: &Server) -> bool {
    sleep(Duration::from_millis(50));
    let is_held =
        server.value("SELECT comb_uuid_horizon('outbox') < id FROM (SELECT comb_new() AS id OFFSET 0) generated_before");
    println!("    the horizon is held: {is_held}");
    is_held
}

/// Whether a transaction that has run these statements, and stays open, holds the horizon.
fn holds_in(server: &Server, database: &str, statements: &str) -> bool {
    let mut holder = server.connect_to(database);
    holder.batch_execute(statements).unwrap_or_else(|error| panic!("{statements}: {error:?}"));
    let is_held = is_held(server);
    holder.batch_execute("ROLLBACK").expect("ROLLBACK");
    is_held
}

/// What is prepared holds the horizon, whatever becomes of its session.
fn prepared_holds(server: &Server, database: &str) -> bool {
    let prepare = "BEGIN; INSERT INTO outbox DEFAULT VALUES; PREPARE TRANSACTION 'held'";
    server.connect_to(database).batch_execute(prepare).expect(prepare);
    let is_held = is_held(server);
    server.connect_to(database).batch_execute("COMMIT PREPARED 'held'").expect("its end");
    is_held
}

/// What a session does after PREPARE TRANSACTION is another transaction.
fn next_holds(server: &Server) -> bool {
    let mut preparer = server.connect();
    let mut run = |statements: &str| preparer.batch_execute(statements).expect(statements);
    run("BEGIN; SELECT comb_tracked(); PREPARE TRANSACTION 'first'; BEGIN; SELECT comb_tracked()");
    server.execute("COMMIT PREPARED 'first'");
    let is_held = is_held(server);
    run("ROLLBACK");
    is_held
}

/// A commit that waits for a standby which does not exist: it is in the log, and not yet visible.
fn hanging_holds(server: &Server) -> bool {
    let set = |statement: &str, standbys: &str| {
        server.execute(statement);
        server.execute("SELECT pg_reload_conf()");
        let is_set = || server.value::<String>("SHOW synchronous_standby_names") == standbys;
        assert!(within(5, is_set), "{statement}");
    };
    set("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "nobody");
    // Commits wait from the reload of the checkpointer on, which reads the file when it wakes.
    let waits = || server.value("SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
    let mut hanging = Session::start(server, "hanging", &["INSERT INTO outbox DEFAULT VALUES"]);
    while !within(20, || !hanging.runs() || waits()) || !hanging.runs() {
        hanging = Session::start(server, "hanging", &["INSERT INTO outbox DEFAULT VALUES"]);
    }
    let is_held = is_held(server);
    set("ALTER SYSTEM RESET synchronous_standby_names", "");
    hanging.end().expect("the commit goes on");
    is_held
}

#[test]
fn while_one_transaction_stays_open() {
    for sharing in SHARINGS {
        let server = server(sharing);
        server.execute("CREATE DATABASE another TEMPLATE postgres");
        for (statements, database, holds) in [
            ("BEGIN; SAVEPOINT a; SELECT comb_tracked(); ROLLBACK TO a; INSERT INTO outbox DEFAULT VALUES", "postgres", true),
            ("BEGIN; SELECT comb_tracked(); COMMIT; BEGIN; INSERT INTO outbox DEFAULT VALUES", "postgres", true),
            ("BEGIN; SELECT comb_tracked(); ROLLBACK; BEGIN; INSERT INTO outbox DEFAULT VALUES", "postgres", true),
            ("BEGIN; SELECT comb_tracked(); SELECT comb_reset_clock(); SELECT comb_tracked()", "postgres", true),
            ("BEGIN; SELECT comb_tracked()", "another", false),
            // A transaction that writes, but no tracked id.
            ("BEGIN; CREATE TABLE elsewhere ()", "postgres", false),
            ("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM outbox", "postgres", false),
        ] {
            assert_eq!(holds_in(&server, database, statements), holds, "{sharing:?}, in {database}: {statements}");
        }
        assert!(prepared_holds(&server, "postgres"), "a prepared transaction");
        assert!(!prepared_holds(&server, "another"), "one of another database");
        assert!(next_holds(&server), "the transaction after it");
        assert!(hanging_holds(&server), "a commit that waits for a standby");
        server.assert_clean_log();
    }
}

/// A second one would hide from readers that the first was overwritten.
#[test]
fn a_transaction_has_one_entry_for_a_column() {
    let server = server(Sharing::Attached);
    let (mut client, mut other) = (server.connect(), server.connect());
    let used = || server.value::<i32>("SELECT places_used FROM comb_status()");
    let mut run = |statements: &str| client.batch_execute(statements).unwrap_or_else(|error| panic!("{statements}: {error:?}"));
    run("CREATE TABLE events (position bigserial, key uuid DEFAULT comb_new()); CALL comb_enable_polls('events', 'position')");
    // It fails between the entry and its floor, and again.
    other.batch_execute("BEGIN; ALTER SEQUENCE events_position_seq MAXVALUE 1000000").expect("a lock");
    run("SET lock_timeout = '20ms'; BEGIN; SAVEPOINT a");
    for _ in 0..2 {
        assert_eq!(sqlstate(&mut client, "INSERT INTO events DEFAULT VALUES"), "55P03");
        client.batch_execute("ROLLBACK TO a").expect("ROLLBACK");
    }
    other.batch_execute("ROLLBACK").expect("ROLLBACK");
    client.batch_execute("INSERT INTO events DEFAULT VALUES").expect("a row");
    assert_eq!(used(), 1, "none for the clock, whose keys nobody polls");
    client
        .batch_execute("COMMIT; CALL comb_enable_polls('events', 'key'); BEGIN; INSERT INTO events DEFAULT VALUES")
        .expect("a row");
    assert_eq!(used(), 2, "one for the numbers and one for the clock");
    client.batch_execute("COMMIT; BEGIN").expect("COMMIT");
    // More columns than a process finds without a search.
    for n in 0..12 {
        let track =
            format!("CREATE TABLE t{n} (n bigserial); CALL comb_enable_polls('t{n}', 'n'); INSERT INTO t{n} DEFAULT VALUES");
        client.batch_execute(&track).expect("a table");
    }
    client
        .batch_execute("SELECT comb_tracked(), comb_tracked(); CALL comb_track('t11'); INSERT INTO t0 DEFAULT VALUES")
        .expect("rows");
    client.batch_execute("CREATE TEMP TABLE aside (n bigserial, id uuid DEFAULT comb_new())").expect("a temporary table");
    assert_eq!(sqlstate(&mut client, "SAVEPOINT s; CALL comb_enable_polls('aside', 'n')"), "42P17");
    client
        .batch_execute(
            "ROLLBACK TO s; CREATE TRIGGER comb_track BEFORE INSERT ON aside FOR EACH STATEMENT EXECUTE FUNCTION comb_track();
             CREATE TRIGGER g BEFORE INSERT ON aside FOR EACH ROW EXECUTE FUNCTION comb_guard('id'); INSERT INTO aside VALUES (7)",
        )
        .expect("a row of a temporary table");
    assert_eq!(used(), 13, "a temporary table takes no place");
    client.batch_execute("COMMIT").expect("COMMIT");
    assert_eq!(used(), 0);
    server.assert_clean_log();
}

/// Workers end before their transaction commits, and a function that calls ours can be labelled wrong.
#[test]
fn a_parallel_worker_is_refused() {
    let server = server(Sharing::Attached);
    server.execute("CREATE FUNCTION safe() RETURNS uuid LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN comb_tracked(); END'");
    let mut client = server.connect();
    create_parallel_source(&mut client, 10_000);
    let asks = "CREATE FUNCTION asks() RETURNS uuid LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN RETURN comb_uuid_horizon('outbox'); END $$";
    client.batch_execute(asks).expect(asks);
    assert_eq!(sqlstate(&mut client, "SELECT count(asks()) FROM source"), "42P13");
    assert_eq!(sqlstate(&mut client, "CREATE TABLE generated AS SELECT safe() FROM source"), "42P13");
    server.assert_clean_log();
}
