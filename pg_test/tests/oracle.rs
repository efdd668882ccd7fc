//! An oracle that is not ours: the crate adya checks histories of transactions as Jepsen's Elle does. A table is a list, to which an
//! INSERT appends, and a read returns the rows up to the horizon, in order.
//!
//! The model is strong session serializability, where a session writes or reads one list: readers see one order, without gaps, and
//! nothing that was rolled back; what a reader has read stays. Lists have horizons of their own, so that no more is promised of
//! transactions with several.
//!
//! A file of its own: with serde_json, which adya brings, Rust does not infer some types.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, sleep};
use std::time::Duration;

use adya::{History, Opts, Report, Valid, Workload, check};
use pg_test::{Load, Server, Sharing, connections, duration, installation, value, within};
use postgres::{Client, Config, Error, NoTls};

const LISTS: usize = 20;
const WRITERS: usize = 8;

/// Rare states, by the names of their points. The PostgreSQL with assertions counts how often they are reached.
const STATES: [&str; 4] = ["comb-overwritten", "comb-full", "comb-no-floor", "comb-ended-by-another"];

/// The type of a list's keys, and their first cursor. Half of the lists have numbers, half UUIDs.
fn keys(list: usize) -> (&'static str, &'static str, &'static str) {
    if list.is_multiple_of(2) { ("bigint", "number", "0") } else { ("uuid", "uuid", "00000000-0000-0000-0000-000000000000") }
}

/// How a reader polls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reads {
    /// Those after its cursor, up to the horizon.
    Next,
    /// The whole list, up to the horizon.
    Whole,
    /// Those after its cursor, whatever the horizon.
    WithoutHorizon,
}

impl Reads {
    /// The key and the element of each row after a cursor.
    fn query(self, list: usize) -> String {
        let (of_type, function, _) = keys(list);
        let mut query = format!("SELECT key::text, element FROM list{list} WHERE key > $1::text::{of_type}");
        if self != Self::WithoutHorizon {
            query += &format!(" AND key <= comb_{function}_horizon('list{list}', after => $1::text::{of_type})");
        }
        query + &format!(" ORDER BY list{list}.key")
    }
}

/// Operations, as lines of JSON.
type Lines = Vec<String>;

fn session(thread: usize, list: usize) -> usize {
    thread * LISTS + list
}

fn record(lines: &mut Lines, session: usize, begun: &str, outcome: &str, done: &str) {
    lines.push(format!(r#"{{"type":"invoke","process":{session},"value":[{begun}]}}"#));
    lines.push(format!(r#"{{"type":"{outcome}","process":{session},"value":[{done}]}}"#));
}

fn record_read(lines: &mut Lines, session: usize, list: usize, elements: &[i32]) {
    record(lines, session, &format!(r#"["r",{list},null]"#), "ok", &format!(r#"["r",{list},{elements:?}]"#));
}

fn code(error: &Error) -> &str {
    error.code().map_or("", |code| code.code())
}

fn connect(config: &Config) -> Client {
    let mut config = config.clone();
    // Those of injection points.
    config.options("-c client_min_messages=warning").connect(NoTls).expect("a connection")
}

/// Appends elements until there are so many.
fn write(config: &Config, thread: usize, next: &AtomicUsize, count: usize) -> Lines {
    let (mut client, mut state, mut lines) = (connect(config), thread as u64, Lines::new());
    // Numbers that need not be good.
    let mut below = |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % end
    };
    loop {
        let element = next.fetch_add(1, Ordering::Relaxed);
        if element >= count {
            return lines;
        }
        // In one transaction, or each in its own.
        let lists = [element % LISTS, below(LISTS as u64) as usize];
        let appends = [(lists[0], element), (lists[1], count + element)];
        let appends = &appends[..if below(4) == 0 && lists[0] != lists[1] { 2 } else { 1 }];
        let mut transaction = vec!["BEGIN".to_owned()];
        for (list, element) in appends {
            transaction.push(format!("INSERT INTO list{list} (element) VALUES ({element})"));
            if below(3) == 0 {
                transaction.push("SELECT pg_sleep(random() / 200)".to_owned());
            }
        }
        let commits = below(8) > 0;
        transaction.push(if commits { "COMMIT" } else { "ROLLBACK" }.to_owned());
        let result = transaction.iter().try_for_each(|statement| client.batch_execute(statement));
        if let Err(error) = &result {
            // The table of floors is full.
            assert_eq!(code(error), "53400", "{error:?}");
            client.batch_execute("ROLLBACK").expect("ROLLBACK");
        }
        for (list, element) in appends {
            let append = format!(r#"["append",{list},{element}]"#);
            let outcome = if result.is_ok() && commits { "ok" } else { "fail" };
            record(&mut lines, session(thread, *list), &append, outcome, &append);
        }
    }
}

/// Reads all lists until nobody writes and a round of reads finds nothing.
fn read(config: &Config, thread: usize, reads: Reads, writes: &AtomicBool) -> Lines {
    let (mut client, mut lines) = (connect(config), Lines::new());
    let mut state: HashMap<usize, (String, Vec<i32>)> =
        (0..LISTS).map(|list| (list, (keys(list).2.to_owned(), Vec::new()))).collect();
    loop {
        let (goes_on, mut finds) = (writes.load(Ordering::Relaxed), false);
        for (&list, (cursor, elements)) in &mut state {
            let rows = match client.query(&reads.query(list), &[cursor]) {
                Ok(rows) => rows,
                Err(error) if code(&error) == "40001" => {
                    finds = true;
                    continue;
                }
                Err(error) => panic!("{reads:?}: {error:?}"),
            };
            let read: Vec<i32> = rows.iter().map(|row| row.get(1)).collect();
            let known = elements.len();
            match reads {
                Reads::Whole => *elements = read,
                _ => {
                    elements.extend(read);
                    *cursor = rows.last().map_or(cursor.clone(), |row| row.get(0));
                }
            }
            if elements.len() != known {
                finds = true;
                record_read(&mut lines, session(thread, list), list, elements);
            }
        }
        if !goes_on && !finds {
            return lines;
        }
        sleep(Duration::from_millis(2));
    }
}

/// What the oracle says of a history.
fn verdict(lines: &Lines) -> Report {
    let history = History::from_json(&lines.join("\n")).expect("a history");
    let models = vec!["strong-session-serializable".to_owned()];
    let report = check(&history, Workload::ListAppend, &Opts { models, timeout: Duration::from_secs(60), ..Opts::default() });
    let explained =
        report.anomalies.values().flatten().next().map(|anomaly| anomaly.explanation.chars().take(200).collect::<String>());
    println!("{} operations: {:?} {:?} {explained:?}", history.ops.len(), report.valid, report.anomaly_types);
    report
}

/// Counts how often rare states are reached, if this PostgreSQL can.
fn count_states(server: &Server) {
    server.execute("CREATE EXTENSION injection_points");
    for state in STATES {
        server.execute(&format!("SELECT injection_points_attach('{state}', 'notice')"));
    }
}

/// Asserts that each state is reached. Those that the history did not reach need more connections, and few places.
fn reach_states(server: &Server) {
    let mut client = server.connect();
    let mut reached = || {
        STATES.map(|state| value::<i64>(&mut client, &format!("SELECT coalesce(injection_points_stats_numcalls('{state}'), 0)")))
    };
    println!("{STATES:?} by the history: {:?}", reached());
    let mut config = server.config();
    config.options("-c client_min_messages=warning");
    let mut other = connect(&server.config());
    let count = take_places(&mut other);
    give_back(&mut other, 0..1);
    let load = Load::start(&config, connections(), duration(), false, |client| {
        for statement in ["INSERT INTO list0 (element) VALUES (-1)", "SELECT comb_number_horizon('list0')"] {
            match client.batch_execute(statement) {
                // There is no place, or the horizon is not known any more.
                Err(error) if ["53400", "40001"].contains(&code(&error)) => {}
                result => result?,
            }
        }
        Ok(())
    });
    let are_reached = within(duration().as_secs(), || reached().iter().all(|times| *times > 0));
    load.stop();
    load.join().expect("no other error");
    give_back(&mut other, 1..count);
    println!("{STATES:?} then: {:?}", reached());
    assert!(are_reached, "a rare state is not reached");
}

/// Prepared transactions take all places of the table of floors that they get. Returns their number.
fn take_places(client: &mut Client) -> u32 {
    let inserts: String = (0..LISTS).map(|list| format!("INSERT INTO list{list} (element) VALUES (-1);")).collect();
    let mut count = 0;
    while client.batch_execute(&format!("BEGIN; {inserts} PREPARE TRANSACTION '{count}'")).is_ok() {
        count += 1;
    }
    client.batch_execute("ROLLBACK").expect("ROLLBACK");
    println!("{count} prepared transactions");
    count
}

fn give_back(client: &mut Client, prepared: impl Iterator<Item = u32>) {
    prepared.for_each(|number| client.batch_execute(&format!("ROLLBACK PREPARED '{number}'")).expect("its end"));
}

/// The history of readers of the horizon is accepted. That of readers without it, of the same writers, is rejected.
#[test]
fn an_oracle_accepts_the_history() {
    let is_long = duration() >= Duration::from_secs(60);
    let count = LISTS * if is_long { 500 } else { 50 };
    let counts_states = installation().has_injection_points();
    let mut settings = vec![("max_connections", "100"), ("max_prepared_transactions", "100")];
    if counts_states {
        settings.extend([("shared_preload_libraries", "comb, injection_points"), ("injection_points.stats", "on")]);
    }
    let server = Server::start(Sharing::Preloaded, &settings);
    for list in 0..LISTS {
        let key = if keys(list).0 == "uuid" { "key uuid DEFAULT comb_new()" } else { "key bigserial" };
        server.execute(&format!("CREATE TABLE list{list} ({key}, element int); CALL comb_enable_polls('list{list}', 'key')"));
    }
    if counts_states {
        count_states(&server);
    }
    let (next, writes) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(true)));
    let writers: Vec<_> = (0..WRITERS)
        .map(|number| {
            let (config, next) = (server.config(), Arc::clone(&next));
            thread::spawn(move || write(&config, number, &next, count))
        })
        .collect();
    let readers = [Reads::Next, Reads::Whole, Reads::WithoutHorizon].into_iter().enumerate().map(|(number, reads)| {
        let (config, writes) = (server.config(), Arc::clone(&writes));
        (reads, thread::spawn(move || read(&config, WRITERS + number, reads, &writes)))
    });
    let readers: Vec<_> = readers.collect();
    if is_long {
        while next.load(Ordering::Relaxed) < count / 2 {
            sleep(Duration::from_millis(10));
        }
        let mut other = connect(&server.config());
        let count = take_places(&mut other);
        sleep(Duration::from_secs(1));
        give_back(&mut other, 0..count);
    }
    let mut right: Lines = writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect();
    writes.store(false, Ordering::Relaxed);
    let mut client = server.connect();
    for list in 0..LISTS {
        let rows = client.query(&format!("SELECT element FROM list{list} ORDER BY key"), &[]).expect("rows");
        let elements: Vec<i32> = rows.iter().map(|row| row.get(0)).collect();
        record_read(&mut right, session(WRITERS + readers.len(), list), list, &elements);
    }
    let mut wrong = right.clone();
    for (reads, reader) in readers {
        let lines = reader.join().expect("a reader");
        if reads == Reads::WithoutHorizon { wrong.extend(lines) } else { right.extend(lines) }
    }
    assert_eq!(verdict(&wrong).valid, Valid::False, "the test could not fail");
    assert_eq!(verdict(&right).valid, Valid::True);
    if counts_states && is_long {
        reach_states(&server);
    }
    server.assert_clean_log();
}
