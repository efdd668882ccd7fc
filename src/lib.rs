//! comb: COMBs, which are time-ordered UUIDs, inside PostgreSQL.
//!
//! - [`functions`]: the SQL functions, by the chapters of sql/. Each is a few lines over the crates and over the next three.
//! - [`horizon`]: the floors of transactions, and what polls may read.
//! - [`server`]: the state of the clock in a server: settings, shared memory, the state of a backend.
//! - [`postgres`]: PostgreSQL's own functions, and how Rust calls them and is called by them.
//! - [`schema`]: the SQL of sql/, for cargo pgrx.
//!
//! Imports go downward only: functions, horizon, server, postgres.
//!
//! Without one of the features pg15 to pg19 the crate is empty, so that `cargo test` needs no PostgreSQL.

#![cfg(feature = "pgrx")]

use std::ffi::CStr;

mod functions;
mod horizon;
#[cfg(feature = "pg_test")]
mod pg_tests;
mod postgres;
#[cfg(feature = "schema")]
mod schema;
mod server;

/// The version that PostgreSQL 18 shows for the library. The `version` of the macro in pgrx 0.18 sets the name.
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version without a zero"),
};

/// The server that cargo pgrx test starts.
#[cfg(all(test, feature = "pg_test"))]
pub mod pg_test {
    /// pgrx calls it before the tests.
    pub fn setup(_options: Vec<&str>) {}

    /// Its settings.
    pub fn postgresql_conf_options() -> Vec<&'static str> {
        vec!["shared_preload_libraries = comb", "max_wal_size = 4GB", "log_statement = none"]
    }
}

pgrx::pg_module_magic!(name = c"comb", version = VERSION);

/// Called when the library is loaded, by the postmaster or by a backend.
#[allow(non_snake_case)]
#[pgrx::pg_guard]
extern "C-unwind" fn _PG_init() {
    // First: an ERROR leaves nothing half done.
    horizon::messages::forget_earlier_plans();
    server::settings::define();
    server::shared_memory::install_hooks();
    horizon::messages::register();
}
