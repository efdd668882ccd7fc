//! The ticks and the random bits of ids: a clock that processes share, and that never goes back.
//!
//! A [`source`] reads the two clocks of a machine. A [`logical_clock`] turns the monotonic one into Unix
//! time. It is stored under a sequence lock in a [`block`] of memory that processes share. It [`follow`]s the
//! system clock, and [`status`] shows it. A [`generator`] generates increasing ticks from it, and [`random`]
//! bits. The [`horizon`] is the tick up to which ids are settled. [`host`] is the interface to the
//! process.

#![forbid(unsafe_code)]

pub mod block;
pub mod follow;
pub mod generator;
pub mod horizon;
pub mod host;
pub mod logical_clock;
pub mod published;
pub mod random;
pub mod samples;
mod seqlock;
pub mod source;
pub mod status;

#[cfg(test)]
mod layout_tests;
#[cfg(test)]
mod simulation;
