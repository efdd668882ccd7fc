//! The state of a process that generates UUIDs: its random bits.

use super::block::Block;
use super::clock::{ClockError, Reading};
use super::interface::Host;
use super::random::Random;

/// Generates random bits, and ticks from a clock that other generators may share.
pub struct Generator {
    block: &'static Block,
    /// The number of resets of the clock for which the random bits are.
    resets: u64,
    /// [`Self::tick`] refreshes it.
    pub random: Random,
}

impl Generator {
    /// A generator before its first UUID.
    pub const fn new(block: &'static Block) -> Self {
        Self { block, resets: 0, random: Random::UNSEEDED }
    }

    /// The block with its clock.
    pub const fn block(&self) -> &'static Block {
        self.block
    }

    /// The next tick, at least `step` above the last one of the clock and not above `limit`, at the time of the system clock;
    /// `None` if there is more to do, which [`Self::tick`] does.
    #[inline(always)]
    pub fn try_tick(&mut self, step: u64, limit: u64, system: Option<u64>) -> Option<Reading> {
        let system = system?;
        if !self.random.is_fresh(system) {
            return None;
        }
        let tick = self.block.try_next(step, limit, system)?;
        // Read after the tick: after a reset, ticks come again.
        (self.block.resets() == self.resets).then_some(Reading { tick, system })
    }

    /// The next tick. Starts the clock, and discards random bits that were in use for too long.
    ///
    /// # Errors
    /// A clock or the tick is out of range.
    #[cold]
    pub fn tick(&mut self, step: u64, limit: u64, host: &impl Host) -> Result<Reading, ClockError> {
        loop {
            let reading = self.block.next(step, limit, host)?;
            self.random.refresh(reading.system);
            let resets = self.block.resets();
            if resets == self.resets {
                return Ok(reading);
            }
            // UUIDs with ticks that come again must have other random bits.
            self.random = Random::UNSEEDED;
            self.resets = resets;
        }
    }
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;
