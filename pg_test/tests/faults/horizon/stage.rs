//! Connections that write into a table, and readers that poll it by a horizon: the rows that each reader missed.

use std::collections::HashSet;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, sleep};
use std::time::{Duration, Instant};

use pg_test::{Server, Sharing};
use postgres::error::SqlState;
use postgres::{Client, Config, Error, NoTls};

/// How a reader polls. The query takes the cursor, a text.
#[derive(Clone, Copy)]
pub struct Reader {
    /// One that is called naive must miss rows: it does not ask for the horizon.
    pub name: &'static str,
    pub table: &'static str,
    pub key: &'static str,
    /// The first statement of a connection.
    pub setup: &'static str,
    /// A statement before each poll, and one after it.
    pub around: [&'static str; 2],
    pub poll: &'static str,
    pub reconnects: bool,
    /// The cursor before the first row.
    pub begin: &'static str,
}

/// The cursor of a reader of UUIDs that has read none.
pub const NIL: &str = "00000000-0000-0000-0000-000000000000";

/// Transactions that insert into TABLE, with the columns `key` and `body`. Some pause between the key and the commit.
const INSERTS: &[&str] = &[
    "INSERT INTO TABLE (body) VALUES ('single')",
    "BEGIN; INSERT INTO TABLE (body) VALUES ('pausing'); SELECT pg_sleep(random() / 200); COMMIT",
    "BEGIN; INSERT INTO TABLE (body) VALUES ('slow'); SELECT pg_sleep(random() / 5); COMMIT",
    "INSERT INTO TABLE (body) SELECT 'many' FROM generate_series(1, 10)",
    "COPY TABLE (body) FROM STDIN",
    "BEGIN; INSERT INTO TABLE (body) VALUES ('never'); ROLLBACK",
    "BEGIN; SAVEPOINT a; INSERT INTO TABLE (body) VALUES ('never'); ROLLBACK TO a; INSERT INTO TABLE (body) VALUES ('later');
     SELECT pg_sleep(random() / 200); COMMIT",
    "WITH stored AS (INSERT INTO TABLE (body) VALUES ('in a CTE') RETURNING 1), waits AS (SELECT pg_sleep(0.002))
     SELECT FROM stored, waits",
    "MERGE INTO TABLE USING (SELECT 'merged' AS text) new ON false WHEN NOT MATCHED THEN INSERT (body) VALUES (text)",
    "INSERT INTO TABLE (body) VALUES ('kept') ON CONFLICT (key) DO UPDATE SET body = 'never'",
    "BEGIN; INSERT INTO TABLE (body) VALUES ('prepared'); SELECT pg_sleep(0.001); PREPARE TRANSACTION 'GID'; COMMIT PREPARED 'GID'",
];

/// Numbers that need not be good (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }
}

/// A server with the tables of any_table.sql.
pub fn server_with_tables(sharing: Sharing) -> Server {
    let server = super::server(sharing);
    server.execute(include_str!("any_table.sql"));
    server
}

pub fn run(client: &mut Client, statements: &str) {
    client.batch_execute(statements).unwrap_or_else(|error| panic!("{statements}: {error:?}"));
}

/// The first column of all rows.
pub fn numbers(client: &mut Client, query: &str) -> Vec<i64> {
    client.query(query, &[]).expect(query).iter().map(|row| row.get(0)).collect()
}

/// Whether the horizon of the snapshot was not known any more.
pub fn is_to_be_repeated(error: &Error) -> bool {
    error.code() == Some(&SqlState::T_R_SERIALIZATION_FAILURE)
}

/// Whether an error is the loss of a connection or its server, not a failed statement.
fn is_lost_connection(error: &Error) -> bool {
    error.code().is_none_or(|code| code.code().starts_with("57P"))
}

/// Those who write and read on a server.
pub struct Stage {
    config: Config,
    /// Processes are killed meanwhile: then who loses its connection gets another one.
    kills: bool,
    pub writes: Arc<AtomicBool>,
    writers: Vec<JoinHandle<()>>,
    readers: Vec<(&'static Reader, JoinHandle<Vec<String>>)>,
}

impl Stage {
    pub fn new(server: &Server, kills: bool) -> Self {
        let (writers, readers) = (Vec::new(), Vec::new());
        Self { config: server.config(), kills, writes: Arc::new(true.into()), writers, readers }
    }

    /// So many connections write into the table for so long, and run the other transactions.
    pub fn write(&mut self, connections: usize, time: Duration, table: &'static str, others: &'static [&str]) {
        let end = Instant::now() + time;
        for number in 0..connections {
            let (config, kills) = (self.config.clone(), self.kills);
            self.writers.push(thread::spawn(move || {
                let (mut client, mut random) = (open(&config, kills), Random::new(number as u64));
                for count in 0.. {
                    let transaction = random.below((INSERTS.len() + others.len()) as u64) as usize;
                    let transaction = INSERTS.get(transaction).unwrap_or_else(|| &others[transaction - INSERTS.len()]);
                    let transaction = transaction.replace("TABLE", table).replace("GID", &format!("{number}_{count}"));
                    match transaction.split("; ").try_for_each(|statement| execute(&mut client, statement)) {
                        Err(error) if kills && is_lost_connection(&error) => client = open(&config, kills),
                        result => result.unwrap_or_else(|error| panic!("{transaction}: {error:?}")),
                    }
                    if Instant::now() > end {
                        break;
                    }
                }
            }));
        }
    }

    /// These poll until nobody writes and a poll finds nothing.
    pub fn read(&mut self, readers: &'static [Reader]) {
        for reader in readers {
            let (config, kills, writes) = (self.config.clone(), self.kills, Arc::clone(&self.writes));
            self.readers.push((reader, thread::spawn(move || read(&config, reader, kills, &writes))));
        }
    }

    /// Waits for the writers and then for the readers. None has missed a row, or read one twice, but those that are naive.
    pub fn finish(self) {
        self.writers.into_iter().for_each(|writer| writer.join().expect("a writer"));
        let mut client = open(&self.config, self.kills);
        commit_prepared(&mut client, Duration::ZERO);
        self.writes.store(false, Ordering::Relaxed);
        for (Reader { name, key, table, .. }, thread) in self.readers {
            let seen = thread.join().expect(name);
            let query = format!("SELECT {key}::text FROM {table}");
            let stored: HashSet<String> = client.query(&query, &[]).expect("rows").iter().map(|row| row.get(0)).collect();
            let distinct: HashSet<_> = seen.iter().cloned().collect();
            let (missed, twice) = (stored.difference(&distinct).count(), seen.len() - distinct.len());
            println!("{table}, {name}: {missed} of {} missed, {twice} twice", stored.len());
            assert!(stored.len() > 50 && distinct.is_subset(&stored), "{name}");
            match *name {
                "naive" => assert!(missed > 0, "the test could not fail"),
                name => assert_eq!((missed, twice), (0, 0), "{name}"),
            }
        }
    }
}

/// A connection; after a crash, once the server accepts it.
fn open(config: &Config, kills: bool) -> Client {
    let mut connection = config.connect(NoTls);
    while kills && connection.is_err() {
        sleep(Duration::from_millis(100));
        connection = config.connect(NoTls);
    }
    connection.expect("a connection")
}

fn execute(client: &mut Client, statement: &str) -> Result<(), Error> {
    if !statement.starts_with("COPY") {
        return client.batch_execute(statement);
    }
    let mut sink = client.copy_in(statement)?;
    sink.write_all(b"a\nb\nc\n").expect("rows");
    sink.finish().map(drop)
}

fn read(config: &Config, reader: &Reader, kills: bool, writes: &AtomicBool) -> Vec<String> {
    let open = |cursor: &str| loop {
        let mut client = open(config, kills);
        // As the documentation asks, since the server may have been restarted.
        let observe = if kills && cursor != reader.begin { format!("SELECT comb_observe('{cursor}')") } else { String::new() };
        match client.batch_execute(&format!("{}; {observe}", reader.setup)) {
            Err(error) if kills && is_lost_connection(&error) => {}
            result => break result.map(|()| client).expect(reader.setup),
        }
    };
    let query = format!("SELECT key::text FROM ({}) poll (key) ORDER BY poll.key", reader.poll);
    let poll = |client: &mut Client, cursor: &str| -> Result<Vec<String>, Error> {
        client.batch_execute(reader.around[0])?;
        let rows = client.query(&query, &[&cursor])?;
        client.batch_execute(reader.around[1])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    };
    let (mut cursor, mut seen) = (reader.begin.to_owned(), Vec::new());
    let mut client = open(&cursor);
    loop {
        let goes_on = writes.load(Ordering::Relaxed);
        if reader.reconnects {
            client = open(&cursor);
        }
        match poll(&mut client, &cursor) {
            Ok(rows) => {
                if rows.is_empty() && !goes_on {
                    return seen;
                }
                seen.extend(rows);
                cursor = seen.last().unwrap_or(&cursor).clone();
            }
            // Where that fails, the next poll does.
            Err(error) if is_to_be_repeated(&error) => drop(client.batch_execute("ROLLBACK")),
            Err(error) if kills && is_lost_connection(&error) => client = open(&cursor),
            Err(error) => panic!("{}: {error:?}", reader.name),
        }
        sleep(Duration::from_millis(1));
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
