//! The value behind every id: a moment and some randomness.

use comb_tick::Tick;

/// What an id says, free of how a layout writes it down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comb {
    pub tick: Tick,
    /// Most significant bit first: a layout with room for fewer bits takes the upper ones.
    pub random: u64,
}
