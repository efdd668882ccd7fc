//! Mistakes that the tests must catch: each is a patch to the sources in pg_test/mistakes/, with the tests that fail with it.
//!
//! The lines before a patch say what is wrong; `With: OTHER` is a patch that is applied first; `Caught by: TARGET FILTER` is a
//! test that must fail, `Passes: TARGET FILTER` one that must pass. COMB_MISTAKES=all builds and runs them all; a name, those that
//! contain it; a number, as many of them, others at each commit.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use pg_test::{files, files_below, installation, output, root, say};

const SOURCES: [&str; 7] = ["src", "crates", "sql", "pg_test/Cargo.toml", "Cargo.toml", "Cargo.lock", "comb.control"];

struct Mistake {
    path: String,
    text: String,
}

impl Mistake {
    fn named(path: &str) -> Self {
        Self { path: path.to_owned(), text: fs::read_to_string(root().join(path)).expect("a patch") }
    }

    fn lines<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let header = self.text.lines().take_while(|line| !line.starts_with("diff "));
        header.filter_map(move |line| line.strip_prefix(key))
    }

    /// Applies it, and first those that it needs.
    fn apply(&self, to: &Path) {
        self.lines("With: ").for_each(|other| Self::named(&format!("pg_test/mistakes/{other}")).apply(to));
        let mut git = Command::new("git");
        // Below a clone, git would skip the files of a patch without an error.
        git.env("GIT_CEILING_DIRECTORIES", to.parent().expect("a directory"));
        let git = git.arg("apply").arg(root().join(&self.path)).current_dir(to).stdin(Stdio::null()).output().expect("git");
        assert!(git.status.success(), "{}: {}", self.path, String::from_utf8_lossy(&git.stderr));
    }
}

fn mistakes() -> Vec<Mistake> {
    files("pg_test/mistakes", ".patch").iter().map(|path| Mistake::named(path)).collect()
}

/// A copy of the sources, without what the last mistake changed.
fn copy_to(place: &Path) {
    let _ = fs::remove_dir_all(place);
    fs::create_dir_all(place.join("pg_test/src")).expect("a directory");
    for source in SOURCES {
        let to = place.join(source);
        let status = Command::new("cp").args(["-r", "--preserve=timestamps"]).arg(root().join(source)).arg(to).status();
        assert!(status.is_ok_and(|status| status.success()), "cp {source}");
    }
    // Cargo does not notice that a file is again the older one that it was before a patch.
    for path in files_below(place).iter().filter(|path| path.ends_with("src/lib.rs")) {
        let touched = fs::File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
        touched.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
    fs::write(place.join("pg_test/src/lib.rs"), "").expect("a file");
}

fn work() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("mistakes")
}

#[test]
fn each_mistake_applies() {
    let mistakes = mistakes();
    assert!(mistakes.len() > 15);
    let place = work().join("applied");
    for mistake in mistakes {
        copy_to(&place);
        mistake.apply(&place);
        assert!(mistake.lines("Caught by: ").chain(mistake.lines("Passes: ")).count() > 0, "{}: no test", mistake.path);
    }
}

/// Builds the library of a copy of the sources in the dev profile.
fn build(place: &Path) -> PathBuf {
    let major = installation().major;
    let target = work().join("target");
    let (status, said) = output(
        Command::new("cargo")
            .args(["build", "--locked", "--lib", "--package", "comb", "--no-default-features", "--features"])
            .arg(format!("pg{major}"))
            .env("CARGO_TARGET_DIR", &target)
            .env("PGRX_PG_CONFIG_PATH", &installation().pg_config)
            .env("RUSTFMT", "true")
            .current_dir(place),
    );
    assert!(status.success(), "{said}");
    target.join("debug/libcomb.so")
}

/// Whether a test passes with a library.
fn passes(test: &str, library: &Path) -> bool {
    let (target, filter) = test.split_once(' ').expect("a target and a filter");
    let (status, said) = output(
        Command::new("cargo")
            .args(["test", "--locked", "--package", "pg_test", "--test", target, filter])
            .env("COMB_LIBRARY", library)
            .env("PG_CONFIG", &installation().pg_config)
            .env_remove("COMB_MISTAKES")
            .current_dir(root()),
    );
    assert!(said.contains("test result:") && !said.contains(" 0 passed; 0 failed"), "{test}: {said}");
    status.success()
}

#[test]
fn each_mistake_is_caught() {
    let Ok(count) = std::env::var("COMB_MISTAKES") else {
        say("Not tested: builds with a mistake, which need COMB_MISTAKES=all");
        return;
    };
    let mut mistakes = mistakes();
    if count != "all" && count.parse::<usize>().is_err() {
        mistakes.retain(|mistake| mistake.path.contains(&count));
    }
    if let Ok(count) = count.parse() {
        let commits = output(Command::new("git").args(["rev-list", "--count", "HEAD"]).current_dir(root())).1;
        let commits: usize = commits.trim().parse().expect("a number of commits");
        let length = mistakes.len();
        mistakes.rotate_left(commits * count % length);
        mistakes.truncate(count);
    }
    let place = work().join("sources");
    copy_to(&place);
    let right = place.with_file_name("right.so");
    fs::copy(build(&place), &right).expect("a library");
    let mut failures = Vec::new();
    for mistake in mistakes {
        copy_to(&place);
        mistake.apply(&place);
        let library = build(&place);
        for test in mistake.lines("Caught by: ") {
            assert!(passes(test, &right), "{test} fails without a mistake");
            let caught = (0..3).any(|_| !passes(test, &library));
            say(&format!("{}: {} by {test}", mistake.path, if caught { "caught" } else { "NOT CAUGHT" }));
            failures.extend((!caught).then(|| mistake.path.clone()));
        }
        for test in mistake.lines("Passes: ") {
            let passes = passes(test, &library);
            say(&format!("{}: {test} {}", mistake.path, if passes { "passes" } else { "FAILS" }));
            failures.extend((!passes).then(|| mistake.path.clone()));
        }
    }
    assert!(failures.is_empty(), "{failures:?}");
}
