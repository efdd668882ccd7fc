//! Mistakes in one step of the commit horizon: each is caught by a check that the same build passes without the mistake.
//! Pauses between the steps make the windows wide.

use std::thread::{self, sleep};
use std::time::Duration;

use pg_test::{Server, Session, Sharing, sqlstate, value, within};
use uuid::Uuid;

use super::forms::{self, FORMS};
use super::outbox::Outbox;
use super::writers::{PAUSING, SINGLE, Writer};

const PAUSES: &str = "pauses between steps";

/// How the memory is shared has no part in the mistakes.
fn server() -> Server {
    let settings = [("max_prepared_transactions", "100"), ("max_locks_per_transaction", "10")];
    let mut server = Server::create(Sharing::Attached, &settings).with_mutants();
    server.up();
    // The first id starts the clock.
    server.execute("CREATE EXTENSION comb; SELECT comb_new()");
    server
}

/// Asserts that a check holds, and that it fails with each of the mistakes.
fn caught(server: &Server, mistakes: &[&str], mut check: impl FnMut() -> bool) {
    println!("without a mistake:");
    assert!(check(), "without a mistake, where {mistakes:?} are to be caught");
    for mistake in mistakes {
        println!("{mistake}:");
        server.mutate(mistake);
        assert!(!check(), "{mistake} is not caught");
        server.heal(mistake);
    }
}

/// Counts the stages of a server, each in a schema of its own.
struct Stages<'a>(&'a Server, usize);

impl Stages<'_> {
    fn next(&mut self) -> Outbox {
        self.1 += 1;
        Outbox::new(self.0, &format!("stage_{}", self.1))
    }

    /// Whether a reader misses no row that so many writers store. On a loaded machine, one stage can have too few rows.
    fn reads(&mut self, reader: &'static str, writers: usize, writer: &'static [Writer]) -> bool {
        let mut rows = 0;
        for _ in 0..20 {
            let mut outbox = self.next();
            self.0.mutate(PAUSES);
            outbox.write(writers, Duration::from_secs(2), writer);
            outbox.read(&[reader]);
            let (stored, missed) = outbox.end();
            self.0.heal(PAUSES);
            let missed = missed[reader];
            println!("    {reader} with {writers} writers: {missed} of {stored} rows missed");
            if missed > 0 {
                return false;
            }
            rows += stored;
            if rows >= 250 {
                return true;
            }
        }
        panic!("no more than {rows} rows are stored");
    }

    /// Whether the answers of one session never fall when others begin to write.
    fn never_fall(&mut self) -> bool {
        let mut outbox = self.next();
        let mut client = outbox.connect();
        self.0.mutate(PAUSES);
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
        self.0.heal(PAUSES);
        let falls = answers.windows(2).filter(|pair| pair[0] > pair[1]).count();
        println!("    {falls} of {} answers are below the one before", answers.len());
        falls == 0
    }
}

#[test]
fn while_others_write() {
    let server = server();
    let mut stages = Stages(&server, 0);
    caught(&server, &["no floors"], || stages.reads("statement", 8, PAUSING));
    caught(&server, &["R2 before R1", "G2 before G1"], || stages.reads("jumping", 1, PAUSING));
    caught(&server, &["no ring"], || stages.reads("jumping", 8, SINGLE));
    caught(&server, &["no ring"], || stages.reads("repeatable", 8, PAUSING));
    caught(&server, &["snapshot before horizon"], || stages.reads("jumping", 8, PAUSING));
    caught(&server, &["answer falls"], || stages.never_fall());
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

fn holds(server: &Server, statements: &str) -> bool {
    holds_in(server, "postgres", statements)
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

/// The lock table is full: the id is refused, and the next attempt takes the lock.
const FULL_THEN_TRACKED: &str = "BEGIN;
    DO $$
    BEGIN
        BEGIN
            -- Locks of the session, which stay when the block is rolled back.
            FOR n IN 1..1000000 LOOP PERFORM pg_advisory_lock(n); END LOOP;
        EXCEPTION WHEN out_of_memory THEN NULL;
        END;
        BEGIN
            PERFORM comb_tracked();
            RAISE 'generated an id without a lock';
        EXCEPTION WHEN out_of_memory THEN NULL;
        END;
        PERFORM pg_advisory_unlock_all();
        PERFORM comb_tracked();
    END $$";

#[test]
fn while_one_transaction_stays_open() {
    let server = server();
    server.execute("CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked())");
    server.execute("CREATE DATABASE another TEMPLATE postgres");
    let open = [
        ("lock of the savepoint", "BEGIN; SAVEPOINT a; SELECT comb_tracked(); ROLLBACK TO a; INSERT INTO outbox DEFAULT VALUES"),
        ("remembered across transactions", "BEGIN; SELECT comb_tracked(); COMMIT; BEGIN; INSERT INTO outbox DEFAULT VALUES"),
        ("remembered across transactions", "BEGIN; SELECT comb_tracked(); ROLLBACK; BEGIN; INSERT INTO outbox DEFAULT VALUES"),
        ("remembered before the lock", FULL_THEN_TRACKED),
    ];
    for (mistake, statements) in open {
        caught(&server, &[mistake], || holds(&server, statements));
    }
    caught(&server, &["floors of other databases"], || !holds_in(&server, "another", "BEGIN; SELECT comb_tracked()"));
    caught(&server, &["forgotten at PREPARE"], || prepared_holds(&server));
    caught(&server, &["remembered across transactions"], || next_holds(&server));
    caught(&server, &["released before commit"], || hanging_holds(&server));
    server.assert_clean_log();
}

/// The key of a client is not below its floor, though its time is in milliseconds.
#[test]
fn a_hold_waits_for_the_millisecond() {
    let server = server();
    caught(&server, &["hold without waiting"], || {
        let mut client = server.connect();
        let covers = "SELECT comb_hold() <= comb_lower_bound(date_trunc('milliseconds', clock_timestamp()))";
        let covered = (0..50).filter(|_| value(&mut client, covers)).count();
        println!("    {covered} of 50 keys are covered");
        covered == 50
    });
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
    caught(&server, &["floors in parallel workers"], || {
        let mut client = server.connect();
        client
            .batch_execute(
                "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
                 SET parallel_leader_participation = off; DROP TABLE IF EXISTS made",
            )
            .expect("settings");
        let sqlstate = sqlstate(&mut client, "CREATE TABLE made AS SELECT safe() FROM source");
        println!("    {sqlstate}");
        sqlstate == "55000"
    });
    server.assert_clean_log();
}

/// One answer a statement, by whatever functions it asks.
#[test]
fn one_answer_a_statement() {
    let server = server();
    let outbox = Outbox::new(&server, "forms");
    for form in FORMS {
        caught(&server, &["answer for each row"], || {
            let mut holder = forms::hold(&server, &outbox);
            let answers = form.answers(&outbox);
            assert!(holder.end().is_err(), "the holder was released");
            println!("    {}: {answers}", form.0);
            answers == "false false"
        });
    }
    server.assert_clean_log();
}
