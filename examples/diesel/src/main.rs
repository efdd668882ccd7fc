//! Ids of comb with Diesel: the jobs that every example does.

#[path = "../../lib/report.rs"]
mod report;

use chrono::{DateTime, TimeDelta, Utc};
use diesel::result::Error::DatabaseError;
use diesel::{PgConnection, prelude::*, sql_types};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use report::{Outcome, Report, check};
use std::time::Duration;
use uuid::Uuid;

// comb: schema
const MIGRATIONS: EmbeddedMigrations = embed_migrations!(); // the folder migrations

diesel::table! {
    orders (id) { id -> Uuid, n -> Integer, }
}
// end
// comb: schema_legacy
diesel::table! {
    legacy (id) { id -> Uuid, n -> Integer, } // in the database a uniqueidentifier
}
// end

// comb: range
#[diesel::declare_sql_function]
extern "SQL" {
    fn comb_between(
        id: sql_types::Uuid,
        from: sql_types::Timestamptz,
        to: sql_types::Timestamptz,
    ) -> sql_types::Bool;
}
// end

// comb: timestamp
#[diesel::declare_sql_function]
extern "SQL" {
    fn comb_timestamp(id: sql_types::Uuid) -> sql_types::Nullable<sql_types::Timestamptz>;
    fn comb_timestamp_mssql(id: sql_types::Uuid) -> sql_types::Nullable<sql_types::Timestamptz>;
}
// end

#[diesel::declare_sql_function]
extern "SQL" {
    fn comb_at(at: sql_types::Timestamptz) -> sql_types::Uuid;
}

// comb: newest
#[diesel::declare_sql_function]
extern "SQL" {
    // Of uniqueidentifier: PostgreSQL up to 18 has no max(uuid). diesel::dsl::max takes no Uuid.
    #[aggregate]
    #[sql_name = "max"]
    fn max_id(id: sql_types::Uuid) -> sql_types::Nullable<sql_types::Uuid>;
}
// end

#[derive(QueryableByName)]
struct Catalog {
    #[diesel(sql_type = sql_types::Text)]
    catalog: String,
}

fn main() {
    let mut report = Report::new("diesel", include_str!("../Cargo.lock"));
    let url = std::env::var("DATABASE_URL").expect("DATABASE_URL");
    let db = &mut PgConnection::establish(&url).expect("a connection");

    report.job("schema", schema(db));
    report.job("schema_again", schema_again(db));
    report.job("insert", insert(db));
    std::thread::sleep(Duration::from_millis(10));
    let begin = Utc::now(); // after the row 0, milliseconds before the rows 1 to 1000
    std::thread::sleep(Duration::from_millis(10));
    report.job("batch", batch(db));
    report.job("page", page(db));
    report.job("range", range(db, begin));
    report.job("timestamp", timestamp(db));
    report.job("error", error(db));
    report.job("newest", newest(db));
    report.end();
}

fn schema(db: &mut PgConnection) -> Outcome {
    // comb: schema
    db.run_pending_migrations(MIGRATIONS)?;
    // end
    Ok(())
}

fn schema_again(db: &mut PgConnection) -> Outcome {
    let before = diesel::sql_query(report::CATALOG).get_result::<Catalog>(db)?.catalog;
    check(db.has_pending_migration(MIGRATIONS)?, false)?;
    schema(db)?;
    check(diesel::sql_query(report::CATALOG).get_result::<Catalog>(db)?.catalog, before)
}

// Each job for both tables, in the same words: what is generic over Diesel's tables is hard to read.

fn insert(db: &mut PgConnection) -> Outcome {
    // comb: insert
    let id: Uuid = diesel::insert_into(orders::table)
        .values(orders::n.eq(0))
        .returning(orders::id)
        .get_result(db)?;
    // end
    check(orders::table.find(id).select(orders::n).load(db)?, vec![0])?;

    let id: Uuid = diesel::insert_into(legacy::table)
        .values(legacy::n.eq(0))
        .returning(legacy::id)
        .get_result(db)?;
    check(legacy::table.find(id).select(legacy::n).load(db)?, vec![0])
}

fn batch(db: &mut PgConnection) -> Outcome {
    // comb: batch
    let rows: Vec<_> = (1..=1000).map(|n| orders::n.eq(n)).collect();
    let rows: Vec<(Uuid, i32)> = diesel::insert_into(orders::table).values(rows).get_results(db)?;
    // end
    check(rows.iter().map(|row| row.1).collect(), (1..=1000).collect::<Vec<_>>())?;
    check(orders::table.filter(orders::n.gt(0)).order(orders::id).load(db)?, rows)?;
    check(orders::table.order(orders::id).select(orders::n).load(db)?, (0..=1000).collect())?;

    let rows: Vec<_> = (1..=1000).map(|n| legacy::n.eq(n)).collect();
    let rows: Vec<(Uuid, i32)> = diesel::insert_into(legacy::table).values(rows).get_results(db)?;
    check(rows.iter().map(|row| row.1).collect(), (1..=1000).collect::<Vec<_>>())?;
    check(legacy::table.filter(legacy::n.gt(0)).order(legacy::id).load(db)?, rows)?;
    check(legacy::table.order(legacy::id).select(legacy::n).load(db)?, (0..=1000).collect())
}

fn page(db: &mut PgConnection) -> Outcome {
    let last: Uuid = orders::table.filter(orders::n.eq(500)).select(orders::id).get_result(db)?;
    // comb: page
    let page: Vec<(Uuid, i32)> =
        orders::table.filter(orders::id.gt(last)).order(orders::id).limit(10).load(db)?;
    // end
    check(page.into_iter().map(|row| row.1).collect(), (501..=510).collect::<Vec<_>>())?;

    let last: Uuid = legacy::table.filter(legacy::n.eq(500)).select(legacy::id).get_result(db)?;
    let page: Vec<(Uuid, i32)> =
        legacy::table.filter(legacy::id.gt(last)).order(legacy::id).limit(10).load(db)?;
    check(page.into_iter().map(|row| row.1).collect(), (501..=510).collect::<Vec<_>>())
}

fn range(db: &mut PgConnection, begin: DateTime<Utc>) -> Outcome {
    let minute = TimeDelta::minutes(1);
    for (from, to, n) in [(begin, begin + minute, 1..=1000), (begin - minute, begin, 0..=0)] {
        // comb: range
        let between = orders::table.filter(comb_between(orders::id, from, to)); // of type DateTime<Utc>
        // end
        check(
            between.order(orders::id).select(orders::n).load(db)?,
            n.clone().collect::<Vec<i32>>(),
        )?;

        let between = legacy::table.filter(comb_between(legacy::id, from, to));
        check(between.order(legacy::id).select(legacy::n).load(db)?, n.collect::<Vec<i32>>())?;
    }
    Ok(())
}

fn timestamp(db: &mut PgConnection) -> Outcome {
    // comb: timestamp
    let at: Option<DateTime<Utc>> = orders::table.select(comb_timestamp(orders::id)).first(db)?;
    let at_mssql: Option<DateTime<Utc>> =
        legacy::table.select(comb_timestamp_mssql(legacy::id)).first(db)?;
    // end
    for at in [at, at_mssql] {
        check((Utc::now() - at.ok_or("no time")?).abs() < TimeDelta::minutes(1), true)?;
    }
    Ok(())
}

fn error(db: &mut PgConnection) -> Outcome {
    let moon: DateTime<Utc> = "1969-07-20T20:17:40Z".parse()?;
    // comb: error
    let result: QueryResult<Uuid> = diesel::select(comb_at(moon)).get_result(db);
    let Err(DatabaseError(_, error)) = result else { return Err("no error of the server".into()) };
    let (message, detail) = (error.message(), error.details()); // Diesel has no SQLSTATE
    // end
    check(message, "timestamp out of range for UUID layout \"uuidv7\"")?;
    check(
        detail
            .unwrap_or_default()
            .starts_with("The layout can represent times from 1970-01-01T00:00:00+00:00 to "),
        true,
    )
}

fn newest(db: &mut PgConnection) -> Outcome {
    // comb: newest
    let newest: (Uuid, i32) = orders::table.order(orders::id.desc()).first(db)?;
    // end
    check(newest.1, 1000)?;

    let last: (Uuid, i32) = legacy::table.order(legacy::id.desc()).first(db)?;
    check(last.1, 1000)?;
    // comb: newest
    let newest: Option<Uuid> = legacy::table.select(max_id(legacy::id)).get_result(db)?;
    // end
    check(newest, Some(last.0))
}
