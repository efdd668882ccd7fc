//! The state from which one process makes ids: its last tick and its randomness.

use rand::rngs::SysError;

use crate::block::{Block, Host, LineError, Wanted};
use crate::clock::Clocks;
use crate::comb::{Comb, TICKS_PER_MS, Tick};
use crate::field::Clock;
use crate::layout::Layout;
use crate::order::Bytes;
use crate::random::Random;

/// How long the line is followed without a look at the real clock, 10 ms: what a clock that was set
/// forward is followed too late.
const CHECK_EVERY: u64 = 10 * TICKS_PER_MS;

/// How often the line is read until it has passed the last id's tick. With a clock as fine as Linux's it
/// has at the first or second time, 100 ns later for the layouts that count in 100 ns.
const PATIENCE: usize = 1000;

/// Makes ids whose ticks strictly increase, by a line that other generators may share.
pub struct Generator {
    block: &'static Block,
    last: u64,
    /// When the line is next compared with the real clock, by the monotonic one.
    check_at: u64,
    /// How often the line had been reset when `last` was taken.
    resets: u64,
    random: Random,
}

/// What is asked of an id beyond its layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes {
    /// How far apart the time fields of successive ids are at least, in milliseconds; 0 for not at
    /// all.
    pub apart_ms: u64,
    /// How many milliseconds ahead of the real clock that may lead; `None` for any.
    pub max_ahead_ms: Option<u64>,
}

/// A tick that took more than a reading of the line.
#[derive(Clone, Copy, Debug)]
pub struct Attended {
    pub tick: u64,
    /// How far the line is ahead of the real clock.
    pub ahead: u64,
}

/// Why there is no next id. The generator's last tick is then as it was.
#[derive(Debug)]
pub enum GeneratorError {
    /// The clock stands before 1970 or beyond the range of the layout.
    ClockOutOfRange,
    /// The ids would run ahead of the clock by more than is permitted.
    TooFarAhead,
    /// The operating system gave no seed.
    NoRandomness(SysError),
}

impl From<SysError> for GeneratorError {
    fn from(error: SysError) -> Self {
        Self::NoRandomness(error)
    }
}

impl From<LineError> for GeneratorError {
    fn from(error: LineError) -> Self {
        match error {
            LineError::OutOfRange => Self::ClockOutOfRange,
            LineError::TooFarAhead => Self::TooFarAhead,
        }
    }
}

impl Generator {
    /// A generator before its first id.
    pub const fn new(block: &'static Block) -> Self {
        Self { block, last: 0, check_at: 0, resets: 0, random: Random::UNSEEDED }
    }

    pub const fn block(&self) -> &'static Block {
        self.block
    }

    /// The tick of the next id that is written by a clock and of which nothing else is wished, if
    /// reading the line is all it takes; [`Self::attend`] has it otherwise.
    #[inline(always)]
    pub fn tick_at_once(&self, clock: Clock, clocks: &impl Clocks) -> Option<u64> {
        let (tick, monotonic) = self.block.now(clocks);
        let is_next = monotonic < self.check_at && tick >= self.last + clock.step(0);
        is_next.then_some(tick)
    }

    /// The tick of the next id that is written by a clock, whatever it takes: beginning the line,
    /// comparing it with the real clock, waiting for it to pass the last tick, raising it.
    ///
    /// # Errors
    /// The clock or the tick are out of range, or the ids ran too far ahead.
    #[cold]
    pub fn attend(
        &mut self,
        clock: Clock,
        host: &impl Host,
        wishes: Wishes,
    ) -> Result<Attended, GeneratorError> {
        let ahead = self.block.check(host)?;
        // Before the line is read: who knows of a reset has the line that it left.
        let resets = self.block.resets();
        let (now, monotonic) = self.block.now(host);
        let check_every = if self.block.awaits_promotion() { 0 } else { CHECK_EVERY };
        self.check_at = monotonic + check_every;
        if resets != self.resets {
            // The ticks come a second time: those of another process must not meet these.
            self.random = Random::UNSEEDED;
            (self.last, self.resets) = (self.last.min(now), resets);
        }
        let apart = clock.step(wishes.apart_ms);
        let is_apart = wishes.apart_ms > 0;
        if !is_apart {
            let passed = |tick: &u64| *tick >= self.last + apart;
            let mut ticks = (0..PATIENCE).map(|_| self.block.now(host).0);
            if let Some(tick) = ticks.find(passed) {
                return Ok(Attended { tick, ahead });
            }
        }
        // Without a distance only the clock's own coarseness leads ahead, which nobody limits.
        let max_ahead =
            wishes.max_ahead_ms.filter(|_| is_apart).map(|ms| ms.saturating_mul(TICKS_PER_MS));
        let fits = |tick| clock.split(Tick::from(tick)).is_some();
        let wanted = Wanted { last: self.last, apart, resets, is_kept: is_apart, max_ahead };
        let tick = self.block.take(host, &wanted, fits)?;
        Ok(Attended { tick, ahead: ahead + tick.saturating_sub(now) })
    }

    /// The id of a tick that was asked for just now, greater in the layout's order than all before it in
    /// that layout.
    ///
    /// # Errors
    /// The layout does not hold the tick, or there is no randomness.
    #[inline(always)]
    pub fn id(
        &mut self,
        layout: &Layout,
        tick: u64,
        process_id: i32,
    ) -> Result<Bytes, GeneratorError> {
        let random = if layout.marks_process() {
            self.random.process_bits(process_id)?
        } else {
            self.random.next(process_id)?
        };
        let comb = Comb { tick: Tick::from(tick), random };
        let id = layout.encode(comb).ok_or(GeneratorError::ClockOutOfRange)?;
        self.last = tick;
        Ok(id)
    }

    /// The value of a tick that was asked for just now, for an id whose moment is moved from there. Its
    /// random bits are drawn for it even where those of the layout's ids mark their process: another
    /// id may be moved to the same tick.
    ///
    /// # Errors
    /// There is no randomness.
    pub fn comb(&mut self, tick: u64, process_id: i32) -> Result<Comb, GeneratorError> {
        let random = self.random(process_id)?;
        self.last = tick;
        Ok(Comb { tick: Tick::from(tick), random })
    }

    /// Random bits without a tick, for an id whose moment is given.
    ///
    /// # Errors
    /// The operating system gave no seed.
    #[inline(always)]
    pub fn random(&mut self, process_id: i32) -> Result<u64, GeneratorError> {
        Ok(self.random.next(process_id)?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::{LAYOUTS, UUIDV7};
    use crate::simulation::{BEGIN, SECOND, SimulatedHost, next_id, next_tick, unused_block};
    use crate::vectors::micros;

    const PLAIN: Wishes = Wishes { apart_ms: 0, max_ahead_ms: None };

    #[test]
    fn ids_increase_while_the_clock_steps_back_and_jumps() {
        let host = SimulatedHost::new();
        let mut generator = Generator::new(unused_block());
        let hour = 3600 * SECOND;
        let ids = [BEGIN, BEGIN, BEGIN - hour, BEGIN + 1, BEGIN + hour, BEGIN].map(|now| {
            host.set(Some(now));
            next_id(&mut generator, &UUIDV7, &host, PLAIN).unwrap()
        });
        assert!(ids.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_clock_out_of_range_stores_nothing() {
        let host = SimulatedHost::new();
        let mut generator = Generator::new(unused_block());
        // Before the line began, and after.
        for _ in 0..2 {
            let before = host.real();
            host.set(None);
            host.pass(SECOND);
            for layout in &LAYOUTS {
                let error = next_id(&mut generator, layout, &host, PLAIN);
                assert!(matches!(error, Err(GeneratorError::ClockOutOfRange)));
            }
            host.set(Some(before + SECOND));
            let tick = next_tick(&mut generator, &UUIDV7, &host, PLAIN).unwrap();
            assert!(tick.abs_diff(host.real()) < TICKS_PER_MS);
        }
        let status = generator.block().status(&host).unwrap();
        assert_eq!(status.steps_back, 0);
    }

    #[test]
    fn a_clock_beyond_the_layouts_range_is_refused() {
        let beyond = [("mssql_legacy", "2079-06-07 00:00:00"), ("laravel", "2059-03-14 00:00:00")];
        for (label, moment) in beyond {
            let host = SimulatedHost::new();
            let mut generator = Generator::new(unused_block());
            let layout = Layout::labelled(label).unwrap();
            host.set(Some(micros(moment) as u64 / 1000 * TICKS_PER_MS));
            for apart_ms in [0, 4] {
                let wishes = Wishes { apart_ms, ..PLAIN };
                let error = next_id(&mut generator, layout, &host, wishes);
                assert!(matches!(error, Err(GeneratorError::ClockOutOfRange)), "{label}");
            }
            assert_eq!(generator.block().status(&host).unwrap().ahead, 0);
        }
    }

    #[test]
    fn ids_do_not_run_ahead_of_the_clock() {
        for layout in &LAYOUTS {
            let host = SimulatedHost::new();
            let mut generator = Generator::new(unused_block());
            for _ in 0..100_000 {
                let tick = next_tick(&mut generator, layout, &host, PLAIN).unwrap();
                assert!(tick <= host.real(), "{}", layout.label);
                generator.id(layout, tick, 1).unwrap();
            }
        }
    }

    /// A clock that moves once in 4 ms: nothing to wait for, so the line itself goes up.
    #[test]
    fn ids_of_two_generators_increase_by_a_coarse_clock() {
        let host = SimulatedHost::coarse(4 * TICKS_PER_MS);
        let block = unused_block();
        let mut generators = [Generator::new(block), Generator::new(block)];
        let mut last = 0;
        for n in 0..1000 {
            let tick = next_tick(&mut generators[n % 2], &UUIDV7, &host, PLAIN).unwrap();
            generators[n % 2].id(&UUIDV7, tick, 1).unwrap();
            // Two ids of one reading may carry one tick, but only of different generators.
            assert!(tick >= last + (n as u64 + 1) % 2, "{n}");
            last = tick;
        }
    }

    /// RT.Comb's UtcNoRepeatTimestampProvider, across generators.
    #[test]
    fn time_fields_keep_the_distance_that_is_asked_for() {
        for layout in &LAYOUTS {
            let host = SimulatedHost::new();
            let block = unused_block();
            let mut generators = [Generator::new(block), Generator::new(block)];
            let wishes = Wishes { apart_ms: 4, ..PLAIN };
            let moments: Vec<i64> = (0..1000)
                .map(|n| next_id(&mut generators[n % 2], layout, &host, wishes).unwrap())
                .map(|id| layout.micros(&id).unwrap())
                .collect();
            let apart = moments.windows(2).all(|pair| pair[1] - pair[0] >= 4000);
            assert!(apart, "{}", layout.label);
            // Who keeps no distance is still behind them.
            let next = next_id(&mut generators[0], layout, &host, PLAIN).unwrap();
            assert!(layout.micros(&next).unwrap() >= moments[999], "{}", layout.label);
        }
    }

    #[test]
    fn a_distance_leads_no_further_ahead_than_permitted() {
        let host = SimulatedHost::new();
        let mut generator = Generator::new(unused_block());
        let wishes = Wishes { apart_ms: 300, max_ahead_ms: Some(1000) };
        let mut tick = || next_tick(&mut generator, &UUIDV7, &host, wishes);
        for _ in 0..4 {
            tick().unwrap();
        }
        let lead = tick();
        assert!(matches!(lead, Err(GeneratorError::TooFarAhead)), "{lead:?}");
        host.pass(SECOND);
        assert!(tick().is_ok());
    }

    #[test]
    fn a_reset_goes_back_on_purpose() {
        let host = SimulatedHost::new();
        let block = unused_block();
        let mut generators = [Generator::new(block), Generator::new(block)];
        let mut tick = |n: usize| {
            let tick = next_tick(&mut generators[n], &UUIDV7, &host, PLAIN).unwrap();
            generators[n].id(&UUIDV7, tick, 1).unwrap();
            tick
        };
        host.set(Some(BEGIN + 1000 * SECOND));
        assert!(tick(0).min(tick(1)) >= BEGIN + 1000 * SECOND);
        host.set(Some(BEGIN));
        assert!(tick(0).min(tick(1)) >= BEGIN + 1000 * SECOND);
        block.reset(&host).unwrap();
        assert!(tick(0).max(tick(1)) < BEGIN + SECOND);
        assert_eq!(block.status(&host).unwrap().ahead, 0);
    }

    /// The ids of process_ticks are their ticks and bits that stay the same.
    #[test]
    fn ticks_that_come_again_after_a_reset_make_other_ids() {
        let host = SimulatedHost::new();
        let block = unused_block();
        let mut generator = Generator::new(block);
        let layout = Layout::labelled("process_ticks").unwrap();
        let mut ids = || -> Vec<Bytes> {
            (0..1000).map(|_| next_id(&mut generator, layout, &host, PLAIN).unwrap()).collect()
        };
        let before = ids();
        host.set_back(SECOND);
        block.reset(&host).unwrap();
        host.pass(SECOND - 1000);
        let after = ids();
        let tick = |ids: &[Bytes], n: usize| layout.decode(&ids[n]).unwrap().tick;
        assert!(tick(&after, 0) < tick(&before, 999), "the same stretch of time");
        assert_ne!(
            layout.decode(&before[0]).unwrap().random,
            layout.decode(&after[0]).unwrap().random
        );
    }

    /// Somebody resets the line while another waits to take a tick from it.
    #[test]
    fn a_reset_is_not_undone_by_who_waits() {
        struct Late<'a>(&'a SimulatedHost, &'static Block);
        impl Clocks for Late<'_> {
            fn monotonic(&self) -> u64 {
                self.0.monotonic()
            }
            fn realtime(&self) -> Option<u64> {
                self.0.realtime()
            }
        }
        impl Host for Late<'_> {
            fn floor(&self) -> Option<crate::block::Floor> {
                None
            }
            fn in_recovery(&self) -> bool {
                false
            }
            fn undisturbed(&self, change: &mut dyn FnMut()) {
                self.1.reset(self.0).unwrap();
                change();
            }
        }
        let host = SimulatedHost::new();
        let block = unused_block();
        let mut generator = Generator::new(block);
        block.observe(&host, BEGIN + 1000 * SECOND, None).unwrap();
        let tick = next_tick(&mut generator, &UUIDV7, &host, PLAIN).unwrap();
        generator.id(&UUIDV7, tick, 1).unwrap();
        let wishes = Wishes { apart_ms: 4, ..PLAIN };
        let late = Late(&host, block);
        let tick = generator.attend(UUIDV7.clock, &late, wishes).unwrap().tick;
        assert!(tick < BEGIN + 100 * SECOND);
    }

    proptest! {
        /// Whatever the clock does, in every layout, by its own byte order, other layouts in between.
        #[test]
        fn ids_of_every_layout_increase(
            readings in prop::collection::vec((0..BEGIN, 0..LAYOUTS.len()), 2..200),
        ) {
            let host = SimulatedHost::new();
            let mut generator = Generator::new(unused_block());
            let mut last: [Option<Bytes>; LAYOUTS.len()] = Default::default();
            for (now, index) in readings {
                host.set(Some(now));
                host.pass(20 * TICKS_PER_MS);
                let layout = &LAYOUTS[index];
                let id = next_id(&mut generator, layout, &host, PLAIN).unwrap();
                if let Some(last) = &last[index] {
                    prop_assert!(layout.order.compare(last, &id).is_lt());
                }
                last[index] = Some(id);
            }
        }
    }
}
