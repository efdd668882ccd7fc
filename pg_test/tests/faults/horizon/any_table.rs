//! Readers of tables with `bigint` keys, keys of comb_new() and row versions, by comb_number_horizon() and comb_uuid_horizon():
//! none misses a row or reads one twice, and a copy is never stale. Readers without the horizon do.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use pg_test::{Load, SHARINGS, Server, Sharing, Stop, check, sqlstate, value, within};
use postgres::IsolationLevel::RepeatableRead;
use postgres::{Client, Config, NoTls, SimpleQueryMessage};

use super::stage::{NIL, Reader, Stage, is_to_be_repeated, numbers, run, server_with_tables};
use super::{server, stage_time};

const EVENTS: Reader = Reader {
    name: "",
    table: "events",
    key: "position",
    setup: "",
    around: ["", ""],
    poll: "SELECT position FROM events WHERE position > $1::text::bigint
           AND position <= comb_number_horizon('events', 'position', after => $1::text::bigint) ORDER BY position LIMIT 1000",
    reconnects: false,
    begin: "0",
};

const READERS: &[Reader] = &[
    Reader { name: "naive", poll: "SELECT position FROM events WHERE position > $1::text::bigint", ..EVENTS },
    Reader { name: "plain", ..EVENTS },
    Reader { name: "generic plan", setup: "SET plan_cache_mode = force_generic_plan", ..EVENTS },
    Reader { name: "repeatable read", around: ["BEGIN ISOLATION LEVEL REPEATABLE READ", "COMMIT"], ..EVENTS },
    Reader { name: "serializable", around: ["BEGIN ISOLATION LEVEL SERIALIZABLE", "COMMIT"], ..EVENTS },
    Reader { name: "connects for each poll", reconnects: true, ..EVENTS },
    Reader {
        name: "UNION ALL",
        poll: "SELECT position FROM events WHERE position > $1::text::bigint AND position % 2 = 0
               AND position <= comb_number_horizon('events', 'position')
               UNION ALL SELECT position FROM events WHERE position > $1::text::bigint AND position % 2 = 1
               AND position <= comb_number_horizon('events', 'position')",
        ..EVENTS
    },
    Reader {
        name: "evaluated late",
        poll: "SELECT position FROM events WHERE position > $1::text::bigint
               AND pg_sleep(CASE WHEN position % 20 = 0 THEN 0.002 ELSE 0 END) IS NOT NULL
               AND position <= comb_number_horizon('events', 'position')",
        ..EVENTS
    },
    Reader {
        name: "asks late in REPEATABLE READ",
        around: ["BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_sleep(0.02)", "COMMIT"],
        ..EVENTS
    },
    Reader { name: "view", poll: "SELECT position FROM settled_events WHERE position > $1::text::bigint", ..EVENTS },
    Reader {
        name: "each row of a sequential scan",
        setup: "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off",
        poll: "SELECT position FROM events WHERE position > $1::text::bigint AND position <= upto()",
        ..EVENTS
    },
    Reader { name: "cursor", poll: "SELECT by_cursor($1::text::bigint)", ..EVENTS },
    Reader {
        name: "row security",
        setup: "SET ROLE reader",
        poll: "SELECT position FROM events WHERE position > $1::text::bigint
               AND position <= comb_number_horizon('events', 'position')",
        ..EVENTS
    },
    Reader {
        name: "keys of comb_new()",
        key: "key",
        poll: "SELECT key FROM events WHERE key > $1::text::uuid AND key <= comb_uuid_horizon('events', 'key', after => $1::text::uuid)",
        begin: NIL,
        ..EVENTS
    },
    Reader {
        name: "two tables",
        table: "both_halves",
        key: "n",
        poll: "SELECT n FROM both_halves WHERE n > $1::text::bigint AND n <= least(comb_number_horizon('first_half'), comb_number_horizon('second_half'))",
        ..EVENTS
    },
    Reader {
        name: "partitions",
        table: "parts",
        key: "n",
        poll: "SELECT n FROM parts WHERE n > $1::text::bigint AND n <= (SELECT comb_number_horizon('parts', after => $1::text::bigint))",
        ..EVENTS
    },
    Reader {
        name: "partitions, each row",
        table: "parts",
        key: "n",
        setup: "SET max_parallel_workers_per_gather = 0",
        poll: "SELECT n FROM parts WHERE n > $1::text::bigint AND n <= comb_number_horizon('parts')",
        ..EVENTS
    },
    Reader {
        name: "a child by INHERITS",
        table: "parent",
        key: "n",
        poll: "SELECT n FROM parent WHERE n > $1::text::bigint AND n <= comb_number_horizon('parent', after => $1::text::bigint)",
        ..EVENTS
    },
];

/// Transactions beside those that insert into `events` alone.
const OTHERS: &[&str] = &[
    "INSERT INTO orders VALUES (1)",
    "SELECT exception()",
    "SELECT append(random() / 200)",
    "CALL commits()",
    "BEGIN; INSERT INTO first_half DEFAULT VALUES; SELECT pg_sleep(random() / 300); INSERT INTO second_half DEFAULT VALUES; COMMIT",
    "INSERT INTO second_half DEFAULT VALUES",
    "BEGIN; INSERT INTO parts (body) VALUES ('a'), ('b'), ('a'); SELECT pg_sleep(random() / 300); COMMIT",
    "INSERT INTO parts (body) VALUES ('b')",
    "BEGIN; INSERT INTO part_b (body) VALUES ('b'); SELECT pg_sleep(random() / 300); COMMIT",
    // One at a time: two that move one row fail.
    "BEGIN; SELECT pg_advisory_xact_lock(7); UPDATE parts SET body = CASE body WHEN 'a' THEN 'b' ELSE 'a' END WHERE n % 7 = 0; COMMIT",
    "INSERT INTO parent (body) VALUES ('a')",
    "BEGIN; INSERT INTO child (body) VALUES ('a'); SELECT pg_sleep(random() / 300); INSERT INTO parent (body) VALUES ('b'); COMMIT",
    "UPDATE items SET x = x + 1, rv = DEFAULT WHERE n = 1 + (random() * 199)::int",
    "BEGIN; UPDATE items SET x = x + 1, rv = DEFAULT WHERE n = 1 + (random() * 99)::int; SELECT pg_sleep(random() / 200); COMMIT",
];

fn connect(config: &Config) -> Client {
    config.connect(NoTls).expect("a connection")
}

/// Keeps a copy of the items by polling their versions: the condition takes the text of the last limit and a new one.
fn copy(
    config: &Config,
    target: &'static str,
    limit: &'static str,
    changed: &'static str,
    writes: &Arc<AtomicBool>,
) -> JoinHandle<()> {
    let (config, writes) = (config.clone(), Arc::clone(writes));
    thread::spawn(move || {
        let mut client = connect(&config);
        let mut since: Option<String> = None;
        let mut polls_after = 0;
        while polls_after < 3 {
            polls_after += i32::from(!writes.load(Ordering::Relaxed));
            let mut transaction = client.build_transaction().isolation_level(RepeatableRead).start().expect("a transaction");
            let next: String = match transaction.query_one(limit, &[]) {
                Err(error) if is_to_be_repeated(&error) => continue,
                row => row.expect(limit).get(0),
            };
            let condition = since.as_ref().map_or("true".to_owned(), |since| changed.replace("$1", since).replace("$2", &next));
            let merge = format!(
                "INSERT INTO {target} SELECT n, x FROM items WHERE {condition}
                 ON CONFLICT (n) DO UPDATE SET x = excluded.x WHERE {target}.x < excluded.x"
            );
            transaction.batch_execute(&merge).expect("a copy");
            transaction.commit().expect("COMMIT");
            since = Some(next);
            sleep(Duration::from_millis(1));
        }
    })
}

#[test]
fn readers_of_any_table_miss_no_row() {
    for sharing in SHARINGS {
        let server = server_with_tables(sharing);
        let mut stage = Stage::new(&server, false);
        stage.read(READERS);
        let (config, writes) = (server.config(), Arc::clone(&stage.writes));
        let copies = [
            copy(
                &config,
                "copy_by_version",
                "SELECT comb_uuid_horizon('items', 'version')::text",
                "version > '$1' AND version <= '$2'",
                &writes,
            ),
            copy(&config, "copy_by_rv", "SELECT comb_number_horizon('items', 'rv')::text", "rv > $1 AND rv <= $2", &writes),
        ];
        stage.write(6, stage_time() * 2, "events", OTHERS);
        stage.finish();
        let mut client = server.connect();
        for copy in copies {
            copy.join().expect("a copy");
        }
        for target in ["copy_by_version", "copy_by_rv"] {
            let stale =
                format!("SELECT count(*) = 0 FROM items LEFT JOIN {target} c USING (n) WHERE c.x IS DISTINCT FROM items.x");
            check(&mut client, target, &stale);
        }
        server.assert_clean_log();
    }
}

/// Each row once, as soon as it is committed, in no order: beside transactions that stay open for seconds too.
#[test]
fn a_reader_that_does_not_wait_for_slow_writers() {
    const POLL: &str = "SELECT h.settled, h.snapshot, array_agg(e.position) FILTER (WHERE e.position IS NOT NULL)
        FROM (SELECT comb_number_horizon('events', 'position') AS settled, pg_current_snapshot()::text AS snapshot) h
        LEFT JOIN events e ON e.position > $1 AND NOT pg_visible_in_snapshot(e.tx, $2::text::pg_snapshot)
        GROUP BY h.settled, h.snapshot";
    let server = server_with_tables(Sharing::Attached);
    let (mut stage, count) = (Stage::new(&server, false), Arc::new(AtomicUsize::new(0)));
    let reader = {
        let (config, writes, count) = (server.config(), Arc::clone(&stage.writes), Arc::clone(&count));
        thread::spawn(move || {
            let mut client = connect(&config);
            let (mut floor, mut snapshot, mut seen) = (0i64, "1:1:".to_owned(), Vec::<i64>::new());
            let mut goes_on = true;
            while goes_on {
                goes_on = writes.load(Ordering::Relaxed);
                let row = match client.query_one(POLL, &[&floor, &snapshot]) {
                    Err(error) if is_to_be_repeated(&error) => {
                        goes_on = true;
                        continue;
                    }
                    row => row.expect("a poll"),
                };
                (floor, snapshot) = (floor.max(row.get(0)), row.get(1));
                seen.extend(row.get::<_, Option<Vec<i64>>>(2).unwrap_or_default());
                count.store(seen.len(), Ordering::Relaxed);
            }
            seen
        })
    };
    let mut slow = server.connect();
    slow.batch_execute("BEGIN; INSERT INTO events (body) VALUES ('slow')").expect("an open transaction");
    stage.write(4, stage_time(), "events", OTHERS);
    sleep(stage_time());
    let mut client = server.connect();
    check(&mut client, "the horizon is held back", "SELECT comb_uuid_horizon('events', 'key') < comb_first(key) FROM events");
    assert!(count.load(Ordering::Relaxed) > 10, "the reader waits");
    slow.batch_execute("SAVEPOINT a; INSERT INTO events (body) VALUES ('in a savepoint'); COMMIT").expect("its end");
    stage.finish();
    let seen = reader.join().expect("the reader");
    let distinct: HashSet<_> = seen.iter().copied().collect();
    let stored: HashSet<_> = numbers(&mut client, "SELECT position FROM events").into_iter().collect();
    println!("{} rows", stored.len());
    assert_eq!((distinct.len(), &distinct), (seen.len(), &stored));
    server.assert_clean_log();
}

/// The histories in which others lost events or stood still: Marten 4964, 4977 and 5108, Eventuous 588.
#[test]
fn histories_of_other_projects() {
    let server = server_with_tables(Sharing::Preloaded);
    let (mut a, mut b, mut reader) = (server.connect(), server.connect(), server.connect());
    let mut polled = |cursor: &mut i64| -> Vec<i64> {
        let query = READERS[1].poll;
        let rows = reader.query(query, &[&cursor.to_string()]).expect(query);
        let rows: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
        *cursor = rows.last().copied().unwrap_or(*cursor);
        rows
    };
    let cursor = &mut 0;
    // The smaller number commits last.
    run(&mut a, "BEGIN; INSERT INTO events (body) VALUES ('first')");
    run(&mut b, "INSERT INTO events (body) VALUES ('second')");
    assert_eq!(polled(cursor), []);
    run(&mut a, "COMMIT");
    assert_eq!(polled(cursor), [1, 2]);
    // A number that is rolled back is no gap to wait for, not even at the end.
    run(&mut a, "BEGIN; INSERT INTO events (body) VALUES ('never'); ROLLBACK");
    run(&mut b, "INSERT INTO events (body) VALUES ('after a gap')");
    assert_eq!(polled(cursor), [4]);
    run(&mut a, "BEGIN; INSERT INTO events (body) SELECT 'never' FROM generate_series(1, 100); ROLLBACK");
    assert_eq!(polled(cursor), []);
    run(&mut b, "INSERT INTO events (body) VALUES ('after many')");
    assert_eq!(polled(cursor), [105]);
    // The function draws the number before it stores the row, behind a slow one and a fast one.
    let mut holder = server.connect();
    run(&mut holder, "SELECT pg_advisory_lock(1)");
    let append = thread::spawn(move || {
        a.batch_execute("SELECT append(0, 1)").expect("an append");
        a
    });
    let waits = "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'advisory'";
    assert!(within(20, || server.value::<bool>(waits)), "the slow one draws a number");
    run(&mut b, "SELECT append(0)");
    assert_eq!(polled(cursor), []);
    run(&mut holder, "SELECT pg_advisory_unlock(1)");
    let mut a = append.join().expect("an append");
    assert_eq!(polled(cursor), [106, 107]);
    // A session that is killed with a number.
    run(&mut a, "BEGIN; INSERT INTO events (body) VALUES ('never')");
    run(&mut b, "INSERT INTO events (body) VALUES ('beside it')");
    assert_eq!(polled(cursor), []);
    let pid: i32 = value(&mut a, "SELECT pg_backend_pid()");
    assert!(server.value::<bool>(&format!("SELECT pg_terminate_backend({pid}, 20000)")));
    assert_eq!(polled(cursor), [109]);
    server.assert_clean_log();
}

/// A sequence starts again, the clock is set back, and a trigger is disabled.
#[test]
fn what_changes_under_a_reader() {
    const POLL: &str = "SELECT position FROM events WHERE position <= comb_number_horizon('events', 'position') ORDER BY 1";
    let server = server_with_tables(Sharing::Preloaded);
    let (mut a, mut b, mut reader) = (server.connect(), server.connect(), server.connect());
    let read = |reader: &mut Client| numbers(reader, POLL);
    let prepare = "BEGIN; INSERT INTO events (body) VALUES ('slow'); PREPARE TRANSACTION 'slow'";
    for restart in ["TRUNCATE events RESTART IDENTITY", "DELETE FROM events; ALTER SEQUENCE events_position_seq RESTART"] {
        run(&mut a, "INSERT INTO events (body) VALUES ('old'), ('old')");
        assert!(read(&mut reader).len() > 1);
        run(&mut a, restart);
        prepare.split("; ").for_each(|statement| run(&mut a, statement));
        run(&mut b, "INSERT INTO events (body) VALUES ('fast')");
        assert_eq!(read(&mut reader), [], "{restart}");
        run(&mut a, "COMMIT PREPARED 'slow'");
        assert_eq!(read(&mut reader), [1, 2], "{restart}");
    }
    // UUIDs that the transaction generates after the reset are below its floor as it was written.
    let keys =
        |reader: &mut Client| value::<i64>(reader, "SELECT count(*) FROM events WHERE key <= comb_uuid_horizon('events', 'key')");
    run(&mut a, "SET comb.max_ahead = -1; SELECT comb_observe(comb_at(clock_timestamp() + interval '1 hour'))");
    run(&mut a, "BEGIN; INSERT INTO events (body) VALUES ('slow')");
    run(&mut b, "SELECT comb_reset_clock()");
    run(&mut a, "INSERT INTO events (body) VALUES ('slow, after the reset')");
    run(&mut b, "INSERT INTO events (body) VALUES ('fast')");
    assert_eq!(read(&mut reader), [1, 2]);
    assert_eq!(keys(&mut reader), 2, "the transaction holds what comes after the reset");
    run(&mut a, "COMMIT");
    assert_eq!(read(&mut reader), [1, 2, 3, 4, 5]);
    assert_eq!(keys(&mut reader), 4, "one key is an hour ahead");
    // A poll that is cancelled while it looks at a change does not lose it.
    run(&mut a, "ALTER TABLE events DISABLE TRIGGER guard; SET comb.max_ahead = '1d'");
    run(&mut b, "BEGIN; LOCK TABLE pg_trigger IN ACCESS EXCLUSIVE MODE");
    run(&mut reader, "SET statement_timeout = '300ms'");
    assert_eq!(sqlstate(&mut reader, POLL), "57014");
    run(&mut b, "ROLLBACK");
    run(&mut reader, "RESET statement_timeout");
    assert_eq!(sqlstate(&mut reader, POLL), "42809");
    run(&mut a, "ALTER TABLE events ENABLE TRIGGER guard");
    // A transaction of the reader keeps the definition, which others can change before and after it.
    run(&mut reader, "BEGIN");
    assert_eq!(read(&mut reader).len(), 5);
    run(&mut a, "SET lock_timeout = '100ms'");
    assert_eq!(sqlstate(&mut a, "ALTER TABLE events ADD more int"), "55P03");
    run(&mut a, "ALTER TABLE events DISABLE TRIGGER guard");
    assert_eq!(sqlstate(&mut reader, POLL), "42809", "at once");
    run(&mut reader, "ROLLBACK");
    server.assert_clean_log();
}

/// The lock on a table that a poll does not read does not delay it. Every role can lock its own temporary table.
#[test]
fn polls_wait_for_no_other_table() {
    let server = server(Sharing::Attached);
    let (mut other, mut reader) = (server.connect(), server.connect());
    run(&mut other, "CREATE TABLE polled (n bigserial, body text); CALL comb_enable_polls('polled', 'n')");
    run(&mut other, "INSERT INTO polled DEFAULT VALUES; CREATE TEMP TABLE staging () INHERITS (polled)");
    run(&mut other, "BEGIN; LOCK TABLE staging IN ACCESS EXCLUSIVE MODE");
    run(&mut reader, "SET lock_timeout = '1s'");
    assert_eq!(value::<i64>(&mut reader, "SELECT comb_number_horizon('polled')"), 1);
    server.assert_clean_log();
}

/// A reader keeps its cursor over a crash of the server and a promotion; a prepared transaction holds the number back.
#[test]
fn a_cursor_survives_a_crash_and_a_promotion() {
    for sharing in SHARINGS {
        let settings = [("max_prepared_transactions", "20"), ("wal_level", "replica"), ("wal_writer_delay", "10s")];
        let mut server = Server::start(sharing, &settings);
        server.execute(include_str!("any_table.sql"));
        server.execute("INSERT INTO events (body) SELECT 'early' FROM generate_series(1, 10)");
        server.execute("BEGIN; INSERT INTO events (body) VALUES ('prepared'); PREPARE TRANSACTION 'kept'");
        server.execute("INSERT INTO events (body) VALUES ('late')");
        let mut standby = server.standby();
        // A horizon that was answered stays one: numbers up to it are not drawn again after a crash. An abort flushes no WAL.
        let mut client = server.connect();
        client.batch_execute("CREATE TABLE more (n bigserial); CALL comb_enable_polls('more', 'n')").expect("a table");
        client.batch_execute("BEGIN; INSERT INTO more SELECT FROM generate_series(1, 100); ROLLBACK").expect("numbers");
        let answered: i64 = value(&mut client, "SELECT comb_number_horizon('more')");
        assert_eq!(answered, 100);
        server.kill_postmaster();
        server.wait_until_it_accepts();
        standby.up();
        assert!(server.value::<i64>("SELECT nextval('more_n_seq')") > answered);
        let horizon = |server: &Server| server.value::<i64>("SELECT comb_number_horizon('events', 'position')");
        assert_eq!(horizon(&server), 10, "the prepared transaction holds it");
        let position: String = server.value("SELECT pg_current_wal_insert_lsn()::text");
        // A poll that prunes a page writes WAL, which nothing else would flush within that delay.
        server.execute("CHECKPOINT");
        let mut client = standby.connect();
        assert!(within(20, || value(&mut client, &format!("SELECT pg_last_wal_replay_lsn() >= '{position}'"))));
        assert_eq!(sqlstate(&mut client, "SELECT comb_number_horizon('events', 'position')"), "25006");
        server.down(Stop::Immediate);
        standby.execute("SELECT pg_promote()");
        assert_eq!(horizon(&standby), 10, "there too");
        standby.execute("COMMIT PREPARED 'kept'");
        let last: i64 = standby.value("SELECT max(position) FROM events");
        assert!(horizon(&standby) >= last);
        let rows: i64 = standby.value("SELECT count(*) FROM events");
        assert_eq!(rows, 12);
        standby.assert_clean_log();
    }
}

#[test]
fn new_connections_know_a_horizon() {
    for sharing in SHARINGS {
        let server = server_with_tables(sharing);
        server.execute(
            "INSERT INTO outbox SELECT FROM generate_series(1, 100);
             CREATE MATERIALIZED VIEW refreshed AS SELECT key FROM outbox WHERE key <= comb_uuid_horizon('outbox');
             CREATE FUNCTION settled() RETURNS bigint STABLE LANGUAGE plpgsql
                 AS $$ BEGIN RETURN (SELECT count(*) FROM outbox WHERE key <= comb_uuid_horizon('outbox')); END $$",
        );
        let writers = Load::start(&server.config(), 2, Duration::from_secs(600), false, |client| {
            client.batch_execute("INSERT INTO outbox DEFAULT VALUES")
        });
        let kinds = [
            ("REFRESH MATERIALIZED VIEW refreshed", "SELECT count(*) FROM refreshed"),
            (
                "CREATE TEMP TABLE copied AS SELECT FROM outbox WHERE key <= comb_uuid_horizon('outbox')",
                "SELECT count(*) FROM copied",
            ),
            ("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM outbox", "SELECT settled()"),
            ("PREPARE poll AS SELECT count(*) FROM outbox WHERE key <= comb_uuid_horizon('outbox')", "EXECUTE poll"),
            ("", "SELECT settled()"),
        ];
        for (statements, count) in kinds {
            for _ in 0..10 {
                let mut client = server.connect();
                statements.split("; ").for_each(|statement| client.batch_execute(statement).expect(statement));
                let rows: i64 = client.simple_query(count).expect(count).iter().find_map(first_number).expect("a number");
                assert!(rows >= 100, "{sharing:?}: {statements}, {count}: {rows}");
            }
        }
        writers.stop();
        writers.join().expect("no error");
        server.assert_clean_log();
    }
}

fn first_number(message: &SimpleQueryMessage) -> Option<i64> {
    match message {
        SimpleQueryMessage::Row(row) => row.get(0)?.parse().ok(),
        _ => None,
    }
}

/// The protocol's portal is suspended while others commit: rows that are fetched later are below the horizon of its snapshot.
#[test]
fn a_portal_that_is_suspended() {
    let server = server_with_tables(Sharing::Preloaded);
    server.execute("INSERT INTO events (body) SELECT 'early' FROM generate_series(1, 5)");
    let (mut slow, mut fast, mut reader) = (server.connect(), server.connect(), server.connect());
    slow.batch_execute("BEGIN; INSERT INTO events (body) VALUES ('slow')").expect("a row");
    fast.batch_execute("INSERT INTO events (body) VALUES ('fast')").expect("a row");
    let query = "SELECT position FROM events WHERE position <= comb_number_horizon('events', 'position') ORDER BY position";
    let mut transaction = reader.transaction().expect("a transaction");
    let portal = transaction.bind(query, &[]).expect("a portal");
    let mut fetch = |rows| -> Vec<i64> {
        let rows = transaction.query_portal(&portal, rows).expect("rows");
        rows.iter().map(|row| row.get(0)).collect()
    };
    assert_eq!(fetch(2), [1, 2]);
    slow.batch_execute("COMMIT").expect("COMMIT");
    fast.batch_execute("INSERT INTO events (body) VALUES ('fast')").expect("a row");
    assert_eq!(fetch(2), [3, 4]);
    assert_eq!(fetch(0), [5], "as of the snapshot");
    transaction.commit().expect("COMMIT");
    assert_eq!(numbers(&mut reader, query), [1, 2, 3, 4, 5, 6, 7, 8]);
    server.assert_clean_log();
}

/// Transactions of up to 0.4 s, of which one is always open, and a new connection for each poll: each poll has an answer, and
/// no row waits for longer than the transactions that were open when it was written.
#[test]
fn a_new_connection_for_each_poll() {
    let server = server_with_tables(Sharing::Attached);
    let (config, time) = (server.config(), stage_time() + Duration::from_secs(1));
    let writers = Load::start(&config, 4, time, false, |client| {
        let write = "BEGIN; INSERT INTO events (body) VALUES (clock_timestamp()); SELECT pg_sleep(0.4 * random()); COMMIT";
        write.split("; ").try_for_each(|statement| client.batch_execute(statement))
    });
    let (end, mut cursor) = (Instant::now() + time, 0i64);
    let (mut polls, mut read, mut longest) = (0, 0, 0.0f64);
    while Instant::now() < end {
        let query = "SELECT position, extract(epoch FROM clock_timestamp() - body::timestamptz)::float8 FROM events
            WHERE position > $1 AND position <= comb_number_horizon('events', 'position') ORDER BY position";
        let rows = connect(&config).query(query, &[&cursor]).expect("each poll has an answer");
        cursor = rows.last().map_or(cursor, |row| row.get(0));
        longest = rows.iter().map(|row| row.get(1)).fold(longest, f64::max);
        (polls, read) = (polls + 1, read + rows.len());
    }
    writers.join().expect("no error");
    println!("{polls} polls on new connections read {read} rows, at most {longest:.2} s after they were written");
    assert!(polls > 20 && read > 20);
    // A transaction of 0.4 s, on a machine that does other work too.
    assert!(longest < 2.0, "{longest}");
    server.assert_clean_log();
}
