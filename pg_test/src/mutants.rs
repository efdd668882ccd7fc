//! The library with the feature `mutants`, which makes the mistakes that a test turns on.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::installation::installation;
use crate::root;
use crate::server::Server;

/// The library, which is built first where the sources have changed.
pub fn mutants() -> &'static [u8] {
    static LIBRARY: OnceLock<Vec<u8>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let output = Command::new(root().join("tools/build_mutants.sh"))
            .arg(&installation().pg_config)
            .stderr(Stdio::inherit())
            .output()
            .expect("tools/build_mutants.sh");
        assert!(output.status.success(), "the mutants cannot be built");
        let path = String::from_utf8(output.stdout).expect("UTF-8");
        fs::read(path.trim()).expect("the library")
    })
}

impl Server {
    /// Lets the server load the mutants from its next start on, instead of the library that is installed.
    pub fn with_mutants(self) -> Self {
        self.configure(&[("dynamic_library_path", &self.place_library(mutants()))]);
        self
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

    /// Turns on a mistake of src/server/mutation.rs.
    pub fn mutate(&self, mistake: &str) {
        fs::write(self.data().join(mistake), "").expect("a mistake");
    }

    /// Turns it off.
    pub fn heal(&self, mistake: &str) {
        fs::remove_file(self.data().join(mistake)).expect("a mistake that is on");
    }
}
