use pgrx::prelude::*;

use crate::layout::{LAYOUTS, Layout};
use crate::order::Bytes;

fn ids_of(query: &str) -> Vec<Bytes> {
    let ids = Spi::get_one::<Vec<pgrx::Uuid>>(query).expect(query).expect("ids");
    ids.iter().map(|id| *id.as_bytes()).collect()
}

/// The bytes in the order in which the system of that name compares them.
fn compared(layout: &Layout, id: &Bytes) -> Bytes {
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *id;
    match layout.order.label() {
        "postgres" => *id,
        "dotnet" => [d, c, b, a, f, e, h, g, i, j, k, l, m, n, o, p],
        "sqlserver" => [k, l, m, n, o, p, i, j, h, g, f, e, d, c, b, a],
        other => panic!("{other}"),
    }
}

#[pg_test(schema = "tests")]
fn ids_of_every_layout_increase_in_its_order() {
    for layout in &LAYOUTS {
        let ids = ids_of(&format!(
            "SELECT array_agg(id ORDER BY n)
             FROM (SELECT n, comb_new('{}') AS id FROM generate_series(1, 50000) n) ids",
            layout.label
        ));
        assert_eq!(ids.len(), 50_000);
        let increasing = ids.is_sorted_by(|a, b| compared(layout, a) < compared(layout, b));
        assert!(increasing, "{}", layout.label);
    }
}

#[pg_test(schema = "tests")]
fn the_named_functions_write_their_layouts() {
    for (function, label) in
        [("comb_new_mssql()", "mssql"), ("comb_new_mssql_legacy()", "mssql_legacy")]
    {
        let layout = LAYOUTS.iter().find(|layout| layout.label == label).expect(label);
        let ids = ids_of(&format!(
            "SELECT array_agg(id ORDER BY n)
             FROM (SELECT n, {function} AS id FROM generate_series(1, 50000) n) ids"
        ));
        assert!(ids.is_sorted_by(|a, b| compared(layout, a) < compared(layout, b)), "{label}");
        assert!(ids.iter().all(|id| layout.is_stamped(id)), "{label}");
        let now = Spi::get_one::<bool>(&format!(
            "SELECT comb_timestamp_{label}({function})
                 BETWEEN clock_timestamp() - interval '10 s' AND clock_timestamp() + interval '10 s'"
        ));
        assert_eq!(now, Ok(Some(true)), "{label}");
    }
}

#[pg_test(schema = "tests")]
fn bsv_texts_increase_under_collate_c() {
    let increasing = Spi::get_one::<bool>(
        "SELECT bool_and(bsv COLLATE \"C\" > before)
         FROM (SELECT bsv, lag(bsv) OVER (ORDER BY n) AS before
               FROM (SELECT n, comb_new_bsv() AS bsv FROM generate_series(1, 50000) n) texts) pairs
         WHERE before IS NOT NULL",
    );
    assert_eq!(increasing, Ok(Some(true)));
}

/// All ids of a backend carry one random process id, in the bytes that SQL Server compares last.
#[pg_test(schema = "tests")]
fn process_ticks_mark_the_process() {
    let processes = Spi::get_one::<i64>(
        "SELECT count(DISTINCT left(comb_new('process_ticks')::text, 18))
         FROM generate_series(1, 1000)",
    );
    assert_eq!(processes, Ok(Some(1)));
}

/// At a moment that is given, process_ticks has no tick to tell two ids apart: they are random.
#[pg_test(schema = "tests")]
fn comb_at_makes_distinct_ids_in_every_layout() {
    for layout in &LAYOUTS {
        let distinct = Spi::get_one::<i64>(&format!(
            "SELECT count(DISTINCT comb_at('2020-01-01', '{}')) FROM generate_series(1, 1000)",
            layout.label
        ));
        assert_eq!(distinct, Ok(Some(1000)), "{}", layout.label);
    }
}

#[pg_test(schema = "tests")]
fn moments_come_back_to_the_resolution_of_the_layout() {
    for layout in &LAYOUTS {
        let unit = match layout.clock.resolution() {
            "1/300 s" => "3334 us",
            "1 ms" => "1 ms",
            "10 us" => "10 us",
            "100 ns" => "1 us",
            other => panic!("{other}"),
        };
        let off = Spi::get_one::<i64>(&format!(
            "SELECT count(*)
             FROM (SELECT timestamptz '1999-12-31 23:59:59.9Z' + n * interval '12345.678 s' AS at
                   FROM generate_series(0, 20000) n) moments,
                  LATERAL (SELECT comb_timestamp(comb_at(at, '{0}'), '{0}') AS read) ids
             WHERE at < '2059-01-01'
                   AND abs(extract(epoch FROM at - read)) >= extract(epoch FROM interval '{unit}')",
            layout.label
        ));
        assert_eq!(off, Ok(Some(0)), "{}", layout.label);
    }
}
