//! Ids of comb with sqlx: the jobs that every example does.

mod report;

use chrono::{DateTime, TimeDelta, Utc};
use report::{Outcome, Report, check};
use sqlx::postgres::{PgDatabaseError, PgPool};
use sqlx::{AssertSqlSafe, query_as, query_scalar};
use std::time::Duration;
use uuid::Uuid;

const TABLES: [&str; 2] = ["orders", "legacy"];

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut report = Report::new();
    let url = std::env::var("DATABASE_URL").expect("DATABASE_URL");
    let db = PgPool::connect(&url).await.expect("a connection");

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

async fn schema(db: &PgPool) -> Outcome {
    sqlx::migrate!().run(db).await?; // the folder migrations
    Ok(())
}

async fn schema_again(db: &PgPool) -> Outcome {
    let before: String = query_scalar(report::CATALOG).fetch_one(db).await?;
    schema(db).await?;
    check(query_scalar(report::CATALOG).fetch_one(db).await?, before)
}

// For legacy: id::uuid in a result, because sqlx reads no uniqueidentifier; and the table's name before id in ORDER BY,
// which would be the column of the result without. Where one statement serves both tables, it is written in that way.

async fn insert(db: &PgPool) -> Outcome {
    // comb: insert
    let insert = "INSERT INTO orders (n) VALUES ($1) RETURNING id";
    let id: Uuid = query_scalar(insert).bind(0).fetch_one(db).await?;
    // end
    let select = "SELECT n FROM orders WHERE id = $1";
    check(query_scalar(select).bind(id).fetch_all(db).await?, vec![0])?;

    let insert = "INSERT INTO legacy (n) VALUES ($1) RETURNING id::uuid";
    let id: Uuid = query_scalar(insert).bind(0).fetch_one(db).await?;
    let select = "SELECT n FROM legacy WHERE id = $1";
    check(query_scalar(select).bind(id).fetch_all(db).await?, vec![0])
}

async fn batch(db: &PgPool) -> Outcome {
    for table in TABLES {
        let n: Vec<i32> = (1..=1000).collect();
        let insert = format!("INSERT INTO {table} (n) SELECT unnest($1) RETURNING id::uuid");
        let ids: Vec<Uuid> = query_scalar(AssertSqlSafe(insert)).bind(&n).fetch_all(db).await?;
        let select = format!("SELECT id::uuid, n FROM {table} WHERE n > 0 ORDER BY {table}.id");
        let stored: Vec<(Uuid, i32)> = query_as(AssertSqlSafe(select)).fetch_all(db).await?;
        check(stored, ids.into_iter().zip(n).collect())?;
        let select = format!("SELECT n FROM {table} ORDER BY id");
        let stored: Vec<i32> = query_scalar(AssertSqlSafe(select)).fetch_all(db).await?;
        check(stored, (0..=1000).collect())?;
    }
    Ok(())
}

async fn page(db: &PgPool) -> Outcome {
    let last: Uuid = query_scalar("SELECT id FROM orders WHERE n = 500").fetch_one(db).await?;
    let page = "SELECT id, n FROM orders WHERE id > $1 ORDER BY id LIMIT 10";
    let page: Vec<(Uuid, i32)> = query_as(page).bind(last).fetch_all(db).await?;
    check(page.into_iter().map(|(_, n)| n).collect(), (501..=510).collect::<Vec<_>>())?;

    let last: Uuid = query_scalar("SELECT id::uuid FROM legacy WHERE n = 500").fetch_one(db).await?;
    let page = "SELECT id::uuid, n FROM legacy WHERE id > $1 ORDER BY legacy.id LIMIT 10";
    let page: Vec<(Uuid, i32)> = query_as(page).bind(last).fetch_all(db).await?;
    check(page.into_iter().map(|(_, n)| n).collect(), (501..=510).collect::<Vec<_>>())
}

async fn range(db: &PgPool, begin: DateTime<Utc>) -> Outcome {
    let minute = TimeDelta::minutes(1);
    for (from, to, n) in [(begin, begin + minute, 1..=1000), (begin - minute, begin, 0..=0)] {
        let expected: Vec<i32> = n.collect();
        let between = "SELECT n FROM orders WHERE comb_between(id, $1, $2) ORDER BY id";
        // Of type DateTime<Utc>.
        let rows: Vec<i32> = query_scalar(between).bind(from).bind(to).fetch_all(db).await?;
        check(rows, expected.clone())?;

        let between = "SELECT n FROM legacy WHERE comb_between(id, $1, $2) ORDER BY id";
        let rows: Vec<i32> = query_scalar(between).bind(from).bind(to).fetch_all(db).await?;
        check(rows, expected)?;
    }
    Ok(())
}

async fn timestamp(db: &PgPool) -> Outcome {
    for select in ["SELECT comb_timestamp(id) FROM orders WHERE n = 0", "SELECT comb_timestamp_mssql(id) FROM legacy WHERE n = 0"]
    {
        let at: DateTime<Utc> = query_scalar(select).fetch_one(db).await?;
        check((Utc::now() - at).abs() < TimeDelta::minutes(1), true)?;
    }
    Ok(())
}

async fn error(db: &PgPool) -> Outcome {
    let moon: DateTime<Utc> = "1969-07-20T20:17:40Z".parse()?;
    let result: Result<Uuid, _> = query_scalar("SELECT comb_at($1)").bind(moon).fetch_one(db).await;
    let error = result.err().ok_or("no error")?;
    let error = error.as_database_error().ok_or("no error of the server")?.downcast_ref::<PgDatabaseError>();
    let (sqlstate, message, detail) = (error.code(), error.message(), error.detail());
    check(sqlstate, "22008")?;
    check(message, "timestamp out of range for UUID layout \"uuidv7\"")?;
    check(detail.unwrap_or_default().starts_with("The layout can represent times from 1970-01-01T00:00:00+00:00 to "), true)
}

async fn newest(db: &PgPool) -> Outcome {
    for table in TABLES {
        let newest = format!("SELECT id::uuid, n FROM {table} ORDER BY {table}.id DESC LIMIT 1");
        let newest: (Uuid, i32) = query_as(AssertSqlSafe(newest)).fetch_one(db).await?;
        check(newest.1, 1000)?;
    }
    let newest: Uuid = query_scalar("SELECT max(id)::uuid FROM legacy").fetch_one(db).await?; // up to 18 no max(uuid)
    let n = query_scalar("SELECT n FROM legacy WHERE id = $1").bind(newest).fetch_all(db).await?;
    check(n, vec![1000])
}
