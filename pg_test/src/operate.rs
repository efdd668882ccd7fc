//! What operators do with a server: PostgreSQL's programs, single-user mode, pg_upgrade.

use std::fs;

use crate::installation::Installation;
use crate::programs::Program;
use crate::server::{Server, Stop};

impl Server {
    /// A program of PostgreSQL such as pg_dump, as the superuser.
    pub fn client_program(&self, name: &str) -> Program {
        let mut command = self.installation.program(name, &[]);
        command.arg("--username=postgres").arg(format!("--host={}", self.work().display()));
        command.arg(format!("--port={}", self.port()));
        Program(command)
    }

    /// What single-user mode answers to these commands, one a line. The server must be stopped.
    pub fn single_user(&self, database: &str, settings: &[(&str, &str)], commands: &str) -> String {
        let mut command = self.installation.program("postgres", &[]);
        command.arg("--single").arg("-D").arg(self.data());
        for (name, value) in settings {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        let input = self.work().join("commands");
        self.write(&input, commands);
        let input = fs::File::open(input).expect("commands");
        let output = command.arg(database).stdin(input).output().expect("postgres");
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    }

    /// A server of that PostgreSQL with everything that this one has, by pg_upgrade. It preloads the extension.
    pub fn pg_upgrade(mut self, to: &'static Installation) -> Self {
        self.down(Stop::Fast);
        let control = self.installation.program("pg_controldata", &[]).arg(self.data()).output().expect("pg_controldata");
        let has_checksums = !String::from_utf8_lossy(&control.stdout).contains("Data page checksum version:           0");
        // From 18 on they are on by default, and have to be as they were.
        let options: &[&str] = if has_checksums || to.major < 18 { &[] } else { &["--no-data-checksums"] };
        let mut server = Self::empty(to);
        server.initdb(options);
        server.configure(&[("shared_preload_libraries", "comb"), ("fsync", "off"), ("timezone", "UTC")]);
        let mut command = to.program("pg_upgrade", &[]);
        command.arg(format!("--old-bindir={}", self.installation.bin.display()));
        command.arg(format!("--new-bindir={}", to.bin.display()));
        command.arg(format!("--old-datadir={}", self.data().display()));
        command.arg(format!("--new-datadir={}", server.data().display()));
        command.arg("--username=postgres").arg(format!("--socketdir={}", server.work().display()));
        Program(command).current_dir(&server.work()).run();
        server.up();
        server
    }
}
