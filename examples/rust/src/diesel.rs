//! Diesel with its migrations.

use std::thread::sleep;
use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::result::{DatabaseErrorKind, Error};
use diesel::sql_query;
use diesel::sql_types::Timestamptz;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use uuid::Uuid;

use self::comb::{comb_between, comb_number_horizon, comb_timestamp};
use crate::{Rows, texts, time};

pub const NAME: &str = "Diesel";
pub const CRATE: &str = "diesel";
pub const TABLES: [&str; 1] = ["orders"];

const SHOP: EmbeddedMigrations = embed_migrations!("migrations/diesel");
const CHANGE: EmbeddedMigrations = embed_migrations!("migrations/diesel_change");

// comb: diesel
diesel::table! {
    orders (id) {
        id -> Uuid,
        n -> Integer,
    }
}

diesel::table! {
    events (position) {
        position -> BigInt,
        body -> Text,
    }
}

mod comb {
    use diesel::sql_types::*;

    #[diesel::declare_sql_function]
    extern "SQL" {
        fn comb_between(id: Uuid, begin: Timestamptz, until: Timestamptz) -> Bool;
        fn comb_timestamp(id: Uuid) -> Nullable<Timestamptz>;
        fn comb_number_horizon(relation: Text, key: Text, after: BigInt) -> BigInt;
    }
}
// end

pub struct Commands(Option<PgConnection>);

fn connect() -> PgConnection {
    PgConnection::establish(&std::env::var("DATABASE_URL").expect("a server")).expect("a connection")
}

impl Commands {
    pub fn new() -> Self {
        Self(Some(connect()))
    }

    pub fn run(&mut self, words: &[&str]) -> Rows {
        let mut db = self.0.take().unwrap_or_else(connect);
        let result = answer(&mut db, words);
        self.0 = sql_query("SELECT 1").execute(&mut db).is_ok().then_some(db);
        result
    }
}

fn answer(db: &mut PgConnection, words: &[&str]) -> Rows {
    Ok(match *words {
        ["schema"] => {
            db.run_pending_migrations(SHOP)?;
            Vec::new()
        }
        ["change"] => {
            db.run_pending_migrations(CHANGE)?;
            Vec::new()
        }
        ["insert", _, n] => {
            let n: i32 = n.parse()?;
            // comb: diesel_insert
            let id: Uuid = diesel::insert_into(orders::table).values(orders::n.eq(n)).returning(orders::id).get_result(db)?;
            // end
            texts([id])
        }
        ["batch", _, count] => {
            let rows: Vec<_> = (0..count.parse()?).map(|n: i32| orders::n.eq(n)).collect();
            texts::<Uuid>(diesel::insert_into(orders::table).values(rows).returning(orders::id).get_results(db)?)
        }
        ["page", _, last] => {
            let page = orders::table.filter(orders::id.gt(Uuid::parse_str(last)?)).order(orders::id).limit(10);
            texts::<i32>(page.select(orders::n).load(db)?)
        }
        ["range", _, begin, until] => {
            let (begin, until) = (time(begin), time(until));
            // comb: diesel_range
            let rows = orders::table.filter(comb_between(orders::id, begin, until)).order(orders::id);
            // end
            texts::<i32>(rows.select(orders::n).load(db)?)
        }
        ["timestamp", _, _, n] => {
            let timestamp = orders::table.filter(orders::n.eq(n.parse::<i32>()?)).select(comb_timestamp(orders::id));
            texts([timestamp.first::<Option<DateTime<Utc>>>(db)?.expect("a time").timestamp_millis()])
        }
        ["newest", _] => texts::<i32>(orders::table.order(orders::id.desc()).limit(1).select(orders::n).load(db)?),
        ["error", at] => {
            let error = sql_query("SELECT comb_at($1)").bind::<Timestamptz, _>(time(at)).execute(db).expect_err("an error");
            // Diesel has no SQLSTATE: errors of other kinds than constraints are Unknown.
            let Error::DatabaseError(DatabaseErrorKind::Unknown, error) = error else { return Err(error.into()) };
            texts(["22008", error.message(), error.hint().unwrap_or_default()])
        }
        ["write", milliseconds, end, ref bodies @ ..] => {
            let milliseconds = milliseconds.parse()?;
            let rows: Vec<_> = bodies.iter().map(|body| events::body.eq(*body)).collect();
            let result = db.transaction(|db| {
                diesel::insert_into(events::table).values(rows).execute(db)?;
                sleep(Duration::from_millis(milliseconds));
                if end == "commit" { Ok(()) } else { Err(Error::RollbackTransaction) }
            });
            result.or_else(|error| if error == Error::RollbackTransaction { Ok(()) } else { Err(error) })?;
            Vec::new()
        }
        ["poll", cursor, horizon] => {
            let cursor: i64 = cursor.parse()?;
            // comb: diesel_reader
            let new = events::table.filter(events::position.gt(cursor)).order(events::position).limit(1000);
            let settled = new.filter(events::position.le(comb_number_horizon("events", "position", cursor)));
            // end
            let rows: Vec<(i64, String)> = if horizon == "yes" { settled.load(db)? } else { new.load(db)? };
            rows.into_iter().flat_map(|(position, body)| [position.to_string(), body]).collect()
        }
        ["call", statement] => {
            sql_query(statement).execute(db)?;
            Vec::new()
        }
        _ => texts(["none"]),
    })
}
