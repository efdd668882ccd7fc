//! Schedules that repeat: PostgreSQL's isolationtester runs the specs of `isolation/`, in which processes stop at injection points.
//! Only the PostgreSQL with assertions has both.
//!
//! `COMB_WRITE=1 PG=18-assertions cargo test -p pg_test --test isolation` writes the expected output beside the specs.

use std::fs::{self, File};
use std::process::Command;

use pg_test::{Server, Sharing, assert_same_lines, files, installation, is_writing, options, output, root};

fn run(spec: &str) {
    if !installation().has("injection_points") {
        return;
    }
    let server = Server::start(Sharing::Preloaded, &[("shared_preload_libraries", "comb, injection_points")]);
    server.execute(include_str!("../isolation/setup.sql"));
    let tester = installation().libraries.join("pgxs/src/test/isolation/isolationtester");
    let connection = format!("host={} port={} user=postgres dbname=postgres", server.work().display(), server.port());
    let input = File::open(root().join(format!("pg_test/isolation/{spec}.spec"))).expect("a spec");
    // Seconds after which a step is cancelled.
    let environment = [("PGISOLATIONTIMEOUT", "60".to_owned()), ("PGOPTIONS", options())];
    let (status, said) = output(Command::new(tester).arg(connection).envs(environment).stdin(input));
    let expected = root().join(format!("pg_test/isolation/{spec}.out"));
    if is_writing() {
        fs::write(&expected, &said).expect("the expected output");
    }
    assert!(status.success(), "{said}");
    assert_same_lines(&said, &fs::read_to_string(&expected).expect("the expected output"), spec);
    server.assert_clean_log();
}

macro_rules! specs {
    ($($spec:ident)*) => {
        $(
            #[test]
            fn $spec() {
                run(stringify!($spec));
            }
        )*

        #[test]
        fn each_spec_is_run() {
            let specs = [$(concat!("pg_test/isolation/", stringify!($spec), ".spec")),*];
            assert_eq!(files("pg_test/isolation", ".spec"), specs);
        }
    };
}

specs! { clock detach messages place reader writer }
