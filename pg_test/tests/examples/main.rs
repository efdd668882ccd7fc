//! The programs of `examples/`, each in a new database, and a table of what passed. `examples/README.md` says what an
//! example consists of.
//!
//! `ON="psycopg node:kysely"` runs these. By default all run.

mod jobs;
mod program;

use std::env;
use std::fs::{self, File};
use std::path::PathBuf;
use std::time::Instant;

use pg_test::{Server, Sharing, installation, root};

use jobs::Jobs;
use program::Caller;

/// Programs that check themselves, and print a line for each job. Those of .NET run where its SDK is.
const SELF_CHECKED: [(&str, &str); 6] = [
    ("akka", "outbox"),
    ("dlt", "outbox"),
    ("ef-core", "schema schema_again insert batch page range timestamp error newest row_version outbox"),
    ("npgsql", "schema schema_again insert batch copy page range timestamp error newest outbox"),
    ("outbox", "outbox"),
    ("tap_postgres", "outbox"),
];
/// The status of a `setup` that cannot install its library.
const SKIPPED: i32 = 75;

/// The clients of the examples to run: folder and client, which is empty where the folder has one.
fn clients() -> Vec<(String, String)> {
    let folders = fs::read_dir(root().join("examples")).expect("examples/").flatten();
    let folders = folders.filter(|entry| entry.path().join("run").exists());
    let mut folders: Vec<_> = folders.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    folders.sort();
    let clients = folders.into_iter().flat_map(|folder| {
        let list = fs::read_to_string(root().join("examples").join(&folder).join("clients")).unwrap_or("\n".to_owned());
        list.lines().map(|client| (folder.clone(), client.to_owned())).collect::<Vec<_>>()
    });
    let on = env::var("ON").unwrap_or_default();
    let is_on = |folder: &str, client: &str| {
        on.trim().is_empty() || on.split_whitespace().any(|word| word == folder || word.split_once(':') == Some((folder, client)))
    };
    clients.filter(|(folder, client)| is_on(folder, client)).collect()
}

/// An example that did not pass: the word for it in the table, and why.
type Fault = (&'static str, String);

struct Examples {
    cache: PathBuf,
    server: Server,
}

impl Examples {
    /// Sets up and runs an example. Returns its remark.
    fn run(&self, folder: &str, client: &str) -> Result<String, Fault> {
        let (folder, client) = (folder.to_owned(), client.to_owned());
        let caller = Caller { folder, client, cache: self.cache.clone(), environment: self.environment() };
        caller.forget();
        let (status, said, errors) = caller.run("setup", "1800");
        match status.code() {
            Some(0) => {}
            Some(SKIPPED) => return Err(("skipped", errors.lines().last().unwrap_or_default().to_owned())),
            _ => return Err(failed("setup failed".to_owned(), &(said + &errors))),
        }
        self.server.execute("DROP DATABASE IF EXISTS shop WITH (FORCE)");
        self.server.execute("CREATE DATABASE shop OWNER app");
        if let Some((_, wanted)) = SELF_CHECKED.iter().find(|(name, _)| *name == caller.folder) {
            return self_checked(&caller, wanted);
        }
        let mut jobs = Jobs { caller: &caller, server: &self.server, failed: Vec::new(), remark: String::new() };
        match jobs.run() {
            Ok(name) if jobs.failed.is_empty() => Ok(format!("{name}; {}", jobs.remark)),
            Ok(_) => Err(failed(jobs.failed.join("; "), &caller.errors("run"))),
            Err(why) => Err(failed(why, &caller.errors("run"))),
        }
    }

    /// The environment variables by which a program finds the server.
    fn environment(&self) -> Vec<(&'static str, String)> {
        let port = self.server.port().to_string();
        // The client programs of PostgreSQL come first.
        let path = format!("{}:{}", installation().bin.display(), env::var("PATH").expect("a PATH"));
        vec![
            ("PATH", path),
            ("EXAMPLE_SCHEMA", root().join("examples/lib/schema.sql").to_str().expect("UTF-8").to_owned()),
            // Another zone than that of the server's sessions.
            ("TZ", "America/St_Johns".to_owned()),
            ("PGHOST", "127.0.0.1".to_owned()),
            ("DATABASE_URL", format!("postgresql://app:app@127.0.0.1:{port}/shop")),
            ("PGPORT", port),
            ("PGUSER", "app".to_owned()),
            ("PGPASSWORD", "app".to_owned()),
            ("PGDATABASE", "shop".to_owned()),
        ]
    }
}

/// A program that prints `client NAME VERSION`, and `ok JOB` or `not ok JOB: WHY` for each job.
fn self_checked(caller: &Caller, wanted: &str) -> Result<String, Fault> {
    let (status, said, errors) = caller.run("run", "300");
    let mut wrong: Vec<_> = said.lines().filter(|line| line.starts_with("not ok")).map(str::to_owned).collect();
    let is_missing = |line: &String| !said.lines().any(|it| it == line);
    let lines = wanted.split_whitespace().map(|job| format!("ok {job}"));
    wrong.extend(lines.filter(is_missing).map(|line| format!("no line '{line}'")));
    let client = said.lines().find_map(|line| line.strip_prefix("client "));
    match client {
        Some(client) if wrong.is_empty() && status.success() => return Ok(client.to_owned()),
        None => wrong.push("no line 'client'".to_owned()),
        _ => wrong.push(format!("ended with {status}")),
    }
    Err(failed(wrong.join(", "), &errors))
}

/// Shows the end of the errors.
fn failed(why: String, errors: &str) -> Fault {
    let lines: Vec<_> = errors.lines().collect();
    eprintln!("{}", lines[lines.len().saturating_sub(40)..].join("\n"));
    ("FAILED", why)
}

#[test]
#[ignore = "runs programs of client libraries: make examples"]
fn examples() {
    // The cache directory has the private PostgreSQLs in pg/.
    let cache = installation().pg_config.ancestors().nth(4).expect("a private PostgreSQL").to_owned();
    fs::create_dir_all(cache.join("log")).expect("a directory");
    // One run at a time: each installs libraries into the cache.
    let lock = File::create(cache.join("examples.lock")).expect("a lock");
    lock.lock().expect("a lock");
    let settings = [("timezone", "Asia/Kolkata"), ("log_min_messages", "fatal")];
    let mut server = Server::create(Sharing::Preloaded, &settings).with_tcp();
    server.write(&server.data().join("pg_hba.conf"), "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
    server.up();
    // examples/akka creates a database.
    server.execute("CREATE ROLE app LOGIN CREATEDB PASSWORD 'app'");

    let logs = cache.join("log").join("example-*");
    let examples = Examples { cache, server };
    let mut results = Vec::new();
    println!("examples on PostgreSQL {}", installation().major);
    for (folder, client) in clients() {
        let begin = Instant::now();
        let (result, remark) = examples.run(&folder, &client).map_or_else(|fault| fault, |remark| ("passed", remark));
        let name = if client.is_empty() { folder } else { format!("{folder}:{client}") };
        println!("{name:24} {:>4} s  {result:8} {remark}", begin.elapsed().as_secs());
        results.push(result);
    }
    assert!(!results.contains(&"FAILED"), "the programs' messages are in {}", logs.display());
    assert!(results.contains(&"passed"), "no example could be run here");
}
