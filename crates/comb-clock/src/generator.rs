//! The state of a process that generates ids: its last tick and its random bits.

use super::block::Block;
use super::follow::ClockReading;
use super::host::Host;
use super::logical_clock::ClockError;
use super::random::Random;
use super::source::ClockSource;
use comb_tick::TICKS_PER_MS;

/// How long the logical clock is used before it is compared with the system clock again, 10 ms. Therefore ids follow
/// a clock that was set forward after 10 ms at the latest.
const CHECK_EVERY: u64 = 10 * TICKS_PER_MS;

/// How often the logical clock is read until it has passed the last tick. With the clocks of Linux, once or
/// twice is enough; a layout in units of 100 ns takes 100 ns.
const READS: usize = 1000;

/// Generates random bits, and strictly increasing ticks from a logical clock that other generators may share.
pub struct Generator {
    block: &'static Block,
    last: u64,
    /// The time of the monotonic clock at which the logical clock is next compared with the system clock.
    check_at: u64,
    /// The number of resets of the logical clock when `last` was generated.
    resets: u64,
    /// [`Self::tick`] refreshes it.
    pub random: Random,
}

/// The conditions of the next tick.
#[derive(Clone, Copy, Debug)]
pub struct Next {
    /// The minimum distance to the last tick.
    pub step: u64,
    /// Whether to advance the logical clock by the step instead of waiting: for a step that is longer than
    /// the unit of a clock.
    pub advance: bool,
}

impl Generator {
    /// A generator before its first id.
    pub const fn new(block: &'static Block) -> Self {
        Self { block, last: 0, check_at: 0, resets: 0, random: Random::UNSEEDED }
    }

    /// The block with its logical clock.
    pub const fn block(&self) -> &'static Block {
        self.block
    }

    /// The next tick, at least `step` above the last one, if one reading of the logical clock is enough;
    /// otherwise `None`, and [`Self::tick`] generates it.
    #[inline(always)]
    pub fn try_tick(&mut self, step: u64, source: &impl ClockSource) -> Option<u64> {
        let (tick, monotonic) = self.block.try_now(source)?;
        if monotonic >= self.check_at || tick < self.last + step {
            return None;
        }
        self.last = tick;
        Some(tick)
    }

    /// The next tick. Starts the logical clock, compares it with the system clock, and waits until it has
    /// passed the last tick or advances it, as needed. `fit` increases a tick to one that the layout can
    /// hold.
    ///
    /// # Errors
    /// A clock or the tick is out of range.
    #[cold]
    pub fn tick(&mut self, next: Next, host: &impl Host, fit: impl Fn(u64) -> Option<u64>) -> Result<ClockReading, ClockError> {
        // Read before the logical clock: a process that sees a reset then also sees the logical clock after it.
        let resets = self.block.resets();
        let now = self.block.follow(host)?;
        self.check_at = now.monotonic + if self.block.awaits_promotion() { 0 } else { CHECK_EVERY };
        self.random.refresh(now.monotonic);
        if resets != self.resets {
            // The ticks repeat: ids with new ticks must have other random bits.
            self.random = Random::UNSEEDED;
            (self.last, self.resets) = (self.last.min(now.tick), resets);
        }
        if !next.advance {
            let passed = |tick: &u64| *tick >= self.last + next.step;
            let mut ticks = (0..READS).map(|_| self.block.now(host));
            if let Some(tick) = ticks.find(passed) {
                self.last = tick;
                return Ok(ClockReading { tick, ..now });
            }
        }
        let block = self.block;
        // Another process can have reset the logical clock meanwhile.
        let min_tick = || if resets == block.resets() { self.last + next.step } else { 0 };
        let now = block.tick_at_least(host, min_tick, fit)?;
        self.last = now.tick;
        Ok(now)
    }
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;
