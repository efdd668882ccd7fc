//! Ids of comb with tokio-postgres: the jobs that every example does.

#[path = "../../lib/report.rs"]
mod report;

use chrono::{DateTime, TimeDelta, Utc};
use report::{Outcome, Report, check};
use std::time::Duration;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

// comb: id_legacy
/// A key of type uuid or uniqueidentifier. tokio-postgres itself accepts a Uuid for uuid only.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Id(Uuid);

impl<'a> FromSql<'a> for Id {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Id(Uuid::from_slice(raw)?))
    }
    fn accepts(of: &Type) -> bool {
        *of == Type::UUID || of.name() == "uniqueidentifier"
    }
}

impl ToSql for Id {
    fn to_sql(
        &self,
        of: &Type,
        out: &mut bytes::BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        self.0.to_sql(of, out)
    }
    fn accepts(of: &Type) -> bool {
        <Id as FromSql>::accepts(of)
    }
    to_sql_checked!();
}
// end

const TABLES: [&str; 2] = ["orders", "legacy"];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut report = Report::new("tokio-postgres", include_str!("../Cargo.lock"));
    let url = std::env::var("DATABASE_URL").expect("DATABASE_URL");
    let (db, connection) = tokio_postgres::connect(&url, NoTls).await.expect("a connection");
    tokio::spawn(connection);

    report.job("schema", schema(&db).await);
    report.job("schema_again", schema_again(&db).await);
    report.job("insert", insert(&db).await);
    tokio::time::sleep(Duration::from_millis(10)).await;
    let begin = Utc::now(); // after the row 0, milliseconds before the rows 1 to 1000
    tokio::time::sleep(Duration::from_millis(10)).await;
    report.job("batch", batch(&db).await);
    report.job("page", page(&db).await);
    report.job("range", range(&db, begin).await);
    report.job("timestamp", timestamp(&db).await);
    report.job("error", error(&db).await);
    report.job("newest", newest(&db).await);
    report.end();
}

async fn schema(db: &Client) -> Outcome {
    // comb: schema
    db.batch_execute(
        "CREATE EXTENSION IF NOT EXISTS comb;
         CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer);
         CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer)",
    )
    .await?;
    // end
    Ok(())
}

async fn schema_again(db: &Client) -> Outcome {
    let before: String = db.query_one(report::CATALOG, &[]).await?.get(0);
    schema(db).await?;
    check(db.query_one(report::CATALOG, &[]).await?.get::<_, String>(0), before)
}

async fn insert(db: &Client) -> Outcome {
    // comb: insert
    let row = db.query_one("INSERT INTO orders (n) VALUES ($1) RETURNING id", &[&0]).await?;
    let id: Uuid = row.get("id");
    // end
    check(numbers(db, "SELECT n FROM orders WHERE id = $1", &[&id]).await?, vec![0])?;

    let row = db.query_one("INSERT INTO legacy (n) VALUES ($1) RETURNING id", &[&0]).await?;
    let id: Id = row.get("id");
    check(numbers(db, "SELECT n FROM legacy WHERE id = $1", &[&id]).await?, vec![0])
}

async fn batch(db: &Client) -> Outcome {
    for table in TABLES {
        let n: Vec<i32> = (1..=1000).collect();
        // comb: batch
        let insert = format!("INSERT INTO {table} (n) SELECT unnest($1::integer[]) RETURNING id");
        let ids: Vec<Id> =
            db.query(&insert, &[&n]).await?.iter().map(|row| row.get("id")).collect();
        // end
        check(
            numbers(db, &format!("SELECT n FROM {table} ORDER BY id"), &[]).await?,
            (0..=1000).collect(),
        )?;
        let stored =
            db.query(&format!("SELECT id FROM {table} WHERE n > 0 ORDER BY n"), &[]).await?;
        check(ids, stored.iter().map(|row| row.get("id")).collect())?;
    }
    Ok(())
}

async fn page(db: &Client) -> Outcome {
    let last: Uuid = db.query_one("SELECT id FROM orders WHERE n = 500", &[]).await?.get("id");
    // comb: page
    let page = "SELECT id, n FROM orders WHERE id > $1 ORDER BY id LIMIT 10";
    let page = db.query(page, &[&last]).await?;
    // end
    check(page.iter().map(|row| row.get("n")).collect(), (501..=510).collect::<Vec<i32>>())?;

    let last: Id = db.query_one("SELECT id FROM legacy WHERE n = 500", &[]).await?.get("id");
    let page = "SELECT id, n FROM legacy WHERE id > $1 ORDER BY id LIMIT 10";
    check(numbers(db, page, &[&last]).await?, (501..=510).collect())
}

async fn range(db: &Client, begin: DateTime<Utc>) -> Outcome {
    let minute = TimeDelta::minutes(1);
    for (from, to, n) in [(begin, begin + minute, 1..=1000), (begin - minute, begin, 0..=0)] {
        let expected: Vec<i32> = n.collect();
        // comb: range
        let between = "SELECT id, n FROM orders WHERE comb_between(id, $1, $2) ORDER BY id";
        let rows = db.query(between, &[&from, &to]).await?; // of type DateTime<Utc>
        // end
        check(rows.iter().map(|row| row.get("n")).collect(), expected.clone())?;

        let between = "SELECT id, n FROM legacy WHERE comb_between(id, $1, $2) ORDER BY id";
        check(numbers(db, between, &[&from, &to]).await?, expected)?;
    }
    Ok(())
}

async fn timestamp(db: &Client) -> Outcome {
    for select in [
        "SELECT comb_timestamp(id) AS at FROM orders",
        "SELECT comb_timestamp_mssql(id) AS at FROM legacy",
    ] {
        // comb: timestamp
        let at: DateTime<Utc> =
            db.query_one(&format!("{select} WHERE n = 0"), &[]).await?.get("at");
        // end
        check((Utc::now() - at).abs() < TimeDelta::minutes(1), true)?;
    }
    Ok(())
}

async fn error(db: &Client) -> Outcome {
    let moon: DateTime<Utc> = "1969-07-20T20:17:40Z".parse()?;
    let error = db.query_one("SELECT comb_at($1)", &[&moon]).await.err().ok_or("no error")?;
    // comb: error
    let error = error.as_db_error().ok_or("no error of the server")?;
    let (sqlstate, message, detail) = (error.code().code(), error.message(), error.detail());
    // end
    check(sqlstate, "22008")?;
    check(message, "timestamp out of range for UUID layout \"uuidv7\"")?;
    check(
        detail
            .unwrap_or_default()
            .starts_with("The layout can represent times from 1970-01-01T00:00:00+00:00 to "),
        true,
    )
}

async fn newest(db: &Client) -> Outcome {
    for table in TABLES {
        // comb: newest
        let newest = db
            .query_one(&format!("SELECT id, n FROM {table} ORDER BY id DESC LIMIT 1"), &[])
            .await?;
        // end
        check(newest.get("n"), 1000)?;
    }
    // comb: newest
    let newest: Id = db.query_one("SELECT max(id) FROM legacy", &[]).await?.get(0); // max(uuid) is not in PostgreSQL up to 18
    // end
    check(numbers(db, "SELECT n FROM legacy WHERE id = $1", &[&newest]).await?, vec![1000])
}

async fn numbers(
    db: &Client,
    query: &str,
    parameters: &[&(dyn ToSql + Sync)],
) -> Result<Vec<i32>, tokio_postgres::Error> {
    Ok(db.query(query, parameters).await?.iter().map(|row| row.get("n")).collect())
}
