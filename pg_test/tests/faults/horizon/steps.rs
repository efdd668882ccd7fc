//! Each step of the commit horizon. pg_test/mistakes/ has a mistake in each, which one of these tests must catch.

use std::thread::{self, sleep};
use std::time::Duration;

use pg_test::{Server, Session, Sharing, sqlstate, value, within};
use uuid::Uuid;

use super::outbox::Outbox;
use super::writers::{PAUSING, SINGLE, Writer};

/// How the memory is shared has no part in the mistakes.
fn server() -> Server {
    let settings = [("max_prepared_transactions", "100")];
    let mut server = Server::create(Sharing::Attached, &settings);
    server.up();
    // The first id starts the clock.
    server.execute("CREATE EXTENSION comb; SELECT comb_new()");
    server
}

/// Counts the stages of a server, each in a schema of its own.
struct Stages<'a>(&'a Server, usize);

impl Stages<'_> {
    fn next(&mut self) -> Outbox {
        self.1 += 1;
        Outbox::new(self.0, &format!("stage_{}", self.1))
    }

    /// Asserts that a reader misses no row that so many writers store. On a loaded machine, one stage can have too few rows.
    fn reads(&mut self, reader: &'static str, writers: usize, writer: &'static [Writer]) {
        let mut rows = 0;
        for _ in 0..20 {
            let mut outbox = self.next();
            outbox.write(writers, Duration::from_secs(2), writer);
            outbox.read(&[reader]);
            let (stored, missed) = outbox.end();
            println!("{reader} with {writers} writers: {} of {stored} rows missed", missed[reader]);
            assert_eq!(missed[reader], 0, "{reader} with {writers} writers");
            rows += stored;
            if rows >= 250 {
                return;
            }
        }
        panic!("no more than {rows} rows are stored");
    }
}

#[test]
fn readers_behind_pausing_writers() {
    let server = server();
    let mut stages = Stages(&server, 0);
    for reader in ["statement", "repeatable", "jumping"] {
        stages.reads(reader, 8, PAUSING);
    }
    server.assert_clean_log();
}

#[test]
fn a_reader_behind_one_writer() {
    let server = server();
    Stages(&server, 0).reads("jumping", 1, PAUSING);
    server.assert_clean_log();
}

#[test]
fn a_reader_behind_fast_writers() {
    let server = server();
    Stages(&server, 0).reads("jumping", 8, SINGLE);
    server.assert_clean_log();
}

/// Those of one session, while others begin to write.
#[test]
fn answers_never_fall() {
    let server = server();
    let mut outbox = Outbox::new(&server, "falling");
    let mut client = outbox.connect();
    let reading = thread::spawn(move || {
        let mut answers: Vec<Uuid> = Vec::new();
        let mut ask = |times| {
            for _ in 0..times {
                answers.push(value(&mut client, "SELECT comb_horizon()"));
            }
        };
        ask(20);
        sleep(Duration::from_secs(1));
        ask(300);
        answers
    });
    sleep(Duration::from_millis(500));
    outbox.write(4, Duration::from_secs(2), SINGLE);
    let answers = reading.join().expect("answers");
    outbox.end();
    let falls = answers.windows(2).filter(|pair| pair[0] > pair[1]).count();
    assert_eq!(falls, 0, "answers below the one before");
    server.assert_clean_log();
}

/// Whether the horizon is below an id that was generated before it.
fn is_held(server: &Server) -> bool {
    sleep(Duration::from_millis(50));
    let is_held = server.value("SELECT comb_horizon() < id FROM (SELECT comb_new() AS id OFFSET 0) generated_before");
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
fn prepared_holds(server: &Server) -> bool {
    server.execute("BEGIN; INSERT INTO outbox DEFAULT VALUES; PREPARE TRANSACTION 'held'");
    let is_held = is_held(server);
    server.execute("COMMIT PREPARED 'held'");
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
    let mut hanging = Session::start(server, "hanging", &["INSERT INTO outbox DEFAULT VALUES"]);
    hanging.wait_for(server, "SyncRep");
    let is_held = is_held(server);
    set("ALTER SYSTEM RESET synchronous_standby_names", "");
    hanging.end().expect("the commit goes on");
    is_held
}

#[test]
fn while_one_transaction_stays_open() {
    let server = server();
    server.execute("CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked())");
    server.execute("CREATE DATABASE another TEMPLATE postgres");
    for statements in [
        "BEGIN; SAVEPOINT a; SELECT comb_tracked(); ROLLBACK TO a; INSERT INTO outbox DEFAULT VALUES",
        "BEGIN; SELECT comb_tracked(); COMMIT; BEGIN; INSERT INTO outbox DEFAULT VALUES",
        "BEGIN; SELECT comb_tracked(); ROLLBACK; BEGIN; INSERT INTO outbox DEFAULT VALUES",
    ] {
        assert!(holds_in(&server, "postgres", statements), "{statements}");
    }
    assert!(!holds_in(&server, "another", "BEGIN; SELECT comb_tracked()"), "a floor of another database");
    assert!(prepared_holds(&server), "a prepared transaction");
    assert!(next_holds(&server), "the transaction after it");
    assert!(hanging_holds(&server), "a commit that waits for a standby");
    server.assert_clean_log();
}

/// Workers end before their transaction commits, and a function that calls ours can be labelled wrong.
#[test]
fn a_parallel_worker_is_refused() {
    let server = server();
    server.execute(
        "CREATE TABLE source AS SELECT n FROM generate_series(1, 10000) n;
         CREATE FUNCTION safe() RETURNS uuid LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN comb_tracked(); END'",
    );
    server.execute("ANALYZE source");
    let mut client = server.connect();
    let settings = "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
                    SET parallel_leader_participation = off";
    client.batch_execute(settings).expect("settings");
    assert_eq!(sqlstate(&mut client, "CREATE TABLE generated AS SELECT safe() FROM source"), "55000");
    server.assert_clean_log();
}
