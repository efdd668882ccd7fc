//! The ticks and the random bits of UUIDs.
//!
//! [`system_clock`] has the range of times. The [`clock`] is one word, in a [`block`] of memory that processes share: it never
//! goes back, and returns no tick twice. A [`generator`] adds [`random`] bits. [`interface`] is what the process implements.

#![forbid(unsafe_code)]

pub mod block;
pub mod clock;
pub mod generator;
pub mod interface;
pub mod random;
pub mod system_clock;

#[cfg(test)]
mod simulation;
