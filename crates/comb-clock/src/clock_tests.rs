//! The promises of the clock: strict order, no tick twice, nothing lost on an error.

use std::collections::HashSet;
use std::thread;

use proptest::prelude::*;

use super::*;
use crate::interface::EarlierTime;
use crate::simulation::{BEGIN, HOUR, SECOND, SimulatedHost, unused_block};

fn next(block: &Block, host: &SimulatedHost) -> u64 {
    block.next(1, LAST_TICK, host).unwrap().tick
}

#[test]
fn time_stands_still_until_the_system_clock_has_caught_up() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    assert_eq!(next(block, &host), BEGIN + 1, "the clock starts at a tick that may be that of a UUID");
    host.set(BEGIN - HOUR);
    assert_eq!([next(block, &host), next(block, &host)], [BEGIN + 2, BEGIN + 3], "a tick for each UUID");
    assert_eq!(block.status(&host).unwrap().now.lead(), HOUR + 3);
    host.set(BEGIN + 3);
    assert_eq!(next(block, &host), BEGIN + 4);
    host.set(BEGIN + SECOND);
    assert_eq!(next(block, &host), BEGIN + SECOND, "a lead of an hour ends after an hour");
    assert_eq!(block.status(&host).unwrap().now.lead(), 0);
}

#[test]
fn now_and_observe_advance_the_clock_and_never_set_it_back() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    block.observe(BEGIN + HOUR, None, &host).unwrap();
    assert_eq!(block.now(&host).unwrap(), Reading { tick: BEGIN + HOUR, system: BEGIN });
    assert_eq!(next(block, &host), BEGIN + HOUR + 1, "greater than what was observed");
    block.observe(BEGIN, None, &host).unwrap();
    assert_eq!(next(block, &host), BEGIN + HOUR + 2);
    host.set(BEGIN + 2 * HOUR);
    assert_eq!(block.now(&host).unwrap().tick, BEGIN + 2 * HOUR);
    assert_eq!(block.floor(), BEGIN + 2 * HOUR);
}

#[test]
fn an_observed_tick_may_not_be_too_far_ahead() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    let observe = |tick, max| block.observe(tick, max, &host).map(|(_, after)| after.lead());
    assert_eq!(observe(BEGIN + SECOND, Some(SECOND)), Ok(SECOND));
    assert_eq!(observe(BEGIN + SECOND + 1, Some(SECOND)), Err(ClockError::TooFarAhead));
    assert_eq!(observe(BEGIN + SECOND, Some(0)), Ok(SECOND), "the clock has reached it already");
    assert_eq!(observe(LAST_TICK, None), Err(ClockError::OutOfRange), "no tick would follow");
    assert_eq!(next(block, &host), BEGIN + SECOND + 1, "errors change nothing");
}

#[test]
fn a_clock_out_of_range_changes_nothing() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    for _ in 0..2 {
        host.now.set(None);
        assert_eq!(block.next(1, LAST_TICK, &host), Err(ClockError::OutOfRange));
        assert_eq!(block.now(&host), Err(ClockError::OutOfRange));
        assert_eq!(block.reset(&host, |_| panic!("not reset")), Err(ClockError::OutOfRange));
        // The clock has started in the second round.
        host.set(BEGIN);
        assert!(next(block, &host) <= BEGIN + 2);
    }
    let last = block.floor();
    for step in [SECOND, HOUR] {
        assert_eq!(block.next(step, last + SECOND - 1, &host), Err(ClockError::OutOfRange), "of a layout that ends");
        assert_eq!(block.try_next(step, last + SECOND - 1, BEGIN), None);
    }
    assert_eq!(block.floor(), last);
    block.observe(LAST_TICK - 5, None, &host).unwrap();
    assert_eq!(block.next(10, LAST_TICK, &host), Err(ClockError::OutOfRange));
    assert_eq!(block.try_next(10, LAST_TICK, BEGIN), None);
    assert_eq!(block.next(5, LAST_TICK, &host).map(|reading| reading.tick), Ok(LAST_TICK));
}

fn earlier(reached: u64, known_by: SeedTime) -> Option<EarlierTime> {
    Some(EarlierTime { reached, end: reached + SECOND, known_by })
}

#[test]
fn it_starts_where_uuids_had_been() {
    use SeedTime::*;
    for (reached, time, first) in
        [(BEGIN - HOUR, SystemClock, BEGIN), (BEGIN, SystemClock, BEGIN), (BEGIN + HOUR, Checkpoint, BEGIN + HOUR + SECOND)]
    {
        let (block, host) = (unused_block(), SimulatedHost::new());
        host.earlier.set(earlier(reached, Checkpoint));
        assert!(block.try_next(1, LAST_TICK, BEGIN).is_none(), "it has not started");
        let status = block.status(&host).unwrap();
        assert_eq!((status.seed_time, status.seeded_from, status.seeded_at), (Some(time), first, BEGIN));
        assert!(next(block, &host) >= first);
    }
    let (block, host) = (unused_block(), SimulatedHost::new());
    host.earlier.set(earlier(LAST_TICK, Checkpoint));
    assert_eq!(block.now(&host), Err(ClockError::OutOfRange));
    block.set_places(7);
    assert_eq!(block.places(), 7);
}

#[test]
fn a_promotion_advances_it_to_the_replayed_time() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    host.in_recovery.set(true);
    assert_eq!(next(block, &host), BEGIN + 1);
    assert!(block.try_next(1, LAST_TICK, BEGIN).is_none(), "each UUID looks for the end of recovery");
    host.earlier.set(earlier(BEGIN + HOUR, SeedTime::Replay));
    assert_eq!(next(block, &host), BEGIN + 2, "not before the promotion");
    host.in_recovery.set(false);
    assert_eq!(next(block, &host), BEGIN + HOUR + SECOND + 1);
    assert_eq!(block.status(&host).unwrap().seed_time, Some(SeedTime::Replay));
    host.earlier.set(earlier(BEGIN + 9 * HOUR, SeedTime::Replay));
    assert_eq!(next(block, &host), BEGIN + HOUR + SECOND + 2, "once");
}

#[test]
fn a_reset_lowers_floors_first() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    block.observe(BEGIN + HOUR, None, &host).unwrap();
    let before = block.resets();
    block
        .reset(&host, |tick| {
            assert_eq!(tick, BEGIN);
            assert_eq!(block.floor(), BEGIN, "of a transaction that begins during the reset");
            assert_eq!(next(block, &host), BEGIN + HOUR + 1, "the clock is not reset yet");
            assert_ne!(block.resets(), before);
        })
        .unwrap();
    assert!(block.resets() > before && block.resets().is_multiple_of(2));
    assert_eq!(next(block, &host), BEGIN + 1);
    assert_eq!(block.floor(), BEGIN + 1);
}

#[test]
fn the_last_tick_of_a_block_is_known_after_a_crash() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    assert_eq!(block.last_tick(), None);
    let tick = next(block, &host);
    assert_eq!(block.last_tick(), Some(tick));
    let other = Block::unused();
    other.last.0.store(tick, Relaxed);
    assert_eq!(other.last_tick(), None, "of no version");
}

#[test]
fn processes_get_different_ticks() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    next(block, &host);
    let count = if cfg!(miri) { 20 } else { 20_000 };
    let threads: Vec<_> = (0..4)
        .map(|n| {
            thread::spawn(move || (0..count).map(|i| block.try_next(1, LAST_TICK, BEGIN + i * n).unwrap()).collect::<Vec<_>>())
        })
        .collect();
    let ticks: Vec<Vec<u64>> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(ticks.iter().all(|ticks| ticks.is_sorted_by(|a, b| a < b)), "each in order");
    assert_eq!(ticks.iter().flatten().collect::<HashSet<_>>().len(), 4 * count as usize);
}

proptest! {
    /// Whatever the system clock does, and whichever way a tick is generated.
    #[test]
    fn ticks_increase_by_their_steps(clock in prop::collection::vec((0..2 * HOUR, 1..SECOND, any::<bool>()), 1..100)) {
        let (block, host) = (unused_block(), SimulatedHost::new());
        let mut last = next(block, &host);
        for (now, step, fast) in clock {
            host.set(BEGIN + now);
            let tick = if fast { block.try_next(step, LAST_TICK, BEGIN + now).unwrap() } else { block.next(step, LAST_TICK, &host).unwrap().tick };
            prop_assert!(tick >= last + step && tick >= BEGIN + now);
            prop_assert!(tick == last + step || tick == BEGIN + now);
            last = tick;
        }
    }
}
