//! The PostgreSQL skin: SQL functions over the pure wings. The only folder that may use pgrx.
//!
//! sql/ declares every SQL function; here each is a few lines under [`call::sql_function`]. [`raw`] has the
//! functions of PostgreSQL that they call.

mod backend;
mod call;
mod convert;
mod cross_type;
mod error;
mod first_last;
mod floors;
mod generate;
mod guard;
mod horizon;
mod invalid_text;
mod magic;
mod mssql;
mod order;
mod partitions;
mod process;
mod ranges;
mod raw;
mod read;
mod rows;
mod settings;
mod shared_memory;
mod skip_support;
mod sort_support;
mod text;
mod text_forms;
mod time_order;
mod timestamp;

/// Called when the library is loaded, by the postmaster or by a backend.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
extern "C-unwind" fn _PG_init() {
    settings::define();
    shared_memory::prepare();
}
