//! The logical clock: Unix time computed from the monotonic clock, which cannot be set.
//!
//! If the system clock is set back, the logical clock continues from its own time, at 15/16 of the speed, until
//! the system clock has caught up. If the system clock is set forward, the logical clock jumps to it.
//!
//! All times are ticks: 64-bit numbers, which are added and compared without a division.

use super::source::Sample;
use comb_tick::TICKS_PER_MS;

/// The number of ticks in which a lead of one tick is worked off. At 15/16 of the speed, a lead of an hour
/// is worked off in 16 hours, and readers of the ids do not notice.
const SLOWNESS: u64 = 16;

/// The longest lead that is worked off, two hours: more than the error of a time zone. A longer one (a
/// system clock that was days or years ahead) would need days and more. The clock stays ahead, and comb_status() shows it.
pub const LONGEST_WORKED_OFF: u64 = 2 * 3_600_000 * TICKS_PER_MS;

/// The time from a change to the time at which the new logical clock becomes slower than the old one, 1
/// ms. A reader of the old one loads the lock's number again after it has read the monotonic clock. But a
/// processor may execute that load before it reads the clock, by far less than a microsecond. Both logical
/// clocks must agree during that time.
pub const START_DELAY: u64 = TICKS_PER_MS;

/// Unix time as a function of the monotonic clock. It never decreases, and if two times are two ticks
/// apart, the later one has the greater tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogicalClock {
    /// The difference to the monotonic clock; wraps around.
    pub(super) offset: u64,
    /// Between these times of the monotonic clock, the logical clock runs at 15/16 of its speed.
    pub(super) slow_from: u64,
    pub(super) slow_until: u64,
}

impl LogicalClock {
    /// The logical clock that is at `tick` at the time of the sample, and works off its lead over the
    /// system clock unless that is longer than [`LONGEST_WORKED_OFF`].
    pub fn starting_at(tick: u64, at: Sample) -> Self {
        Self::slowing_after(START_DELAY, tick, at)
    }

    pub(super) fn slowing_after(delay: u64, tick: u64, at: Sample) -> Self {
        let offset = tick.wrapping_sub(at.monotonic);
        match tick.saturating_sub(at.realtime) {
            lead @ 1..=LONGEST_WORKED_OFF => {
                let slow_from = at.monotonic + delay;
                Self { offset, slow_from, slow_until: slow_from + lead * SLOWNESS }
            }
            _ => Self { offset, slow_from: 0, slow_until: 0 },
        }
    }

    /// The tick at a time of the monotonic clock.
    #[inline(always)]
    pub fn tick(&self, monotonic: u64) -> u64 {
        let slowly = monotonic.min(self.slow_until).saturating_sub(self.slow_from);
        monotonic.wrapping_add(self.offset).wrapping_sub(slowly / SLOWNESS)
    }

    /// The number of ticks until the lead is worked off; `None` if no lead is being worked off.
    pub fn level_in(&self, monotonic: u64) -> Option<u64> {
        self.slow_until.checked_sub(monotonic).filter(|&ticks| ticks > 0)
    }
}

/// The time at which a logical clock started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedSource {
    /// The system clock.
    SystemClock = 1,
    /// The time of the last checkpoint, since the system clock was before it.
    Checkpoint = 2,
    /// The time of the last replayed transaction, since the system clock was before it.
    Replay = 3,
    /// The time that the logical clock had reached before a backend crashed, since the system clock was
    /// before it.
    Crash = 4,
}

impl SeedSource {
    pub(super) fn of_word(word: u64) -> Option<Self> {
        [Self::SystemClock, Self::Checkpoint, Self::Replay, Self::Crash].into_iter().find(|&source| source as u64 == word)
    }
}

/// Why a logical clock cannot be read or changed. It stays as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockError {
    /// The system clock or the tick is out of range.
    OutOfRange,
    /// The tick is further ahead of the system clock than permitted.
    TooFarAhead,
}

#[cfg(test)]
#[path = "logical_clock_tests.rs"]
mod tests;
