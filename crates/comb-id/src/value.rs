//! The value of an id: a time and random bits.

use comb_tick::Tick;

/// The value of an id, in whatever layout the id is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comb {
    pub tick: Tick,
    /// A layout with fewer random bits uses the upper ones.
    pub random: u64,
}
