//! An outbox with writers and readers, and the rows that readers missed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pg_test::{Server, value};
use postgres::error::SqlState;
use postgres::{Client, Config, Error, NoTls};
use uuid::Uuid;

use super::readers::{self, Reader};
use super::writers::{self, Writer};

/// A schema of the server with an outbox in it, and those who write and read it.
pub struct Outbox {
    config: Config,
    writers: Vec<JoinHandle<()>>,
    readers: Vec<(&'static Reader, JoinHandle<Vec<Uuid>>)>,
    reads: Arc<AtomicBool>,
    errors: Arc<AtomicU64>,
}

/// Connects until the server accepts it, as after a crash; `None` where `goes_on` says so first.
fn reconnect(config: &Config, goes_on: impl Fn() -> bool) -> Option<Client> {
    while goes_on() {
        if let Ok(client) = config.connect(NoTls) {
            return Some(client);
        }
        thread::sleep(Duration::from_millis(100));
    }
    None
}

/// Whether an error is the loss of a connection or its server, not a failed statement.
fn is_lost_connection(error: &Error) -> bool {
    error.code().is_none_or(|code| code.code().starts_with("57P"))
}

/// Whether the horizon of the snapshot was not known any more.
pub fn is_to_be_repeated(error: &Error) -> bool {
    error.code() == Some(&SqlState::T_R_SERIALIZATION_FAILURE)
}

impl Outbox {
    pub fn new(server: &Server, schema: &str) -> Self {
        let mut config = server.config();
        config.options(&format!("-c search_path={schema},public -c client_min_messages=error"));
        server.execute(&format!("CREATE SCHEMA {schema}"));
        let mut client = config.connect(NoTls).expect("a connection");
        client.batch_execute(include_str!("outbox.sql")).expect("outbox.sql");
        let (writers, readers) = (Vec::new(), Vec::new());
        Self { config, writers, readers, reads: Arc::new(true.into()), errors: Arc::default() }
    }

    pub fn connect(&self) -> Client {
        self.config.connect(NoTls).expect("a connection")
    }

    /// So many connections write for so long, each transaction by one of the writers, drawn by their weights.
    pub fn write(&mut self, connections: usize, time: Duration, writers: &'static [Writer]) {
        let end = Instant::now() + time;
        for number in 0..connections {
            let (config, errors) = (self.config.clone(), Arc::clone(&self.errors));
            self.writers.push(thread::spawn(move || {
                let mut random = writers::Random::new(number as u64);
                while let Some(mut client) = reconnect(&config, || Instant::now() < end) {
                    while Instant::now() < end {
                        match writers::draw(writers, &mut random)(&mut client, &mut random) {
                            Ok(()) => {}
                            Err(error) if is_lost_connection(&error) => break,
                            Err(error) => {
                                eprintln!("a writer: {error:?}");
                                errors.fetch_add(1, Ordering::Relaxed);
                                let _ = client.batch_execute("ROLLBACK");
                            }
                        }
                    }
                }
            }));
        }
    }

    /// Readers of these kinds poll as fast as they can until [`Self::finish`].
    pub fn read(&mut self, kinds: &[&'static str]) {
        for kind in kinds {
            let reader = readers::named(kind);
            let (config, reads, errors) = (self.config.clone(), Arc::clone(&self.reads), Arc::clone(&self.errors));
            let poll = move || {
                let (mut cursor, mut seen) = (Uuid::nil(), Vec::new());
                while let Some(mut client) = reconnect(&config, || true) {
                    let result = reader.begin(&mut client, cursor).and_then(|()| {
                        loop {
                            let (before, goes_on) = (seen.len(), reads.load(Ordering::Relaxed));
                            reader.poll(&config, &mut client, &mut cursor, &mut seen)?;
                            // After the end, until it finds no more.
                            if !goes_on && seen.len() == before {
                                return Ok(());
                            }
                        }
                    });
                    match result {
                        Ok(()) => break,
                        Err(error) if is_lost_connection(&error) || is_to_be_repeated(&error) => {}
                        Err(error) => {
                            eprintln!("reader {}: {error:?}", reader.name);
                            errors.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
                seen
            };
            self.readers.push((reader, thread::spawn(poll)));
        }
    }

    /// Asserts that no reader but the naive one missed a row. Returns how many rows there are, and how many each missed.
    pub fn finish(self) -> (usize, HashMap<&'static str, usize>) {
        let (stored, missed) = self.end();
        let lost: Vec<_> = missed.iter().filter(|&(&name, &missed)| name != "naive" && missed > 0).collect();
        assert!(lost.is_empty(), "rows that readers missed, of {stored}: {lost:?}");
        (stored, missed)
    }

    /// Waits for the writers, ends what they have left prepared, and lets every reader read what there is. Returns how many
    /// rows there are, and how many each reader missed.
    pub fn end(self) -> (usize, HashMap<&'static str, usize>) {
        for writer in self.writers {
            writer.join().expect("a writer");
        }
        let mut client = self.config.connect(NoTls).expect("a connection");
        commit_prepared(&mut client, Duration::ZERO);
        self.reads.store(false, Ordering::Relaxed);
        let seen: Vec<_> = self.readers.into_iter().map(|(reader, thread)| (reader, thread.join().expect("a reader"))).collect();
        let ids = |client: &mut Client, query: &str| -> HashSet<Uuid> {
            client.query(query, &[]).expect(query).iter().map(|row| row.get(0)).collect()
        };
        let stored = ids(&mut client, "SELECT id FROM outbox");
        let mut missed = HashMap::new();
        for (reader, seen) in &seen {
            let distinct: HashSet<_> = seen.iter().copied().collect();
            assert_eq!(distinct.len(), seen.len(), "{}: rows that were read twice", reader.name);
            let unknown = distinct.difference(&stored).count();
            assert!(reader.name == "naive" || unknown == 0, "{}: {unknown} rows that are not there", reader.name);
            missed.insert(reader.name, stored.difference(&distinct).count());
        }
        let acknowledged = ids(&mut client, "SELECT id FROM acknowledged");
        let lost = acknowledged.difference(&stored).count();
        assert!(!acknowledged.is_empty() && lost == 0, "{lost} of {} acknowledged rows are not there", acknowledged.len());
        assert_eq!(value::<i64>(&mut client, "SELECT count(*) FROM outbox WHERE body = 'never'"), 0);
        assert_eq!(self.errors.load(Ordering::Relaxed), 0, "failed statements");
        (stored.len(), missed)
    }
}

/// Commits the transactions that writers have left prepared for longer than that.
pub fn commit_prepared(client: &mut Client, age: Duration) {
    let prepared = "SELECT gid FROM pg_prepared_xacts
                    WHERE prepared <= clock_timestamp() - $1 * interval '1 s' AND database = current_database()";
    for row in client.query(prepared, &[&age.as_secs_f64()]).expect(prepared) {
        let gid: String = row.get(0);
        // Its writer may commit it at the same time.
        let _ = client.batch_execute(&format!("COMMIT PREPARED '{gid}'"));
    }
}
