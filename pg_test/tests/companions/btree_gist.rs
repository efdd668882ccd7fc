//! Exclusion constraints and temporal keys of btree_gist with keys of type uniqueidentifier.

use pg_test::{installation, sqlstate};

use super::common::{Host, Section};

const BOOKINGS: &str = "
    INSERT INTO bookings
    SELECT comb_at('2026-11-22Z'::timestamptz + n * interval '1 hour', 'mssql'), '[2026-11-22, 2026-11-23)'
    FROM generate_series(1, 2000) n;
    INSERT INTO bookings SELECT room, '[2026-11-23, 2026-11-24)' FROM bookings;
    INSERT INTO bookings VALUES ('d01c25cc-63a7-47cc-b5ba-018e5f3bff48', '[2026-11-22 11:00Z, 2026-11-22 13:00Z)');
    ANALYZE bookings";

const RATES: &str = "
    INSERT INTO rates SELECT comb_new_mssql(), '[2026-01-01, 2026-07-01)' FROM generate_series(1, 100);
    INSERT INTO rates SELECT product, '[2026-07-01, 2027-01-01)' FROM rates";

#[test]
fn constraints_find_overlaps() {
    if !installation().has("btree_gist") {
        return;
    }
    let hosts = [Host::start(&[])];
    let [a] = &hosts;
    let mut section = Section::of("docs/extensions.md", "btree_gist", &hosts);
    a.app("CREATE EXTENSION comb");
    section.run(a, "CREATE EXTENSION btree_gist");
    let mut client = a.connect();

    a.app(BOOKINGS);
    let overlap = "INSERT INTO bookings SELECT room, '[2026-11-23, 2026-11-24)' FROM bookings LIMIT 1";
    assert_eq!(sqlstate(&mut client, overlap), "23P01");
    assert_eq!(a.app("SELECT count(*) FROM bookings"), "4001");

    let by_index = "Index Cond: (((room)::uuid";
    let query = section.block("SELECT * FROM bookings").sql;
    assert!(a.app(&format!("EXPLAIN {query}")).contains(by_index));
    assert!(a.app(&query).starts_with("d01c25cc"));
    let without_cast = "EXPLAIN SELECT * FROM bookings WHERE room = 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48'";
    assert!(!a.app(without_cast).contains(by_index));

    let temporal_key = section.block("WITHOUT OVERLAPS").sql;
    if installation().major >= 18 {
        a.app(&temporal_key);
        a.app(RATES);
        let overlap = "INSERT INTO rates SELECT product, '[2026-12-01, 2027-02-01)' FROM rates LIMIT 1";
        assert_eq!(sqlstate(&mut client, overlap), "23P01");
    }
    section.end();
}
