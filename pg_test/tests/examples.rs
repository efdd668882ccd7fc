//! The programs of `examples/`, each in a new database, and whether they pass. `examples/README.md` says what an
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
/// This one runs a second time, through pgbouncer in transaction mode.
const POOLED: &str = "psycopg";
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

/// Why an example did not pass.
enum Problem {
    NotRun(String),
    Failed(String),
}

struct Examples {
    /// What the libraries are installed in stays for later runs.
    cache: PathBuf,
    server: Server,
    pooler: Option<Pooler>,
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

    /// Installs what an example needs.
    fn set_up(&self, name: &str) -> Result<(), Problem> {
        fs::create_dir_all(self.cache.join("examples").join(name)).expect("a directory");
        let path = self.log(&format!("{name}-setup.log"));
        let log = File::create(&path).expect("a log");
        let mut setup = self.program(name, "setup", "1800");
        let status = setup.stdout(log.try_clone().expect("a log")).stderr(log).status().expect("timeout");
        match status.code() {
            Some(0) => Ok(()),
            Some(NOT_RUN) => Err(Problem::NotRun(read(&path).lines().last().unwrap_or_default().to_owned())),
            _ => {
                show(&path);
                Err(Problem::Failed("setup failed".to_owned()))
            }
        }
    }

    /// Sets up and runs an example. Returns the library and its version.
    fn run(&mut self, name: &str, pooled: bool) -> Result<String, Problem> {
        self.set_up(name)?;
        if pooled || name == "pgbouncer" {
            self.set_up("pgbouncer")?;
            self.pooler.get_or_insert_with(|| Pooler::start(&self.server));
        }
        self.server.execute("DROP DATABASE IF EXISTS shop WITH (FORCE)");
        self.server.execute("CREATE DATABASE shop OWNER app");
        let log = self.log(&if pooled { format!("{name}-pooled") } else { name.to_owned() });
        let (said, errors) = (log.with_extension("out"), log.with_extension("log"));
        let mut run = self.program(name, "run", "300");
        run.stdout(File::create(&said).expect("a log")).stderr(File::create(&errors).expect("a log"));
        let status = run.envs(self.connection(pooled)).status().expect("timeout");
        let said = read(&said);
        let jobs = fs::read_to_string(example(name).join("jobs")).unwrap_or_else(|_| JOBS.to_owned());
        let client = said.lines().find_map(|line| line.strip_prefix("client "));
        let mut wrong = wrong(&said, &jobs);
        if wrong.is_empty() && !status.success() {
            wrong.push(format!("ended with {status}"));
        }
        match client {
            Some(client) if wrong.is_empty() => Ok(client.to_owned()),
            _ => {
                show(&errors);
                Err(Problem::Failed(wrong.join(", ")))
            }
        }
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

/// What is wrong in the lines that an example prints.
fn wrong(said: &str, jobs: &str) -> Vec<String> {
    let passed = |job: &&str| said.lines().any(|line| line.strip_prefix("ok ") == Some(job));
    let failures = said.lines().filter(|line| line.starts_with("not ok")).map(str::to_owned);
    failures.chain(jobs.split_whitespace().filter(|job| !passed(job)).map(|job| format!("{job} did not pass"))).collect()
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

    let mut examples = Examples { cache: cache.to_owned(), server, pooler: None };
    let (mut passed, mut not_run, mut failed) = (0, 0, 0);
    for name in &names {
        for pooled in [false, true].into_iter().take(if name == POOLED { 2 } else { 1 }) {
            let shown = if pooled { format!("{name} via pgbouncer") } else { name.clone() };
            println!("==> {shown}");
            let begin = Instant::now();
            match examples.run(name, pooled) {
                Ok(client) => {
                    passed += 1;
                    println!("    passed: {client}, {} s", begin.elapsed().as_secs());
                }
                Err(Problem::NotRun(why)) => {
                    not_run += 1;
                    println!("    not run: {why}");
                }
                Err(Problem::Failed(why)) => {
                    failed += 1;
                    println!("    FAILED: {why}");
                }
            }
        }
    }
    println!("\nOn PostgreSQL {}, {passed} examples passed, {failed} failed, {not_run} were not run", installation().major);
    assert!(failed == 0, "the logs are {}", examples.log("*").display());
    assert!(passed > 0, "no example could be run here");
}
