//! Programs, and what they say.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Runs a command. Returns what it says, too.
pub fn output(command: &mut Command) -> (ExitStatus, String) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [&output.stdout, &output.stderr].map(|said| String::from_utf8_lossy(said));
    (output.status, said.concat())
}

/// Runs a command that has to succeed, and returns what it says.
pub fn run(command: &mut Command) -> String {
    let (status, said) = output(command);
    assert!(status.success(), "{command:?}: {said}");
    said
}

/// A program that has to succeed.
pub struct Program(pub(crate) Command);

impl Program {
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.0.arg(argument);
        self
    }

    pub fn args<A: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.0.args(arguments);
        self
    }

    pub fn current_dir(mut self, directory: &Path) -> Self {
        self.0.current_dir(directory);
        self
    }

    /// Runs it, and returns what it says.
    pub fn run(mut self) -> String {
        run(&mut self.0)
    }
}
