//! The whole life of a table that pg_partman partitions by days.

use super::{Host, Kind, MSSQL, NINE_DAYS, UUIDV7, create_parent, days, days_of, quietly, start};

/// `at` generates an id of a time.
fn whole_life(host: &Host, table: &str, kind: Kind, at: impl Fn(&str) -> String) {
    let later = format!("{NINE_DAYS}, 5 to 6, 6 to 7, 7 to 8");
    let count = |query: &str| host.app(&format!("SELECT count(*) FROM {table} {query}"));
    let set = |setting: &str| {
        host.app(&format!("UPDATE partman.part_config SET {setting} WHERE parent_table = 'public.{table}'"));
    };
    let maintain = format!("SELECT partman.run_maintenance('public.{table}')");
    create_parent(host, table, "1 day", kind);
    assert_eq!(days(host, table), NINE_DAYS);

    host.app(&format!("INSERT INTO {table} (body) SELECT n FROM generate_series(1, 50) n"));
    let today = "WHERE (SELECT range_of(tableoid) @> now())";
    assert_eq!(count(today), "50", "rows of now are in the partition of today");

    let ahead = at("current_date + interval '3 days 1 hour'");
    host.app(&format!("INSERT INTO {table} (id) SELECT {ahead}"));
    set("infinite_time_partitions = true");
    quietly(host, &maintain);
    assert_eq!(days(host, table), later, "maintenance goes ahead of the data");

    let older = at("current_date - n * interval '1 day' + interval '5 hours'");
    host.app(&format!(
        "INSERT INTO {table} (id) SELECT {older} FROM generate_series(6, 8) n, generate_series(1, 10);
         INSERT INTO {table} (id) SELECT gen_random_uuid() FROM generate_series(1, 5)"
    ));
    let default = format!("SELECT count FROM partman.check_default(true) WHERE default_table = 'public.{table}_default'");
    assert_eq!(host.app(&default), "35", "older rows and random keys");
    quietly(host, &format!("SELECT partman.partition_data_time('public.{table}', 100)"));
    assert_eq!(days(host, table), format!("-8 to -7, -7 to -6, -6 to -5, {later}"));
    assert_eq!(count(""), "86", "no row is lost");
    assert_eq!(host.app(&format!("SELECT count(*) FROM {table}_default")), "5", "random keys stay");

    set("retention = '5 days', retention_keep_table = false");
    quietly(host, &maintain);
    assert_eq!(days_of(host, table, "upper(r) > current_date - 4"), later);
    assert_eq!(count(""), "56", "no row is lost that is newer than the retention");
}

#[test]
#[ignore = "needs pg_partman: make companions"]
fn a_table_of_version_7() {
    let host = start("extensions");
    whole_life(&host, "events", UUIDV7, |time| format!("comb_at({time})"));
}

#[test]
#[ignore = "needs pg_partman: make companions"]
fn a_table_in_the_order_of_sql_server() {
    let host = start("extensions");
    whole_life(&host, "inventory", MSSQL, |time| format!("comb_at({time}, 'mssql')"));
}

/// pg_partman's own functions, whose bounds have no version.
const THEIRS: Kind = Kind { encoder: "partman.uuid7_time_encoder", decoder: "partman.uuid7_time_decoder", ..UUIDV7 };

#[test]
#[ignore = "needs pg_partman: make companions"]
fn a_set_of_their_functions_continues_with_the_decoder() {
    let host = start("extensions");
    create_parent(&host, "theirs", "1 day", THEIRS);
    host.app(
        "UPDATE partman.part_config SET time_decoder = 'extensions.comb_partman_decoder', infinite_time_partitions = true
         WHERE parent_table = 'public.theirs';
         INSERT INTO theirs (id) SELECT comb_at(current_date + n * interval '1 day' + interval '1 hour') FROM generate_series(-6, 3) n;
         INSERT INTO theirs (id) VALUES (gen_random_uuid())",
    );
    quietly(&host, "SELECT partman.run_maintenance('public.theirs')");
    quietly(&host, "SELECT partman.partition_data_time('public.theirs', 100)");
    let without_a_gap = format!("-6 to -5, -5 to -4, {NINE_DAYS}, 5 to 6, 6 to 7, 7 to 8");
    assert_eq!(days(&host, "theirs"), without_a_gap);
    let rows = "SELECT (SELECT count(*) FROM theirs_default), (SELECT count(*) FROM theirs)";
    assert_eq!(host.app(rows), "1|11", "only the random key is in the default partition");
}
