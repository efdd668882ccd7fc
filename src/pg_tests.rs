//! Tests of one session, which `cargo pgrx test` runs. pg_test/ has the others.
//!
//! Each fails with a patch of pg_test/mistakes that names it.

use pgrx::prelude::*;
use uuid::Uuid;

/// pgrx calls functions of this schema.
#[pg_schema]
mod tests {
    use super::*;

    const ROWS: i64 = 1_000_000;

    /// The keys whose order PostgreSQL keeps: type, default, operator of the order.
    const KEYS: [[&str; 3]; 4] = [
        ["uuid", "comb_new()", ">"],
        ["uuid", "comb_new_mssql()", ">#"],
        ["uniqueidentifier", "comb_new_mssql()", ">"],
        ["uuid", "comb_new_mssql_legacy()", ">#"],
    ];

    fn value<T: FromDatum + IntoDatum>(query: &str) -> T {
        Spi::get_one(query).unwrap_or_else(|error| panic!("{query}: {error}")).unwrap_or_else(|| panic!("{query}: NULL"))
    }

    /// Stores a million rows with each key. They are in the order of the key where they are stored, and so are their numbers.
    fn assert_in_order(load: &str) {
        for [key, default, above] in KEYS {
            Spi::run(&format!("CREATE TEMPORARY TABLE keyed (id {key} DEFAULT {default}, n int)")).expect("a table");
            Spi::run(load).expect(load);
            let in_order = format!(
                "SELECT count(*) FROM (SELECT id {above} lag(id) OVER place AND n = lag(n) OVER place + 1 AS is_next
                 FROM keyed WINDOW place AS (ORDER BY ctid)) rows WHERE is_next"
            );
            assert_eq!(value::<i64>(&in_order), ROWS - 1, "{key} DEFAULT {default}");
            Spi::run("DROP TABLE keyed").expect("no table");
        }
    }

    #[pg_test]
    fn rows_of_a_select_are_in_order() {
        assert_in_order(&format!("INSERT INTO keyed (n) SELECT generate_series(1, {ROWS})"));
    }

    #[pg_test]
    fn rows_of_copy_are_in_order() {
        assert_in_order(&format!("COPY keyed (n) FROM PROGRAM 'seq {ROWS}'"));
    }

    #[pg_test]
    fn rows_of_single_statements_are_in_order() {
        assert_in_order(&format!("DO 'BEGIN FOR n IN 1..{ROWS} LOOP INSERT INTO keyed (n) VALUES (n); END LOOP; END'"));
    }

    /// To the second, the time that a key is generated at, and the clock's.
    #[pg_test]
    fn a_key_has_its_time() {
        let given = "SELECT count(*) FROM comb_layouts(), generate_series('1995-02-03 04:05:06.5Z'::timestamptz, '2059-01-01Z', '100 days') t
            WHERE abs(extract(epoch FROM comb_timestamp(comb_at(t, label), label) - t)) > 1";
        assert_eq!(value::<i64>(given), 0);
        let before: TimestampWithTimeZone = value("SELECT clock_timestamp() - interval '1 ms'");
        let between =
            "SELECT $1 <= comb_timestamp(comb_new()) AND comb_timestamp(comb_new()) < clock_timestamp() + interval '1 s'";
        assert_eq!(Spi::get_one_with_args(between, &[before.into()]), Ok(Some(true)));
    }

    /// SQL Server compares these bytes first: 10 to 15, then 8 and 9, 6 and 7, 4 and 5, 0 to 3.
    #[pg_test]
    fn keys_sort_as_in_sql_server() {
        let random = "SELECT array_agg(id::text ORDER BY id USING <#) FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 20000)
            UNION ALL SELECT overlay(gen_random_uuid()::text PLACING '8000-018e5f3bff48' FROM 20)::uuid FROM generate_series(1, 20000)) ids";
        let sorted: Vec<String> = value(random);
        let rank = |id: &String| {
            let bytes = Uuid::parse_str(id).expect("a uuid").into_bytes();
            [10, 11, 12, 13, 14, 15, 8, 9, 7, 6, 5, 4, 3, 2, 1, 0].map(|index: usize| bytes[index])
        };
        assert_eq!(sorted.len(), 40_000);
        assert!(sorted.is_sorted_by_key(rank));
    }

    #[pg_test(error = "unrecognized UUID layout: \"nothing\"")]
    fn a_layout_that_there_is_not() {
        Spi::run("SELECT comb_new('nothing')").expect("no error of Rust");
    }

    #[pg_test(error = "timestamp out of range for UUID layout \"uuidv7\": infinity")]
    fn a_time_that_a_layout_cannot_hold() {
        Spi::run("SELECT comb_at('infinity')").expect("no error of Rust");
    }
}
