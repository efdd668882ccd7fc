//! The clock: one word, the greatest tick that was returned.
//!
//! ```text
//! next(step):   tick = max(system clock, last + step), by compare-and-swap
//! now():        last = max(last, system clock)
//! observe(t):   last = max(last, t)
//! reset():      last = system clock
//! ```
//!
//! No two calls of `next` return one tick, and each returns a greater one than all that were returned before, in any process.
//! While the system clock is behind, after it was set back or a tick was observed, each UUID takes one tick: time stands
//! still until the system clock has caught up.
//!
//! A range is checked before the word changes, so that an error loses nothing.
//!
//! # Rationale
//! A clock that processes only read would need a lock for its changes, and two UUIDs could have one tick. One
//! compare-and-swap costs about as much as the reading of a second clock.

use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::fence;

use super::block::Block;
use super::interface::{Host, SeedTime};
use super::system_clock::LAST_TICK;

/// The states of the clock: it has not started; it runs; it runs in recovery, at whose end it may have to be advanced.
const UNUSED: u64 = 0;
const RUNS: u64 = 1;
const IN_RECOVERY: u64 = 2;

/// Why a clock cannot be read or changed. It stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockError {
    /// The system clock or the tick is out of range.
    OutOfRange,
    /// The tick is further ahead of the system clock than permitted.
    TooFarAhead,
}

/// A tick, and the system clock at that time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The tick.
    pub tick: u64,
    /// The system clock.
    pub system: u64,
}

impl Reading {
    /// How far the tick is ahead of the system clock.
    #[inline(always)]
    pub fn lead(self) -> u64 {
        self.tick.saturating_sub(self.system)
    }
}

/// The state of the clock, for comb_status(). Times are ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The clock now.
    pub now: Reading,
    /// The system clock when the clock started.
    pub seeded_at: u64,
    /// The first tick.
    pub seeded_from: u64,
    /// What that tick was.
    pub seed_time: Option<SeedTime>,
}

impl Block {
    /// The next tick, at least `step` above the last one and not above `limit`; `None` if the clock has not started, is in
    /// recovery or out of range. [`Self::next`] returns it then, or an error.
    #[inline(always)]
    pub fn try_next(&self, step: u64, limit: u64, system: u64) -> Option<u64> {
        if self.state.load(Acquire) != RUNS {
            return None;
        }
        let mut last = self.last.0.load(Relaxed);
        loop {
            let tick = system.max(last + step);
            if tick > limit.min(LAST_TICK) {
                return None;
            }
            match self.last.0.compare_exchange_weak(last, tick, AcqRel, Relaxed) {
                Ok(_) => return Some(tick),
                Err(changed) => last = changed,
            }
        }
    }

    /// The next tick, at least `step` above the last one and not above `limit`. Starts the clock if it has not started.
    ///
    /// # Errors
    /// The system clock or the tick is out of range.
    #[cold]
    pub fn next(&self, step: u64, limit: u64, host: &impl Host) -> Result<Reading, ClockError> {
        let system = self.ready(host)?;
        let next = |last: u64| Some(system.max(last + step)).filter(|tick| *tick <= limit.min(LAST_TICK));
        let last = self.last.0.fetch_update(AcqRel, Relaxed, next).map_err(|_| ClockError::OutOfRange)?;
        Ok(Reading { tick: system.max(last + step), system })
    }

    /// Advances the clock to the system clock.
    ///
    /// # Errors
    /// The system clock is out of range.
    pub fn now(&self, host: &impl Host) -> Result<Reading, ClockError> {
        let system = self.ready(host)?;
        let last = self.last.0.fetch_max(system, AcqRel);
        Ok(Reading { tick: system.max(last), system })
    }

    /// Advances the clock to a tick, so that all new UUIDs are greater. Returns it before and after.
    ///
    /// # Errors
    /// A clock or the tick is out of range, or the tick is further ahead of the system clock than `max_ahead`.
    pub fn observe(&self, tick: u64, max_ahead: Option<u64>, host: &impl Host) -> Result<(Reading, Reading), ClockError> {
        let before = self.now(host)?;
        let after = Reading { tick: before.tick.max(tick), ..before };
        if tick > before.tick {
            if tick >= LAST_TICK {
                return Err(ClockError::OutOfRange);
            }
            if max_ahead.is_some_and(|max| after.lead() > max) {
                return Err(ClockError::TooFarAhead);
            }
            self.last.0.fetch_max(tick, AcqRel);
        }
        Ok((before, after))
    }

    /// Sets the clock to the system clock, even if UUIDs have greater ticks. `lower_floors` lowers to that tick all floors of
    /// transactions that draw from the clock. One process at a time.
    ///
    /// # Errors
    /// The system clock is out of range.
    pub fn reset(&self, host: &impl Host, lower_floors: impl FnOnce(u64)) -> Result<Reading, ClockError> {
        let system = self.ready(host)?;
        let resets = self.resets.load(Relaxed) | 1;
        self.reset_to.store(system, Relaxed);
        self.resets.store(resets, SeqCst);
        // A floor that is not found below is written by a process that finds the odd number.
        fence(SeqCst);
        lower_floors(system);
        self.last.0.store(system, SeqCst);
        self.resets.store(resets + 1, SeqCst);
        self.note_seed(system, system, SeedTime::SystemClock);
        Ok(Reading { tick: system, system })
    }

    /// A number that a reset changes, at its begin and at its end.
    #[inline(always)]
    pub fn resets(&self) -> u64 {
        self.resets.load(Acquire)
    }

    /// The tick above which a transaction generates UUIDs from now on, unless [`Self::resets`] changes.
    pub fn floor(&self) -> u64 {
        let last = self.last.0.load(Acquire);
        if self.resets() & 1 == 1 { last.min(self.reset_to.load(Relaxed)) } else { last }
    }

    /// The last tick of a block whose users are gone. `None` if it is unused, of another version or damaged.
    pub fn last_tick(&self) -> Option<u64> {
        let last = self.last.0.load(Relaxed);
        (self.is_usable() && (1..=LAST_TICK).contains(&last)).then_some(last)
    }

    /// The state, after the clock has been advanced to the system clock.
    ///
    /// # Errors
    /// The system clock is out of range.
    pub fn status(&self, host: &impl Host) -> Result<Status, ClockError> {
        let now = self.now(host)?;
        let [seeded_at, seeded_from, time] = [&self.seed.at, &self.seed.from, &self.seed.time].map(|word| word.load(Relaxed));
        Ok(Status { now, seeded_at, seeded_from, seed_time: SeedTime::of_word(time) })
    }

    /// The system clock, after the clock has started, and was advanced at the end of recovery.
    fn ready(&self, host: &impl Host) -> Result<u64, ClockError> {
        let system = host.realtime().ok_or(ClockError::OutOfRange)?;
        match self.state.load(Acquire) {
            RUNS => (),
            IN_RECOVERY if host.in_recovery() => (),
            state => self.start(state, system, host)?,
        }
        Ok(system)
    }

    /// Starts the clock at the system clock, or at an earlier time of UUIDs if that is later. At the end of recovery, it is
    /// advanced to the replayed time, which another server's clock has reached. Several processes may do it at once.
    #[cold]
    fn start(&self, state: u64, system: u64, host: &impl Host) -> Result<(), ClockError> {
        let (in_recovery, earlier) = (host.in_recovery(), host.earlier_time());
        let reached = system.max(self.last.0.load(Relaxed));
        let (tick, time) = match earlier {
            Some(earlier) if earlier.reached > reached => (earlier.end, Some(earlier.known_by)),
            _ => (reached, (state == UNUSED).then_some(SeedTime::SystemClock)),
        };
        if tick > LAST_TICK {
            return Err(ClockError::OutOfRange);
        }
        self.last.0.fetch_max(tick, AcqRel);
        let next = if in_recovery { IN_RECOVERY } else { RUNS };
        if let Some(time) = time {
            self.note_seed(system, tick, time);
        }
        // Not over the state of a process that has come later.
        let _ = self.state.compare_exchange(state, next, AcqRel, Relaxed);
        Ok(())
    }

    fn note_seed(&self, system: u64, tick: u64, time: SeedTime) {
        self.seed.at.store(system, Relaxed);
        self.seed.from.store(tick, Relaxed);
        self.seed.time.store(time as u64, Relaxed);
    }
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
