//! PostgreSQL servers for tests: each test starts its own, in a temporary directory, and the server ends with it.
//!
//! [`Server`] is a data directory and the server on it. [`Session`] runs statements in the background. [`Load`]
//! is many connections that do the same.

#![forbid(unsafe_code)]

mod clock;
mod installation;
mod load;
mod operate;
pub mod pages;
mod programs;
mod server;
mod session;

pub use clock::Clock;
pub use installation::{Installation, forget_servers, installation};
pub use load::{Load, ORDER_TABLE, inversions, order_load};
pub use programs::{output, run};
pub use server::{SHARINGS, Server, Sharing, Stop};
pub use session::{Session, execute_until_lock};

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use postgres::error::DbError;
use postgres::types::FromSqlOwned;
use postgres::{Client, Config, NoTls, SimpleQueryMessage};
pub use rustix::process::Signal;
use rustix::process::{Pid, kill_process};

/// The directory of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the directory of the workspace")
}

/// The files of a directory of the repository whose names end so, sorted: paths in the repository.
pub fn files(directory: &str, end: &str) -> Vec<String> {
    let paths = files_below(&root().join(directory)).into_iter();
    let paths = paths.map(|path| path.strip_prefix(root()).expect("a path").to_owned());
    let paths = paths.filter(|path| path.parent() == Some(Path::new(directory)));
    let paths = paths.map(|path| path.into_os_string().into_string().expect("UTF-8"));
    paths.filter(|path| path.ends_with(end)).collect()
}

/// The files of a directory and of those below it, sorted. Of a file, itself.
pub fn files_below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    paths.iter().flat_map(|path| files_below(path)).collect()
}

/// Shows a message also of a test that passes, unlike eprintln!().
pub fn say(message: &str) {
    writeln!(io::stderr(), "{message}").expect("standard error");
    // For the summary of make test.
    if let (Some(skipped), Some(file)) = (message.strip_prefix("Not tested: "), std::env::var_os("COMB_NOT_TESTED")) {
        let file = fs::OpenOptions::new().append(true).open(file);
        file.and_then(|mut file| writeln!(file, "{skipped}")).expect("COMB_NOT_TESTED");
    }
}

/// Whether tests of generated files write them instead of comparing them.
pub fn is_writing() -> bool {
    std::env::var_os("COMB_WRITE").is_some()
}

/// A connection, and the notices and warnings that it receives.
pub fn listen(mut config: Config) -> (Client, Arc<Mutex<Vec<DbError>>>) {
    let heard = Arc::<Mutex<Vec<DbError>>>::default();
    let hears = Arc::clone(&heard);
    config.notice_callback(move |notice| hears.lock().expect("notices").push(notice));
    (config.connect(NoTls).expect("a connection"), heard)
}

/// Asserts that a query is true. The sentence says what that means.
pub fn check(client: &mut Client, sentence: &str, query: &str) {
    assert!(value::<bool>(client, query), "not so: {sentence}");
}

/// Asserts that two texts have the same lines. Shows those that only one has.
pub fn assert_same_lines(found: &str, expected: &str, what: &str) {
    let only_in = |text: &str, other: &str, mark: char| -> String {
        let others: HashSet<_> = other.lines().collect();
        text.lines().filter(|line| !others.contains(line)).map(|line| format!("{mark} {line}\n")).collect()
    };
    let (missing, more) = (only_in(expected, found, '-'), only_in(found, expected, '+'));
    let order = found.lines().zip(expected.lines()).find(|(found, expected)| found != expected);
    assert!(found == expected, "{what}: missing (-) and unexpected (+) lines:\n{missing}{more}the first difference: {order:?}");
}

/// The one value of a query's one row.
pub fn value<T: FromSqlOwned>(client: &mut Client, query: &str) -> T {
    client.query_one(query, &[]).unwrap_or_else(|error| panic!("{query}: {error:?}")).get(0)
}

/// The SQLSTATE of a statement, `00000` if it works.
pub fn sqlstate(client: &mut Client, statement: &str) -> String {
    match client.batch_execute(statement) {
        Ok(()) => "00000".to_owned(),
        Err(error) => error.code().unwrap_or_else(|| panic!("{statement}: {error}")).code().to_owned(),
    }
}

/// The first column of the rows that a statement returns, or its SQLSTATE.
pub fn rows(client: &mut Client, statement: &str) -> Result<Vec<String>, String> {
    let messages = client.simple_query(statement).map_err(|error| sqlstate_of(&error))?;
    let row = |message| match message {
        SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
        _ => None,
    };
    Ok(messages.into_iter().filter_map(row).collect())
}

/// The SQLSTATE of an error; of one that the server did not report, its text.
fn sqlstate_of(error: &postgres::Error) -> String {
    error.code().map_or_else(|| error.to_string(), |code| code.code().to_owned())
}

/// Creates a table `source` of so many numbers. From then on parallel workers scan it, without the leader.
pub fn create_parallel_source(client: &mut Client, rows: u32) {
    let table = format!("CREATE TABLE IF NOT EXISTS source AS SELECT n FROM generate_series(1, {rows}) n");
    let settings = "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
                    SET max_parallel_workers_per_gather = 4; SET parallel_leader_participation = off";
    for statements in [&table, "ANALYZE source", settings] {
        client.batch_execute(statements).unwrap_or_else(|error| panic!("{statements}: {error:?}"));
    }
}

/// Whether the condition becomes true in time. Asks twenty times a second.
pub fn within(seconds: u64, mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(seconds);
    loop {
        if condition() {
            return true;
        }
        if Instant::now() > end {
            return false;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A port that nobody listens on, below those that the system gives to connections. Processes begin at different ones.
pub fn free_port() -> u16 {
    let (first, process) = (10_000, std::process::id() % 22_000);
    let mut ports = (0..22_000).map(|n| first + ((process + n) % 22_000) as u16);
    let port = ports.find(|&port| TcpListener::bind(("127.0.0.1", port)).is_ok());
    port.expect("a free port")
}

/// Kills a process with SIGKILL.
pub fn kill(pid: i32) {
    signal(pid, Signal::KILL);
}

/// Signals a process, which may be gone.
pub fn signal(pid: i32, signal: Signal) {
    let _ = kill_process(Pid::from_raw(pid).expect("a process id"), signal);
}

/// Kills one of the client backends with SIGKILL, and waits until the postmaster has noticed: from then on it accepts no
/// connection before it has recovered. False where there is none, or the server is away.
pub fn kill_a_client_backend(server: &Server) -> bool {
    let any = "SELECT pid FROM pg_stat_activity
               WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1";
    let pid = server.try_connect("postgres").and_then(|mut client| client.query_opt(any, &[]));
    let Ok(Some(row)) = pid else { return false };
    let pid: i32 = row.get(0);
    kill(pid);
    let noticed = within(60, || !Path::new(&format!("/proc/{pid}")).exists());
    assert!(noticed, "the postmaster does not notice that {pid} was killed");
    true
}

/// How many seconds a test may put load on a server: `COMB_TEST_SECONDS`, by default 6. From 60 on, tests do more.
pub fn duration() -> Duration {
    Duration::from_secs(number("COMB_TEST_SECONDS", 6))
}

/// How many connections put load on a server: `COMB_TEST_CONNECTIONS`, by default 32.
pub fn connections() -> usize {
    number("COMB_TEST_CONNECTIONS", 32) as usize
}

/// Options of the connections of histories and schedules: `COMB_TEST_OPTIONS`, such as `-c debug_discard_caches=1`.
pub fn options() -> String {
    std::env::var("COMB_TEST_OPTIONS").unwrap_or_default()
}

fn number(variable: &str, default: u64) -> u64 {
    let Ok(value) = std::env::var(variable) else { return default };
    value.parse().unwrap_or_else(|_| panic!("{variable} is not a number: {value}"))
}
