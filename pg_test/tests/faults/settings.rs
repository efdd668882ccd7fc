//! A session that uses comb for the first time in a parallel operation has the configured settings, and no warning.

use pg_test::{Server, Sharing, listen, value};

#[test]
fn the_first_use_in_a_parallel_operation() {
    let settings = [("comb.scope", "backend"), ("comb.drift_warning", "7s"), ("max_parallel_maintenance_workers", "2")];
    let server = Server::start(Sharing::Attached, &settings);
    server.execute(
        "CREATE TABLE stored AS SELECT comb_new() AS id, n FROM generate_series(1, 200000) n;
         ANALYZE stored",
    );
    let statements = [
        "CREATE INDEX ON stored (comb_timestamp(id))",
        "SET debug_parallel_query = on; SELECT count(*) FROM stored WHERE comb_timestamp(id) > now() - interval '1 day'",
    ];
    let statements = statements.map(|statement| match pg_test::installation().major {
        15 => statement.replace("debug_parallel_query", "force_parallel_mode"),
        _ => statement.to_owned(),
    });
    for statement in statements {
        let (mut client, heard) = listen(server.config());
        let setup = "SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0";
        client.batch_execute(setup).expect(setup);
        client.batch_execute(&statement).expect(&statement);
        let messages: Vec<_> = heard.lock().expect("notices").iter().map(|notice| notice.message().to_owned()).collect();
        assert_eq!(messages, Vec::<String>::new(), "{statement}");
        for (setting, configured) in [("comb.scope", "backend"), ("comb.drift_warning", "7s")] {
            assert_eq!(value::<String>(&mut client, &format!("SELECT current_setting('{setting}')")), configured, "{statement}");
        }
        assert_eq!(value::<String>(&mut client, "SELECT scope FROM comb_status()"), "backend", "{statement}");
    }
    server.assert_clean_log();
}
