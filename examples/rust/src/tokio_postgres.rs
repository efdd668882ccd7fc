//! tokio-postgres.

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row};
use uuid::Uuid;

use crate::{Rows, texts, time};

pub const NAME: &str = "tokio-postgres";
pub const CRATE: &str = NAME;
pub const TABLES: [&str; 1] = ["orders"];

pub struct Commands {
    runtime: Runtime,
    db: Option<Client>,
}

impl Commands {
    pub fn new() -> Self {
        Self { runtime: Builder::new_current_thread().enable_all().build().expect("a runtime"), db: None }
    }

    pub fn run(&mut self, words: &[&str]) -> Rows {
        let db = self.db.take().filter(|db| !db.is_closed());
        let db = db.map_or_else(|| self.runtime.block_on(connect()), Ok)?;
        let db = self.db.insert(db);
        self.runtime.block_on(answer(db, words))
    }
}

async fn connect() -> Result<Client, tokio_postgres::Error> {
    let (db, connection) = tokio_postgres::connect(&std::env::var("DATABASE_URL").expect("a server"), NoTls).await?;
    tokio::spawn(connection);
    Ok(db)
}

async fn query(db: &Client, query: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, tokio_postgres::Error> {
    db.query(query, values).await
}

fn numbers(rows: &[Row]) -> Vec<String> {
    texts(rows.iter().map(|row| row.get::<_, i32>(0)))
}

async fn answer(db: &mut Client, words: &[&str]) -> Rows {
    Ok(match *words {
        ["schema"] => {
            db.batch_execute(&std::fs::read_to_string(std::env::var("EXAMPLE_SCHEMA")?)?).await?;
            Vec::new()
        }
        ["insert", _, n] => {
            let n: i32 = n.parse()?;
            // comb: insert
            let row = db.query_one("INSERT INTO orders (n) VALUES ($1) RETURNING id", &[&n]).await?;
            let id: Uuid = row.get(0);
            // end
            texts([id])
        }
        ["batch", _, count] => {
            let rows: Vec<i32> = (0..count.parse()?).collect();
            let keys = query(db, "INSERT INTO orders (n) SELECT unnest($1::integer[]) RETURNING id", &[&rows]).await?;
            texts(keys.iter().map(|row| row.get::<_, Uuid>(0)))
        }
        ["page", _, last] => {
            numbers(&query(db, "SELECT n FROM orders WHERE id > $1 ORDER BY id LIMIT 10", &[&Uuid::parse_str(last)?]).await?)
        }
        ["range", _, begin, until] => {
            let (begin, until) = (time(begin), time(until));
            // comb: range
            let query = "SELECT n FROM orders WHERE comb_between(id, $1, $2) ORDER BY id";
            let rows = db.query(query, &[&begin, &until]).await?; // DateTime<Utc> of chrono
            // end
            numbers(&rows)
        }
        ["unzoned", begin, until] => {
            let (begin, until) = (time(begin).naive_utc(), time(until).naive_utc());
            numbers(&query(db, "SELECT n FROM orders WHERE comb_between(id, $1, $2) ORDER BY id", &[&begin, &until]).await?)
        }
        ["timestamp", _, _, n] => {
            let row = db.query_one("SELECT comb_timestamp(id) FROM orders WHERE n = $1", &[&n.parse::<i32>()?]).await?;
            texts([row.get::<_, chrono::DateTime<chrono::Utc>>(0).timestamp_millis()])
        }
        ["newest", _] => numbers(&query(db, "SELECT n FROM orders ORDER BY id DESC LIMIT 1", &[]).await?),
        ["error", at] => {
            let error = query(db, "SELECT comb_at($1)", &[&time(at)]).await.expect_err("an error");
            let error = error.as_db_error().expect("an error of the server");
            texts([error.code().code(), error.message(), error.hint().unwrap_or_default()])
        }
        ["write", milliseconds, end, ref bodies @ ..] => {
            let transaction = db.transaction().await?;
            for body in bodies {
                transaction.execute("INSERT INTO events (body) VALUES ($1)", &[body]).await?;
            }
            tokio::time::sleep(std::time::Duration::from_millis(milliseconds.parse()?)).await;
            if end == "commit" {
                transaction.commit().await?
            } else {
                transaction.rollback().await?
            }
            Vec::new()
        }
        ["poll", cursor, horizon] => {
            let cursor: i64 = cursor.parse()?;
            // comb: reader
            let settled = "
                SELECT position, body FROM events
                WHERE position > $1 AND position <= comb_number_horizon('events', after => $1)
                ORDER BY position LIMIT 1000";
            // end
            let all = "SELECT position, body FROM events WHERE position > $1 ORDER BY position LIMIT 1000";
            let rows = query(db, if horizon == "yes" { settled } else { all }, &[&cursor]).await?;
            rows.iter().flat_map(|row| [row.get::<_, i64>(0).to_string(), row.get(1)]).collect()
        }
        ["call", statement] => {
            query(db, statement, &[]).await?;
            Vec::new()
        }
        _ => texts(["none"]),
    })
}
