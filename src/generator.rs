//! The state from which one process makes ids: its last tick and its randomness.

use rand::rngs::SysError;

use crate::clock::advance;
use crate::comb::{Comb, Tick};
use crate::random::Random;

/// Makes COMBs whose ticks strictly increase.
pub struct Generator {
    last: u64,
    random: Random,
}

/// Why there is no next id. The generator is then as it was.
#[derive(Debug)]
pub enum GeneratorError {
    /// The clock stands before 1970 or beyond the range of the ticks.
    ClockOutOfRange,
    /// The operating system gave no seed.
    NoRandomness(SysError),
}

impl Generator {
    /// A generator before its first id.
    pub const START: Self = Self { last: 0, random: Random::UNSEEDED };

    /// The next COMB: at least `step` ticks after the one before, at `now` if that is later.
    ///
    /// # Errors
    /// `now` is `None`, the ticks have come to their end, or there is no randomness.
    #[inline(always)]
    pub fn next(
        &mut self,
        now: Option<u64>,
        step: u64,
        process_id: i32,
    ) -> Result<Comb, GeneratorError> {
        let now = now.ok_or(GeneratorError::ClockOutOfRange)?;
        let tick = advance(self.last, now, step).ok_or(GeneratorError::ClockOutOfRange)?;
        let random = self.random.next(process_id).map_err(GeneratorError::NoRandomness)?;
        self.last = tick;
        Ok(Comb { tick: Tick::from(tick), random })
    }

    /// Random bits without a tick, for an id whose moment is given.
    ///
    /// # Errors
    /// The operating system gave no seed.
    pub fn random(&mut self, process_id: i32) -> Result<u64, GeneratorError> {
        self.random.next(process_id).map_err(GeneratorError::NoRandomness)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{LAYOUTS, UUIDV7};
    use proptest::prelude::*;

    const THIS_PROCESS: i32 = 1;

    #[test]
    fn ids_increase_while_the_clock_stands_still_and_steps_back() {
        let mut generator = Generator::START;
        let mut id =
            |now| UUIDV7.encode(generator.next(Some(now), 1, THIS_PROCESS).unwrap()).unwrap();
        let hour = 3_600_000 << 16;
        let begin = 1_700_000_000_000 << 16;
        let ids = [begin, begin, begin - hour, begin + 1, begin + hour, begin].map(&mut id);
        assert!(ids.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn a_clock_out_of_range_changes_nothing() {
        let mut generator = Generator::START;
        let before = generator.next(Some(1000), 1, THIS_PROCESS).unwrap();
        assert!(matches!(
            generator.next(None, 1, THIS_PROCESS),
            Err(GeneratorError::ClockOutOfRange)
        ));
        let after = generator.next(Some(1000), 1, THIS_PROCESS).unwrap();
        assert_eq!(after.tick, before.tick + 1);
    }

    #[test]
    fn the_end_of_the_ticks_is_an_error_not_a_wrap() {
        let mut generator = Generator::START;
        generator.next(Some(u64::MAX), 1, THIS_PROCESS).unwrap();
        assert!(matches!(
            generator.next(Some(u64::MAX), 1, THIS_PROCESS),
            Err(GeneratorError::ClockOutOfRange)
        ));
    }

    proptest! {
        /// Whatever the clock does, in every layout, by its own byte order.
        #[test]
        fn ids_of_every_unix_ms_layout_increase(
            readings in prop::collection::vec(0u64..1 << 60, 2..50),
        ) {
            for layout in LAYOUTS.iter().filter(|layout| layout.clock.remainder_bits() == 16) {
                let mut generator = Generator::START;
                let ids: Vec<_> = readings
                    .iter()
                    .map(|&now| generator.next(Some(now), 1, THIS_PROCESS).unwrap())
                    .map(|comb| layout.encode(comb).unwrap())
                    .collect();
                prop_assert!(ids.is_sorted_by(|a, b| layout.order.compare(a, b).is_lt()));
            }
        }
    }
}
