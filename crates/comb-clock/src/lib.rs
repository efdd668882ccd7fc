//! The ticks and the random bits of UUIDs.
//!
//! [`source`] has the range of times. The [`clock`] is one word, in a [`block`] of memory that processes share: it never
//! goes back, and returns no tick twice. A [`generator`] adds [`random`] bits. [`host`] is the interface to the process.

#![forbid(unsafe_code)]

pub mod block;
pub mod clock;
pub mod generator;
pub mod host;
pub mod random;
pub mod source;

#[cfg(test)]
mod simulation;
