//! The system clock of a server, which a test can set while the server runs.
//!
//! libfaketime answers in libc's place when a process of the server asks for CLOCK_REALTIME: the time, moved by what
//! a file says. CLOCK_MONOTONIC is as it is, as on a machine whose clock somebody sets.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::installation::installation;
use crate::root;

pub struct Clock {
    file: PathBuf,
}

impl Clock {
    pub(crate) fn new(work: &Path) -> Self {
        let clock = Self { file: work.join("clock") };
        clock.set("+0");
        clock
    }

    /// Sets the clock: an offset such as `-3600` (seconds) or `+30y`.
    pub fn set(&self, offset: &str) {
        // In one step: a reader sees the old text or the new one.
        let new = self.file.with_extension("new");
        fs::write(&new, format!("{offset}\n")).expect("a clock");
        installation().give(&new);
        fs::rename(&new, &self.file).expect("a clock");
    }

    pub(crate) fn environment(&self) -> [(String, String); 4] {
        let file = self.file.display().to_string();
        [
            ("LD_PRELOAD", library().to_owned()),
            ("FAKETIME_TIMESTAMP_FILE", file),
            ("FAKETIME_NO_CACHE", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
    }

    /// Removes the names of what libfaketime shares between the processes of a postmaster, which would stay when all
    /// of them are gone. The processes have it open.
    pub(crate) fn tidy(&self, postmaster: u32) {
        for file in fs::read_dir("/dev/shm").expect("/dev/shm").flatten() {
            let name = file.file_name().into_string().unwrap_or_default();
            if name.contains("faketime_") && name.ends_with(&format!("_{postmaster}")) {
                let _ = fs::remove_file(file.path());
            }
        }
    }
}

/// The path of libfaketime, which is installed where it is missing.
fn library() -> &'static str {
    static LIBRARY: OnceLock<String> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let output = Command::new(root().join("tools/setup.sh"))
            .arg("--libfaketime")
            .stderr(Stdio::inherit())
            .output()
            .expect("tools/setup.sh");
        assert!(output.status.success(), "libfaketime cannot be installed");
        String::from_utf8(output.stdout).expect("UTF-8").trim().to_owned()
    })
}
