//! A program of an example, which gets commands and answers each with one line.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use pg_test::{forget_servers, root};

/// A program of an example, and the environment in which it runs.
pub struct Caller {
    /// The folder of the example, and its client.
    pub folder: String,
    pub client: String,
    /// Libraries that are installed in it stay for later runs.
    pub cache: PathBuf,
    pub environment: Vec<(&'static str, String)>,
}

/// The text of a file in which a program may have written anything.
pub fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

impl Caller {
    fn log(&self, program: &str) -> PathBuf {
        self.cache.join("log").join(format!("example-{}{}-{program}", self.folder, self.client)).with_extension("log")
    }

    fn command(&self, program: &str, seconds: &str) -> Command {
        let mut command = Command::new("timeout");
        // In the foreground: Ctrl-C reaches it.
        command.args(["--foreground", "-k", "10", seconds]).arg(root().join("examples").join(&self.folder).join(program));
        command.args(Some(&self.client).filter(|client| !client.is_empty())).current_dir(root());
        forget_servers(&mut command);
        let cache = self.cache.join("examples").join(&self.folder);
        fs::create_dir_all(&cache).expect("a directory");
        command.env("EXAMPLE_CACHE", cache).envs(self.environment.iter().cloned());
        command.stderr(File::options().create(true).append(true).open(self.log(program)).expect("a log"));
        command
    }

    /// Empties the logs of an earlier run.
    pub fn forget(&self) {
        for program in ["setup", "run"] {
            fs::write(self.log(program), "").expect("a log");
        }
    }

    /// Runs a program to its end. Returns its status, and what it wrote to standard output and standard error.
    pub fn run(&self, program: &str, seconds: &str) -> (ExitStatus, String, String) {
        let output = self.command(program, seconds).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let output = output.and_then(Child::wait_with_output).expect("timeout");
        (output.status, String::from_utf8_lossy(&output.stdout).into_owned(), self.errors(program))
    }

    pub fn errors(&self, program: &str) -> String {
        read(&self.log(program))
    }

    /// Starts the program `run`, and reads its first line.
    pub fn start(&self) -> Result<Program, String> {
        let mut child = self.command("run", "300").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("timeout");
        let (input, output) = (child.stdin.take().expect("input"), child.stdout.take().expect("output"));
        let mut program =
            Program { child, input: Some(input), output: BufReader::new(output), name: String::new(), tables: Vec::new() };
        let first = program.line()?;
        let [word, name, version, tables @ ..] = first.as_slice() else { return Err(format!("no client: {first:?}")) };
        if word != "client" {
            return Err(format!("no client: {first:?}"));
        }
        program.name = format!("{name} {version}");
        program.tables = tables.to_vec();
        Ok(program)
    }
}

/// A program that waits for commands.
pub struct Program {
    child: Child,
    /// `None`: at its end.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// The library and its version.
    pub name: String,
    pub tables: Vec<String>,
}

impl Program {
    fn line(&mut self) -> Result<Vec<String>, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(1..) => {}
            _ => return Err("the program has ended".to_owned()),
        }
        let line = line.trim_end_matches('\n');
        Ok(if line.is_empty() { Vec::new() } else { line.split('\t').map(str::to_owned).collect() })
    }

    /// The result of a command. `None`: the program has no such command.
    pub fn ask_optional(&mut self, words: &[&str]) -> Result<Option<Vec<String>>, String> {
        let input = self.input.as_mut().expect("input");
        writeln!(input, "{}", words.join("\t")).and_then(|()| input.flush()).map_err(|error| error.to_string())?;
        let result = self.line()?;
        match result.first().map(String::as_str) {
            Some("error") => Err(result[1..].join(" ")),
            Some("none") => Ok(None),
            _ => Ok(Some(result)),
        }
    }

    pub fn ask(&mut self, words: &[&str]) -> Result<Vec<String>, String> {
        self.ask_optional(words)?.ok_or_else(|| format!("no command {}", words[0]))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.input = None;
        self.child.wait().expect("a status");
    }
}
