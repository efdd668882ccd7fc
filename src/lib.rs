//! comb: time-ordered UUIDs inside PostgreSQL.
//!
//! - [`functions`]: the SQL functions, by the chapters of sql/. Each is a few lines over the crates comb-id and
//!   comb-clock and over the next two.
//! - [`server`]: what the extension keeps in a server: settings, shared memory, the state of a backend, floors.
//! - [`postgres`]: PostgreSQL's own functions, and how Rust calls them and is called by them.
//! - [`schema`]: the SQL of sql/, for cargo pgrx.
//!
//! Imports go downward only: functions, server, postgres. docs/design.md tells why.
//!
//! Without a feature pg15, pg16, pg17 or pg18 the crate is empty, so that `cargo test` needs no PostgreSQL.

#![cfg(feature = "pgrx")]

mod functions;
mod postgres;
#[cfg(feature = "schema")]
mod schema;
mod server;

/// Called when the library is loaded, by the postmaster or by a backend.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
extern "C-unwind" fn _PG_init() {
    server::settings::define();
    server::shared_memory::prepare();
}
