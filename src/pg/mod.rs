//! The PostgreSQL skin: SQL functions over the pure core. The only folder that may use pgrx.

mod bounds;
mod error;
mod fast;
mod generate;
mod read;
mod timestamp;
mod uuid;

pgrx::pg_module_magic!(name, version);

pgrx::extension_sql_file!("../../sql/comments.sql", name = "comments", finalize);
