//! The PostgreSQL skin: SQL functions over the pure core. The only folder that may use pgrx.

mod backend;
mod bounds;
mod bsv;
mod clock;
mod error;
mod fast;
mod generate;
mod host;
mod layouts;
mod mssql;
mod read;
mod rewrite;
mod settings;
mod shared;
mod timestamp;
mod uuid;

pgrx::pg_module_magic!(name, version);

/// Called when the library is loaded, by the postmaster or by a backend.
#[allow(non_snake_case)]
#[pgrx::pg_guard]
pub extern "C-unwind" fn _PG_init() {
    settings::define();
    shared::prepare();
}

pgrx::extension_sql_file!("../../sql/comments.sql", name = "comments", finalize);
