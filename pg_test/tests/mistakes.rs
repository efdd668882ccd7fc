//! Mistakes that the tests must catch: each is a patch to the sources in pg_test/mistakes/, with the tests that fail with it.
//!
//! The lines before a patch say what is wrong. `Caught by: TARGET FILTER` is a test that must fail with the patch and pass without,
//! `Fails: TARGET FILTER` one that must fail with it, `Passes: TARGET FILTER` one that must pass with it. The target is a file of
//! pg_test/tests, or `crates` or `model`: the unit tests and the model of comb-horizon, or `pgrx`: those of src/pg_tests.rs. Those of
//! `isolation` are run on the PostgreSQL that has injection points, and no others there.
//! COMB_MISTAKES="NAME ..." builds and runs these, COMB_MISTAKES=all all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

use pg_test::{files, files_below, installation, output, root, say};

const SOURCES: [&str; 8] =
    ["src", "crates", "sql", "pg_test/Cargo.toml", "pg_test/vectors.csv", "Cargo.toml", "Cargo.lock", "comb.control"];

const KEYS: [&str; 3] = ["Caught by: ", "Fails: ", "Passes: "];

struct Mistake {
    path: String,
    text: String,
}

impl Mistake {
    fn named(path: &str) -> Self {
        Self { path: path.to_owned(), text: fs::read_to_string(root().join(path)).expect("a patch") }
    }

    fn lines<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        let header = self.text.lines().take_while(|line| !line.starts_with("--- "));
        header.filter_map(move |line| line.strip_prefix(key))
    }

    /// Those tests that are run on the PostgreSQL under test.
    fn tests<'a>(&'a self, key: &'a str) -> impl Iterator<Item = &'a str> {
        self.lines(key).filter(|test| test.starts_with("isolation ") == installation().has_injection_points())
    }

    fn apply(&self, to: &Path) {
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
        let tests = KEYS.iter().flat_map(|key| mistake.lines(key));
        assert!(tests.count() > 0, "{}: no test", mistake.path);
    }
}

/// The cargo that runs this test: the first on the PATH can be an older one.
fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Builds the library of a copy of the sources in the dev profile.
fn build(place: &Path) -> PathBuf {
    let mut features = format!("pg{}", installation().major);
    if installation().has_injection_points() {
        features += ",injection_points";
    }
    let target = work().join("target");
    let (status, said) = output(
        cargo()
            .args(["build", "--locked", "--lib", "--package", "comb", "--no-default-features", "--features"])
            .arg(features)
            .env("CARGO_TARGET_DIR", &target)
            .env("PGRX_PG_CONFIG_PATH", &installation().pg_config)
            .env("RUSTFMT", "true")
            .current_dir(place),
    );
    assert!(status.success(), "{said}");
    target.join("debug/libcomb.so")
}

/// Sources, and the library that was built from them.
struct Build<'a> {
    sources: &'a Path,
    library: &'a Path,
}

impl Build<'_> {
    fn passes(&self, test: &str) -> bool {
        let (target, filter) = test.split_once(' ').expect("a target and a filter");
        let mut cargo = cargo();
        cargo.args(["test", "--locked", "--package"]);
        match target {
            "crates" | "model" => {
                cargo.args(["comb-horizon", "--lib"]).args(filter.split(' ')).current_dir(self.sources);
                // Cargo would not notice that the sources are others.
                let directory = if self.sources == root() { "right" } else { "wrong" };
                cargo.env("CARGO_TARGET_DIR", work().join(target).join(directory));
                if target == "model" {
                    cargo.env("RUSTFLAGS", "--cfg loom");
                }
            }
            "pgrx" => {
                cargo = Command::new(root().join("tools/pgrx.sh"));
                cargo.args(["test", filter]).current_dir(self.sources);
                let directory = if self.sources == root() { "right" } else { "wrong" };
                cargo.env("CARGO_TARGET_DIR", work().join(target).join(directory));
                cargo.env("PG", installation().major.to_string());
                installation().lend_lock(&mut cargo);
            }
            _ => {
                cargo.args(["pg_test", "--test", target]).args(filter.split(' ')).current_dir(root());
                cargo.env("COMB_LIBRARY", self.library).env("PG_CONFIG", &installation().pg_config);
            }
        }
        let (status, said) = output(cargo.env_remove("COMB_MISTAKES"));
        let is_run = said.contains("test result:") && !said.contains(" 0 passed; 0 failed");
        // cargo pgrx test also runs the tests of the crates, of which the filter leaves none.
        let is_run = is_run || said.contains("test pg_tests::tests::");
        assert!(is_run, "{test}: {said}");
        if self.sources == root() {
            assert!(status.success(), "{test} fails without a mistake: {said}");
        }
        status.success()
    }
}

#[test]
fn each_mistake_is_caught() {
    let Ok(names) = std::env::var("COMB_MISTAKES") else {
        say("Not tested: builds with a mistake, which need COMB_MISTAKES=all");
        return;
    };
    let mut mistakes = mistakes();
    if names != "all" {
        let names: Vec<_> = names.split_whitespace().map(|name| format!("pg_test/mistakes/{name}.patch")).collect();
        mistakes.retain(|mistake| names.contains(&mistake.path));
        assert_eq!(mistakes.len(), names.len(), "a mistake for each of {names:?}");
    }
    mistakes.retain(|mistake| KEYS.iter().any(|key| mistake.tests(key).next().is_some()));
    // cargo pgrx test installs its build of the extension in place of the one under test.
    mistakes.sort_by_key(|mistake| mistake.lines("Caught by: ").any(|test| test.starts_with("pgrx ")));
    let place = work().join("sources");
    copy_to(&place);
    let right = place.with_file_name("right.so");
    fs::copy(build(&place), &right).expect("a library");
    let right = Build { sources: root(), library: &right };
    let mut failures = Vec::new();
    for mistake in mistakes {
        copy_to(&place);
        mistake.apply(&place);
        let wrong = Build { sources: &place, library: &build(&place) };
        for test in mistake.tests("Caught by: ") {
            right.passes(test);
        }
        for test in mistake.tests("Caught by: ").chain(mistake.tests("Fails: ")) {
            let caught = (0..3).any(|_| !wrong.passes(test));
            say(&format!("{}: {} by {test}", mistake.path, if caught { "caught" } else { "NOT CAUGHT" }));
            failures.extend((!caught).then(|| mistake.path.clone()));
        }
        for test in mistake.tests("Passes: ") {
            let passes = wrong.passes(test);
            say(&format!("{}: {test} {}", mistake.path, if passes { "passes" } else { "FAILS" }));
            failures.extend((!passes).then(|| mistake.path.clone()));
        }
    }
    assert!(failures.is_empty(), "{failures:?}");
}
