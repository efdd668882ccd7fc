//! The clock line: how a monotonic clock becomes the ticks of ids.
//!
//! A line is Unix time as it was when the line began, carried on by a clock that nobody can set. When
//! the real clock is set back, a new line goes on where the old one is, at 15/16 of its speed until the
//! real clock has caught up; when it is set forward, a new line begins there.
//!
//! Everything is counted in ticks: 64-bit numbers that add and compare without a division.

use super::source::Sample;
use comb_tick::TICKS_PER_MS;

/// A lead of one tick takes so many to be worked off: 15/16 of the speed is a second lost in 16, which
/// no one who reads the ids notices and which works off an hour in 16.
const SLOWNESS: u64 = 16;

/// A lead longer than two hours (a clock that was days or years ahead) would take days and more to work
/// off. It is kept, and seen in comb_status(). An hour, a time zone's mistake, is well within.
pub const LONGEST_WORKED_OFF: u64 = 2 * 3_600_000 * TICKS_PER_MS;

/// How long after its publication a line becomes slower than the one before it, 1 ms. Who used the old
/// line looked once more after reading the clock, and saw no other. But a processor may carry out that
/// look before it reads the clock, by as much as it works ahead, far less than a microsecond. Until
/// then both lines have to agree.
pub const START_DELAY: u64 = TICKS_PER_MS;

/// Ticks as a function of the monotonic clock. It never decreases, and of two moments that are two
/// ticks apart the later has the greater value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// What is added to the monotonic clock; wraps around.
    pub(super) offset: u64,
    /// From when to when the line goes at 15/16 of the clock's speed.
    pub(super) slow_from: u64,
    pub(super) slow_until: u64,
}

impl Line {
    /// The line that is at `tick` at the moment of the reading, and works off what it is then ahead of
    /// the real clock, unless that is longer than [`LONGEST_WORKED_OFF`].
    pub fn through(tick: u64, at: Sample) -> Self {
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

    /// The tick at a moment of the monotonic clock.
    #[inline(always)]
    pub fn tick(&self, monotonic: u64) -> u64 {
        let slowly = monotonic.min(self.slow_until).saturating_sub(self.slow_from);
        monotonic.wrapping_add(self.offset).wrapping_sub(slowly / SLOWNESS)
    }

    /// In how many ticks the lead will be worked off; `None` where none is.
    pub fn level_in(&self, monotonic: u64) -> Option<u64> {
        self.slow_until.checked_sub(monotonic).filter(|&rest| rest > 0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECOND: u64 = 1000 * TICKS_PER_MS;

    #[test]
    fn a_line_without_a_lead_is_the_clock() {
        let at = Sample { monotonic: 5 * SECOND, realtime: 1000 * SECOND };
        let line = Line::through(at.realtime, at);
        assert_eq!(line.tick(5 * SECOND), 1000 * SECOND);
        assert_eq!(line.tick(8 * SECOND + 1), 1003 * SECOND + 1);
        assert_eq!(line.level_in(at.monotonic), None);
    }

    #[test]
    fn a_lead_of_three_seconds_is_gone_after_forty_eight() {
        let at = Sample { monotonic: 5 * SECOND, realtime: 1000 * SECOND };
        let line = Line::through(at.realtime + 3 * SECOND, at);
        let lead = |after: u64| line.tick(at.monotonic + after) - (at.realtime + after);
        assert_eq!(lead(0), 3 * SECOND);
        assert_eq!(lead(START_DELAY), 3 * SECOND);
        assert_eq!(lead(START_DELAY + 16 * SECOND), 2 * SECOND);
        assert_eq!(line.level_in(at.monotonic), Some(START_DELAY + 48 * SECOND));
        assert_eq!(lead(START_DELAY + 48 * SECOND), 0);
        assert_eq!(lead(3600 * SECOND), 0);
        assert_eq!(line.level_in(at.monotonic + START_DELAY + 48 * SECOND), None);
    }

    #[test]
    fn a_lead_of_days_stays() {
        let at = Sample { monotonic: 5 * SECOND, realtime: 1000 * SECOND };
        let line = Line::through(at.realtime + 86_400 * SECOND, at);
        assert_eq!(line.tick(1005 * SECOND), 88_400 * SECOND);
        assert_eq!(line.level_in(at.monotonic), None);
    }

    proptest! {
        /// Two ticks of the clock are at least one of the line, whatever its lead.
        #[test]
        fn a_line_goes_up(
            monotonic in 0..1u64 << 50,
            lead in 0..3 * 3600 * SECOND,
            after in 0..200_000 * SECOND,
            step in 2..1000u64,
        ) {
            let at = Sample { monotonic, realtime: 1 << 56 };
            let line = Line::through(at.realtime + lead, at);
            prop_assert!(line.tick(monotonic + after + step) > line.tick(monotonic + after));
        }

        /// A line through the value of another agrees with it or lies above it until it slows down.
        #[test]
        fn a_slower_line_is_no_lower_before_it_begins(
            lead in 0..3 * 3600 * SECOND,
            after in 0..60_000 * SECOND,
            back in 0..3600 * SECOND,
            within in 0..=START_DELAY,
        ) {
            let first = Sample { monotonic: 1 << 40, realtime: 1 << 56 };
            let old = Line::through(first.realtime + lead, first);
            let at = Sample {
                monotonic: first.monotonic + after,
                realtime: first.realtime + after - back.min(after),
            };
            let new = Line::through(old.tick(at.monotonic).max(at.realtime), at);
            let moment = at.monotonic + within;
            prop_assert!(new.tick(moment) >= old.tick(moment));
        }
    }
}
