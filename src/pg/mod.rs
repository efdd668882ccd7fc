//! The PostgreSQL skin: SQL functions over the pure core. The only folder that may use pgrx.

mod bounds;
mod bsv;
mod error;
mod fast;
mod generate;
mod layouts;
mod mssql;
mod read;
mod rewrite;
mod settings;
mod timestamp;
mod uuid;

pgrx::pg_module_magic!(name, version);

/// Called when the library is loaded, by the postmaster or by a backend.
#[allow(non_snake_case)]
#[pgrx::pg_guard]
pub extern "C-unwind" fn _PG_init() {
    settings::define();
}

pgrx::extension_sql_file!("../../sql/comments.sql", name = "comments", finalize);
