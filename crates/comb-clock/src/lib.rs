//! When ids are made.
//!
//! A [`source`] has the two clocks of the machine. A [`line`] turns the monotonic one into Unix time, in
//! ticks. The line stands under a [`seqlock`] in a [`block`] of memory that processes share; it [`follow`]s
//! the real clock, and [`status`] shows it. A [`generator`] makes increasing ticks by it, and [`random`]
//! bits; the [`horizon`] is up to where ids are settled. [`host`] is what all of this asks of the process that it runs in.

#![forbid(unsafe_code)]

pub mod block;
pub mod follow;
pub mod generator;
pub mod horizon;
pub mod host;
pub mod line;
pub mod random;
pub mod seqlock;
pub mod source;
pub mod status;

#[cfg(test)]
mod layout_tests;
#[cfg(test)]
mod simulation;
