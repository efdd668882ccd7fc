//! A plan that lacks a new partition, although the snapshot of its statement sees the partition's rows: PostgreSQL takes no messages
//! for a plan whose tables the transaction has locked, and can lose them. The plans find the partitions of keys when they begin, so
//! that the partitioned table is open.

use std::thread::{self, sleep};
use std::time::Duration;

use pg_test::{Server, Sharing, execute_until_lock, rows, sqlstate, value};
use postgres::Client;

/// Row 1 is stored. [`attach`] stores row 2 in a partition that is new, and row 3.
fn server() -> Server {
    let server = Server::start(Sharing::Preloaded, &[]);
    server.execute(
        "CREATE TABLE parts (n bigserial, body text) PARTITION BY RANGE (n);
         CREATE TABLE part_1 PARTITION OF parts FOR VALUES FROM (1) TO (2);
         CREATE TABLE part_3 PARTITION OF parts FOR VALUES FROM (3) TO (4);
         CREATE TABLE leaf (LIKE parts INCLUDING DEFAULTS);
         CALL comb_enable_polls('parts', 'n');
         INSERT INTO parts (body) VALUES ('first')",
    );
    server
}

fn attach(server: &Server) {
    server.execute("ALTER TABLE parts ATTACH PARTITION leaf FOR VALUES FROM (2) TO (3)");
    server.execute("INSERT INTO parts (body) VALUES ('second')");
    server.execute("INSERT INTO parts (body) VALUES ('third')");
}

/// A reader whose plan of `poll` PostgreSQL keeps.
fn reader(server: &Server, horizon: &str) -> Client {
    let mut reader = server.connect();
    let prepare = format!(
        "SET plan_cache_mode = force_generic_plan; SET lock_timeout = 600;
         PREPARE poll (bigint) AS SELECT n FROM parts WHERE n > $1 AND n <= (SELECT {horizon}) ORDER BY n"
    );
    reader.batch_execute(&prepare).expect("a statement");
    reader
}

/// The rows after 1, from a reader that repeats a poll after 40001.
fn rest(reader: &mut Client) -> Vec<String> {
    match rows(reader, "EXECUTE poll (1)") {
        Ok(rows) => rows,
        Err(state) => {
            assert_eq!(state, "40001");
            rows(reader, "EXECUTE poll (1)").expect("the next poll")
        }
    }
}

/// What a reader does while, for some time, nobody can read the triggers of a table: PostgreSQL cannot read a table again that has
/// changed.
fn without_triggers<T>(server: &Server, milliseconds: u64, act: impl FnOnce() -> T) -> T {
    let mut locker = server.connect();
    locker.batch_execute("BEGIN; LOCK TABLE pg_trigger IN ACCESS EXCLUSIVE MODE").expect("a lock");
    let locker = thread::spawn(move || {
        sleep(Duration::from_millis(milliseconds));
        locker.batch_execute("COMMIT").expect("COMMIT");
    });
    let result = act();
    locker.join().expect("a lock");
    result
}

/// What a transaction has changed can be seen before its messages are sent: COMMIT PREPARED removes the files of tables between.
/// Polls return the horizon and the rows above 3: `before` and `after` the transaction.
fn commit_slowly(changes: &str, before: &str, after: &str) {
    let settings = [("max_prepared_transactions", "2"), ("max_locks_per_transaction", "512")];
    let server = Server::start(Sharing::Preloaded, &settings);
    server.execute(
        "CREATE TABLE parts (n bigserial, body text) PARTITION BY LIST (body);
         CREATE TABLE part_a PARTITION OF parts FOR VALUES IN ('a');
         CALL comb_enable_polls('parts', 'n');
         INSERT INTO parts (body) SELECT 'a' FROM generate_series(1, 6);
         DO $$BEGIN FOR i IN 1..1500 LOOP EXECUTE format('CREATE TABLE other_%s (n int)', i); END LOOP; END$$",
    );
    let mut reader = server.connect();
    let mut poll = || {
        let horizon = "SELECT comb_number_horizon('parts', after => 3) AS h";
        let rows_of = format!("({horizon}) h LEFT JOIN parts ON n > 3 AND n <= h");
        rows(&mut reader, &format!("SELECT concat(h, array_agg(n ORDER BY n)) FROM {rows_of} GROUP BY h"))
    };
    let [before, after] = [before, after].map(|row| Ok(vec![row.to_owned()]));
    assert_eq!(poll(), before);
    server.execute(&format!(
        "BEGIN;
         CREATE TABLE leaf (LIKE parts INCLUDING DEFAULTS);
         {changes};
         DO $$BEGIN FOR i IN 1..1500 LOOP EXECUTE format('DROP TABLE other_%s', i); END LOOP; END$$;
         PREPARE TRANSACTION 'changes'"
    ));
    assert_eq!(poll(), before);
    let mut refused = 0;
    thread::scope(|scope| {
        let commits = scope.spawn(|| server.execute("COMMIT PREPARED 'changes'"));
        while !commits.is_finished() {
            match poll() {
                Err(state) if state == "40001" => refused += 1,
                found => assert!([&before, &after].contains(&&found), "{found:?}"),
            }
        }
    });
    assert!(refused > 0);
    let _ = poll();
    assert_eq!(poll(), after);
    server.assert_clean_log();
}

/// No guard is there when the rows move.
#[test]
fn rows_that_move_into_a_table_before_it_is_attached() {
    let moves = "WITH moved AS (DELETE FROM part_a WHERE n IN (4, 5) RETURNING n) INSERT INTO leaf SELECT n, 'b' FROM moved;
                 ALTER TABLE parts ATTACH PARTITION leaf FOR VALUES IN ('b')";
    commit_slowly(moves, "6{4,5,6}", "6{4,5,6}");
}

#[test]
fn a_row_of_the_transaction_that_attaches_its_table() {
    let stores = "ALTER TABLE parts ATTACH PARTITION leaf FOR VALUES IN ('b'); INSERT INTO parts (body) VALUES ('b')";
    commit_slowly(stores, "6{4,5,6}", "7{4,5,6,7}");
}

/// The message is lost also for the plan, which is not made again.
#[test]
fn a_poll_that_fails_on_the_message() {
    for has_polled in [true, false] {
        let server = server();
        let mut reader = reader(&server, "comb_number_horizon('parts', after => $1)");
        if has_polled {
            assert_eq!(rows(&mut reader, "EXECUTE poll (0)"), Ok(vec!["1".to_owned()]));
        }
        reader.batch_execute("EXPLAIN EXECUTE poll (1)").expect("a plan");
        reader.batch_execute("BEGIN; SELECT FROM parts").expect("locks");
        attach(&server);
        without_triggers(&server, 3000, || assert_eq!(sqlstate(&mut reader, "EXECUTE poll (1)"), "55P03"));
        reader.batch_execute("ROLLBACK").expect("ROLLBACK");
        assert_eq!(rest(&mut reader), ["2", "3"], "has polled: {has_polled}");
        assert_eq!(rows(&mut reader, "EXECUTE poll (2)"), Ok(vec!["3".to_owned()]));
        server.assert_clean_log();
    }
}

/// The statement of the poll itself catches the failure.
#[test]
fn a_poll_that_catches_the_failure() {
    let server = server();
    server.execute(
        "CREATE TABLE other (o int);
         CREATE FUNCTION reads() RETURNS boolean LANGUAGE plpgsql AS $$
         BEGIN
             BEGIN PERFORM FROM other; EXCEPTION WHEN lock_not_available THEN NULL; END;
             RETURN true;
         END $$",
    );
    let mut reader = reader(&server, "CASE WHEN reads() THEN comb_number_horizon('parts', after => $1) END");
    // In the transaction, the poll has nothing more to lock but the other table.
    let warm = "SELECT n FROM parts WHERE n > 1 AND n <= (SELECT 5::bigint) ORDER BY n";
    reader.batch_execute("EXPLAIN EXECUTE poll (1); SELECT reads()").expect("a plan");
    reader.batch_execute(&format!("BEGIN; {warm}")).expect("locks");
    attach(&server);
    // Longer than lock_timeout, and shorter than twice that.
    let found = without_triggers(&server, 900, || rows(&mut reader, "EXECUTE poll (1)"));
    assert_eq!(found, Err("40001".to_owned()));
    reader.batch_execute("ROLLBACK").expect("ROLLBACK");
    assert_eq!(rest(&mut reader), ["2", "3"]);
    server.assert_clean_log();
}

/// The message comes while the connection waits for the end of a subtransaction that has failed.
#[test]
fn a_message_in_a_failed_subtransaction() {
    let server = server();
    server.execute(
        "CREATE FUNCTION opens() RETURNS refcursor LANGUAGE plpgsql AS $$
         DECLARE cursor bigint := 1; rows refcursor := 'rows';
         BEGIN
             OPEN rows FOR SELECT n FROM parts
                 WHERE n > cursor AND n <= (SELECT comb_number_horizon('parts', after => cursor)) ORDER BY n;
             RETURN rows;
         END $$",
    );
    let mut reader = reader(&server, "comb_number_horizon('parts', after => $1)");
    let warm = "SELECT n FROM parts WHERE n > 1 AND n <= (SELECT 5::bigint) ORDER BY n";
    reader.batch_execute(&format!("PREPARE opens AS SELECT opens(); {warm}")).expect("a read");
    reader.batch_execute("BEGIN; EXECUTE opens; CLOSE rows; COMMIT").expect("a plan");
    reader.batch_execute(&format!("BEGIN; {warm}")).expect("a lock");
    attach(&server);
    reader.batch_execute("EXECUTE opens; SAVEPOINT a").expect("a cursor with the old plan");
    // An error before any look at a catalog.
    assert_eq!(sqlstate(&mut reader, "SELEC"), "42601");
    // So many that PostgreSQL has idle connections read them.
    let many = "DO $$BEGIN FOR i IN 1..900 LOOP CREATE TEMP TABLE many (n int); DROP TABLE many; END LOOP; END$$";
    server.execute(many);
    sleep(Duration::from_secs(1));
    reader.batch_execute("ROLLBACK TO a").expect("ROLLBACK TO");
    assert_eq!(rows(&mut reader, "FETCH ALL FROM rows"), Err("40001".to_owned()));
    reader.batch_execute("ROLLBACK").expect("ROLLBACK");
    assert_eq!(rest(&mut reader), ["2", "3"]);
    assert_eq!(value::<i64>(&mut reader, "SELECT count(*) FROM parts"), 3);
    server.assert_clean_log();
}

/// A statement that was prepared while others exchanged two tables. The first poll fails while PostgreSQL reads all again.
#[test]
fn a_repair_that_fails() {
    let server = Server::start(Sharing::Preloaded, &[]);
    server.execute(
        "CREATE TABLE events (n bigserial);
         CREATE TABLE others (n bigserial);
         CALL comb_enable_polls('events', 'n');
         CALL comb_enable_polls('others', 'n');
         INSERT INTO others VALUES (DEFAULT), (DEFAULT)",
    );
    let mut owner = server.connect();
    owner.batch_execute("BEGIN; ALTER TABLE events RENAME TO old; ALTER TABLE others RENAME TO events").expect("a new table");
    let prepare = "PREPARE poll AS WITH h AS MATERIALIZED (SELECT comb_number_horizon('events') AS h)
                   SELECT n FROM events WHERE n <= (SELECT h FROM h) ORDER BY n; SET lock_timeout = 600";
    let prepares = execute_until_lock(&server, server.connect(), prepare);
    owner.batch_execute("COMMIT").expect("COMMIT");
    let (prepared, mut reader) = prepares.join().expect("a reader");
    assert_eq!(prepared, Ok(Vec::new()));
    without_triggers(&server, 3000, || assert_eq!(sqlstate(&mut reader, "EXECUTE poll"), "55P03"));
    assert_eq!(rows(&mut reader, "EXECUTE poll"), Err("40001".to_owned()));
    assert_eq!(rows(&mut reader, "EXECUTE poll"), Ok(vec!["1".to_owned(), "2".to_owned()]));
    server.assert_clean_log();
}

const TWO_LEVELS: &str = "
    CREATE SEQUENCE versions;
    CREATE TABLE parts (n bigserial, v bigint DEFAULT nextval('versions'), part int) PARTITION BY LIST (part);
    CREATE TABLE between PARTITION OF parts DEFAULT PARTITION BY LIST (part);
    CREATE TABLE part_1 PARTITION OF between FOR VALUES IN (1);
    CREATE TABLE leaf (LIKE parts INCLUDING DEFAULTS);
    CALL comb_enable_polls('parts', 'n');
    CALL comb_enable_polls('parts', 'v');
    INSERT INTO parts (part) VALUES (1)";
const POLL: &str = "PREPARE poll (bigint) AS SELECT n FROM parts
                    WHERE n > $1 AND n <= (SELECT comb_number_horizon('parts', 'n', $1)) ORDER BY n";
const ATTACH: &str = "ALTER TABLE between ATTACH PARTITION leaf FOR VALUES IN (2)";

/// A reader executes a statement while a partition is attached below the topmost table. PostgreSQL makes a plan meanwhile, which it
/// keeps: the message comes before the plan is known to depend on the partitioned table between. Rows 2 and 3 are stored later.
fn plan_while(attach: &str, server: &Server, reader: Client, execute: &'static str) -> Client {
    let mut locker = server.connect();
    locker.batch_execute("BEGIN; LOCK TABLE part_1 IN ACCESS EXCLUSIVE MODE").expect("a lock");
    let plans = execute_until_lock(server, reader, execute);
    server.execute(attach);
    locker.batch_execute("COMMIT").expect("COMMIT");
    let (planned, reader) = plans.join().expect("a reader");
    assert!(planned.as_ref().err().is_none_or(|state| state == "40001"), "{planned:?}");
    server.execute("INSERT INTO parts (part) VALUES (2)");
    server.execute("INSERT INTO parts (part) VALUES (1)");
    reader
}

fn reader_that_plans(sharing: Sharing, prepare: &str, first: &str, execute: &'static str) -> (Server, Client) {
    let server = Server::start(sharing, &[]);
    server.execute(TWO_LEVELS);
    let mut reader = server.connect();
    reader.batch_execute(&format!("SET plan_cache_mode = force_generic_plan; {prepare}; {first}")).expect("a statement");
    let reader = plan_while(ATTACH, &server, reader, execute);
    (server, reader)
}

#[test]
fn a_partition_between_that_grows_while_a_plan_is_made() {
    for first in ["", "SELECT comb_number_horizon('parts', 'n')"] {
        let (server, mut reader) = reader_that_plans(Sharing::Preloaded, POLL, first, "EXECUTE poll (1)");
        assert_eq!(rest(&mut reader), ["2", "3"], "{first:?}");
        assert_eq!(rows(&mut reader, "EXECUTE poll (1)"), Ok(vec!["2".to_owned(), "3".to_owned()]));
        server.assert_clean_log();
    }
}

/// Nothing of comb saw the message.
#[test]
fn a_plan_from_before_the_load_of_the_library() {
    let prepare = "PREPARE read (bigint, bigint) AS SELECT n FROM parts WHERE n > $1 AND n <= $2 ORDER BY n";
    let (server, mut reader) = reader_that_plans(Sharing::Attached, prepare, "", "EXECUTE read (1, 9)");
    for _ in 0..2 {
        let horizon: i64 = value(&mut reader, "SELECT comb_number_horizon('parts', 'n', 1)");
        assert_eq!(rows(&mut reader, &format!("EXECUTE read (1, {horizon})")), Ok(vec!["2".to_owned(), "3".to_owned()]));
    }
    server.assert_clean_log();
}

/// The reader has attached the partition, in a transaction that another session commits.
#[test]
fn an_own_partition_that_another_commits() {
    let server = Server::start(Sharing::Preloaded, &[("max_prepared_transactions", "2")]);
    let mut reader = server.connect();
    for statement in TWO_LEVELS.split(';').chain(["SET plan_cache_mode = force_generic_plan", POLL]) {
        reader.batch_execute(statement).expect("a statement");
    }
    reader.batch_execute(&format!("BEGIN; {ATTACH}; PREPARE TRANSACTION 'x'")).expect("a partition");
    let mut reader = plan_while("COMMIT PREPARED 'x'", &server, reader, "EXECUTE poll (1)");
    assert_eq!(rest(&mut reader), ["2", "3"]);
    assert_eq!(rows(&mut reader, "EXECUTE poll (1)"), Ok(vec!["2".to_owned(), "3".to_owned()]));
    server.assert_clean_log();
}

/// Two columns: the horizon of the first ends the doubt, and a cursor of the second has the old plan.
#[test]
fn a_cursor_from_before_the_repair() {
    let opens = "CREATE FUNCTION opens() RETURNS refcursor LANGUAGE plpgsql AS $$
         DECLARE cursor bigint := 1; rows refcursor := 'rows';
         BEGIN
             OPEN rows FOR SELECT n FROM parts
                 WHERE v > cursor AND v <= (SELECT comb_number_horizon('parts', 'v', cursor)) ORDER BY v;
             RETURN rows;
         END $$";
    let (server, mut reader) = reader_that_plans(Sharing::Preloaded, opens, "", "SELECT FROM opens() WHERE opens IS NULL");
    reader.batch_execute("BEGIN; SELECT opens(); SAVEPOINT a").expect("a cursor with the old plan");
    assert_eq!(sqlstate(&mut reader, "SELECT comb_number_horizon('parts', 'n')"), "40001");
    reader.batch_execute("ROLLBACK TO a").expect("ROLLBACK TO");
    assert_eq!(rows(&mut reader, "FETCH ALL FROM rows"), Err("40001".to_owned()));
    server.assert_clean_log();
}

/// The monitoring in the statement of a poll lists the first column's tables.
#[test]
fn a_poll_beside_the_monitoring() {
    let poll = "PREPARE poll (bigint) AS SELECT n FROM parts
         WHERE v > $1 AND (SELECT count(*) FROM comb_horizon_status()) > 0
         AND v <= (SELECT comb_number_horizon('parts', 'v', $1)) ORDER BY v";
    let (server, mut reader) = reader_that_plans(Sharing::Preloaded, poll, "", "EXPLAIN EXECUTE poll (1)");
    assert_eq!(rest(&mut reader), ["2", "3"]);
    server.assert_clean_log();
}

/// The first poll of a connection, in a transaction in which others have created temporary tables.
#[test]
fn polls_beside_temporary_tables() {
    let server = server();
    let mut first = server.connect();
    first.batch_execute("BEGIN; SELECT comb_new()").expect("a transaction");
    let many = "DO $$BEGIN FOR i IN 1..300 LOOP CREATE TEMP TABLE many (n int); DROP TABLE many; COMMIT; END LOOP; END$$";
    server.execute(many);
    let poll = "SELECT n FROM parts WHERE n <= comb_number_horizon('parts')";
    assert_eq!(rows(&mut first, poll), Ok(vec!["1".to_owned()]));
    server.assert_clean_log();
}
