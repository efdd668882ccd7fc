//! The places for tracked transactions, which all databases of a server share, and what others' transactions cost a writer.

use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_test::{Load, Server, Sharing, duration, sqlstate, value};
use postgres::{Client, Error};

use super::stage::run;

const USED: &str = "SELECT places_used FROM comb_status()";
const PLACES: &str = "SELECT places FROM comb_status()";

fn server() -> Server {
    Server::start(Sharing::Preloaded, &[("max_connections", "60"), ("max_locks_per_transaction", "512")])
}

/// Tables whose numbers are polled.
fn create_tables(client: &mut Client, count: u32) {
    run(
        client,
        &format!(
            "DO $$ BEGIN
                FOR n IN 1..{count} LOOP
                    EXECUTE format('CREATE TABLE t%s (n bigserial)', n);
                    EXECUTE format('CALL comb_enable_polls(%L, ''n'')', 't' || n);
                END LOOP;
            END $$"
        ),
    );
}

/// Opens a transaction that takes as many places as it gets, and returns why it got no more.
fn take_places(client: &mut Client) -> String {
    run(client, "BEGIN");
    for n in 1..=300 {
        run(client, "SAVEPOINT s");
        let state = sqlstate(client, &format!("INSERT INTO t{n} DEFAULT VALUES"));
        if state != "00000" {
            run(client, "ROLLBACK TO s");
            return state;
        }
        run(client, "RELEASE s");
    }
    "00000".to_owned()
}

fn insert(client: &mut Client) -> Result<(), Error> {
    client.batch_execute(
        "BEGIN; INSERT INTO events DEFAULT VALUES; SELECT pg_sleep(0.001); INSERT INTO events DEFAULT VALUES; COMMIT",
    )
}

/// Transactions of one database, and of two, take all places that they get. Those of a third go on, and so do its polls.
#[test]
fn no_database_stops_another() {
    let server = server();
    server.execute(
        "CREATE TABLE events (position bigserial, id uuid DEFAULT comb_new());
         CALL comb_enable_polls('events', 'position'); CALL comb_enable_polls('events', 'id')",
    );
    server.execute("CREATE DATABASE first");
    let mut client = server.connect_to("first");
    run(&mut client, "CREATE EXTENSION comb");
    create_tables(&mut client, 300);
    drop(client);
    server.execute("CREATE DATABASE second TEMPLATE first");
    let places: i32 = server.value(PLACES);
    let mut attackers = Vec::new();
    for database in ["first", "second"] {
        let before: i32 = server.value(USED);
        let mut states = Vec::new();
        for _ in 0..6 {
            let mut client = server.connect_to(database);
            states.push(take_places(&mut client));
            attackers.push(client);
        }
        let used: i32 = server.value(USED);
        println!("{database}: {} of {places} places, then {states:?}", used - before);
        assert_eq!(states[5], "53400", "all transactions of a database have their share");
        if database == "first" {
            assert_eq!(states[0], "54000", "one transaction has at most a quarter");
        }
        assert!(used - before > (places - before) * 2 / 3, "the test could not fail");
        let load = Load::start(&server.config(), 4, duration() / 3, false, insert);
        let (end, mut cursor) = (Instant::now() + duration() / 3, 0i64);
        let (mut reader, mut rows) = (server.connect(), 0);
        while Instant::now() < end {
            let poll =
                "SELECT position FROM events WHERE position > $1 AND position <= comb_number_horizon('events', 'position', $1)
                        ORDER BY position";
            match reader.query(poll, &[&cursor]) {
                Ok(read) => (cursor, rows) = (read.last().map_or(cursor, |row| row.get(0)), rows + read.len()),
                // Few places: the next poll answers.
                Err(error) => assert_eq!(error.code().map(|code| code.code()), Some("40001"), "{error:?}"),
            }
            sleep(Duration::from_millis(2));
        }
        let turns = load.join().expect("writers of another database go on");
        println!("beside it {turns} transactions, and {rows} rows read");
        assert!(turns > 10 && rows > 10);
    }
    drop(attackers);
    assert!(pg_test::within(20, || server.value::<i32>(USED) == 0));
    server.assert_clean_log();
}

/// The only database of a server uses three of four places.
#[test]
fn the_only_database_has_most_places() {
    let server = server();
    let mut client = server.connect();
    create_tables(&mut client, 300);
    let (places, mut writers): (i32, Vec<Client>) = (value(&mut client, PLACES), Vec::new());
    for _ in 0..6 {
        writers.push(server.connect());
        take_places(writers.last_mut().expect("a writer"));
    }
    let used: i32 = value(&mut client, USED);
    assert!(used >= places * 3 / 4 - 1 && used < places, "{used} of {places}");
    // Who has none fails, and nobody else.
    assert_eq!(sqlstate(&mut client, "INSERT INTO t1 DEFAULT VALUES"), "53400");
    drop(writers);
    assert!(pg_test::within(20, || sqlstate(&mut client, "INSERT INTO t1 DEFAULT VALUES") == "00000"));
    // The last of them may end after that INSERT.
    assert!(pg_test::within(20, || value::<i64>(&mut client, "SELECT comb_number_horizon('t1') - max(n) FROM t1") == 0));
    server.assert_clean_log();
}

/// Another connection creates and drops a temporary table between two INSERTs: these scan no catalog for it.
#[test]
fn writers_pay_for_no_temporary_table_of_others() {
    const SCANS: &str = "SELECT sum(seq_scan + coalesce(idx_scan, 0))::bigint FROM pg_stat_xact_sys_tables";
    let server = server();
    server.execute(
        "CREATE TABLE plain (n bigserial, id uuid DEFAULT comb_new());
         CREATE TABLE tracked (LIKE plain INCLUDING DEFAULTS); ALTER SEQUENCE plain_n_seq OWNED BY NONE;
         CALL comb_enable_polls('tracked', 'n'); CALL comb_enable_polls('tracked', 'id')",
    );
    let (mut writer, mut other) = (server.connect(), server.connect());
    let mut scans = |table: &str| {
        let mut found = 0;
        // The first times fill the caches.
        for _ in 0..4 {
            run(&mut writer, &format!("BEGIN; INSERT INTO {table} DEFAULT VALUES"));
            let before: i64 = value(&mut writer, SCANS);
            run(
                &mut other,
                "CREATE TEMP TABLE aside (n bigserial, t text); INSERT INTO aside (t) VALUES ('a'); DROP TABLE aside",
            );
            run(&mut writer, &format!("INSERT INTO {table} DEFAULT VALUES"));
            found = value::<i64>(&mut writer, SCANS) - before;
            run(&mut writer, "COMMIT");
        }
        found
    };
    let (plain, tracked) = (scans("plain"), scans("tracked"));
    println!("scans of catalogs: {plain} without triggers, {tracked} with them");
    assert!(tracked <= plain, "{tracked} scans of catalogs, and {plain} without triggers");
    server.assert_clean_log();
}

/// Whether a snapshot has an answer that is older than the last end of a transaction without a floor, and older than no other.
fn is_known(server: &Server) -> bool {
    let (mut untracked, mut reader, mut writer) = (server.connect(), server.connect(), server.connect());
    run(&mut untracked, "BEGIN; SELECT pg_current_xact_id()");
    run(&mut writer, "CALL store(3000)");
    run(&mut reader, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    run(&mut untracked, "COMMIT");
    let state = sqlstate(&mut reader, "SELECT comb_uuid_horizon('outbox')");
    assert!(["00000", "40001"].contains(&state.as_str()), "{state}");
    state == "00000"
}

/// Many writers overwrite each other's places beside a transaction that has most of them.
#[test]
fn a_horizon_is_known_after_a_storm_of_writers() {
    let server = server();
    server.execute(
        "CREATE TABLE outbox (id uuid DEFAULT comb_tracked()); CALL comb_enable_polls('outbox', 'id');
         CREATE PROCEDURE store(times int) LANGUAGE plpgsql AS $$
         BEGIN FOR turn IN 1..times LOOP INSERT INTO outbox DEFAULT VALUES; COMMIT; END LOOP; END $$",
    );
    let mut holder = server.connect();
    create_tables(&mut holder, 300);
    // From the first tracked transaction on, comb knows what runs.
    run(&mut holder, "CALL store(1)");
    assert!(is_known(&server), "the test could not fail");
    take_places(&mut holder);
    let load = Load::start(&server.config(), 24, duration() / 2, false, |client| client.batch_execute("CALL store(300)"));
    load.join().expect("no error");
    run(&mut holder, "ROLLBACK");
    assert!(is_known(&server));
    server.assert_clean_log();
}
