//! The aggregates comb_first and comb_last.

use super::common::{connect_to_schema, plan, run, value};

#[test]
fn the_planner_takes_them_from_the_index() {
    let mut client = connect_to_schema("first_last");
    run(
        &mut client,
        "CREATE TABLE items (id uuid PRIMARY KEY DEFAULT comb_new(), number int);
             INSERT INTO items (number) SELECT generate_series(1, 20000);
             CREATE TABLE guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
             INSERT INTO guids (number) SELECT generate_series(1, 20000);
             CREATE DOMAIN guid AS uniqueidentifier;
             VACUUM ANALYZE items;
             VACUUM ANALYZE guids;",
    );
    for table in ["items", "guids"] {
        let query = format!("SELECT comb_first(id), comb_last(id) FROM {table}");
        let plan = plan(&mut client, &query);
        assert!(plan.contains(&format!("Index Only Scan using {table}_pkey")), "{plan}");
        assert!(plan.contains(&format!("Index Only Scan Backward using {table}_pkey")), "{plan}");
        assert!(!plan.contains("Aggregate"), "{plan}");
        for (aggregate, number) in [("comb_first", 1), ("comb_last", 20_000)] {
            let query = format!("SELECT number FROM {table} WHERE id = (SELECT {aggregate}(id) FROM {table})");
            assert_eq!(value::<i32>(&mut client, &query), number, "{query}");
        }
    }
    // In the type's own order, also without an index, by way of a domain, and over groups.
    let in_order: bool = value(
        &mut client,
        "SELECT bool_and(pg_typeof(last) = 'uniqueidentifier'::regtype AND first = least AND last = greatest AND of_domain = last)
         FROM (SELECT comb_first(id) AS first, comb_last(id) AS last, min(id) AS least, max(id) AS greatest,
                      comb_last(id::guid) AS of_domain
               FROM guids GROUP BY number % 7) groups",
    );
    assert!(in_order);
    let in_order: bool = value(
        &mut client,
        "SELECT bool_and(first = sorted[1] AND last = sorted[cardinality(sorted)])
         FROM (SELECT comb_first(id) AS first, comb_last(id) AS last, array_agg(id ORDER BY id) AS sorted
               FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 10000)) ids
               GROUP BY get_byte(uuid_send(id), 15) % 7) groups",
    );
    assert!(in_order);
    let of_none: bool = value(&mut client, "SELECT comb_last(id) IS NULL AND comb_first(id) IS NULL FROM items WHERE false");
    assert!(of_none);
}

#[test]
fn parallel_workers_combine_them() {
    let mut client = connect_to_schema("first_last_parallel");
    run(
        &mut client,
        "CREATE TABLE items AS SELECT CASE WHEN n % 3 > 0 THEN gen_random_uuid() END AS id FROM generate_series(1, 200000) n;
         ANALYZE items;
         SET max_parallel_workers_per_gather = 2;
         SET parallel_setup_cost = 0;
         SET parallel_tuple_cost = 0;
         SET min_parallel_table_scan_size = 0",
    );
    let query = "SELECT comb_first(id), comb_last(id) FROM items";
    let partial = plan(&mut client, query);
    assert!(partial.contains("Finalize Aggregate") && partial.contains("Gather"), "{partial}");
    let ends: bool = value(
        &mut client,
        &format!(
            "SELECT comb_first = (SELECT id FROM items ORDER BY id LIMIT 1)
                    AND comb_last = (SELECT id FROM items WHERE id IS NOT NULL ORDER BY id DESC LIMIT 1)
             FROM ({query}) ends"
        ),
    );
    assert!(ends);
}
