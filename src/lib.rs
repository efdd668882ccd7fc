//! comb: time-ordered UUIDs inside PostgreSQL.
//!
//! Two wings of pure Rust that know nothing of PostgreSQL, and the skin over them:
//!
//! - [`id`]: what an id is. A value, the layouts that write it down, and how they are read.
//! - [`clock`]: when ids are made. Ticks that increase across all processes of a server, and random bits.
//! - `pg`: the SQL functions, settings, errors and shared memory. The only folder that may use pgrx.
//!
//! `id` imports nothing of the others. `clock` knows ids only as ticks. docs/design.md tells why.

pub mod clock;
pub mod id;

mod pg;

#[cfg(test)]
mod tests;
