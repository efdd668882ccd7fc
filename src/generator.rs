//! The state from which one process makes ids: its last tick and its randomness.

use rand::rngs::SysError;

use crate::clock::advance;
use crate::comb::{Comb, Tick};
use crate::field::Clock;
use crate::layout::Layout;
use crate::order::Bytes;
use crate::random::Random;

/// Makes ids whose ticks strictly increase.
pub struct Generator {
    last: u64,
    random: Random,
}

/// What the ids of one call depend on besides the generator.
#[derive(Clone, Copy)]
pub struct Circumstances {
    /// The clock's tick; `None` where it stands out of range.
    pub now: Option<u64>,
    /// How far apart the time fields of successive ids are at least, in milliseconds; 0 for not
    /// at all.
    pub apart_ms: u64,
    /// The process that asks.
    pub process_id: i32,
}

/// Why there is no next id. The generator's last tick is then as it was.
#[derive(Debug)]
pub enum GeneratorError {
    /// The clock stands before 1970 or beyond the range of the layout.
    ClockOutOfRange,
    /// The operating system gave no seed.
    NoRandomness(SysError),
}

impl From<SysError> for GeneratorError {
    fn from(error: SysError) -> Self {
        Self::NoRandomness(error)
    }
}

impl Generator {
    /// A generator before its first id.
    pub const START: Self = Self { last: 0, random: Random::UNSEEDED };

    /// The next id in a layout, greater in the layout's order than all before it in that layout.
    ///
    /// # Errors
    /// The clock or the ticks are out of range, or there is no randomness.
    #[inline(always)]
    pub fn next_id(
        &mut self,
        layout: &Layout,
        given: Circumstances,
    ) -> Result<Bytes, GeneratorError> {
        let tick = self.peek_tick(layout.clock, given)?;
        let random = if layout.marks_process() {
            self.random.process_bits(given.process_id)?
        } else {
            self.random.next(given.process_id)?
        };
        let id = layout.encode(Comb { tick, random }).ok_or(GeneratorError::ClockOutOfRange)?;
        self.take(tick);
        Ok(id)
    }

    /// The next tick in a layout, for an id whose moment is moved from there. Its random bits are
    /// drawn for it even where those of the layout's ids mark their process: another id may be moved
    /// to the same tick.
    ///
    /// # Errors
    /// As [`Self::next_id`].
    pub fn next_comb(
        &mut self,
        layout: &Layout,
        given: Circumstances,
    ) -> Result<Comb, GeneratorError> {
        let tick = self.peek_tick(layout.clock, given)?;
        let random = self.random(given.process_id)?;
        self.take(tick);
        Ok(Comb { tick, random })
    }

    /// The tick of the next id that is written by a clock, for [`Self::take`] once the id is made.
    ///
    /// # Errors
    /// The clock or the ticks are out of range.
    #[inline(always)]
    pub(crate) fn peek_tick(
        &self,
        clock: Clock,
        given: Circumstances,
    ) -> Result<Tick, GeneratorError> {
        let now = given.now.ok_or(GeneratorError::ClockOutOfRange)?;
        match advance(self.last, now, clock.step(given.apart_ms)) {
            Some(tick) => Ok(Tick::from(tick)),
            None => Err(GeneratorError::ClockOutOfRange),
        }
    }

    /// Notes that an id was made of a tick that [`Self::peek_tick`] gave.
    #[inline(always)]
    pub(crate) fn take(&mut self, tick: Tick) {
        self.last = tick as u64;
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
    use super::*;
    use crate::comb::TICKS_PER_MS;
    use crate::layout::{LAYOUTS, UUIDV7};
    use crate::vectors::micros;
    use proptest::prelude::*;

    fn at(now: u64) -> Circumstances {
        Circumstances { now: Some(now), apart_ms: 0, process_id: 1 }
    }

    fn next_tick(generator: &mut Generator, now: u64) -> Tick {
        generator.next_comb(&UUIDV7, at(now)).unwrap().tick
    }

    #[test]
    fn ids_increase_while_the_clock_stands_still_and_steps_back() {
        let mut generator = Generator::START;
        let hour = 3_600_000 * TICKS_PER_MS;
        let begin = 1_700_000_000_000 * TICKS_PER_MS;
        let ids = [begin, begin, begin - hour, begin + 1, begin + hour, begin]
            .map(|now| generator.next_id(&UUIDV7, at(now)).unwrap());
        assert!(ids.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_clock_out_of_range_changes_nothing() {
        let mut generator = Generator::START;
        let before = next_tick(&mut generator, 1000);
        for layout in &LAYOUTS {
            let error = generator.next_id(layout, Circumstances { now: None, ..at(0) });
            assert!(matches!(error, Err(GeneratorError::ClockOutOfRange)));
        }
        let beyond = [("mssql_legacy", "2079-06-07 00:00:00"), ("laravel", "2059-03-14 00:00:00")];
        for (label, moment) in beyond {
            let layout = LAYOUTS.iter().find(|layout| layout.label == label).unwrap();
            let now = micros(moment) as u64 / 1000 * TICKS_PER_MS;
            let error = generator.next_id(layout, at(now));
            assert!(matches!(error, Err(GeneratorError::ClockOutOfRange)), "{label}");
        }
        assert_eq!(next_tick(&mut generator, 1000), before + 1);
    }

    #[test]
    fn the_end_of_the_ticks_is_an_error_not_a_wrap() {
        let mut generator = Generator::START;
        next_tick(&mut generator, u64::MAX);
        let error = generator.next_id(&UUIDV7, at(u64::MAX));
        assert!(matches!(error, Err(GeneratorError::ClockOutOfRange)));
    }

    #[test]
    fn a_million_ids_a_second_do_not_run_ahead_of_the_clock() {
        let begin = 1_700_000_000_000 * TICKS_PER_MS;
        for layout in &LAYOUTS {
            let mut generator = Generator::START;
            for microsecond in 0..100_000 {
                let now = begin + microsecond * TICKS_PER_MS / 1000;
                let comb = generator.next_comb(layout, at(now)).unwrap();
                assert_eq!(comb.tick, Tick::from(now), "{}", layout.label);
            }
        }
    }

    /// RT.Comb's UtcNoRepeatTimestampProvider.
    #[test]
    fn time_fields_keep_the_distance_that_is_asked_for() {
        for layout in &LAYOUTS {
            let mut generator = Generator::START;
            let given = Circumstances { apart_ms: 4, ..at(1_700_000_000_000 * TICKS_PER_MS) };
            let moments: Vec<i64> = (0..1000)
                .map(|_| layout.micros(&generator.next_id(layout, given).unwrap()).unwrap())
                .collect();
            let apart = moments.windows(2).all(|pair| pair[1] - pair[0] >= 4000);
            assert!(apart, "{}", layout.label);
        }
    }

    proptest! {
        /// Whatever the clock does, in every layout, by its own byte order, other layouts in between.
        #[test]
        fn ids_of_every_layout_increase(
            readings in prop::collection::vec((0u64..1 << 57, 0..LAYOUTS.len()), 2..200),
        ) {
            let mut generator = Generator::START;
            let mut last: [Option<Bytes>; LAYOUTS.len()] = Default::default();
            for (now, index) in readings {
                let layout = &LAYOUTS[index];
                let id = generator.next_id(layout, at(now)).unwrap();
                if let Some(last) = &last[index] {
                    prop_assert!(layout.order.compare(last, &id).is_lt());
                }
                last[index] = Some(id);
            }
        }
    }
}
