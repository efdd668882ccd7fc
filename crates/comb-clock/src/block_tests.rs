//! How the logical clock of a block starts, follows the system clock, and continues after a crash.

use proptest::prelude::*;

use super::super::follow::TOLERANCE;
use super::super::generator::Generator;
use super::super::host::EarlierTime;
use super::super::simulation::{BEGIN, HOUR, SECOND, SimulatedHost, next_tick, unused_block};
use super::super::status::Status;
use super::*;
use comb_tick::TICKS_PER_MS;

fn status(block: &Block, host: &SimulatedHost) -> Status {
    block.status(host).unwrap()
}

#[test]
fn a_block_of_zeros_is_unused_and_claimed_by_its_version() {
    let block = unused_block();
    assert!(!block.is_usable());
    block.claim();
    assert!(block.is_usable());
    assert!(!block.clock.has_started());
}

/// The status after a crash: the memory is new, and the clocks continue.
fn after_a_crash(tick: u64, host: &SimulatedHost) -> Status {
    host.earlier_time.set(Some(EarlierTime { reached: tick, end: tick, source: SeedSource::Crash }));
    status(unused_block(), host)
}

#[test]
fn the_logical_clock_continues_after_a_crash() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    block.claim();
    assert_eq!(block.last_tick(host.mono()), None, "no clock to continue from");
    status(block, &host);
    host.set_back(HOUR);
    host.pass(SECOND);
    let latest = status(block, &host).now.tick;
    let last_tick = block.last_tick(host.mono()).unwrap();
    assert!(last_tick >= latest && last_tick < latest + 100);
    let after = after_a_crash(last_tick, &host);
    assert!(after.now.tick > latest && after.now.tick < latest + SECOND);
    assert_eq!(after.seed_source, Some(SeedSource::Crash));
    // If the system clock was corrected in between, the logical clock starts at it.
    host.suspend(2 * HOUR);
    assert_eq!(after_a_crash(last_tick, &host).seed_source, Some(SeedSource::SystemClock));
}

#[test]
fn a_logical_clock_whose_writer_died_continues_above_it() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    block.claim();
    status(block, &host);
    host.set_back(HOUR);
    status(block, &host);
    host.pass(HOUR);
    let latest = status(block, &host).now.tick;
    let within = block.change(&host, |clock, at| Ok((clock, block.last_tick(at.monotonic).unwrap())));
    // A sixteenth of the lead was worked off in the hour.
    let last_tick = within.unwrap();
    assert!(last_tick > latest && last_tick < latest + HOUR / 16 + SECOND);
}

#[test]
fn no_clock_continues_from_a_damaged_block() {
    let clock = |offset| {
        let lock = SeqLock::empty();
        let clock = LogicalClock { offset, slow_from: 0, slow_until: 0 };
        let Ok(()) = lock.update(
            |_| unreachable!("no other process has the lock"),
            |change| change(),
            |_| Ok::<_, std::convert::Infallible>((clock, ())),
        );
        lock
    };
    let damages: [&dyn Fn(&mut Block); 4] = [
        &|block| block.version = AtomicU64::new(VERSION + 1),
        &|block| block.clock = clock(LAST_TICK),
        &|block| block.clock = clock(0),
        &|block| block.history.seed_source = AtomicU64::new(9),
    ];
    for (number, damage) in damages.iter().enumerate() {
        let (mut block, host) = (Block::unused(), SimulatedHost::new());
        block.claim();
        status(&block, &host);
        assert!(block.last_tick(host.mono()).is_some());
        damage(&mut block);
        assert!(block.last_tick(host.mono()).is_none(), "{number}");
    }
}

#[test]
fn a_server_that_becomes_a_standby_awaits_its_promotion() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    status(block, &host);
    assert!(!block.awaits_promotion());
    host.in_recovery.set(true);
    status(block, &host);
    assert!(block.awaits_promotion());
}

#[test]
fn the_logical_clock_starts_at_the_system_clock_or_at_an_earlier_time_of_ids() {
    let earlier = |end, source| Some(EarlierTime { reached: end - SECOND / 2, end, source });
    let cases = [
        (None, BEGIN, SeedSource::SystemClock),
        (earlier(BEGIN - SECOND, SeedSource::Checkpoint), BEGIN, SeedSource::SystemClock),
        (earlier(BEGIN + SECOND / 2, SeedSource::Checkpoint), BEGIN, SeedSource::SystemClock),
        (earlier(BEGIN + HOUR, SeedSource::Checkpoint), BEGIN + HOUR, SeedSource::Checkpoint),
        (earlier(BEGIN + SECOND, SeedSource::Replay), BEGIN + SECOND, SeedSource::Replay),
    ];
    for (earlier_time, begin, source) in cases {
        let (block, host) = (unused_block(), SimulatedHost::new());
        host.earlier_time.set(earlier_time);
        let status = status(block, &host);
        assert!(status.now.tick >= begin && status.now.tick < begin + TICKS_PER_MS);
        assert_eq!(status.seed_source, Some(source));
        assert!(status.seeded_from >= begin && status.seeded_from < begin + TICKS_PER_MS);
        assert!(status.seeded_at.abs_diff(BEGIN) < TICKS_PER_MS);
        assert_eq!(status.steps_back, 0);
    }
}

#[test]
fn a_promotion_advances_the_logical_clock_to_the_replayed_time() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    let mut generator = Generator::new(block);
    host.in_recovery.set(true);
    let mut tick = || next_tick(&mut generator, 1, &host).unwrap();
    assert!(tick() < BEGIN + SECOND);
    let (reached, end) = (BEGIN + HOUR, BEGIN + HOUR + 1);
    host.earlier_time.set(Some(EarlierTime { reached, end, source: SeedSource::Replay }));
    assert!(tick() < BEGIN + SECOND);
    host.in_recovery.set(false);
    // At the very next id, not 10 ms later.
    assert!(tick() >= end);
    assert!(!block.awaits_promotion());
    assert_eq!(status(block, &host).seed_source, Some(SeedSource::Replay));
}

/// The same rule applies at the start and at the end of a recovery.
#[test]
fn only_a_time_that_is_later_than_the_clock_counts() {
    for (near, recovers) in (0..40).flat_map(|near| [(near, false), (near, true)]) {
        let (block, host) = (unused_block(), SimulatedHost::new());
        if recovers {
            host.in_recovery.set(true);
            status(block, &host);
            host.in_recovery.set(false);
        }
        let (reached, source) = (host.real() + near, SeedSource::Replay);
        host.earlier_time.set(Some(EarlierTime { reached, end: reached + SECOND, source }));
        let status = status(block, &host);
        assert!(status.seed_source != Some(source) || reached > status.seeded_at, "{near}");
    }
}

#[test]
fn a_reset_in_recovery_still_awaits_the_promotion() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    host.in_recovery.set(true);
    assert!(block.published().is_some());
    block.reset(&host).unwrap();
    assert!(block.published().is_none());
    assert!(block.awaits_promotion());
}

#[test]
fn steps_back_are_counted_once_and_measured() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    status(block, &host);
    for back in [SECOND, 2 * HOUR, 3 * SECOND] {
        host.set_back(back);
        for _ in 0..3 {
            host.pass(SECOND);
            status(block, &host);
        }
    }
    let status = status(block, &host);
    assert_eq!(status.steps_back, 3);
    assert!(status.stepped_back.abs_diff(2 * HOUR + 4 * SECOND) < TICKS_PER_MS);
    assert!(status.largest_step_back.abs_diff(2 * HOUR) < TICKS_PER_MS);
}

#[test]
fn a_step_within_the_tolerance_is_not_followed() {
    for (back, steps_back, lead) in [(TOLERANCE, 0, 0), (TOLERANCE + 1, 1, TOLERANCE + 1)] {
        let (block, host) = (unused_block(), SimulatedHost::new());
        status(block, &host);
        host.set_back(back);
        let status = status(block, &host);
        assert_eq!((status.steps_back, status.now.lead), (steps_back, lead));
    }
}

#[test]
fn a_logical_clock_starts_up_to_the_last_tick() {
    for (end, starts) in [(LAST_TICK, true), (LAST_TICK + 1, false)] {
        let host = SimulatedHost::new();
        host.earlier_time.set(Some(EarlierTime { reached: end, end, source: SeedSource::Replay }));
        assert_eq!(unused_block().status(&host).is_ok(), starts);
    }
}

#[test]
fn observing_advances_up_to_the_limit() {
    let (block, host) = (unused_block(), SimulatedHost::new());
    let limit = Some(60 * SECOND);
    block.observe(&host, BEGIN - HOUR, limit).unwrap();
    assert_eq!(status(block, &host).now.lead, 0);
    block.observe(&host, BEGIN + 59 * SECOND, limit).unwrap();
    assert!(block.now(&host) > BEGIN + 59 * SECOND);
    let error = block.observe(&host, BEGIN + 61 * SECOND, limit);
    assert_eq!(error, Err(ClockError::TooFarAhead));
    assert!(block.now(&host) < BEGIN + 60 * SECOND);
    block.observe(&host, BEGIN + 500 * HOUR, None).unwrap();
    assert!(block.now(&host) > BEGIN + 500 * HOUR);
    assert_eq!(status(block, &host).now.level_in, None);
    for beyond in [LAST_TICK, u64::MAX - 10, u64::MAX] {
        assert_eq!(block.observe(&host, beyond, None), Err(ClockError::OutOfRange));
    }
    // The next tick is 7 later.
    assert!(block.observe(&host, LAST_TICK - 7, None).is_ok());
    let leads = (0..100).filter_map(|near| {
        block.reset(&host).unwrap();
        let tick = host.real() + SECOND - 50 + near;
        Some(block.observe(&host, tick, Some(SECOND)).ok()?.1.lead)
    });
    assert_eq!(leads.max(), Some(SECOND));
}

/// An event between two ids.
#[derive(Clone, Debug)]
enum Event {
    Pass(u64),
    Suspend(u64),
    SetBack(u64),
    SetForward(u64),
    Observe(u64),
    Reset,
}

impl Event {
    fn happen(&self, host: &SimulatedHost, block: &Block) {
        match *self {
            Self::Pass(ticks) => host.pass(ticks),
            Self::Suspend(ticks) | Self::SetForward(ticks) => host.suspend(ticks),
            Self::SetBack(ticks) => host.set_back(ticks),
            Self::Observe(ahead) => {
                block.observe(host, host.real() + ahead, None).unwrap();
            }
            Self::Reset => {
                block.reset(host).unwrap();
            }
        }
    }
}

fn time_or_a_step_back() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (0..100 * TICKS_PER_MS).prop_map(Event::Pass),
        2 => (0..HOUR).prop_map(Event::Pass),
        2 => (0..30 * HOUR).prop_map(Event::SetBack),
    ]
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => time_or_a_step_back(),
        1 => (0..10 * HOUR).prop_map(Event::Suspend),
        2 => (0..HOUR).prop_map(Event::SetForward),
        1 => (0..HOUR).prop_map(Event::Observe),
        1 => Just(Event::Reset),
    ]
}

fn events(event: impl Strategy<Value = Event>) -> impl Strategy<Value = Vec<(Event, usize)>> {
    prop::collection::vec((event, 0..3usize), 1..100)
}

/// Three processes that share the logical clock.
fn three(block: &'static Block) -> [Generator; 3] {
    [(); 3].map(|()| Generator::new(block))
}

/// After each event, a process generates an id. The ids increase until a reset.
fn assert_ticks_increase(events: Vec<(Event, usize)>) -> Result<(), TestCaseError> {
    let (block, host) = (unused_block(), SimulatedHost::new());
    let mut processes = three(block);
    let mut last = 0;
    let mut went_forward_at = 0;
    for (event, index) in events {
        event.happen(&host, block);
        let asked_at = host.mono();
        if let Event::Suspend(_) | Event::SetForward(_) = event {
            went_forward_at = asked_at;
        }
        if let Event::Reset = event {
            last = 0;
        }
        let tick = next_tick(&mut processes[index], 1, &host).unwrap();
        prop_assert!(tick > last, "{tick} after {last}");
        last = tick;
        if asked_at >= went_forward_at + 10 * TICKS_PER_MS {
            prop_assert!(tick + 2 * TOLERANCE >= host.real(), "behind the clock");
        }
    }
    Ok(())
}

/// A case that the property below once found.
#[test]
fn ticks_increase_after_a_suspend_of_little_more_than_the_tolerance() {
    let events = [(Event::Pass(0), 1), (Event::Suspend(65_537), 1), (Event::Pass(0), 0)];
    assert_ticks_increase(events.into()).unwrap();
}

proptest! {
    #[test]
    fn ticks_of_all_processes_increase_and_follow_the_clock(events in events(event())) {
        assert_ticks_increase(events)?;
    }

    /// However often the system clock is set back, the logical clock runs at 15/16 of its speed or more, and no faster
    /// than time.
    #[test]
    fn a_lead_is_worked_off_without_a_jump(events in events(time_or_a_step_back())) {
        let (block, host) = (unused_block(), SimulatedHost::new());
        let mut processes = three(block);
        let mut last = next_tick(&mut processes[0], 1, &host).unwrap();
        let mut last_mono = host.mono();
        for (event, index) in events {
            event.happen(&host, block);
            let tick = next_tick(&mut processes[index], 1, &host).unwrap();
            let (went, by) = (tick - last, host.mono() - last_mono);
            // 1000 ticks are 15 µs, the time of all readings of the clocks here.
            prop_assert!(went <= by + 1000, "{went} ticks in {by}");
            prop_assert!(went + 1000 >= by * 15 / 16, "{went} ticks in {by}");
            (last, last_mono) = (tick, host.mono());
        }
    }

    /// A lead ends by itself.
    #[test]
    fn a_lead_of_up_to_an_hour_is_worked_off(back in TOLERANCE + 100..=HOUR, steps in 1..5u64) {
        let (block, host) = (unused_block(), SimulatedHost::new());
        let mut generator = Generator::new(block);
        let mut tick = || {
            let tick = next_tick(&mut generator, 1, &host).unwrap();
            (tick, host.mono(), host.real())
        };
        tick();
        // The clock is set back in several steps, the later ones while the lead is being worked off.
        for _ in 0..steps {
            host.set_back(back / steps);
            host.pass(20 * TICKS_PER_MS);
            tick();
        }
        let (mut last, mut last_mono, _) = tick();
        for sixteenth in 1..=16 {
            host.pass(back);
            let (now, mono, real) = tick();
            let (went, by) = (now - last, mono - last_mono);
            prop_assert!(went <= by && went >= by * 15 / 16 - 1);
            let left = back - back / 16 * sixteenth;
            prop_assert!((now - real).abs_diff(left) <= 200 * TICKS_PER_MS, "{sixteenth}");
            (last, last_mono) = (now, mono);
        }
        host.pass(SECOND);
        let (now, _, real) = tick();
        prop_assert!(now.abs_diff(real) <= TOLERANCE);
    }
}
