//! portable/: plain SQL on servers without comb, by a role that owns only its tables.

mod edges;
mod keys;
mod load;
mod whole;

use std::thread::sleep;
use std::time::Duration;

use pg_test::{Server, Sharing, Stop, check, duration, kill_a_client_backend, value, within};

use load::{MOVES, NAIVE, ONE_STATEMENT, PARTITIONED, PAUSING, PLAIN, READERS, Stage, WRITERS, commit_prepared};

const GAPLESS: &str = include_str!("../../../portable/gapless.sql");

fn server() -> Server {
    let mut server = Server::create(Sharing::Attached, &[("max_prepared_transactions", "100")]);
    server.up();
    server.execute("CREATE ROLE app LOGIN");
    server
}

/// portable/gapless.sql with a mistake.
fn with(right: &str, wrong: &str) -> String {
    assert_eq!(GAPLESS.matches(right).count(), 1, "{right}");
    GAPLESS.replace(right, wrong)
}

#[test]
fn readers_miss_no_row() {
    let server = server();
    let mut missed_by_naive = 0;
    for (schema, table) in [("plain", PLAIN), ("partitioned", PARTITIONED)] {
        let mut stage = Stage::new(&server, schema, table, GAPLESS);
        stage.read(&READERS);
        stage.read(&[NAIVE]);
        stage.write(duration() / 2, WRITERS);
        // Readers then wait for a new sample.
        sleep(duration() / 4);
        stage.connect().batch_execute("DELETE FROM gapless_state").expect("DELETE");
        let (_, mut missed) = stage.end(&server);
        missed_by_naive += missed.pop().expect("the last reader").1;
        assert!(missed.iter().all(|&(_, missed)| missed == 0), "{missed:?}");
    }
    assert!(missed_by_naive > 0, "id > cursor missed none: the test could not fail");
    server.assert_clean_log();
}

#[test]
fn readers_miss_no_row_over_a_crash_and_a_failover() {
    let mut primary = server();
    let mut stage = Stage::new(&primary, "plain", PARTITIONED, GAPLESS);
    let mut standby = primary.standby();
    standby.configure(&[("wal_retrieve_retry_interval", "100ms")]);
    standby.up();
    // Without it, a failover loses rows that were read.
    primary.configure(&[("synchronous_standby_names", "*")]);
    primary.execute("SELECT pg_reload_conf()");
    let is_synchronous = "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
    assert!(within(20, || primary.value(is_synchronous)), "the standby does not follow");

    stage.read(&READERS);
    stage.write(duration(), WRITERS);
    sleep(duration() / 3);
    assert!(kill_a_client_backend(&primary), "no backend was killed");
    primary.wait_until_it_accepts();
    sleep(duration() / 6);
    commit_prepared(&primary, Duration::from_millis(200));
    sleep(duration() / 6);
    primary.down(Stop::Immediate);
    check(&mut standby.connect(), "the standby is promoted", "SELECT pg_promote()");
    stage.fail_over(&standby);
    sleep(duration() / 6);
    commit_prepared(&standby, Duration::from_millis(200));
    let (rows, missed) = stage.end(&standby);
    assert!(rows > 0 && missed.iter().all(|&(_, missed)| missed == 0), "{missed:?}");
}

/// CREATE TRIGGER waits for prepared transactions, and the sessions that would commit them must not wait for it. A number that
/// is drawn before the INSERT needs a floor of its transaction.
#[test]
fn a_reader_that_moves_to_comb_misses_no_row() {
    for table in [PLAIN, PARTITIONED] {
        let server = server();
        let mut stage = Stage::new(&server, "moving", table, GAPLESS);
        stage.read(&[MOVES]);
        stage.write(duration() / 2, &WRITERS[..11]);
        sleep(duration() / 6);
        server.execute("CREATE EXTENSION comb");
        stage.connect().batch_execute("CALL public.comb_enable_polls('ev', 'id')").expect("triggers");
        let (rows, missed) = stage.end(&server);
        assert!(rows > 100 && missed[0].1 == 0, "{missed:?}");
        server.assert_clean_log();
    }
}

/// Each of these mistakes must lose rows, otherwise the tests above could not fail.
#[test]
fn mistakes_lose_rows() {
    const DRAWN: &str = "    drawn := pg_sequence_last_value(seq);\n";
    const LISTED: &str = "    writers := ARRAY(SELECT virtualtransaction FROM gapless_writers(tab) WHERE pid IS DISTINCT FROM pg_backend_pid());\n";
    const PAUSE: &str = "    PERFORM pg_sleep(0.003);\n";
    /// The client keeps a number that it has drawn without the lock.
    const EARLY: &[&str] =
        &["BEGIN; SELECT nextval('ev_id_seq'); sleep; INSERT INTO ev (id) VALUES (currval('ev_id_seq')); COMMIT"];

    let server = server();
    let in_order = |first, second| with(&format!("{DRAWN}{LISTED}"), &format!("{first}{PAUSE}{second}"));
    let [right, wrong_order] = [in_order(DRAWN, LISTED), in_order(LISTED, DRAWN)];
    let wrong_lock = with("'RowExclusiveLock'", "'RowShareLock'");
    let mut stages = 0;
    for (what, gapless, reader, transactions) in [
        ("no mistake", right.as_str(), "plain", PAUSING),
        ("writers, then the sequence", &wrong_order, "plain", PAUSING),
        ("another mode of lock", &wrong_lock, "plain", PAUSING),
        ("numbers drawn before the INSERT", GAPLESS, "plain", EARLY),
        ("the function in the statement that reads", GAPLESS, ONE_STATEMENT, PAUSING),
    ] {
        let mut loses = || {
            stages += 1;
            let mut stage = Stage::new(&server, &format!("stage_{stages}"), PLAIN, gapless);
            stage.read(&[reader]);
            stage.write(Duration::from_millis(700), transactions);
            let (_, missed) = stage.end(&server);
            missed[0].1 > 0
        };
        println!("{what}:");
        if what == "no mistake" {
            assert!(!loses() && !loses(), "rows are lost without a mistake");
        } else {
            assert!((0..20).any(|_| loses()), "{what}: no row is lost");
        }
    }
}

/// The reader has seen a transaction under a name that a restart takes from it.
#[test]
fn a_prepared_transaction_outlives_its_name() {
    let forgets = with(" OR writer LIKE '-1/%'", "");
    for (gapless, is_missed) in [(GAPLESS, false), (&forgets, true)] {
        for is_crash in [false, true] {
            let mut server = server();
            let stage = Stage::new(&server, "plain", PLAIN, gapless);
            let upto = |stage: &Stage| value::<Option<i64>>(&mut stage.connect(), "SELECT gapless_upto('ev', 'ev_id_seq')");
            let mut writer = stage.connect();
            writer.batch_execute("BEGIN; INSERT INTO ev DEFAULT VALUES").expect("a row");
            assert_eq!(upto(&stage), None);
            writer.batch_execute("PREPARE TRANSACTION 'outlives'").expect("PREPARE");
            assert_eq!(upto(&stage), None);
            if is_crash {
                assert!(kill_a_client_backend(&server));
                server.wait_until_it_accepts();
            } else {
                server.restart(&[]);
            }
            assert_eq!(upto(&stage).is_some(), is_missed);
            commit_prepared(&server, Duration::ZERO);
            upto(&stage);
            assert!(upto(&stage) >= Some(1));
        }
    }
}
