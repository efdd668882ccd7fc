//! A statement gets one answer, by whatever functions it asks for the horizon. The answer stands in a word of its snapshot
//! that PostgreSQL does not use: where a release no longer keeps that word for a statement, or uses it itself, these tests
//! fail.

use std::thread;
use std::time::Duration;

use pg_test::{SHARINGS, Server, Sharing, value};

use super::forms::{self, FORMS};
use super::outbox::Outbox;

fn server(sharing: Sharing) -> Server {
    let settings = [("max_prepared_transactions", "10"), ("max_locks_per_transaction", "256")];
    Server::start(sharing, &settings)
}

#[test]
fn the_horizon_moves_in_the_middle_of_a_statement() {
    for sharing in SHARINGS {
        let server = server(sharing);
        let outbox = Outbox::new(&server, "forms");
        for form in FORMS {
            let mut holder = forms::hold(&server, &outbox);
            let held = form.answers(&outbox);
            assert!(holder.end().is_err(), "the holder was released");
            let next = form.answers(&outbox);
            println!("{}: while the horizon is held {held}, in the next statement {next}", form.0);
            assert_eq!((held.as_str(), next.as_str()), ("false false", "true true"), "{}", form.0);
        }
        server.assert_clean_log();
    }
}

const FUNCTIONS: &str = "
    CREATE FUNCTION waited() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
        WHILE EXISTS (SELECT FROM pg_locks WHERE objsubid = 3083) LOOP PERFORM pg_sleep(0.01); END LOOP;
        RETURN true;
    END $$;
    CREATE FUNCTION answers(form text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE answers text;
    BEGIN
        LOOP EXIT WHEN EXISTS (SELECT FROM outbox WHERE n = 1); END LOOP;
        EXECUTE format('SELECT string_agg(%I(id)::text, '' '') FROM (SELECT id FROM outbox WHERE n = 1 OR waited() OFFSET 0) row', form)
            INTO answers;
        RETURN answers;
    END $$;
    CREATE PROCEDURE tables(command text) LANGUAGE plpgsql AS $$
    BEGIN
        FOR number IN 1..3000 LOOP EXECUTE format(command, number); END LOOP;
    END $$";

/// While its files are removed, a transaction that drops tables is visible and still has its lock. A statement of that
/// time sees both rows, and must not let the second one through when the lock has gone.
#[test]
fn a_transaction_is_visible_before_it_releases_the_horizon() {
    for sharing in SHARINGS {
        let server = server(sharing);
        let outbox = Outbox::new(&server, "visible");
        outbox.connect().batch_execute(FUNCTIONS).expect("functions");
        for form in ["comb_settled", "settled_definer"] {
            // Where the first answer is true, the statement came when the lock had gone.
            let answers = (0..5).map(|_| answers_while_visible(&outbox, form)).find(|answers| answers.starts_with("false"));
            println!("{sharing:?}, {form}: of a row that is visible and not yet released, and a later one: {answers:?}");
            assert_eq!(answers.as_deref(), Some("false false"), "{form}");
        }
        server.assert_clean_log();
    }
}

fn answers_while_visible(outbox: &Outbox, form: &'static str) -> String {
    let mut client = outbox.connect();
    for statement in [
        "TRUNCATE outbox, parts",
        "CALL tables('CREATE TABLE dropped_%s (n int)')",
        "BEGIN",
        "INSERT INTO outbox (n) VALUES (1)",
        "CALL tables('DROP TABLE dropped_%s')",
        "PREPARE TRANSACTION 'drops'",
        "INSERT INTO outbox (n) VALUES (2)",
    ] {
        client.batch_execute(statement).unwrap_or_else(|error| panic!("{statement}: {error:?}"));
    }
    let mut reader = outbox.connect();
    let reads = thread::spawn(move || value(&mut reader, &format!("SELECT answers('{form}')")));
    thread::sleep(Duration::from_millis(300));
    client.batch_execute("COMMIT PREPARED 'drops'").expect("COMMIT PREPARED");
    reads.join().expect("answers")
}
