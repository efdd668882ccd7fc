//! Clock, random bits and layouts together.

use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::simulation::{BEGIN, SECOND, SimulatedHost, unused_block};
use crate::system_clock::LAST_TICK;
use comb_id::bsv::Bsv;
use comb_id::layout::{Comb, Layout};
use comb_id::layouts::{LAYOUTS, labelled};
use comb_tick::{TICKS_PER_MS, Tick, tick_of_micros};

fn next_id(generator: &mut Generator, layout: &Layout, step: u64, host: &SimulatedHost) -> Option<Uuid> {
    let (step, limit) = (layout.step(step), layout.last_tick().min(LAST_TICK.into()).try_into().unwrap());
    let reading = generator.try_tick(step, limit, host.realtime()).or_else(|| generator.tick(step, limit, host).ok())?;
    let random = if layout.marks_process() {
        layout.bits_of_process(generator.random.process_bits(1).unwrap())
    } else {
        generator.random.next(1).unwrap()
    };
    layout.encode(Comb { tick: Tick::from(reading.tick), random })
}

/// The first tick of the layout that begins last.
fn every_layout_begun() -> u64 {
    let first = LAYOUTS.iter().map(|layout| tick_of_micros(layout.range_micros().0)).max();
    first.unwrap_or(0).try_into().unwrap()
}

#[test]
fn a_seed_is_used_for_a_second() {
    let host = SimulatedHost::new();
    let mut generator = Generator::new(unused_block());
    let mut bits_at = |now| {
        host.set(now);
        if generator.try_tick(1, LAST_TICK, host.realtime()).is_none() {
            generator.tick(1, LAST_TICK, &host).unwrap();
        }
        assert_ne!(generator.random.next(1).unwrap(), generator.random.next(1).unwrap());
        generator.random.process_bits(1).unwrap()
    };
    let first = bits_at(BEGIN);
    assert_eq!(bits_at(BEGIN + SECOND - 1), first);
    assert_ne!(bits_at(BEGIN + SECOND), first);
}

/// UUIDs of process_ticks consist of the tick and the bits of the process.
#[test]
fn ticks_that_repeat_after_a_reset_are_other_uuids() {
    let host = SimulatedHost::new();
    let mut generator = Generator::new(unused_block());
    let layout = labelled(b"process_ticks").unwrap();
    let mut ids = || -> Vec<Uuid> { (0..1000).map(|_| next_id(&mut generator, layout, 0, &host).unwrap()).collect() };
    let before = ids();
    generator.block().reset(&host, |_| ()).unwrap();
    let mut ids = || -> Vec<Uuid> { (0..1000).map(|_| next_id(&mut generator, layout, 0, &host).unwrap()).collect() };
    let after = ids();
    let comb = |id| layout.decode(id).unwrap();
    assert_eq!(comb(&before[0]).random, comb(&before[1]).random);
    assert!(comb(&after[0]).tick < comb(&before[999]).tick, "the same time");
    assert_ne!(comb(&before[0]).random, comb(&after[0]).random);
}

#[test]
fn a_clock_beyond_the_layouts_range_is_refused() {
    // 2079-06-07 and 2059-03-14.
    for (label, second) in [("mssql_legacy", 3_453_321_600), ("laravel", 2_814_825_600)] {
        let layout = labelled(label.as_bytes()).unwrap();
        let host = SimulatedHost::new();
        host.set(second * SECOND);
        let mut generator = Generator::new(unused_block());
        assert_eq!(next_id(&mut generator, layout, 0, &host), None, "{label}");
        assert_eq!(next_id(&mut generator, layout, 4 * TICKS_PER_MS, &host), None, "{label}");
        assert_eq!(generator.block().floor(), second * SECOND, "{label}: nothing is lost");
    }
}

#[test]
fn bsv_texts_increase() {
    let (host, mut generator) = (SimulatedHost::new(), Generator::new(unused_block()));
    let mut text = || {
        let tick = generator.tick(Bsv::TIME_FIELD.unit.ticks, LAST_TICK, &host).unwrap().tick;
        let random = [generator.random.next(1).unwrap(), generator.random.next(1).unwrap()];
        Bsv::of_tick(tick, random).unwrap().text()
    };
    let texts: Vec<_> = (0..1000).map(|_| text()).collect();
    assert!(texts.is_sorted_by(|a, b| a < b));
}

proptest! {
    /// UUIDs of a layout increase in its byte order, of whatever process, with those of other layouts and with steps between.
    #[test]
    fn uuids_of_every_layout_increase(
        readings in prop::collection::vec(
            (every_layout_begun()..BEGIN, 0..LAYOUTS.len(), 0..2usize, prop_oneof![Just(0), 1..100 * TICKS_PER_MS]), 2..200),
    ) {
        let host = SimulatedHost::new();
        let block = unused_block();
        let mut generators = [Generator::new(block), Generator::new(block)];
        let mut last: [[Option<Uuid>; 2]; LAYOUTS.len()] = Default::default();
        host.set(every_layout_begun());
        for (now, index, process, step) in readings {
            host.set(now);
            let layout = &LAYOUTS[index];
            let id = next_id(&mut generators[process], layout, step, &host).unwrap();
            // Other processes have other bits, which some layouts compare first.
            let among = if layout.marks_process() { process } else { 0 };
            if let Some(last) = &last[index][among] {
                prop_assert!(layout.order.compare(last, &id).is_lt());
            }
            last[index][among] = Some(id);
        }
    }

    /// The times of two UUIDs of a layout differ by the step, rounded up to whole units.
    #[test]
    fn times_of_a_layout_keep_the_step(
        index in 0..LAYOUTS.len(), passes in prop::collection::vec((0..20 * TICKS_PER_MS, 0..2usize), 2..100), step_ms in 1..100u64,
    ) {
        let (host, layout) = (SimulatedHost::new(), &LAYOUTS[index]);
        let block = unused_block();
        let mut generators = [Generator::new(block), Generator::new(block)];
        let mut last: Option<i64> = None;
        let mut now = BEGIN;
        for (pass, process) in passes {
            now += pass;
            host.set(now);
            let id = next_id(&mut generators[process], layout, step_ms * TICKS_PER_MS, &host).unwrap();
            let time = layout.micros(&id).unwrap();
            if let Some(last) = last {
                // The first microsecond of a unit can be a microsecond after its start.
                prop_assert!(time + 1 >= last + step_ms as i64 * 1000, "{time} after {last}");
            }
            last = Some(time);
        }
    }
}
