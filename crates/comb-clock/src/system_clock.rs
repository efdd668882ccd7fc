//! The time of the system clock, in ticks.

use comb_tick::{TICKS_PER_MS, Tick, micros_of_tick};

/// The last tick of a clock, in the year 9887: a thousand years before 64 bits overflow, so that no sum of
/// ticks overflows.
pub const LAST_TICK: u64 = u64::MAX - 1000 * 366 * 86_400_000 * TICKS_PER_MS;
const LAST_SECOND: u64 = LAST_TICK / (1000 * TICKS_PER_MS) - 1;

/// The microsecond of a clock's tick, since the Unix epoch.
pub fn micros_of_clock(tick: u64) -> i64 {
    micros_of_tick(Tick::from(tick)).expect("64 bits of ticks are 58 of microseconds")
}

/// The tick of a Unix time in seconds and nanoseconds (less than a second), cut off; `None` before 1970 and
/// after [`LAST_TICK`].
#[inline(always)]
pub const fn tick_of_seconds(seconds: i64, nanoseconds: u32) -> Option<u64> {
    if seconds < 0 || seconds as u64 > LAST_SECOND {
        return None;
    }
    // 1024 / 15,625 is TICKS_PER_MS / 1,000,000.
    Some(seconds as u64 * 1000 * TICKS_PER_MS + nanoseconds as u64 * 1024 / 15_625)
}

#[cfg(test)]
#[path = "system_clock_tests.rs"]
mod tests;
