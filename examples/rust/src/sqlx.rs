//! sqlx with its pool and its migrations.

use chrono::{DateTime, Utc};
use sqlx::migrate::Migrator;
use sqlx::postgres::{PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, query, query_as, query_scalar};
use tokio::runtime::{Builder, Runtime};
use uuid::Uuid;

use crate::{Rows, texts, time};

pub const NAME: &str = "sqlx";
pub const CRATE: &str = NAME;
pub const TABLES: [&str; 1] = ["orders"];

static SHOP: Migrator = sqlx::migrate!("migrations/sqlx");
static CHANGE: Migrator = sqlx::migrate!("migrations/sqlx_change");

pub struct Commands {
    runtime: Runtime,
    db: PgPool,
}

impl Commands {
    pub fn new() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let url = std::env::var("DATABASE_URL").expect("a server");
        let db = runtime.block_on(async { PgPoolOptions::new().max_connections(2).connect(&url).await }).expect("a connection");
        Self { runtime, db }
    }

    pub fn run(&mut self, words: &[&str]) -> Rows {
        self.runtime.block_on(answer(&self.db, words))
    }
}

async fn answer(db: &PgPool, words: &[&str]) -> Rows {
    Ok(match *words {
        ["schema"] => {
            SHOP.run(db).await?;
            Vec::new()
        }
        ["change"] => {
            CHANGE.run(db).await?;
            Vec::new()
        }
        ["insert", _, n] => {
            let n: i32 = n.parse()?;
            // comb: sqlx_insert
            let id: Uuid = query_scalar("INSERT INTO orders (n) VALUES ($1) RETURNING id").bind(n).fetch_one(db).await?;
            // end
            texts([id])
        }
        ["batch", _, count] => {
            let rows: Vec<i32> = (0..count.parse()?).collect();
            let insert = query_scalar("INSERT INTO orders (n) SELECT unnest($1::integer[]) RETURNING id").bind(rows);
            texts::<Uuid>(insert.fetch_all(db).await?)
        }
        ["page", _, last] => {
            let page = query_scalar("SELECT n FROM orders WHERE id > $1 ORDER BY id LIMIT 10").bind(Uuid::parse_str(last)?);
            texts::<i32>(page.fetch_all(db).await?)
        }
        ["range", _, begin, until] => {
            let (begin, until) = (time(begin), time(until));
            // comb: sqlx_range
            let range = query_scalar("SELECT n FROM orders WHERE comb_between(id, $1, $2) ORDER BY id");
            let rows: Vec<i32> = range.bind(begin).bind(until).fetch_all(db).await?; // DateTime<Utc> of chrono
            // end
            texts(rows)
        }
        ["unzoned", begin, until] => {
            let range = query_scalar("SELECT n FROM orders WHERE comb_between(id, $1, $2) ORDER BY id");
            texts::<i32>(range.bind(time(begin).naive_utc()).bind(time(until).naive_utc()).fetch_all(db).await?)
        }
        ["timestamp", _, _, n] => {
            let timestamp = query_scalar("SELECT comb_timestamp(id) FROM orders WHERE n = $1").bind(n.parse::<i32>()?);
            texts([timestamp.fetch_one(db).await.map(|time: DateTime<Utc>| time.timestamp_millis())?])
        }
        ["newest", _] => texts::<i32>(query_scalar("SELECT n FROM orders ORDER BY id DESC LIMIT 1").fetch_all(db).await?),
        ["error", at] => {
            let error = query("SELECT comb_at($1)").bind(time(at)).execute(db).await.expect_err("an error");
            let error = error.into_database_error().expect("an error of the server");
            let error = error.downcast::<sqlx::postgres::PgDatabaseError>();
            texts([error.code(), error.message(), error.hint().unwrap_or_default()])
        }
        ["write", milliseconds, end, ref bodies @ ..] => {
            let mut transaction = db.begin().await?;
            for body in bodies {
                query("INSERT INTO events (body) VALUES ($1)").bind(body).execute(&mut *transaction).await?;
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
            // comb: sqlx_reader
            let settled = "
                SELECT position, body FROM events
                WHERE position > $1 AND position <= comb_number_horizon('events', after => $1)
                ORDER BY position LIMIT 1000";
            // end
            let all = "SELECT position, body FROM events WHERE position > $1 ORDER BY position LIMIT 1000";
            let rows: Vec<(i64, String)> =
                query_as(if horizon == "yes" { settled } else { all }).bind(cursor).fetch_all(db).await?;
            rows.into_iter().flat_map(|(position, body)| [position.to_string(), body]).collect()
        }
        ["call", statement] => {
            query(AssertSqlSafe(statement)).execute(db).await?;
            Vec::new()
        }
        _ => texts(["none"]),
    })
}
