//! What an example prints: its client, and a line for each job.

use std::fmt::Debug;

pub type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// It changes with every change of a table, a column or an index.
pub const CATALOG: &str = "
    SELECT string_agg(concat_ws(' ', c.relname, c.xmin, a.attname, a.xmin), ', ' ORDER BY c.oid, a.attnum) AS catalog
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace";

pub fn check<T: PartialEq + Debug>(seen: T, expected: T) -> Outcome {
    if seen == expected { Ok(()) } else { Err(format!("{seen:?} instead of {expected:?}").into()) }
}

pub struct Report {
    failed: bool,
}

impl Report {
    pub fn new() -> Self {
        let lock = include_str!("../Cargo.lock").split("name = \"sqlx\"\nversion = \"").nth(1);
        let version = lock.and_then(|rest| rest.split('"').next());
        println!("client sqlx {}", version.expect("the client's version"));
        Report { failed: false }
    }

    pub fn job(&mut self, name: &str, outcome: Outcome) {
        match outcome {
            Ok(()) => println!("ok {name}"),
            Err(error) => {
                eprintln!("{name}: {error:?}");
                println!("not ok {name}: {}", error.to_string().lines().next().unwrap_or_default());
                self.failed = true;
            }
        }
    }

    pub fn end(self) -> ! {
        std::process::exit(self.failed.into())
    }
}
