//! The state from which one process makes ids: its last tick and its random bits.

use rand::rngs::SysError;

use super::block::Block;
use super::host::{Host, LineError};
use super::random::Random;
use super::source::ClockSource;
use comb_tick::TICKS_PER_MS;

/// How long the line is used without a look at the real clock, 10 ms: how late ids follow a clock that was
/// set forward.
const CHECK_EVERY: u64 = 10 * TICKS_PER_MS;

/// How often the line is read until it has passed the last tick. With a clock as fine as Linux's it
/// has at the first or second time, 100 ns later for the layouts that count in 100 ns.
const READS: usize = 1000;

/// Makes strictly increasing ticks, by a line that other generators may share, and random bits.
pub struct Generator {
    block: &'static Block,
    last: u64,
    /// When the line is next compared with the real clock, by the monotonic clock.
    check_at: u64,
    /// How often the line had been reset when `last` was made.
    resets: u64,
    random: Random,
}

/// What the next tick has to be.
#[derive(Clone, Copy, Debug)]
pub struct Next {
    /// Ticks that it is above the last one.
    pub step: u64,
    /// Whether the line is raised where it has not passed the step yet, instead of waited for: for a
    /// step that is longer than a clock's unit.
    pub raise: bool,
}

/// A tick that took more than a reading of the line.
#[derive(Clone, Copy, Debug)]
pub struct NewTick {
    pub tick: u64,
    /// How far the line is ahead of the real clock.
    pub lead: u64,
}

impl Generator {
    /// A generator before its first id.
    pub const fn new(block: &'static Block) -> Self {
        Self { block, last: 0, check_at: 0, resets: 0, random: Random::UNSEEDED }
    }

    pub const fn block(&self) -> &'static Block {
        self.block
    }

    /// The next tick, at least `step` above the last one, if reading the line is all it takes. Else
    /// [`Self::tick`] makes it.
    #[inline(always)]
    pub fn tick_at_once(&self, step: u64, source: &impl ClockSource) -> Option<u64> {
        let (tick, monotonic) = self.block.try_now(source)?;
        (monotonic < self.check_at && tick >= self.last + step).then_some(tick)
    }

    /// The next tick, whatever it takes: begin the line, compare it with the real clock, wait until it has
    /// passed the last tick, raise it. `arrange` moves a tick up to one that the layout can use.
    ///
    /// # Errors
    /// A clock or the tick is out of range.
    #[cold]
    pub fn tick(
        &mut self,
        next: Next,
        host: &impl Host,
        arrange: impl Fn(u64) -> Option<u64>,
    ) -> Result<NewTick, LineError> {
        // Before the line is read: a process that sees a reset sees the line that it left.
        let resets = self.block.resets();
        let now = self.block.follow(host)?;
        self.check_at = now.monotonic + if self.block.awaits_promotion() { 0 } else { CHECK_EVERY };
        self.random.refresh(now.monotonic);
        if resets != self.resets {
            // The ticks come a second time: those of another process must not meet these.
            self.random = Random::UNSEEDED;
            (self.last, self.resets) = (self.last.min(now.tick), resets);
        }
        if !next.raise {
            let passed = |tick: &u64| *tick >= self.last + next.step;
            let mut ticks = (0..READS).map(|_| self.block.now(host));
            if let Some(tick) = ticks.find(passed) {
                return Ok(NewTick { tick, lead: now.lead });
            }
        }
        let block = self.block;
        // Another process may have set the line back since.
        let least = || if resets == block.resets() { self.last + next.step } else { 0 };
        let (tick, now) = block.take(host, least, arrange)?;
        Ok(NewTick { tick, lead: now.lead })
    }

    /// Notes that an id of this tick was made.
    #[inline(always)]
    pub fn made(&mut self, tick: u64) {
        self.last = tick;
    }

    /// 64 random bits.
    ///
    /// # Errors
    /// The operating system gave no seed.
    #[inline(always)]
    pub fn random(&mut self, process_id: i32) -> Result<u64, SysError> {
        self.random.next(process_id)
    }

    /// 64 random bits of this process: the same until it seeds anew, and then greater ones.
    ///
    /// # Errors
    /// As [`Self::random`].
    #[inline(always)]
    pub fn process_bits(&mut self, process_id: i32) -> Result<u64, SysError> {
        self.random.process_bits(process_id)
    }

    /// Seeds anew where the random generator is due: for random bits of which no tick is made.
    pub fn refresh_random(&mut self, source: &impl ClockSource) {
        self.random.refresh(source.monotonic());
    }
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;
