//! The loop of an example in Rust: a command in each line, its result in each line. examples/README.md lists the commands.

#[cfg(feature = "diesel")]
#[path = "diesel.rs"]
mod client;
#[cfg(feature = "sqlx")]
#[path = "sqlx.rs"]
mod client;
#[cfg(feature = "tokio-postgres")]
#[path = "tokio_postgres.rs"]
mod client;

use std::io::{BufRead, stdin};

use chrono::{DateTime, Utc};

pub type Rows = Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>>;

pub fn time(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

pub fn texts<T: ToString>(values: impl IntoIterator<Item = T>) -> Vec<String> {
    values.into_iter().map(|value| value.to_string()).collect()
}

fn main() {
    let lock = include_str!("../Cargo.lock");
    let version =
        lock.split("[[package]]").find_map(|it| it.trim().strip_prefix(&format!("name = \"{}\"\nversion = \"", client::CRATE)));
    let version = version.and_then(|it| it.split('"').next()).expect("a version");
    println!("client\t{}\t{version}\t{}", client::NAME, client::TABLES.join("\t"));
    let mut commands = client::Commands::new();
    for line in stdin().lock().lines() {
        let line = line.expect("a line");
        let words: Vec<_> = line.split('\t').collect();
        let result = commands.run(&words).unwrap_or_else(|error| {
            eprintln!("{error:?}");
            vec!["error".to_owned(), error.to_string()]
        });
        println!("{}", texts(result.iter().map(|value| value.replace(['\n', '\t'], " "))).join("\t"));
    }
}
