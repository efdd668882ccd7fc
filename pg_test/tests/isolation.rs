//! Schedules that repeat: PostgreSQL's isolationtester runs the specs of `isolation/`, in which processes stop at injection points.
//! Only the PostgreSQL with assertions has both: `PG=18-assertions`.
//!
//! `COMB_WRITE=1 PG=18-assertions cargo test -p pg_test --test isolation` writes the expected output beside the specs.

use std::fs::{self, File};
use std::process::{Command, Stdio};

use pg_test::{Server, Sharing, assert_same_lines, files, installation, is_writing, output, root};

#[test]
fn schedules() {
    if !installation().has("injection_points") {
        return;
    }
    let server = Server::start(
        Sharing::Preloaded,
        &[("shared_preload_libraries", "comb, injection_points"), ("max_prepared_transactions", "10")],
    );
    server.execute(include_str!("../isolation/setup.sql"));
    let selected = std::env::var("COMB_SPEC").unwrap_or_default();
    let specs = files("pg_test/isolation", ".spec");
    for spec in specs.iter().filter(|spec| spec.contains(&selected)) {
        let tester = installation().libraries.join("pgxs/src/test/isolation/isolationtester");
        let connection = format!("host={} port={} user=postgres dbname=postgres", server.work().display(), server.port());
        let input = File::open(root().join(spec)).expect("a spec");
        let (status, said) = output(Command::new(tester).arg(connection).env("PGISOLATIONTIMEOUT", "60").stdin(input).stderr(Stdio::piped()));
        let expected = root().join(spec).with_extension("out");
        if is_writing() {
            fs::write(&expected, &said).expect("the expected output");
        }
        assert!(status.success(), "{spec}: {said}");
        assert_same_lines(&said, &fs::read_to_string(&expected).expect("the expected output"), spec);
    }
    server.assert_clean_log();
}
