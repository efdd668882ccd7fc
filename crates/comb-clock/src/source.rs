//! The clocks of the operating system, in ticks.
//!
//! The tests implement [`ClockSource`] with clocks that stop, step back and jump.

use comb_tick::{FRACTION_BITS, TICKS_PER_MS, Tick, micros_of_tick};

/// The last tick of a clock, in the year 9887: a thousand years before 64 bits overflow, so that no sum of
/// ticks overflows.
pub const LAST_TICK: u64 = u64::MAX - 1000 * 366 * 86_400_000 * TICKS_PER_MS;
const LAST_SECOND: u64 = LAST_TICK / (1000 * TICKS_PER_MS) - 1;

/// The two clocks of a machine, in ticks.
pub trait ClockSource {
    /// The time since a time that is the same for all processes of the server. It never goes back.
    fn monotonic(&self) -> u64;

    /// Unix time; `None` before 1970 and after [`LAST_TICK`]. It can be set back.
    fn realtime(&self) -> Option<u64>;
}

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
    Some(ticks_of_seconds(seconds as u64, nanoseconds))
}

/// A duration in ticks, cut off. Durations from 8000 years on wrap around.
#[inline(always)]
pub const fn ticks_of_seconds(seconds: u64, nanoseconds: u32) -> u64 {
    // 1024 / 15,625 is TICKS_PER_MS / 1,000,000.
    (seconds.wrapping_mul(1000) << FRACTION_BITS).wrapping_add(nanoseconds as u64 * 1024 / 15_625)
}

/// Both clocks at one time.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The monotonic clock.
    pub monotonic: u64,
    /// The system clock.
    pub realtime: u64,
}

impl Sample {
    /// Two clocks cannot be read at once. The shortest of this many attempts is used.
    const ATTEMPTS: usize = 8;
    /// An attempt of up to 1 µs was not interrupted, and is used at once.
    const UNDISTURBED: u64 = 66;

    /// Reads both clocks; `None` if the system clock is out of range.
    pub fn read(source: &impl ClockSource) -> Option<Self> {
        let mut best: Option<(u64, Self)> = None;
        for _ in 0..Self::ATTEMPTS {
            let before = source.monotonic();
            let realtime = source.realtime()?;
            let width = source.monotonic().saturating_sub(before);
            if best.is_none_or(|(narrowest, _)| width < narrowest) {
                best = Some((width, Self { monotonic: before + width / 2, realtime }));
            }
            if width <= Self::UNDISTURBED {
                break;
            }
        }
        best.map(|(_, sample)| sample)
    }

    /// System clock minus monotonic clock; wraps around. It changes when the system clock is set, and when the
    /// machine is suspended.
    pub fn offset(self) -> u64 {
        self.realtime.wrapping_sub(self.monotonic)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn unix_time_becomes_ticks() {
        assert_eq!(tick_of_seconds(0, 0), Some(0));
        assert_eq!(tick_of_seconds(1, 0), Some(65_536_000));
        assert_eq!(tick_of_seconds(1, 1_000_000), Some(65_536_000 + 65_536));
        assert_eq!(tick_of_seconds(0, 999_999_999), Some(65_535_999));
        // PostgreSQL 18's uuidv7() keeps 12 bits of the fraction, cut off: ours are its continuation.
        let ns = 123_456;
        assert_eq!(tick_of_seconds(0, ns).unwrap() >> 4, u64::from(ns) * 4096 / 1_000_000);
    }

    #[test]
    fn ticks_become_microseconds() {
        assert_eq!(micros_of_clock(0), 0);
        assert_eq!(micros_of_clock(65_536_000), 1_000_000);
        assert_eq!(micros_of_clock(u64::MAX), 281_474_976_710_655_999);
    }

    #[test]
    fn a_clock_ends_a_thousand_years_before_64_bits_do() {
        assert_eq!(micros_of_clock(LAST_TICK), 249_852_576_710_655_999);
        assert_eq!(LAST_SECOND, 249_852_576_709);
    }

    #[test]
    fn a_clock_before_1970_or_beyond_the_last_tick_is_refused() {
        assert_eq!(tick_of_seconds(-1, 999_999_999), None);
        assert_eq!(tick_of_seconds(i64::MIN, 0), None);
        let last = LAST_SECOND as i64;
        assert!(tick_of_seconds(last, 999_999_999).is_some());
        assert_eq!(tick_of_seconds(last + 1, 0), None);
        assert_eq!(tick_of_seconds(i64::MAX, 0), None);
    }

    #[test]
    fn the_sample_that_was_disturbed_least_counts() {
        /// A process that loses its processor between the first two readings.
        struct Disturbed(Cell<u64>, Cell<u64>);
        impl ClockSource for Disturbed {
            fn monotonic(&self) -> u64 {
                self.0.set(self.0.get() + 10);
                self.0.get()
            }
            fn realtime(&self) -> Option<u64> {
                self.0.set(self.0.get() + 10 + self.1.take());
                Some(1_000_000 + self.0.get())
            }
        }
        let clocks = Disturbed(Cell::new(0), Cell::new(500_000));
        let sample = Sample::read(&clocks).unwrap();
        assert_eq!(sample.offset(), 1_000_000);
    }
}
