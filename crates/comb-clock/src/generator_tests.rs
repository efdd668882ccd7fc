//! The promises of a generator.

use super::super::simulation::{BEGIN, HOUR, SECOND, STRIDE, SimulatedHost, distant_tick, next_tick, unused_block};
use super::*;
use crate::host::EarlierTime;

#[test]
fn ticks_increase_while_the_clock_steps_back_and_jumps() {
    let host = SimulatedHost::new();
    let mut generator = Generator::new(unused_block());
    let ticks = [BEGIN, BEGIN, BEGIN - HOUR, BEGIN + 1, BEGIN + HOUR, BEGIN].map(|now| {
        host.set(Some(now));
        next_tick(&mut generator, 1, &host).unwrap()
    });
    assert!(ticks.is_sorted_by(|a, b| a < b));
}

#[test]
fn a_clock_out_of_range_changes_nothing() {
    let host = SimulatedHost::new();
    let mut generator = Generator::new(unused_block());
    // The logical clock starts after the first round.
    for _ in 0..2 {
        let before = host.real();
        host.set(None);
        host.pass(SECOND);
        assert_eq!(next_tick(&mut generator, 1, &host), Err(ClockError::OutOfRange));
        assert_eq!(distant_tick(&mut generator, 4, &host), Err(ClockError::OutOfRange));
        host.set(Some(before + SECOND));
        let tick = next_tick(&mut generator, 1, &host).unwrap();
        assert!(tick.abs_diff(host.real()) < TICKS_PER_MS);
    }
    assert_eq!(generator.block().status(&host).unwrap().steps_back, 0);
}

#[test]
fn a_tick_that_no_layout_can_use_changes_nothing() {
    let host = SimulatedHost::new();
    let mut generator = Generator::new(unused_block());
    let next = Next { step: HOUR, advance: true };
    generator.tick(next, &host, Some).unwrap();
    let refused = generator.tick(next, &host, |_| None);
    assert_eq!(refused.map(|new| new.tick), Err(ClockError::OutOfRange));
    assert_eq!(generator.block().status(&host).unwrap().now.lead, 0);
}

#[test]
fn ticks_are_not_ahead_of_the_clock() {
    for step in [1, 7] {
        let host = SimulatedHost::new();
        let mut generator = Generator::new(unused_block());
        for _ in (0..100_000).step_by(STRIDE) {
            assert!(next_tick(&mut generator, step, &host).unwrap() <= host.real());
        }
    }
}

/// A reading of the clock takes 2 ticks.
#[test]
fn one_reading_is_enough_until_the_next_comparison() {
    let host = SimulatedHost::new();
    let mut generator = Generator::new(unused_block());
    next_tick(&mut generator, 1, &host).unwrap();
    for (wait, is_enough) in [(9, true), (2, false)] {
        host.pass(wait * TICKS_PER_MS);
        assert_eq!(generator.try_tick(1, &host).is_some(), is_enough);
    }
    for (ahead, is_enough) in [(3, true), (2, false)] {
        generator.check_at = host.mono() + ahead;
        assert_eq!(generator.try_tick(1, &host).is_some(), is_enough);
    }
    generator.check_at = u64::MAX;
    let now = generator.try_tick(1, &host).unwrap();
    assert_eq!(generator.try_tick(2, &host), Some(now + 2));
    assert_eq!(generator.try_tick(3, &host), None);
}

#[test]
fn a_seed_is_used_for_a_second() {
    let host = SimulatedHost::new();
    let mut generator = Generator::new(unused_block());
    let mut bits_after = |wait, refresh: fn(&mut Generator, &SimulatedHost)| {
        host.pass(wait);
        refresh(&mut generator, &host);
        assert_ne!(generator.random.next(1).unwrap(), generator.random.next(1).unwrap());
        generator.random.process_bits(1).unwrap()
    };
    let tick = |generator: &mut Generator, host: &SimulatedHost| {
        next_tick(generator, 1, host).unwrap();
    };
    let first = bits_after(0, tick);
    assert_eq!(bits_after(SECOND / 2, tick), first);
    let second = bits_after(SECOND, tick);
    assert_ne!(second, first);
    assert_ne!(bits_after(SECOND, |generator, host| generator.random.refresh(host.monotonic())), second);
}

/// With a clock that moves once in 4 ms, waiting is of no use, so the logical clock is advanced: by single
/// ticks, and by no more than the clock moves.
#[test]
#[cfg_attr(miri, ignore = "reads the clock a million times")]
fn ticks_of_two_generators_increase_by_a_coarse_clock() {
    let host = SimulatedHost::coarse(4 * TICKS_PER_MS);
    let block = unused_block();
    let mut generators = [Generator::new(block), Generator::new(block)];
    let mut last = 0;
    for n in 0..1000 {
        let tick = next_tick(&mut generators[n % 2], 1, &host).unwrap();
        // Two ticks of one reading may be equal, but only of different generators.
        assert!(tick >= last + (n as u64 + 1) % 2, "{n}");
        last = tick;
        assert!(last <= host.real() + 4 * TICKS_PER_MS);
    }
}

/// RT.Comb's UtcNoRepeatTimestampProvider.
#[test]
fn a_generator_keeps_the_distance_that_is_asked_for() {
    let host = SimulatedHost::new();
    let mut generator = Generator::new(unused_block());
    let mut last = 0;
    for _ in 0..1000 {
        let tick = distant_tick(&mut generator, 4, &host).unwrap();
        assert!(tick.is_multiple_of(TICKS_PER_MS) && tick >= last + 4 * TICKS_PER_MS);
        last = tick;
    }
    // Ids without a distance are above these as well.
    assert!(next_tick(&mut generator, 1, &host).unwrap() > last);
}

/// A session that keeps a distance has a separate logical clock, and the ids of other sessions get no lead.
#[test]
#[cfg_attr(miri, ignore = "reads the clock a million times")]
fn a_distance_gives_no_other_session_a_lead() {
    let host = SimulatedHost::coarse(4 * TICKS_PER_MS);
    let shared = unused_block();
    let (mut server, mut private) = (Generator::new(shared), Generator::new(unused_block()));
    for _ in 0..20 {
        for _ in 0..100 {
            distant_tick(&mut private, 1000, &host).unwrap();
        }
        next_tick(&mut server, 1, &host).unwrap();
        host.pass(20 * TICKS_PER_MS);
    }
    assert!(private.block().status(&host).unwrap().now.lead > 1900 * SECOND);
    assert_eq!(shared.status(&host).unwrap().now.lead, 0);
}

/// A session that is stopped anywhere does not report the time that passed as a lead.
#[test]
fn a_session_that_was_stopped_reports_no_lead() {
    for readings in 0..30 {
        let host = SimulatedHost::new();
        let mut generator = Generator::new(unused_block());
        next_tick(&mut generator, 1, &host).unwrap();
        host.pass(SECOND);
        host.stop_after(readings, HOUR);
        let new = generator.tick(Next { step: 1, advance: false }, &host, Some).unwrap();
        assert_eq!(new.lead, 0, "stopped after {readings} readings");
    }
}

#[test]
fn a_reset_goes_back_on_purpose() {
    let host = SimulatedHost::new();
    let block = unused_block();
    let mut generators = [Generator::new(block), Generator::new(block)];
    let mut tick = |n: usize| next_tick(&mut generators[n], 1, &host).unwrap();
    host.set(Some(BEGIN + 1000 * SECOND));
    assert!(tick(0).min(tick(1)) >= BEGIN + 1000 * SECOND);
    host.set(Some(BEGIN));
    assert!(tick(0).min(tick(1)) >= BEGIN + 1000 * SECOND);
    block.reset(&host).unwrap();
    assert!(tick(0).max(tick(1)) < BEGIN + SECOND);
    assert_eq!(block.status(&host).unwrap().now.lead, 0);
}

#[test]
fn ticks_that_repeat_after_a_reset_have_other_process_bits() {
    let host = SimulatedHost::new();
    let block = unused_block();
    let mut generator = Generator::new(block);
    let mut next = || {
        let tick = next_tick(&mut generator, 7, &host).unwrap();
        (tick, generator.random.process_bits(1).unwrap())
    };
    next();
    let before = next();
    host.set_back(SECOND);
    block.reset(&host).unwrap();
    let after = next();
    assert!(after.0 < before.0);
    assert_ne!(after.1, before.1);
}

/// A process resets the logical clock while another one waits for a tick.
#[test]
fn a_reset_is_not_undone_by_a_process_that_waits() {
    struct Late<'a>(&'a SimulatedHost, &'static Block);
    impl ClockSource for Late<'_> {
        fn monotonic(&self) -> u64 {
            self.0.monotonic()
        }
        fn realtime(&self) -> Option<u64> {
            self.0.realtime()
        }
    }
    impl Host for Late<'_> {
        fn earlier_time(&self) -> Option<EarlierTime> {
            None
        }
        fn in_recovery(&self) -> bool {
            false
        }
        fn undisturbed(&self, change: &mut dyn FnMut()) {
            self.1.reset(self.0).unwrap();
            change();
        }
        fn wait(&self, turn: u32) {
            self.0.wait(turn);
        }
    }
    let host = SimulatedHost::new();
    let block = unused_block();
    let mut generator = Generator::new(block);
    block.observe(&host, BEGIN + 1000 * SECOND, None).unwrap();
    next_tick(&mut generator, 1, &host).unwrap();
    let next = Next { step: 4 * TICKS_PER_MS, advance: true };
    let tick = generator.tick(next, &Late(&host, block), Some).unwrap().tick;
    assert!(tick < BEGIN + 100 * SECOND);
}
