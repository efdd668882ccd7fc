use comb_id::layouts::labelled;
use postgres::Client;
use uuid::{Bytes, Uuid};

use super::common::{connect, value};

/// A layout, as `comb_layouts()` describes it.
struct Layout {
    label: String,
    /// The version that its ids are stamped with.
    stamp: Option<i32>,
    resolution: String,
}

fn layouts(client: &mut Client) -> Vec<Layout> {
    let query = "SELECT label, stamp, resolution FROM comb_layouts()";
    let rows = client.query(query, &[]).expect("the layouts");
    let layouts: Vec<_> =
        rows.iter().map(|row| Layout { label: row.get(0), stamp: row.get(1), resolution: row.get(2) }).collect();
    assert!(!layouts.is_empty());
    layouts
}

fn ids_of(client: &mut Client, query: &str) -> Vec<Bytes> {
    value::<Vec<Uuid>>(client, query).into_iter().map(Uuid::into_bytes).collect()
}

/// The bytes in the order in which they are compared.
fn compared(label: &str, id: &Bytes) -> Bytes {
    let layout = labelled(label.as_bytes()).expect("a layout");
    layout.order.positions().map(|position| id[usize::from(position)])
}

/// Whether the version and the variant are where RFC 9562 has them.
fn is_stamped(layout: &Layout, id: &Bytes) -> bool {
    layout.stamp.is_none_or(|version| i32::from(id[6] >> 4) == version && id[8] >> 6 == 0b10)
}

#[test]
fn ids_of_every_layout_increase_in_its_order() {
    let mut client = connect();
    for layout in layouts(&mut client) {
        let ids = ids_of(
            &mut client,
            &format!(
                "SELECT array_agg(id ORDER BY n)
                 FROM (SELECT n, comb_new('{}') AS id FROM generate_series(1, 50000) n) ids",
                layout.label
            ),
        );
        assert_eq!(ids.len(), 50_000);
        let increasing = ids.is_sorted_by(|a, b| compared(&layout.label, a) < compared(&layout.label, b));
        assert!(increasing, "{}", layout.label);
    }
}

#[test]
fn the_named_functions_write_their_layouts() {
    let mut client = connect();
    let layouts = layouts(&mut client);
    for (function, label) in [("comb_new_mssql()", "mssql"), ("comb_new_mssql_legacy()", "mssql_legacy")] {
        let layout = layouts.iter().find(|layout| layout.label == label).expect(label);
        let ids = ids_of(
            &mut client,
            &format!(
                "SELECT array_agg(id ORDER BY n)
                 FROM (SELECT n, {function} AS id FROM generate_series(1, 50000) n) ids"
            ),
        );
        assert!(ids.is_sorted_by(|a, b| compared(label, a) < compared(label, b)), "{label}");
        assert_eq!(layout.stamp, Some(4));
        assert!(ids.iter().all(|id| is_stamped(layout, id)), "{label}");
        let now: bool = value(
            &mut client,
            &format!(
                "SELECT comb_timestamp_{label}({function})
                     BETWEEN clock_timestamp() - interval '10 s' AND clock_timestamp() + interval '10 s'"
            ),
        );
        assert!(now, "{label}");
    }
}

#[test]
fn bsv_texts_increase_under_collate_c() {
    let increasing: bool = value(
        &mut connect(),
        "SELECT bool_and(bsv COLLATE \"C\" > before)
         FROM (SELECT bsv, lag(bsv) OVER (ORDER BY n) AS before
               FROM (SELECT n, comb_new_bsv() AS bsv FROM generate_series(1, 50000) n) texts) pairs
         WHERE before IS NOT NULL",
    );
    assert!(increasing);
}

/// All ids of a backend carry one random process id, in the bytes that SQL Server compares last.
#[test]
fn process_ticks_mark_the_process() {
    let processes: i64 = value(
        &mut connect(),
        "SELECT count(DISTINCT left(comb_new('process_ticks')::text, 18))
         FROM generate_series(1, 1000)",
    );
    assert_eq!(processes, 1);
}

/// One node and one clock sequence, and so in SQL Server's order, also after random bits were seeded anew.
#[test]
fn newsequentialids_of_a_connection_are_in_sql_servers_order() {
    let mut client = connect();
    let ids = ids_of(
        &mut client,
        "SELECT array_agg(id ORDER BY n)
         FROM (SELECT n, comb_new('newsequentialid') AS id FROM generate_series(1, 200000) n) ids",
    );
    assert!(ids.is_sorted_by(|a, b| compared("mssql", a) < compared("mssql", b)));
    // Version 1 in byte 7, the variant, and a node that is no network card's.
    assert!(ids.iter().all(|id| id[7] >> 4 == 1 && id[8] >> 6 == 0b10 && id[10] & 1 == 1));
}

/// At a time that is given, process_ticks has no tick to tell two ids apart: they are random.
#[test]
fn comb_at_makes_distinct_ids_in_every_layout() {
    let mut client = connect();
    for layout in layouts(&mut client) {
        let distinct: i64 = value(
            &mut client,
            &format!("SELECT count(DISTINCT comb_at('2020-01-01', '{}')) FROM generate_series(1, 1000)", layout.label),
        );
        assert_eq!(distinct, 1000, "{}", layout.label);
    }
}

#[test]
fn moments_come_back_to_the_resolution_of_the_layout() {
    let mut client = connect();
    for layout in layouts(&mut client) {
        let unit = match layout.resolution.as_str() {
            "1/300 s" => "3334 us",
            "1 ms" => "1 ms",
            "10 us" => "10 us",
            "100 ns" => "1 us",
            other => panic!("{other}"),
        };
        let off: i64 = value(
            &mut client,
            &format!(
                "SELECT count(*)
                 FROM (SELECT timestamptz '1999-12-31 23:59:59.9Z' + n * interval '12345.678 s' AS at
                       FROM generate_series(0, 20000) n) moments,
                      LATERAL (SELECT comb_timestamp(comb_at(at, '{0}'), '{0}') AS read) ids
                 WHERE at < '2059-01-01'
                       AND abs(extract(epoch FROM at - read)) >= extract(epoch FROM interval '{unit}')",
                layout.label
            ),
        );
        assert_eq!(off, 0, "{}", layout.label);
    }
}
