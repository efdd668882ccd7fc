//! What psql shows of `sql/`, compared with `expected/` by PostgreSQL's pg_regress.
//!
//! `COMB_WRITE=1 cargo test -p pg_test --test regress` writes `expected/`.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use pg_test::{Server, Sharing, files, installation, is_writing, output, root};

/// The tests, by the names of their files.
fn tests() -> Vec<String> {
    let name = |path: &String| path.strip_prefix("pg_test/sql/")?.strip_suffix(".sql").map(str::to_owned);
    files("pg_test/sql", ".sql").iter().filter_map(name).collect()
}

fn expected(test: &str) -> PathBuf {
    root().join(format!("pg_test/expected/{test}.out"))
}

fn pg_regress() -> PathBuf {
    let output = Command::new(&installation().pg_config).arg("--pgxs").output().expect("pg_config");
    let makefile = PathBuf::from(String::from_utf8(output.stdout).expect("UTF-8").trim());
    let directory = makefile.ancestors().nth(2).expect("the directory of PGXS");
    directory.join("test/regress/pg_regress")
}

/// As users call them, by `make installcheck`, on a server where nothing is preloaded.
fn attached() -> Result<(), String> {
    let mut server = Server::create(Sharing::Attached, &[]);
    server.up();
    let (status, said) = output(
        Command::new(root().join("tools/installcheck.sh")).arg(&installation().pg_config).env("PGHOST", server.work()).envs([
            ("PGPORT", "5432"),
            ("PGUSER", "postgres"),
            ("PGDATABASE", "postgres"),
        ]),
    );
    server.assert_clean_log();
    if status.success() { Ok(()) } else { Err(said) }
}

/// All tests, on a server where the extension is preloaded.
fn preloaded() -> Result<(), String> {
    let mut server = Server::create(Sharing::Preloaded, &[]);
    server.up();
    let results = server.work().join("results");
    fs::create_dir_all(&results).expect("a directory");
    let (status, said) = output(
        Command::new(pg_regress())
            .arg(format!("--bindir={}", installation().bin.display()))
            .arg(format!("--inputdir={}", env!("CARGO_MANIFEST_DIR")))
            .arg(format!("--outputdir={}", results.display()))
            .arg(format!("--host={}", server.work().display()))
            .args(["--user=postgres", "--dbname=comb_regression"])
            .args(tests()),
    );
    server.assert_clean_log();
    if is_writing() {
        for test in tests() {
            let result = results.join(format!("results/{test}.out"));
            fs::copy(result, expected(&test)).unwrap_or_else(|_| panic!("{said}"));
        }
        return Ok(());
    }
    let differences = fs::read_to_string(results.join("regression.diffs")).unwrap_or_default();
    if status.success() { Ok(()) } else { Err(said + &differences) }
}

#[test]
fn psql_shows_what_is_expected() {
    if is_writing() {
        // pg_regress stops at a test without a file.
        tests().iter().map(|test| expected(test)).filter(|path| !path.exists()).for_each(|path| {
            File::create(path).expect("a file");
        });
        preloaded().expect("results");
        return;
    }
    let runs: [fn() -> Result<(), String>; 2] = [preloaded, attached];
    let results = thread::scope(|scope| runs.map(|run| scope.spawn(run)).map(|run| run.join().expect("the end of pg_regress")));
    // Most differences are in both.
    if let Some(said) = results.into_iter().find_map(Result::err) {
        panic!("{said}\nCOMB_WRITE=1 cargo test -p pg_test --test regress writes expected/");
    }
}
