use proptest::prelude::*;

use super::*;

const SECOND: u64 = 1000 * TICKS_PER_MS;

#[test]
fn a_logical_clock_without_a_lead_is_the_system_clock() {
    let at = Sample { monotonic: 5 * SECOND, realtime: 1000 * SECOND };
    let clock = LogicalClock::starting_at(at.realtime, at);
    assert_eq!(clock.tick(5 * SECOND), 1000 * SECOND);
    assert_eq!(clock.tick(8 * SECOND + 1), 1003 * SECOND + 1);
    assert_eq!(clock.level_in(at.monotonic), None);
}

#[test]
fn a_lead_of_three_seconds_is_gone_after_forty_eight() {
    let at = Sample { monotonic: 5 * SECOND, realtime: 1000 * SECOND };
    let clock = LogicalClock::starting_at(at.realtime + 3 * SECOND, at);
    let lead = |after: u64| clock.tick(at.monotonic + after) - (at.realtime + after);
    assert_eq!(lead(0), 3 * SECOND);
    assert_eq!(lead(START_DELAY), 3 * SECOND);
    assert_eq!(lead(START_DELAY + 16 * SECOND), 2 * SECOND);
    assert_eq!(clock.level_in(at.monotonic), Some(START_DELAY + 48 * SECOND));
    assert_eq!(lead(START_DELAY + 48 * SECOND), 0);
    assert_eq!(lead(3600 * SECOND), 0);
    assert_eq!(clock.level_in(at.monotonic + START_DELAY + 48 * SECOND), None);
}

#[test]
fn a_lead_of_more_than_two_hours_stays() {
    let at = Sample { monotonic: 5 * SECOND, realtime: 1000 * SECOND };
    let level_in = |lead| LogicalClock::starting_at(at.realtime + lead, at).level_in(at.monotonic);
    assert_eq!(level_in(7200 * SECOND), Some(START_DELAY + 16 * 7200 * SECOND));
    assert_eq!(level_in(7200 * SECOND + 1), None);
}

proptest! {
    /// Two ticks of the monotonic clock are at least one of the logical clock, whatever its lead.
    #[test]
    fn a_logical_clock_increases(
        monotonic in 0..1u64 << 50,
        lead in 0..3 * 3600 * SECOND,
        after in 0..200_000 * SECOND,
        step in 2..1000u64,
    ) {
        let at = Sample { monotonic, realtime: 1 << 56 };
        let clock = LogicalClock::starting_at(at.realtime + lead, at);
        prop_assert!(clock.tick(monotonic + after + step) > clock.tick(monotonic + after));
    }

    /// A logical clock that starts at the tick of another is not below it until it slows down.
    #[test]
    fn a_slower_clock_is_no_lower_before_it_slows_down(
        lead in 0..3 * 3600 * SECOND,
        after in 0..60_000 * SECOND,
        back in 0..3600 * SECOND,
        within in 0..=START_DELAY,
    ) {
        let first = Sample { monotonic: 1 << 40, realtime: 1 << 56 };
        let old = LogicalClock::starting_at(first.realtime + lead, first);
        let at = Sample {
            monotonic: first.monotonic + after,
            realtime: first.realtime + after - back.min(after),
        };
        let new = LogicalClock::starting_at(old.tick(at.monotonic).max(at.realtime), at);
        let later = at.monotonic + within;
        prop_assert!(new.tick(later) >= old.tick(later));
    }
}
