//! Ways to poll the outbox by the horizon.

use postgres::{Client, Config, Error, NoTls};
use uuid::Uuid;

/// A kind of reader.
pub struct Reader {
    pub name: &'static str,
    poll: Poll,
}

enum Poll {
    /// A query of ids with the cursor as its parameter; the last id in order becomes the cursor.
    Rows(&'static str),
    /// The same twice in one transaction of this kind.
    InTransaction(&'static str, &'static str),
    /// From a new connection each time.
    Connects(&'static str),
    /// A prepared statement with a generic plan.
    Generic(&'static str),
    /// The horizon for the next statement, which is its second parameter.
    Earlier(&'static str),
    /// The cursor is the horizon, above all that was read: a row that appears below it later is missed. The query returns
    /// the ids and the horizon.
    Jumping(&'static str),
}

const PAGE: &str = "SELECT id FROM outbox WHERE id > $1 AND id < comb_horizon() ORDER BY id LIMIT 1000";

const READERS: &[Reader] = &[
    // The query of somebody who does not know the horizon: it must miss rows.
    Reader { name: "naive", poll: Poll::Rows("SELECT id FROM outbox WHERE id > $1 ORDER BY id LIMIT 1000") },
    Reader { name: "statement", poll: Poll::Rows(PAGE) },
    Reader { name: "repeatable", poll: Poll::InTransaction("BEGIN ISOLATION LEVEL REPEATABLE READ", PAGE) },
    Reader { name: "connects", poll: Poll::Connects(PAGE) },
    Reader { name: "view", poll: Poll::Rows("SELECT id FROM outbox_settled WHERE id > $1 ORDER BY id LIMIT 1000") },
    Reader { name: "prepared", poll: Poll::Generic(PAGE) },
    Reader { name: "loop", poll: Poll::Rows("SELECT id FROM by_loop($1) id") },
    Reader { name: "cursor", poll: Poll::Rows("SELECT id FROM by_cursor($1) id") },
    Reader { name: "partitioned", poll: Poll::Rows("SELECT id FROM parts WHERE id > $1 AND id < comb_horizon()") },
    Reader { name: "set", poll: Poll::Rows("SELECT id FROM parts_settled WHERE id > $1") },
    Reader {
        name: "values",
        poll: Poll::Rows(
            "SELECT id FROM (VALUES (0, comb_horizon()), (1, comb_horizon())) v (half, horizon)
             JOIN outbox ON id < horizon AND get_byte(uuid_send(id), 15) % 2 = half WHERE id > $1",
        ),
    },
    Reader { name: "earlier", poll: Poll::Earlier("SELECT id FROM outbox WHERE id > $1 AND id < $2 ORDER BY id LIMIT 1000") },
    Reader {
        name: "jumping",
        poll: Poll::Jumping(
            "SELECT array_agg(id ORDER BY id), greatest($1, comb_horizon())
             FROM (SELECT id FROM outbox WHERE id > $1 AND id < comb_horizon()) page",
        ),
    },
];

pub fn named(name: &str) -> &'static Reader {
    READERS.iter().find(|reader| reader.name == name).unwrap_or_else(|| panic!("there is no reader {name}"))
}

impl Reader {
    /// The documentation asks for comb_observe() when a reader connects, since the server may have been restarted.
    pub fn begin(&self, client: &mut Client, cursor: Uuid) -> Result<(), Error> {
        if self.name != "naive" && !cursor.is_nil() {
            client.execute("SELECT comb_observe($1)", &[&cursor])?;
        }
        if let Poll::Generic(_) = self.poll {
            client.batch_execute("SET plan_cache_mode = force_generic_plan")?;
        }
        Ok(())
    }

    /// Reads rows behind the cursor, and moves it.
    pub fn poll(&self, config: &Config, client: &mut Client, cursor: &mut Uuid, seen: &mut Vec<Uuid>) -> Result<(), Error> {
        let mut read = |client: &mut Client, query: &str, horizon: Option<Uuid>, cursor: &mut Uuid| -> Result<(), Error> {
            let rows = match horizon {
                Some(horizon) => client.query(query, &[&*cursor, &horizon])?,
                None => client.query(query, &[&*cursor])?,
            };
            let before = seen.len();
            seen.extend(rows.iter().map(|row| row.get::<_, Uuid>(0)));
            if let Some(&last) = seen[before..].iter().max() {
                *cursor = last;
            }
            Ok(())
        };
        match self.poll {
            Poll::Rows(query) => read(client, query, None, cursor),
            Poll::Connects(query) => read(&mut config.connect(NoTls)?, query, None, cursor),
            Poll::InTransaction(begin, query) => {
                client.batch_execute(begin)?;
                read(client, query, None, cursor)?;
                read(client, query, None, cursor)?;
                client.batch_execute("COMMIT")
            }
            Poll::Generic(query) => {
                let statement = client.prepare(query)?;
                for _ in 0..10 {
                    let rows = client.query(&statement, &[&*cursor])?;
                    seen.extend(rows.iter().map(|row| row.get::<_, Uuid>(0)));
                    if let Some(row) = rows.last() {
                        *cursor = row.get(0);
                    }
                }
                Ok(())
            }
            Poll::Earlier(query) => {
                let horizon: Uuid = client.query_one("SELECT comb_horizon()", &[])?.get(0);
                read(client, query, Some(horizon), cursor)
            }
            Poll::Jumping(query) => {
                let row = client.query_one(query, &[&*cursor])?;
                seen.extend(row.get::<_, Option<Vec<Uuid>>>(0).unwrap_or_default());
                *cursor = row.get(1);
                Ok(())
            }
        }
    }
}
