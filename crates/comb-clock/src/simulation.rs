//! A host whose system clock the tests set.

use std::cell::Cell;

use super::block::Block;
use super::interface::{EarlierTime, Host};
use comb_tick::TICKS_PER_MS;

/// A second, in ticks.
pub const SECOND: u64 = 1000 * TICKS_PER_MS;
/// An hour, in ticks.
pub const HOUR: u64 = 3600 * SECOND;
/// The system clock at first: in 2025.
pub const BEGIN: u64 = 1_750_000_000 * SECOND;

/// A process of a server.
pub struct SimulatedHost {
    /// The system clock; `None` is out of range.
    pub now: Cell<Option<u64>>,
    pub in_recovery: Cell<bool>,
    pub earlier: Cell<Option<EarlierTime>>,
}

impl SimulatedHost {
    pub fn new() -> Self {
        Self { now: Cell::new(Some(BEGIN)), in_recovery: Cell::new(false), earlier: Cell::new(None) }
    }

    pub fn set(&self, now: u64) {
        self.now.set(Some(now));
    }
}

impl Host for SimulatedHost {
    fn realtime(&self) -> Option<u64> {
        self.now.get()
    }

    fn earlier_time(&self) -> Option<EarlierTime> {
        self.earlier.get()
    }

    fn in_recovery(&self) -> bool {
        self.in_recovery.get()
    }
}

/// A new block, as after the start of a server.
pub fn unused_block() -> &'static Block {
    let block = Box::leak(Box::new(Block::unused()));
    block.claim();
    block
}
