//! Dump, restore, pg_upgrade, single-user mode.

use pg_test::{Server, Sharing, Stop, assert_same_lines, installation};

use crate::{forget_writers, script};

/// A database of each name, with the extension in that schema.
const DATABASES: [(&str, &str); 2] = [("shop", "extensions"), ("flat", "pg_catalog")];

fn facts(server: &Server, database: &str, schema: &str) -> String {
    script(server, database, "operate_facts.sql", &["-v", &format!("schema={schema}")])
}

#[test]
fn dump_restore_upgrade_and_single_user_mode() {
    let mut server = Server::create(Sharing::Attached, &[]);
    server.up();
    let before = DATABASES.map(|(database, schema)| {
        server.execute(&format!("CREATE DATABASE {database}"));
        if schema != "pg_catalog" {
            server.connect_to(database).batch_execute(&format!("CREATE SCHEMA {schema}")).expect("a schema");
        }
        script(&server, database, "operate.sql", &["-v", &format!("schema={schema}")]);
        let before = facts(&server, database, schema);
        let restored = format!("restored_{database}");
        server.execute(&format!("CREATE DATABASE {restored}"));
        let dump = server.work().join("dump");
        server.client_program("pg_dump").arg("-Fc").arg("-f").arg(&dump).arg(database).run();
        server.client_program("pg_restore").args(["--exit-on-error", "-d", &restored]).arg(&dump).run();
        let what = format!("pg_dump and pg_restore, in schema {schema}");
        assert_same_lines(&facts(&server, &restored, schema), &before, &what);
        before
    });

    forget_writers(&server);
    let mut server = server.pg_upgrade(installation());
    for ((database, schema), before) in DATABASES.into_iter().zip(&before) {
        assert_same_lines(&facts(&server, database, schema), before, &format!("pg_upgrade, in schema {schema}"));
    }
    // What pg_upgrade itself does with every library.
    server.execute("LOAD '$libdir/comb'");

    // Without a postmaster, preloaded and not.
    server.down(Stop::Fast);
    for preload in ["comb", ""] {
        let said = server.single_user(
            "shop",
            &[("shared_preload_libraries", preload)],
            "SELECT scope FROM extensions.comb_status()\n\
             SELECT extensions.comb_new()::text > max(id::text) AS above FROM app.orders\n",
        );
        assert!(said.contains("above = \"t\""), "preloaded: '{preload}': {said}");
    }
}
