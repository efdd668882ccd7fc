//! Everything that needs a server. Tests that run inside it are `#[pg_test]`s; those that look at
//! it from outside, over one or more connections, are plain `#[test]`s; what psql shows stands in
//! `sql/` and `expected/` for pg_regress.

mod bounds;
mod generate;
mod layouts;
mod read;

#[cfg(test)]
mod clock;
#[cfg(test)]
mod connections;
#[cfg(test)]
mod index_order;
#[cfg(test)]
mod mssql;
#[cfg(test)]
mod server;

/// The schema that pgrx's test runner looks for its functions in.
#[pgrx::pg_schema]
mod tests {}

/// Called by pgrx's test runner before the server starts.
#[cfg(test)]
pub fn setup(_options: Vec<&str>) {}

/// Settings of the test server. Called by pgrx's test runner.
#[cfg(test)]
pub fn postgresql_conf_options() -> Vec<&'static str> {
    vec![
        "fsync = off",
        "max_wal_size = '4GB'",
        "max_connections = 60",
        "max_worker_processes = 16",
        // The servers of tools/operate.sh and of some fault tests start without.
        "shared_preload_libraries = 'comb'",
    ]
}
