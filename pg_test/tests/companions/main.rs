//! The extension with other extensions, replication and foreign tables, as `docs/extensions.md` describes them.
//!
//! Tests of what does not come with PostgreSQL are ignored. `make companions` installs it and runs them.

mod citus;
mod common;
mod logical_replication;
mod partman;
mod postgres_fdw;
mod timescaledb;
