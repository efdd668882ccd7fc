//! Tables with rows, and sets that use other functions.

use super::{Host, Kind, NINE_DAYS, UUIDV7, create_parent, days, quietly, start};

#[test]
#[ignore = "needs pg_partman: make companions"]
fn rows_move_from_a_plain_table_and_back() {
    let host = start("extensions");
    host.app(
        "CREATE TABLE plain (id uuid PRIMARY KEY, body text);
         INSERT INTO plain SELECT comb_at(current_date - 3 + n * interval '1 minute'), n FROM generate_series(1, 5000) n",
    );
    create_parent(&host, "moved", "1 day", UUIDV7);
    let fill = "SELECT partman.partition_data_time('public.moved', 100, p_source_table => 'public.plain')";
    assert_eq!(host.app(fill), "5000");
    let counts = "SELECT (SELECT count(*) FROM moved), (SELECT count(*) FROM moved_default), (SELECT count(*) FROM plain)";
    assert_eq!(host.app(counts), "5000|0|0");

    let bounds = "SELECT format('%L, %L', current_date::timestamptz, current_date::timestamptz + interval '1 day')";
    let day = format!("SELECT * FROM moved WHERE comb_between(id, {})", host.app(bounds));
    let plan = host.app(&format!("EXPLAIN {day}"));
    let partitions = plan.lines().filter_map(|line| line.split_once(" on moved_"));
    assert_eq!(partitions.filter(|(_, rest)| rest.contains(" moved")).count(), 1, "{plan}");

    // As with every table that is partitioned by uuid.
    let procedure = "CALL partman.partition_data_proc('public.moved', p_source_table => 'public.plain')";
    assert_says(&host, procedure, "partition_data_uuid");
    quietly(&host, "SELECT partman.undo_partition('public.moved', 'public.plain', p_loop_count => 20, p_keep_table => false)");
    assert_eq!(host.app("SELECT count(*) FROM plain"), "5000");
}

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

/// Asserts what an error or a warning of a statement says.
fn assert_says(host: &Host, statement: &str, text: &str) {
    let messages = host.psql("shop", "app", statement).messages;
    assert!(messages.contains(text), "{statement}: {messages}");
}
