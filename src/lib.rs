//! comb: time-ordered UUIDs inside PostgreSQL.
//!
//! - [`functions`]: the SQL functions, by the chapters of sql/. Each is a few lines over the crates comb-id and
//!   comb-clock and over the next two.
//! - [`server`]: what the extension keeps in a server: settings, shared memory, the state of a backend, floors.
//! - [`postgres`]: PostgreSQL's own functions, and how Rust calls them and is called by them.
//!
//! Imports go downward only: functions, server, postgres. docs/design.md tells why.

mod functions;
mod postgres;
mod server;

/// Called when the library is loaded, by the postmaster or by a backend.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
extern "C-unwind" fn _PG_init() {
    server::settings::define();
    server::shared_memory::prepare();
}
