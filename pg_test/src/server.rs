//! A server of a test.

use std::fs::{self, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::{Once, mpsc};
use std::thread;
use std::time::Duration;

use postgres::types::FromSqlOwned;
use postgres::{Client, Config, NoTls};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::clock::Clock;
use crate::installation::{Installation, installation};
use crate::programs::Program;
use crate::{free_port, within};

/// How a server gets the memory that its connections share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// From shared_preload_libraries.
    Preloaded,
    /// From the first connection that asks for it.
    Attached,
}

pub const SHARINGS: [Sharing; 2] = [Sharing::Preloaded, Sharing::Attached];

/// A mode of shutdown, as pg_ctl calls it.
#[derive(Clone, Copy)]
pub enum Stop {
    Fast,
    Immediate,
}

/// A data directory, and the server that runs on it. Reachable by a socket only, unless a test asks for TCP; stopped
/// and removed when dropped.
pub struct Server {
    pub(crate) installation: &'static Installation,
    directory: TempDir,
    postmaster: Option<Child>,
    environment: Vec<(String, String)>,
    clock: Option<Clock>,
    /// The port of TCP connections, if it accepts them.
    tcp: Option<u16>,
}

impl Server {
    /// A new data directory with these settings, without a server.
    pub fn create(sharing: Sharing, settings: &[(&str, &str)]) -> Self {
        Self::create_of(installation(), sharing, settings)
    }

    /// The same of another PostgreSQL than the one under test.
    pub fn create_of(installation: &'static Installation, sharing: Sharing, settings: &[(&str, &str)]) -> Self {
        // A copy of what initdb has made takes a tenth of its time.
        let template = installation.template.get_or_init(|| {
            let template = Self::empty(installation);
            template.initdb(&[]);
            let data = template.data();
            // The next run removes it.
            std::mem::forget(template);
            data
        });
        let server = Self::empty(installation);
        let copy = Program(installation.program("/usr/bin/cp", &[])).arg("--archive");
        copy.arg(template.join(".")).arg(server.data()).run();
        // Without fsync: a process that is killed loses nothing that it has handed to the operating system.
        server.configure(&[
            ("fsync", "off"),
            ("autovacuum", "off"),
            ("max_wal_size", "4GB"),
            ("timezone", "UTC"),
            ("max_connections", "100"),
        ]);
        if sharing == Sharing::Preloaded {
            server.configure(&[("shared_preload_libraries", "comb")]);
        }
        if let Some(library) = std::env::var_os("COMB_LIBRARY") {
            let library = fs::read(library).expect("the library of COMB_LIBRARY");
            server.configure(&[("dynamic_library_path", &server.place_library(&library))]);
        }
        server.configure(settings);
        server
    }

    /// Puts a library into a directory of this server, in place of the one that was there. Returns the value of
    /// dynamic_library_path by which the server finds it before the one that is installed.
    pub fn place_library(&self, library: &[u8]) -> String {
        let directory = self.work().join("libraries");
        fs::create_dir_all(&directory).expect("a directory");
        // Renamed into place: a process that has the file loaded keeps the old one.
        let new = directory.join("new");
        fs::write(&new, library).expect("a library");
        fs::rename(new, directory.join("comb.so")).expect("a library");
        format!("{}:$libdir", directory.display())
    }

    /// Sets an environment variable of the server, from its next start on.
    pub fn with_environment(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A server that runs, with the extension in the database postgres.
    pub fn start(sharing: Sharing, settings: &[(&str, &str)]) -> Self {
        let mut server = Self::create(sharing, settings);
        server.up();
        server.execute("CREATE EXTENSION comb");
        server
    }

    pub(crate) fn initdb(&self, options: &[&str]) {
        let mut command = self.installation.program("initdb", &[]);
        command.args(["--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync", "-Upostgres"]);
        Program(command).args(options).arg("-D").arg(self.data()).run();
    }

    pub(crate) fn empty(installation: &'static Installation) -> Self {
        static CLEANED: Once = Once::new();
        CLEANED.call_once(remove_what_interrupted_runs_left);
        let prefix = format!("{PREFIX}{}.", std::process::id());
        let directory = tempfile::Builder::new().prefix(&prefix).tempdir().expect("a directory");
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755)).expect("permissions");
        for name in ["data", "work"] {
            let path = directory.path().join(name);
            fs::create_dir(&path).expect("a directory");
            fs::set_permissions(&path, Permissions::from_mode(0o700)).expect("permissions");
            installation.give(&path);
        }
        let server = Self { installation, directory, postmaster: None, environment: Vec::new(), clock: None, tcp: None };
        fs::set_permissions(server.work(), Permissions::from_mode(0o755)).expect("permissions");
        server
    }

    pub fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    /// A directory for files that the server reads or writes.
    pub fn work(&self) -> PathBuf {
        self.directory.path().join("work")
    }

    /// Writes a file that the server can read and remove.
    pub fn write(&self, path: &Path, text: &str) {
        fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self.installation.give(path);
    }

    /// Adds settings to postgresql.conf. Of two values the later counts.
    pub fn configure(&self, settings: &[(&str, &str)]) {
        let path = self.data().join("postgresql.conf");
        let mut file = OpenOptions::new().append(true).open(path).expect("postgresql.conf");
        for (name, value) in settings {
            writeln!(file, "{name} = '{}'", value.replace('\'', "''")).expect("a setting");
        }
    }

    /// Lets the test set the system clock of this server, from its next start on.
    pub fn with_clock(mut self) -> Self {
        let clock = Clock::new(&self.work());
        self.environment.extend(clock.environment());
        self.clock = Some(clock);
        self
    }

    /// Lets the server accept TCP connections from this machine, from its next start on.
    pub fn with_tcp(mut self) -> Self {
        self.tcp = Some(free_port());
        self
    }

    /// The port, which is in the name of the socket, too.
    pub fn port(&self) -> u16 {
        self.tcp.unwrap_or(5432)
    }

    /// Sets the system clock of the server: an offset such as `-3600` (seconds) or `+30y`.
    pub fn set_clock(&self, offset: &str) {
        self.clock.as_ref().expect("a clock").set(offset);
    }

    /// Starts the server and waits until it accepts connections.
    pub fn up(&mut self) {
        let log = self.log_path();
        let log = OpenOptions::new().create(true).append(true).open(log).expect("a log");
        let mut command = self.installation.program("postgres", &self.environment);
        let addresses = if self.tcp.is_some() { "127.0.0.1" } else { "" };
        command.arg("-D").arg(self.data()).arg(format!("--listen_addresses={addresses}"));
        command.arg(format!("--unix_socket_directories={}", self.work().display()));
        command.arg(format!("--port={}", self.port()));
        command.stdout(log.try_clone().expect("a log")).stderr(log);
        // An error with a backtrace would have it in the log.
        command.env("RUST_BACKTRACE", "1");
        self.postmaster = Some(spawn(command));
        self.wait_until_it_accepts();
        if let (Some(clock), Some(postmaster)) = (&self.clock, &self.postmaster) {
            clock.tidy(postmaster.id());
        }
    }

    /// Stops the server.
    pub fn down(&mut self, mode: Stop) {
        self.signal(match mode {
            Stop::Fast => Signal::INT,
            Stop::Immediate => Signal::QUIT,
        });
        self.wait_for_its_end();
    }

    pub fn restart(&mut self, settings: &[(&str, &str)]) {
        self.down(Stop::Fast);
        self.configure(settings);
        self.up();
    }

    /// Kills the postmaster with SIGKILL, and starts a new one.
    pub fn kill_postmaster(&mut self) {
        self.signal(Signal::KILL);
        self.postmaster.take().expect("a server").wait().expect("the end of the postmaster");
        // Its children end when they notice. Until then the shared memory is theirs, and no new server starts.
        let socket_lock = self.work().join(format!(".s.PGSQL.{}.lock", self.port()));
        let pid = self.data().join("postmaster.pid");
        assert!(within(60, || {
            let users = fs::read_dir("/proc").expect("/proc").flatten().any(|process| {
                fs::read(process.path().join("cwd/PG_VERSION")).is_ok()
                    && fs::read_link(process.path().join("cwd")).is_ok_and(|cwd| cwd == self.data())
            });
            !users
        }));
        let _ = fs::remove_file(socket_lock);
        let _ = fs::remove_file(pid);
        self.up();
    }

    /// Limits the address space of the processes that the server starts from now on, in bytes.
    pub fn limit_address_space(&self, bytes: u64) {
        let postmaster = self.postmaster.as_ref().expect("a server that runs").id();
        // By the server's user: in a container, root may not limit the processes of others.
        let prlimit = self.installation.program("/usr/bin/prlimit", &[]);
        Program(prlimit).arg(format!("--pid={postmaster}")).arg(format!("--as={bytes}")).run();
    }

    /// Signals the postmaster.
    pub fn signal(&self, signal: Signal) {
        let postmaster = self.postmaster.as_ref().expect("a server that runs");
        kill_process(Pid::from_child(postmaster), signal).expect("a postmaster");
    }

    pub fn wait_for_its_end(&mut self) {
        if let Some(mut postmaster) = self.postmaster.take() {
            postmaster.wait().expect("the end of the postmaster");
        }
    }

    /// Waits until the server accepts connections, as after a crash.
    pub fn wait_until_it_accepts(&mut self) {
        let ended = |server: &mut Self| {
            server.postmaster.as_mut().is_none_or(|child| child.try_wait().is_ok_and(|status| status.is_some()))
        };
        let accepts = within(60, || ended(self) || self.try_connect("postgres").is_ok());
        assert!(accepts && !ended(self), "the server does not start: {}", self.log());
    }

    /// A connection to the database postgres.
    pub fn connect(&self) -> Client {
        self.connect_to("postgres")
    }

    pub fn connect_to(&self, database: &str) -> Client {
        self.try_connect(database).unwrap_or_else(|error| panic!("{error:?}"))
    }

    pub fn try_connect(&self, database: &str) -> Result<Client, postgres::Error> {
        self.config().dbname(database).connect(NoTls)
    }

    /// How to connect, as the superuser postgres.
    pub fn config(&self) -> Config {
        let mut config = Config::new();
        config.host_path(self.work()).port(self.port()).user("postgres").dbname("postgres");
        config
    }

    /// Runs statements in the database postgres.
    pub fn execute(&self, statements: &str) {
        let done = self.connect().batch_execute(statements);
        done.unwrap_or_else(|error| panic!("{statements}: {error:?}"));
    }

    /// The one value of a query's one row, in the database postgres, by a new connection.
    pub fn value<T: FromSqlOwned>(&self, query: &str) -> T {
        crate::value(&mut self.connect(), query)
    }

    /// A psql on the server.
    pub fn psql(&self) -> Command {
        let mut command = Command::new(self.installation.bin.join("psql"));
        command.args(["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-h"]);
        command.arg(self.work()).arg(format!("--port={}", self.port()));
        command
    }

    /// A standby of this server, which must run; it is not started.
    pub fn standby(&self) -> Self {
        let standby = Self::empty(self.installation);
        let output = self
            .installation
            .program("pg_basebackup", &[])
            .args(["--username=postgres", "--checkpoint=fast", "--write-recovery-conf"])
            .arg(format!("--host={}", self.work().display()))
            .arg(format!("--port={}", self.port()))
            .arg(format!("--pgdata={}", standby.data().display()))
            .output()
            .expect("pg_basebackup");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        standby
    }

    fn log_path(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    /// The server's log.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.log_path()).unwrap_or_default()).into_owned()
    }

    /// How many processes of the server ended by a signal.
    pub fn crashes(&self) -> usize {
        self.log().matches("terminated by signal").count()
    }

    /// Asserts that no process crashed, and that no error shows the inside of the library.
    pub fn assert_clean_log(&self) {
        let log = self.log();
        for trace in ["terminated by signal", "panicked at", "stack backtrace"] {
            assert!(!log.contains(trace), "{trace}: {log}");
        }
        assert!(!log.lines().any(is_frame), "a backtrace: {log}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(postmaster) = &mut self.postmaster {
            let _ = kill_process(Pid::from_child(postmaster), Signal::QUIT);
            let _ = postmaster.wait();
        }
        if thread::panicking() {
            let log = self.log();
            let tail: Vec<_> = log.lines().rev().take(20).collect();
            eprintln!("The end of the server's log:");
            tail.iter().rev().for_each(|line| eprintln!("    {line}"));
        }
    }
}

/// Whether it is a line of a backtrace, such as `   3: comb::functions::read`.
fn is_frame(line: &str) -> bool {
    let frame = line.strip_prefix([' ', '\t']).and_then(|rest| rest.trim_start().split_once(": "));
    frame.is_some_and(|(number, name)| number.parse::<u32>().is_ok() && name.contains("::"))
}

/// The beginning of the names of directories; the process id of the test follows.
const PREFIX: &str = "comb.";

/// A test that was killed removes nothing, and neither does the one server of many tests: a static is not dropped.
fn remove_what_interrupted_runs_left() {
    for entry in fs::read_dir(std::env::temp_dir()).expect("a directory").flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('.')).map(|(process, _)| process);
        let process = process.filter(|process| process.parse::<u32>().is_ok());
        if process.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Starts a process from a thread that lives as long as this process: the signal at the parent's death comes when the
/// thread that started it ends.
fn spawn(command: Command) -> Child {
    type Order = (Command, mpsc::Sender<std::io::Result<Child>>);
    static SPAWNER: std::sync::OnceLock<std::sync::Mutex<mpsc::Sender<Order>>> = std::sync::OnceLock::new();
    let spawner = SPAWNER.get_or_init(|| {
        let (orders, received) = mpsc::channel::<Order>();
        thread::spawn(move || {
            for (mut command, reply) in received {
                let _ = reply.send(command.spawn());
            }
        });
        orders.into()
    });
    let (reply, child) = mpsc::channel();
    spawner.lock().expect("the spawner").send((command, reply)).expect("the spawner");
    child.recv_timeout(Duration::from_secs(60)).expect("a process").expect("a process")
}
