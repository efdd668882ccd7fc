//! The extension with other extensions, replication and foreign tables, as `docs/extensions.md` describes them.
//!
//! Tests of what does not come with PostgreSQL are ignored. `make companions` installs it and runs them.

mod btree_gist;
mod citus;
mod common;
mod logical_replication;
mod partman;
mod pg_cron;
mod pg_uuidv7;
mod pglogical;
mod postgres_fdw;
mod timescaledb;
