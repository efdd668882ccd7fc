//! comb: time-ordered UUIDs inside PostgreSQL.
//!
//! The core is pure Rust that knows nothing of PostgreSQL. A value ([`comb`]) is a moment and some
//! randomness. A [`layout`] writes it down along three axes: its time [`field`], its byte [`order`]
//! and its stamp. A [`generator`] makes increasing ids from ticks and [`random`] bits. The ticks are
//! those of a clock [`line`], which turns one [`clock`] into the other; it is read and changed under a
//! [`publication`], in a [`block`] of memory that processes share.
//! [`rfc9562`] reads what a uuid says of itself, [`inspect`] what else it could be; [`bsv`] is the
//! layout that is text; [`abbreviate`] helps sorting.
//!
//! `pg` is the thin skin that makes SQL functions of them, and the only place that may use pgrx.

pub mod abbreviate;
pub mod block;
pub mod bsv;
pub mod clock;
pub mod comb;
pub mod field;
pub mod generator;
pub mod inspect;
pub mod layout;
pub mod line;
pub mod order;
pub mod publication;
pub mod random;
pub mod rfc9562;

mod pg;

#[cfg(test)]
mod simulation;
#[cfg(test)]
mod vectors;

#[cfg(any(test, feature = "pg_test"))]
#[path = "../pg_test/mod.rs"]
pub mod pg_test;
