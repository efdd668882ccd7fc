//! The programs of `examples/`, each in a new database, and a table of what passed. `examples/README.md` says what an
//! example consists of.
//!
//! `ON="psycopg django"` runs these, `SOME=5` runs five, others at each commit. By default all run.

use std::fs::{self, File};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use pg_test::{Server, Sharing, forget_servers, free_port, installation, root, within};

/// What each prints a line for, unless the file `jobs` in its directory names others.
const JOBS: &str = "schema schema_again insert batch page range timestamp error newest";
/// These run a second time, through pgbouncer in transaction mode.
const POOLED: [&str; 2] = ["psycopg", "asyncpg"];
/// The status of a `setup` that cannot install its library.
const NOT_RUN: i32 = 75;

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

/// The names of the examples to run.
fn names() -> Vec<String> {
    let on = std::env::var("ON").unwrap_or_default();
    if !on.trim().is_empty() {
        return on.split_whitespace().map(str::to_owned).collect();
    }
    let entries = fs::read_dir(example("")).expect("examples/").flatten();
    let mut names: Vec<_> = entries
        .filter(|entry| entry.path().join("run").exists())
        .map(|entry| entry.file_name().into_string().expect("UTF-8"))
        .collect();
    names.sort();
    let some = std::env::var("SOME").unwrap_or_default();
    if !some.is_empty() {
        let some: usize = some.parse().expect("SOME is a number");
        // In turn: every one runs at least once in as many commits as it takes.
        let mut git = Command::new("git");
        let git = git.args(["rev-list", "--count", "HEAD"]).current_dir(root());
        let commits = String::from_utf8(git.output().expect("git").stdout).expect("UTF-8");
        let commits: usize = commits.trim().parse().expect("a number of commits");
        let first = commits * some % names.len();
        names.rotate_left(first);
        names.truncate(some);
    }
    names
}

/// The text of a file in which a program may have written anything.
fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// Shows the end of a log.
fn show(log: &Path) {
    let log = read(log);
    let lines: Vec<_> = log.lines().collect();
    for line in &lines[lines.len().saturating_sub(40)..] {
        eprintln!("{}", line.chars().take(300).collect::<String>());
    }
}

struct Pooler {
    process: Child,
    port: u16,
}

impl Pooler {
    fn start(server: &Server) -> Self {
        let (file, port) = (server.work().join("pgbouncer.ini"), free_port());
        let settings = read(&example("pgbouncer/pgbouncer.ini"))
            .replace("@SERVER_PORT@", &server.port().to_string())
            .replace("@POOLER_PORT@", &port.to_string())
            .replace("@FOLDER@", &server.work().display().to_string());
        server.write(&file, &settings);
        server.write(&server.work().join("users.txt"), "\"app\" \"app\"\n");
        // It refuses to run as root.
        let mut command = installation().program("/usr/sbin/pgbouncer", &[]);
        let process = command.arg("-q").arg(file).spawn().expect("pgbouncer");
        let pooler = Self { process, port };
        let accepts = within(10, || TcpStream::connect(("127.0.0.1", port)).is_ok());
        let log = read(&server.work().join("pgbouncer.log"));
        assert!(accepts, "pgbouncer did not start: {log}");
        pooler
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A row of the table.
struct Row {
    example: String,
    client: String,
    passed: String,
    seconds: String,
    remark: String,
}

impl Row {
    fn print(&self) {
        let Self { example, client, passed, seconds, remark } = self;
        let row = format!("{example:24} {client:28} {passed:9} {seconds:>4}  {remark}");
        println!("{}", row.trim_end());
    }
}

/// How many of the examples.
#[derive(Default)]
struct Counts {
    ran: usize,
    failed: usize,
    not_run: usize,
}

struct Examples {
    /// What the libraries are installed in stays for later runs.
    cache: PathBuf,
    server: Server,
    pooler: Option<Pooler>,
    counts: Counts,
}

impl Examples {
    fn log(&self, name: &str) -> PathBuf {
        self.cache.join("log").join(format!("example-{name}"))
    }

    /// A program of an example.
    fn program(&self, name: &str, program: &str, seconds: &str) -> Command {
        let mut command = Command::new("timeout");
        // In the foreground: Ctrl-C reaches it.
        command.args(["--foreground", "-k", "10", seconds]).arg(example(name).join(program));
        command.current_dir(root()).stdin(Stdio::null());
        forget_servers(&mut command);
        command.env("EXAMPLE_CACHE", self.cache.join("examples").join(name));
        command
    }

    /// Installs what an example needs. If that fails, returns why, and counts it.
    fn set_up(&mut self, name: &str) -> Result<(), (&'static str, String)> {
        fs::create_dir_all(self.cache.join("examples").join(name)).expect("a directory");
        let path = self.log(&format!("{name}-setup.log"));
        let log = File::create(&path).expect("a log");
        let mut setup = self.program(name, "setup", "1800");
        let setup = setup.stdout(log.try_clone().expect("a log")).stderr(log);
        let status = setup.status().expect("timeout");
        if status.success() {
            Ok(())
        } else if status.code() == Some(NOT_RUN) {
            self.counts.not_run += 1;
            Err(("not run", read(&path).lines().last().unwrap_or_default().to_owned()))
        } else {
            self.counts.failed += 1;
            show(&path);
            Err(("FAILED", "setup failed".to_owned()))
        }
    }

    /// Sets up and runs an example.
    fn run(&mut self, name: &str, pooled: bool) -> Row {
        let begin = Instant::now();
        let shown = if pooled { format!("{name} via pgbouncer") } else { name.to_owned() };
        eprintln!("==> {shown}");
        let mut row =
            Row { example: shown, client: "-".to_owned(), passed: String::new(), seconds: "-".to_owned(), remark: String::new() };
        let needed = if pooled { &[name, "pgbouncer"][..] } else { &[name] };
        if let Err((passed, remark)) = needed.iter().try_for_each(|name| self.set_up(name)) {
            (row.passed, row.remark) = (passed.to_owned(), remark);
            return row;
        }
        if self.pooler.is_none() && needed.contains(&"pgbouncer") {
            self.pooler = Some(Pooler::start(&self.server));
        }

        self.server.execute("DROP DATABASE IF EXISTS shop WITH (FORCE)");
        self.server.execute("CREATE DATABASE shop OWNER app");
        let log = self.log(&if pooled { format!("{name}-pooled") } else { name.to_owned() });
        let (said, errors) = (log.with_extension("out"), log.with_extension("log"));
        let mut run = self.program(name, "run", "300");
        run.stdout(File::create(&said).expect("a log")).stderr(File::create(&errors).expect("a log"));
        run.envs(self.connection(pooled));
        let status = run.status().expect("timeout");
        self.counts.ran += 1;

        let said = read(&said);
        if let Some(client) = said.lines().find_map(|line| line.strip_prefix("client ")) {
            client.clone_into(&mut row.client);
        }
        let jobs = fs::read_to_string(example(name).join("jobs"));
        let jobs = jobs.unwrap_or_else(|_| JOBS.to_owned());
        let jobs: Vec<_> = jobs.split_whitespace().collect();
        let mut wrong = wrong(&said, &jobs);
        let failed_jobs = jobs.iter().filter(|job| !passed(&said, job)).count();
        if wrong.is_empty() && !status.success() {
            wrong.push(format!("ended with {status}"));
        }
        row.seconds = begin.elapsed().as_secs().to_string();
        row.passed = format!("all {}", jobs.len());
        if !wrong.is_empty() {
            show(&errors);
            self.counts.failed += 1;
            row.passed = format!("{} of {}", jobs.len() - failed_jobs, jobs.len());
            row.remark = wrong.join(", ").chars().take(300).collect();
        }
        row
    }

    /// The environment variables by which a program finds the server.
    fn connection(&self, pooled: bool) -> [(&'static str, String); 10] {
        let server = self.server.port();
        let pooler = self.pooler.as_ref().map(|pooler| pooler.port.to_string()).unwrap_or_default();
        let port = if pooled { pooler.clone() } else { server.to_string() };
        // The client programs of PostgreSQL come first.
        let path = std::env::var("PATH").expect("a PATH");
        let path = format!("{}:{path}", installation().bin.display());
        let work = self.server.work();
        let superuser = format!("postgresql://postgres@/shop?host={}&port={server}", work.display());
        [
            ("PATH", path),
            ("PGHOST", "127.0.0.1".to_owned()),
            ("DATABASE_URL", format!("postgresql://app:app@127.0.0.1:{port}/shop")),
            ("PGPORT", port),
            ("PGUSER", "app".to_owned()),
            ("PGPASSWORD", "app".to_owned()),
            ("PGDATABASE", "shop".to_owned()),
            ("POOLED", if pooled { "pooled" } else { "" }.to_owned()),
            ("POOLER_PORT", pooler),
            ("SUPERUSER_URL", superuser),
        ]
    }
}

fn passed(said: &str, job: &str) -> bool {
    said.lines().any(|line| line.strip_prefix("ok ") == Some(job)) && failure(said, job).is_none()
}

fn failure<'a>(said: &'a str, job: &str) -> Option<&'a str> {
    said.lines().find(|line| {
        let rest = line.strip_prefix("not ok ").and_then(|rest| rest.strip_prefix(job));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    })
}

/// What is wrong in the lines that an example prints.
fn wrong(said: &str, jobs: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    if !said.lines().any(|line| line.starts_with("client ")) {
        wrong.push("no line 'client'".to_owned());
    }
    for job in jobs {
        if let Some(failure) = failure(said, job) {
            wrong.push(failure.to_owned());
        } else if !passed(said, job) {
            wrong.push(format!("nothing of {job}"));
        }
    }
    if wrong.is_empty() {
        // Jobs that no list has.
        wrong.extend(said.lines().filter(|line| line.starts_with("not ok")).map(str::to_owned));
    }
    wrong
}

#[test]
#[ignore = "runs programs of client libraries: make examples"]
fn examples() {
    let names = names();
    // The cache directory has the private PostgreSQLs in pg/.
    let cache = installation().pg_config.ancestors().nth(4).expect("a private PostgreSQL");
    fs::create_dir_all(cache.join("log")).expect("a directory");
    let lock = File::create(cache.join("examples.lock")).expect("a lock");
    if lock.try_lock().is_err() {
        eprintln!("==> Another run of the examples is going on; waiting until it has ended");
        lock.lock().expect("a lock");
    }
    let settings = [("timezone", "Asia/Kolkata"), ("log_min_messages", "fatal")];
    let mut server = Server::create(Sharing::Attached, &settings).with_tcp();
    let access = "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
    server.write(&server.data().join("pg_hba.conf"), access);
    server.up();
    server.execute("CREATE ROLE app LOGIN PASSWORD 'app'");

    let (cache, counts) = (cache.to_owned(), Counts::default());
    let mut examples = Examples { cache, server, pooler: None, counts };
    let mut rows = Vec::new();
    for name in &names {
        rows.push(examples.run(name, false));
        if POOLED.contains(&name.as_str()) {
            rows.push(examples.run(name, true));
        }
    }

    let [title, client, passed, seconds] =
        [&format!("example, on PG {}", installation().major), "client", "passed", "s"].map(str::to_owned);
    println!();
    Row { example: title, client, passed, seconds, remark: String::new() }.print();
    rows.iter().for_each(Row::print);
    let Counts { ran, failed, not_run } = examples.counts;
    let logs = examples.log("*");
    let of = rows.len();
    assert!(failed == 0, "{failed} of {of} failed; what they said is in {}", logs.display());
    assert!(ran > 0, "no example could be run here");
    println!("\n{ran} examples passed, {not_run} not run");
}
