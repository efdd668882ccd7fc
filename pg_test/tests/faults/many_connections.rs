//! Many more connections than processors, each in a tracked transaction: ids are in order, and readers miss no row.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use pg_test::{Server, Sharing, duration, value};
use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, NoTls, SimpleQueryMessage};
use uuid::Uuid;

const WRITERS: usize = 8;

const TABLE: &str = "
    CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid UNIQUE DEFAULT comb_new());
    CALL comb_enable_polls('events', 'position');
    CALL comb_enable_polls('events', 'id')";

/// Ends a connection's transaction and begins the next one with a row; returns its key.
fn turn(client: &mut Client) -> Uuid {
    let messages = client.simple_query("COMMIT; BEGIN; INSERT INTO events DEFAULT VALUES RETURNING id").expect("a row");
    let row = messages.iter().find_map(|message| if let SimpleQueryMessage::Row(row) = message { row.get(0) } else { None });
    row.expect("a key").parse().expect("a UUID")
}

/// How many rows two readers get, by position and by key, in polls until the writers are done.
fn read(client: &mut Client, done: impl Fn() -> bool) -> [usize; 2] {
    let by_position = "SELECT position FROM events
                       WHERE position > $1 AND position <= comb_number_horizon('events', 'position', $1) ORDER BY position";
    let by_key = "SELECT id FROM events WHERE id > $1 AND id <= comb_uuid_horizon('events', 'id', $1) ORDER BY id";
    let (mut position, mut id, mut rows) = (0i64, Uuid::nil(), [0, 0]);
    // On a busy machine, more transactions can end during a poll than comb remembers.
    let mut poll = |query: &str, cursor: &(dyn ToSql + Sync)| loop {
        match client.query(query, &[cursor]) {
            Err(error) if error.code() == Some(&SqlState::T_R_SERIALIZATION_FAILURE) => {}
            rows => break rows.expect("rows"),
        }
    };
    loop {
        let last_round = done();
        for row in poll(by_position, &position) {
            (position, rows[0]) = (row.get(0), rows[0] + 1);
        }
        for row in poll(by_key, &id) {
            (id, rows[1]) = (row.get(0), rows[1] + 1);
        }
        thread::sleep(Duration::from_millis(20));
        if last_round {
            return rows;
        }
    }
}

fn readers_miss_no_row_of(connections: usize, time: Duration) {
    let server =
        Server::start(Sharing::Preloaded, &[("max_connections", &(connections + 20).to_string()), ("synchronous_commit", "off")]);
    server.execute(TABLE);
    let mut client = server.connect();
    // All are connected; all transactions wait, open; all were counted.
    let stage = Arc::new(Barrier::new(WRITERS + 1));
    let writers = (0..WRITERS).map(|_| {
        let (config, stage) = (server.config(), Arc::clone(&stage));
        thread::spawn(move || {
            let mut clients: Vec<_> = (0..connections / WRITERS).map(|_| config.connect(NoTls).expect("a connection")).collect();
            stage.wait();
            let (end, mut last, mut rows) = (Instant::now() + time, Uuid::nil(), 0);
            while Instant::now() < end {
                for client in &mut clients {
                    let id = turn(client);
                    assert!(id > last, "another connection had generated {last} before {id}");
                    (last, rows) = (id, rows + 1);
                }
            }
            stage.wait();
            stage.wait();
            clients.iter_mut().for_each(|client| client.batch_execute("COMMIT").expect("an end"));
            rows
        })
    });
    let writers: Vec<_> = writers.collect();
    let observer = {
        let (mut client, stage) = (server.connect(), Arc::clone(&stage));
        thread::spawn(move || {
            stage.wait();
            thread::sleep(time / 2);
            client.batch_execute("SELECT comb_observe(comb_at(clock_timestamp() + interval '5 s'))").expect("a new clock");
            stage.wait();
            let holders: i64 = value(&mut client, "SELECT count(DISTINCT pid) FROM comb_horizon_holders()");
            stage.wait();
            holders
        })
    };
    let read = read(&mut client, || writers.iter().all(|writer| writer.is_finished()));
    assert_eq!(observer.join().expect("a count"), (connections / WRITERS * WRITERS) as i64);
    let rows: usize = writers.into_iter().map(|writer| writer.join().expect("a writer")).sum();
    println!("{connections} connections: {rows} rows");
    assert_eq!(read, [rows; 2]);
    server.assert_clean_log();
}

/// In long runs, more connections than a server usually has.
#[test]
fn readers_miss_no_row() {
    if duration() < Duration::from_secs(60) {
        return readers_miss_no_row_of(100, duration());
    }
    [1000, 2000].into_iter().for_each(|connections| readers_miss_no_row_of(connections, duration() / 2));
}
