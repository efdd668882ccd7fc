use comb_id::layouts::labelled;
use postgres::Client;
use uuid::{Bytes, Uuid};

use super::common::{connect, value};

fn labels(client: &mut Client) -> Vec<String> {
    value(client, "SELECT array_agg(label) FROM comb_layouts()")
}

/// UUIDs that a function generates, in this order.
fn ids_of(client: &mut Client, function: &str, count: usize) -> Vec<Bytes> {
    let query = format!("SELECT array_agg(id ORDER BY n) FROM (SELECT n, {function} AS id FROM generate_series(1, {count}) n) i");
    value::<Vec<Uuid>>(client, &query).into_iter().map(Uuid::into_bytes).collect()
}

/// The number that is compared.
fn compared(label: &str, id: &Bytes) -> u128 {
    let layout = labelled(label.as_bytes()).expect("a layout");
    layout.order.number(&Uuid::from_bytes(*id))
}

#[test]
fn ids_of_every_layout_increase_in_its_order() {
    let mut client = connect();
    let mut calls: Vec<_> = labels(&mut client).into_iter().map(|label| (format!("comb_new('{label}')"), label)).collect();
    for label in ["mssql", "mssql_legacy"] {
        calls.push((format!("comb_new_{label}()"), label.to_owned()));
    }
    for (call, label) in calls {
        let ids = ids_of(&mut client, &call, 50_000);
        assert_eq!(ids.len(), 50_000);
        assert!(ids.is_sorted_by(|a, b| compared(&label, a) < compared(&label, b)), "{call}");
    }
}

#[test]
fn the_named_functions_write_their_layouts() {
    for label in ["mssql", "mssql_legacy"] {
        // Version and variant are where RFC 9562 has them.
        let query = format!(
            "SELECT bool_and(substr(id::text, 15, 1) = '4' AND substr(id::text, 20, 1) IN ('8', '9', 'a', 'b')
                             AND abs(extract(epoch FROM comb_timestamp_{label}(id) - clock_timestamp())) < 10)
             FROM (SELECT comb_new_{label}() AS id FROM generate_series(1, 1000)) ids"
        );
        assert!(value::<bool>(&mut connect(), &query), "{label}");
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

/// The node and the clock sequence stay or increase, and so in SQL Server's order, also after random bits were seeded anew.
#[test]
fn newsequentialids_of_a_connection_are_in_sql_servers_order() {
    let ids = ids_of(&mut connect(), "comb_new('newsequentialid')", 200_000);
    assert!(ids.is_sorted_by(|a, b| compared("mssql", a) < compared("mssql", b)));
    // Version 1 in byte 7, the variant, and a node that is no network card's.
    assert!(ids.iter().all(|id| id[7] >> 4 == 1 && id[8] >> 6 == 0b10 && id[10] & 1 == 1));
}

/// At a time that is given, process_ticks has no tick to tell two ids apart: they are random.
#[test]
fn comb_at_makes_distinct_ids_in_every_layout() {
    let mut client = connect();
    for label in labels(&mut client) {
        let query = format!("SELECT count(DISTINCT comb_at('2020-01-01', '{label}')) FROM generate_series(1, 1000)");
        let distinct: i64 = value(&mut client, &query);
        assert_eq!(distinct, 1000, "{label}");
    }
}
