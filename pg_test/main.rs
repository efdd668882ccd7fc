//! The extension in a server, seen over connections to it. The server is the one that PGHOST, PGPORT, PGUSER and
//! PGDATABASE name, with the extension installed, preloaded, and nothing else at work; `tools/test.sh` starts
//! such a one. What psql shows stands in `sql/` and `expected/` for pg_regress.

#[cfg(not(feature = "pgrx"))]
#[test]
#[ignore = "needs PostgreSQL: make test PG=18 starts one and runs these tests"]
fn extension() {}

#[cfg(feature = "pgrx")]
#[path = "."]
mod extension {
    mod bounds;
    mod clock;
    mod connections;
    mod estimates;
    mod first_last;
    mod generate;
    mod index_order;
    mod layouts;
    mod mssql;
    mod read;
    mod server;
    mod switching;
    mod text;
    mod time_order;
}
