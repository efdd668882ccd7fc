//! The PostgreSQL under test, in which the extension is installed, and the user that servers run as.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::{root, say};

/// A PostgreSQL installation.
pub struct Installation {
    pub pg_config: PathBuf,
    pub bin: PathBuf,
    pub major: u32,
    /// The directory of its libraries, comb.so among them.
    pub libraries: PathBuf,
    /// The directory of the scripts and the control files of extensions.
    pub scripts: PathBuf,
    /// Servers refuse to run as root: then this user runs them.
    pub user: Option<String>,
    /// The data directory that new servers copy.
    pub(crate) template: OnceLock<PathBuf>,
    /// Held for the life of the process, so that nobody else installs another build meanwhile, and its file.
    lock: Option<(File, String)>,
}

/// The PostgreSQL of `PG_CONFIG`, in which the extension is installed. Where the variable is not set, the extension is
/// built first, for PostgreSQL `PG` (by default the one that this machine has), and installed in a private copy.
pub fn installation() -> &'static Installation {
    static INSTALLATION: OnceLock<Installation> = OnceLock::new();
    INSTALLATION.get_or_init(|| {
        let (pg_config, lock) = match std::env::var_os("PG_CONFIG") {
            Some(pg_config) => {
                say(&format!("PG_CONFIG={pg_config:?}: the extension installed there is tested"));
                (PathBuf::from(pg_config), None)
            }
            None => install(),
        };
        Installation::of(pg_config, lock)
    })
}

/// Builds and installs the extension. Returns the pg_config of the private PostgreSQL, and the lock on it.
fn install() -> (PathBuf, Option<(File, String)>) {
    let script = root().join("tools/install_private.sh");
    let output = Command::new(&script)
        .arg(std::env::var("PG").unwrap_or_default())
        .stderr(Stdio::inherit())
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", script.display()));
    assert!(output.status.success(), "{} failed", script.display());
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines = said.lines();
    let (pg_config, lock) = (lines.next().expect("a pg_config"), lines.next().expect("a lock"));
    let file = File::open(lock).unwrap_or_else(|error| panic!("{lock}: {error}"));
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockShared).expect("a lock");
    (pg_config.into(), Some((file, lock.to_owned())))
}

/// Removes the environment variables by which a program would find another server.
pub fn forget_servers(command: &mut Command) {
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("PG")) {
        command.env_remove(name);
    }
}

fn server_user() -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let has_postgres = users.lines().any(|line| line.starts_with("postgres:"));
    if has_postgres { "postgres" } else { "nobody" }.to_owned()
}

impl Installation {
    fn of(pg_config: PathBuf, lock: Option<(File, String)>) -> Self {
        let ask = |option: &str| {
            let output = Command::new(&pg_config).arg(option).output();
            let output = output.unwrap_or_else(|error| panic!("{}: {error}", pg_config.display()));
            String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
        };
        let version = ask("--version");
        let digits = version.trim_start_matches(|c: char| !c.is_ascii_digit());
        let major = digits.chars().take_while(char::is_ascii_digit).collect::<String>();
        Self {
            bin: ask("--bindir").into(),
            major: major.parse().unwrap_or_else(|_| panic!("no major version: {version}")),
            libraries: ask("--pkglibdir").into(),
            scripts: PathBuf::from(ask("--sharedir")).join("extension"),
            user: rustix::process::getuid().is_root().then(server_user),
            pg_config,
            template: OnceLock::new(),
            lock,
        }
    }

    /// Has a script know that this process has the lock.
    pub fn lend_lock(&self, to: &mut Command) {
        to.envs(self.lock.iter().map(|(_, path)| ("COMB_LOCKED", path)));
    }

    /// PostgreSQLs of older majors beside this one, in which the same version of the extension is installed.
    pub fn older(&self) -> Vec<Self> {
        let Some(place) = self.pg_config.ancestors().nth(3) else { return Vec::new() };
        let script = format!("comb--{}.sql", env!("CARGO_PKG_VERSION"));
        let ours = fs::read(self.scripts.join(&script)).expect("the installed script");
        let majors = (15..self.major).map(|major| place.join(format!("{major}/bin/pg_config")));
        let older = majors.filter(|pg_config| pg_config.exists()).map(|pg_config| Self::of(pg_config, None));
        older.filter(|older| fs::read(older.scripts.join(&script)).is_ok_and(|theirs| theirs == ours)).collect()
    }

    /// Whether it comes with that extension. Says so where it does not: not every PostgreSQL has contrib.
    pub fn has(&self, extension: &str) -> bool {
        let has = self.scripts.join(format!("{extension}.control")).exists();
        if !has {
            say(&format!("Not tested: {extension}, which this PostgreSQL does not have"));
        }
        has
    }

    /// A program of PostgreSQL, run as the servers are: by the server's user, and ended with the thread that starts
    /// it. `environment` is seen by the program alone.
    pub fn program(&self, name: &str, environment: &[(String, String)]) -> Command {
        let mut command = Command::new("setpriv");
        command.arg("--pdeathsig=QUIT");
        if let Some(user) = &self.user {
            let group = Command::new("id").args(["-g", user]).output().expect("id").stdout;
            let group = String::from_utf8(group).expect("UTF-8");
            command.args([format!("--reuid={user}"), format!("--regid={}", group.trim())]);
            command.arg("--clear-groups");
        }
        command.args([OsStr::new("--"), OsStr::new("env")]);
        command.args(environment.iter().map(|(name, value)| format!("{name}={value}")));
        command.arg(self.bin.join(name)).current_dir("/").stdin(Stdio::null());
        forget_servers(&mut command);
        // An error with a backtrace is not what users see.
        command.env_remove("RUST_BACKTRACE");
        command
    }

    /// Whether processes can be stopped at injection points: then the library has points of its own.
    pub fn has_injection_points(&self) -> bool {
        self.scripts.join("injection_points.control").exists()
    }

    /// Gives a file or directory to the servers' user.
    pub(crate) fn give(&self, path: &Path) {
        if let Some(user) = &self.user {
            let status = Command::new("chown").arg("-R").arg(user).arg(path).status();
            assert!(status.is_ok_and(|status| status.success()), "chown {}", path.display());
        }
    }
}
