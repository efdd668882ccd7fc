//! The programs of `examples/`, each in a new database, and a table of what passed. `examples/README.md` says what an
//! example consists of.
//!
//! `ON="psycopg django"` runs these. By default all run.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;

use pg_test::{Server, Sharing, forget_servers, installation, root};

/// Each prints a line for these.
const JOBS: &str = "schema schema_again insert batch page range timestamp error newest";
/// The status of a `setup` that cannot install its library.
const NOT_RUN: i32 = 75;

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

/// The names of the examples to run.
fn names() -> Vec<String> {
    let on = env::var("ON").unwrap_or_default();
    if !on.trim().is_empty() {
        return on.split_whitespace().map(str::to_owned).collect();
    }
    let entries = fs::read_dir(example("")).expect("examples/").flatten();
    let entries = entries.filter(|entry| entry.path().join("run").exists());
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

/// The text of a file in which a program may have written anything.
fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// An example that did not pass: the word for it in the table, and why.
type Fault = (&'static str, String);

struct Examples {
    /// Libraries that are installed in it stay for later runs.
    cache: PathBuf,
    server: Server,
}

impl Examples {
    /// Runs a program of an example. Returns its status, and what it wrote to standard output and standard error.
    fn program(&self, name: &str, program: &str, seconds: &str) -> (ExitStatus, String, String) {
        let log = self.cache.join("log").join(format!("example-{name}-{program}"));
        let (output, errors) = (log.with_extension("out"), log.with_extension("log"));
        let mut command = Command::new("timeout");
        // In the foreground: Ctrl-C reaches it.
        command.args(["--foreground", "-k", "10", seconds]).arg(example(name).join(program));
        command.current_dir(root()).stdin(Stdio::null());
        forget_servers(&mut command);
        command.env("EXAMPLE_CACHE", self.cache.join("examples").join(name)).envs(self.connection());
        command.stdout(File::create(&output).expect("a log")).stderr(File::create(&errors).expect("a log"));
        let status = command.status().expect("timeout");
        (status, read(&output), read(&errors))
    }

    fn set_up(&self, name: &str) -> Result<(), Fault> {
        fs::create_dir_all(self.cache.join("examples").join(name)).expect("a directory");
        let (status, said, errors) = self.program(name, "setup", "1800");
        match status.code() {
            Some(0) => Ok(()),
            Some(NOT_RUN) => Err(("not run", errors.lines().last().unwrap_or_default().to_owned())),
            _ => Err(failed("setup failed".to_owned(), &(said + &errors))),
        }
    }

    /// Sets up and runs an example. Returns the name and the version of its client.
    fn run(&self, name: &str) -> Result<String, Fault> {
        self.set_up(name)?;
        self.server.execute("DROP DATABASE IF EXISTS shop WITH (FORCE)");
        self.server.execute("CREATE DATABASE shop OWNER app");
        let (status, said, errors) = self.program(name, "run", "300");
        let mut wrong: Vec<_> = said.lines().filter(|line| line.starts_with("not ok")).map(str::to_owned).collect();
        let is_missing = |line: &String| !said.lines().any(|it| it == line);
        let lines = JOBS.split_whitespace().map(|job| format!("ok {job}"));
        wrong.extend(lines.filter(is_missing).map(|line| format!("no line '{line}'")));
        let client = said.lines().find_map(|line| line.strip_prefix("client "));
        match client {
            Some(client) if wrong.is_empty() && status.success() => return Ok(client.to_owned()),
            None => wrong.push("no line 'client'".to_owned()),
            _ => wrong.push(format!("ended with {status}")),
        }
        Err(failed(wrong.join(", "), &errors))
    }

    /// The environment variables by which a program finds the server.
    fn connection(&self) -> [(&'static str, String); 7] {
        let port = self.server.port().to_string();
        // The client programs of PostgreSQL come first.
        let path = format!("{}:{}", installation().bin.display(), env::var("PATH").expect("a PATH"));
        [
            ("PATH", path),
            ("PGHOST", "127.0.0.1".to_owned()),
            ("DATABASE_URL", format!("postgresql://app:app@127.0.0.1:{port}/shop")),
            ("PGPORT", port),
            ("PGUSER", "app".to_owned()),
            ("PGPASSWORD", "app".to_owned()),
            ("PGDATABASE", "shop".to_owned()),
        ]
    }
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
    let mut server = Server::create(Sharing::Attached, &settings).with_tcp();
    server.write(&server.data().join("pg_hba.conf"), "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n");
    server.up();
    server.execute("CREATE ROLE app LOGIN PASSWORD 'app'");

    let logs = cache.join("log").join("example-*");
    let examples = Examples { cache, server };
    let mut results = Vec::new();
    println!("examples on PostgreSQL {}", installation().major);
    for name in names() {
        let begin = Instant::now();
        let (result, remark) = examples.run(&name).map_or_else(|fault| fault, |client| ("passed", client));
        println!("{name:24} {:>4} s  {result:8} {remark}", begin.elapsed().as_secs());
        results.push(result);
    }
    assert!(!results.contains(&"FAILED"), "the programs' messages are in {}", logs.display());
    assert!(results.contains(&"passed"), "no example could be run here");
}
