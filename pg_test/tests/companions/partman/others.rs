//! Sets that use pg_partman's own functions.

use super::{Host, Kind, NINE_DAYS, UUIDV7, create_parent, days, quietly, start};

/// pg_partman's own functions, whose bounds have no version.
const THEIRS: Kind = Kind { encoder: "partman.uuid7_time_encoder", decoder: "partman.uuid7_time_decoder", ..UUIDV7 };

/// A set of pg_partman's own functions with comb's decoder, and rows.
fn taken_over(table: &str) -> Host {
    let host = start("extensions");
    create_parent(&host, table, "1 day", THEIRS);
    host.app(&format!(
        "UPDATE partman.part_config SET time_decoder = 'extensions.comb_partman_decoder', infinite_time_partitions = true
         WHERE parent_table = 'public.{table}';
         INSERT INTO {table} (id) SELECT comb_at(current_date + n * interval '1 day' + interval '1 hour') FROM generate_series(-4, 3) n;
         INSERT INTO {table} (id) VALUES (gen_random_uuid())"
    ));
    host
}

#[test]
#[ignore = "needs pg_partman: make companions"]
fn a_set_of_their_functions_continues_with_the_decoder() {
    let host = taken_over("theirs");
    host.app("INSERT INTO theirs (id) SELECT comb_at(current_date + n * interval '1 day' + interval '1 hour') FROM generate_series(-6, -5) n");
    quietly(&host, "SELECT partman.run_maintenance('public.theirs')");
    quietly(&host, "SELECT partman.partition_data_time('public.theirs', 100)");
    let without_a_gap = format!("-6 to -5, -5 to -4, {NINE_DAYS}, 5 to 6, 6 to 7, 7 to 8");
    assert_eq!(days(&host, "theirs"), without_a_gap);
    let rows = "SELECT (SELECT count(*) FROM theirs_default), (SELECT count(*) FROM theirs)";
    assert_eq!(host.app(rows), "1|11", "only the random key is in the default partition");
}
