//! Clock and layouts together: ids of every layout while the system clock is set back and forward.

use proptest::prelude::*;
use uuid::Uuid;

use crate::generator::{Generator, Next};
use crate::logical_clock::ClockError;
use crate::simulation::{BEGIN, SECOND, SimulatedHost, next_tick, unused_block};
use comb_id::bsv::Bsv;
use comb_id::layout::Comb;
use comb_id::layout::Layout;
use comb_id::layouts::{LAYOUTS, labelled};
use comb_tick::{TICKS_PER_MS, Tick, tick_of_micros};

fn next_id(generator: &mut Generator, layout: &Layout, host: &SimulatedHost) -> Option<Uuid> {
    let tick = next_tick(generator, layout.min_step(), host).ok()?;
    let random = if layout.marks_process() { generator.random.process_bits(1) } else { generator.random.next(1) };
    layout.encode(Comb { tick: Tick::from(tick), random: random.unwrap() })
}

/// The first tick of the layout that begins last.
fn every_layout_begun() -> u64 {
    let first = LAYOUTS.iter().map(|layout| tick_of_micros(layout.range_micros().0)).max();
    first.unwrap_or(0).try_into().unwrap()
}

fn new_generator() -> Generator {
    Generator::new(unused_block())
}

#[test]
fn a_clock_beyond_the_layouts_range_is_refused() {
    // 2079-06-07 and 2059-03-14.
    for (label, second) in [("mssql_legacy", 3_453_321_600), ("laravel", 2_814_825_600)] {
        let layout = labelled(label.as_bytes()).unwrap();
        let host = SimulatedHost::new();
        host.set(Some(second * SECOND));
        let mut generator = new_generator();
        assert_eq!(next_id(&mut generator, layout, &host), None, "{label}");
        let fit = |tick| layout.next_exact(Tick::from(tick)).and_then(|tick| tick.try_into().ok());
        let next = Next { step: 4 * TICKS_PER_MS, advance: true };
        let error = generator.tick(next, &host, fit).map(|new| new.tick);
        assert_eq!(error, Err(ClockError::OutOfRange), "{label}");
        assert_eq!(generator.block().status(&host).unwrap().now.lead, 0);
    }
}

/// Ids of process_ticks consist of the tick and the bits of the process.
#[test]
fn ticks_that_repeat_after_a_reset_are_other_ids() {
    let host = SimulatedHost::new();
    let mut generator = new_generator();
    let block = generator.block();
    let layout = labelled(b"process_ticks").unwrap();
    let mut ids = || -> Vec<Uuid> { (0..1000).map(|_| next_id(&mut generator, layout, &host).unwrap()).collect() };
    let before = ids();
    host.set_back(SECOND);
    block.reset(&host).unwrap();
    host.pass(SECOND - 1000);
    let after = ids();
    let comb = |id| layout.decode(id).unwrap();
    assert_eq!(comb(&before[0]).random, comb(&before[1]).random);
    assert!(comb(&after[0]).tick < comb(&before[999]).tick, "the same time");
    assert_ne!(comb(&before[0]).random, comb(&after[0]).random);
}

#[test]
fn bsv_texts_increase() {
    let (host, mut generator) = (SimulatedHost::new(), new_generator());
    let mut text = || {
        let tick = next_tick(&mut generator, Bsv::TIME_FIELD.unit.ticks, &host).unwrap();
        let random = [generator.random.next(1).unwrap(), generator.random.next(1).unwrap()];
        Bsv::of_tick(tick, random).unwrap().text()
    };
    let texts: Vec<_> = (0..1000).map(|_| text()).collect();
    assert!(texts.is_sorted_by(|a, b| a < b));
}

proptest! {
    /// Ids increase in the byte order of their layout, with ids of other layouts in between.
    #[test]
    fn ids_of_every_layout_increase(
        readings in prop::collection::vec((every_layout_begun()..BEGIN, 0..LAYOUTS.len()), 2..200),
    ) {
        let host = SimulatedHost::new();
        let mut generator = new_generator();
        let mut last: [Option<Uuid>; LAYOUTS.len()] = Default::default();
        for (now, index) in readings {
            host.set(Some(now));
            host.pass(20 * TICKS_PER_MS);
            let layout = &LAYOUTS[index];
            let id = next_id(&mut generator, layout, &host).unwrap();
            if let Some(last) = &last[index] {
                prop_assert!(layout.order.compare(last, &id).is_lt());
            }
            last[index] = Some(id);
        }
    }

    /// comb.timestamp_step keeps the distance between times that are read, with ids of other layouts in between.
    #[test]
    fn times_of_every_layout_keep_their_distance(
        layouts in prop::collection::vec((0..LAYOUTS.len(), 0..20 * TICKS_PER_MS), 2..100), step_ms in 1..100u64,
    ) {
        let host = SimulatedHost::new();
        let mut generator = new_generator();
        let mut last: Option<i64> = None;
        for (index, pass) in layouts {
            let layout = &LAYOUTS[index];
            host.pass(pass);
            let fit = |tick| layout.next_exact(Tick::from(tick)).and_then(|tick| tick.try_into().ok());
            let next = Next { step: step_ms * TICKS_PER_MS, advance: true };
            let tick = generator.tick(next, &host, fit).unwrap().tick;
            let id = layout.encode(Comb { tick: Tick::from(tick), random: 0 }).unwrap();
            let time = layout.micros(&id).unwrap();
            if let Some(last) = last {
                prop_assert!(time >= last + step_ms as i64 * 1000, "{} after {last}", time);
            }
            last = Some(time);
        }
    }
}
