//! What psql shows of `sql/`, compared with `expected/` by PostgreSQL's pg_regress.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pg_test::{Server, Sharing, files, installation};

/// The tests, by the names of their files.
fn tests() -> Vec<String> {
    let name =
        |path: &String| path.strip_prefix("pg_test/sql/")?.strip_suffix(".sql").map(str::to_owned);
    files("pg_test/sql", ".sql").iter().filter_map(name).collect()
}

fn pg_regress() -> PathBuf {
    let output = Command::new(&installation().pg_config).arg("--pgxs").output().expect("pg_config");
    let makefile = PathBuf::from(String::from_utf8(output.stdout).expect("UTF-8").trim());
    let directory = makefile.ancestors().nth(2).expect("the directory of PGXS");
    directory.join("test/regress/pg_regress")
}

/// As users call them, by `make installcheck`, on a server where nothing is preloaded.
#[test]
fn attached() {
    let mut server = Server::create(Sharing::Attached, &[]);
    server.up();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/installcheck.sh");
    let output = Command::new(script)
        .arg(&installation().pg_config)
        .env("PGHOST", server.work())
        .envs([("PGPORT", "5432"), ("PGUSER", "postgres"), ("PGDATABASE", "postgres")])
        .output()
        .expect("installcheck.sh");
    let said =
        [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    assert!(output.status.success(), "{}", said.concat());
}

#[test]
fn preloaded() {
    let mut server = Server::create(Sharing::Preloaded, &[]);
    server.up();
    let results = server.work().join("results");
    fs::create_dir_all(&results).expect("a directory");
    let output = Command::new(pg_regress())
        .arg(format!("--bindir={}", installation().bin.display()))
        .arg(format!("--inputdir={}", env!("CARGO_MANIFEST_DIR")))
        .arg(format!("--outputdir={}", results.display()))
        .arg(format!("--host={}", server.work().display()))
        .args(["--user=postgres", "--dbname=comb_regression"])
        .args(tests())
        .output()
        .expect("pg_regress");
    let differences = fs::read_to_string(results.join("regression.diffs")).unwrap_or_default();
    assert!(output.status.success(), "{}{differences}", String::from_utf8_lossy(&output.stdout));
}
