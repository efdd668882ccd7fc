//! Statements that run in the background.

use std::thread::{self, JoinHandle};

use postgres::{Client, NoTls};

use crate::server::Server;
use crate::{rows, sqlstate_of, value, within};

/// A session of a server that runs statements one after the other, each in its own transaction unless one of them says
/// BEGIN, and ends with the first error. Its application_name is its name.
pub struct Session {
    pub name: String,
    thread: Option<JoinHandle<Result<Vec<String>, String>>>,
}

impl Session {
    /// Begins to run the statements in the database postgres.
    pub fn start(server: &Server, name: &str, statements: &[&str]) -> Self {
        let mut config = server.config();
        config.application_name(name);
        let statements: Vec<_> = statements.iter().map(|&statement| statement.to_owned()).collect();
        let run = move || {
            let mut client = config.connect(NoTls).map_err(|error| sqlstate_of(&error))?;
            let mut values = Vec::new();
            for statement in statements {
                values.extend(rows(&mut client, &statement)?);
            }
            Ok(values)
        };
        Self { name: name.to_owned(), thread: Some(thread::spawn(run)) }
    }

    pub fn runs(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// Its process, once it is connected.
    pub fn pid(&self, server: &Server) -> i32 {
        server.value(&format!("SELECT pid FROM pg_stat_activity WHERE application_name = '{}'", self.name))
    }

    /// Waits for the end: the first column of all rows, or the SQLSTATE of the error.
    pub fn end(&mut self) -> Result<Vec<String>, String> {
        self.thread.take().expect("a session that was not ended").join().expect("a session")
    }

    /// Waits until the session has come to a wait event, such as `PgSleep`.
    pub fn wait_for(&self, server: &Server, event: &str) {
        let mut client = server.connect();
        let query = "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = $1 AND wait_event = $2";
        let arrived = within(20, || client.query_one(query, &[&self.name, &event]).expect(query).get(0));
        assert!(arrived, "the session {} does not come to {event}", self.name);
    }
}

/// Has a client execute a statement, and returns when it waits for a lock on a table: the first column of all rows, or the SQLSTATE of
/// the error, and the client.
pub fn execute_until_lock(
    server: &Server,
    mut client: Client,
    statement: &'static str,
) -> JoinHandle<(Result<Vec<String>, String>, Client)> {
    let pid: i32 = value(&mut client, "SELECT pg_backend_pid()");
    let executes = thread::spawn(move || (rows(&mut client, statement), client));
    let waits = format!("SELECT wait_event IS NOT DISTINCT FROM 'relation' FROM pg_stat_activity WHERE pid = {pid}");
    assert!(within(20, || server.value(&waits)), "no lock stops {statement}");
    executes
}
