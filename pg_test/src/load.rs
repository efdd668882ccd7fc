//! Load on the order of ids: connections that look at the greatest id and then generate one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use postgres::{Config, NoTls};

use crate::server::Server;

/// The columns of a table for [`order_load`]: an id and the greatest one that its connection had seen before. The
/// primary key finds an id that is generated twice.
pub const ORDER_TABLE: &str = "(id uuid PRIMARY KEY, seen uuid NOT NULL)";

/// Connections that put load on a server.
pub struct Load {
    threads: Vec<JoinHandle<Result<u64, postgres::Error>>>,
    stops: Arc<AtomicBool>,
}

impl Load {
    /// Runs `turn` again and again in so many connections, for so long. With `reconnect`, each turn has a connection of
    /// its own.
    pub fn start<F>(config: &Config, connections: usize, time: Duration, reconnect: bool, turn: F) -> Self
    where
        F: Fn(&mut postgres::Client) -> Result<(), postgres::Error> + Send + Clone + 'static,
    {
        let stops = Arc::new(AtomicBool::new(false));
        let threads = (0..connections).map(|_| {
            let (config, turn, stops) = (config.clone(), turn.clone(), Arc::clone(&stops));
            thread::spawn(move || {
                let mut turns = 0;
                let mut client = config.connect(NoTls)?;
                let end = Instant::now() + time;
                while Instant::now() < end && !stops.load(Ordering::Relaxed) {
                    turn(&mut client)?;
                    turns += 1;
                    if reconnect {
                        client = config.connect(NoTls)?;
                    }
                }
                Ok(turns)
            })
        });
        Self { threads: threads.collect(), stops: Arc::clone(&stops) }
    }

    pub fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
    }

    /// Waits for the end: how many turns there were.
    ///
    /// # Errors
    /// The first error of a connection.
    pub fn join(self) -> Result<u64, postgres::Error> {
        let turns = self.threads.into_iter().map(|thread| thread.join().expect("a connection"));
        turns.sum()
    }
}

/// Starts connections that generate ids by `call` into a table of [`ORDER_TABLE`].
pub fn order_load(server: &Server, table: &str, call: &str, connections: usize, time: Duration, reconnect: bool) -> Load {
    server.execute(&format!(
        "INSERT INTO {table} VALUES ('00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-000000000000') ON CONFLICT DO NOTHING"
    ));
    let look = format!("SELECT id FROM {table} ORDER BY id DESC LIMIT 1");
    let store = format!("INSERT INTO {table} VALUES ({call}, $1)");
    Load::start(&server.config(), connections, time, reconnect, move |client| {
        let seen: uuid::Uuid = client.query_one(&look, &[])?.get(0);
        client.execute(&store, &[&seen]).map(drop)
    })
}

/// How many ids are not above what their connection had seen.
pub fn inversions(server: &Server, table: &str) -> i64 {
    server.value(&format!("SELECT count(*) FROM {table} WHERE id <= seen"))
}
