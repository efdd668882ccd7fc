//! The numbers of a sequence that are settled: readings of the sequence, each with the logical clock after it.
//!
//! # Proof
//! A transaction T acquires its floor f before it draws a number v from the sequence. A sample is the sequence's last
//! number n, and then the logical clock t. Let v <= n, and let s >= t be a tick that is settled for a statement.
//!
//! T drew v before n was read, and read the clock for f before that, so f < t <= s. The floors that s was computed from
//! were read later than t, since s is below the clock that was read before them. If T had held its floor then, s <= f: a
//! contradiction. T had ended, and its row is visible to the statement or was rolled back.
//!
//! It holds if numbers are drawn in ascending order, each by the transaction that stores it, with a floor that the
//! transaction acquired earlier; and as long as neither the sequence nor the logical clock is set back.

/// The number of samples that are kept.
const KEPT: usize = 32;

#[derive(Clone, Copy)]
struct Sample {
    number: i64,
    /// The logical clock, read after the number.
    at: u64,
}

/// Samples of a sequence, in the order in which they were taken.
#[derive(Clone, Copy)]
pub struct Samples {
    samples: [Sample; KEPT],
    count: usize,
}

impl Samples {
    /// No samples.
    pub const EMPTY: Self = Self { samples: [Sample { number: 0, at: 0 }; KEPT], count: 0 };

    fn kept(&self) -> &[Sample] {
        self.samples.get(..self.count).unwrap_or_default()
    }

    /// Keeps the last number of the sequence, and the logical clock that was read after it. `settled` is the tick that
    /// is settled for the current statement: samples before the one that answers it are dropped first.
    pub fn add(&mut self, number: i64, at: u64, settled: Option<u64>) {
        match self.kept().last() {
            // The sequence was set back, so its old numbers repeat.
            Some(last) if number < last.number => self.count = 0,
            // The earlier sample of a number answers more statements.
            Some(last) if number == last.number => return,
            _ => {}
        }
        if self.count == KEPT {
            self.make_room(settled);
        }
        if let Some(place) = self.samples.get_mut(self.count) {
            *place = Sample { number, at };
            self.count += 1;
        }
    }

    /// Drops the samples before the one that answers the current statement. If there is none, drops the one whose
    /// neighbours are closest together: while a transaction holds the horizon back, samples are spread over its time.
    fn make_room(&mut self, settled: Option<u64>) {
        let is_settled = |sample: &&Sample| Some(sample.at) <= settled;
        let before = self.kept().iter().filter(is_settled).count().saturating_sub(1);
        if before > 0 {
            self.samples.copy_within(before.., 0);
            self.count -= before;
            return;
        }
        let gaps = self.kept().windows(3).map(|three| three[2].at - three[0].at);
        let closest = gaps.enumerate().min_by_key(|(_, gap)| *gap).map_or(0, |(index, _)| index + 1);
        self.samples.copy_within(closest + 1.., closest);
        self.count -= 1;
    }

    /// The number up to which all are settled; `None` if no number is known to be settled.
    pub fn settled(&self, settled: u64) -> Option<i64> {
        self.kept().iter().rev().find(|sample| sample.at <= settled).map(|sample| sample.number)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::horizon::settled;

    #[test]
    fn the_last_sample_that_is_settled_answers() {
        let mut samples = Samples::EMPTY;
        assert_eq!(samples.settled(u64::MAX), None);
        samples.add(5, 100, None);
        samples.add(9, 200, Some(100));
        for (settled, number) in [(99, None), (100, Some(5)), (199, Some(5)), (200, Some(9)), (u64::MAX, Some(9))] {
            assert_eq!(samples.settled(settled), number);
        }
    }

    #[test]
    fn a_number_that_stays_is_settled_by_its_first_sample() {
        let mut samples = Samples::EMPTY;
        for at in (100..1000).step_by(10) {
            samples.add(5, at, None);
        }
        assert_eq!((samples.settled(100), samples.count), (Some(5), 1));
    }

    #[test]
    fn a_sequence_that_is_set_back_begins_again() {
        let mut samples = Samples::EMPTY;
        samples.add(9, 100, None);
        samples.add(3, 200, Some(150));
        assert_eq!((samples.settled(150), samples.settled(200)), (None, Some(3)));
    }

    /// A reader polls at each tick. Transactions hold the horizon back one after the other, each for `held` ticks.
    #[test]
    fn a_reader_behind_slow_writers_advances() {
        for held in [10, 100, 10_000] {
            let mut samples = Samples::EMPTY;
            let mut worst = 0;
            for now in 1..20 * held {
                let settled = now / held * held;
                samples.add(now as i64, now, Some(settled));
                if settled > held {
                    let number = samples.settled(settled).expect("an answer") as u64;
                    assert!(number <= settled);
                    worst = worst.max(settled - number);
                }
            }
            assert!(worst <= held / 8, "{worst} of {held} behind");
        }
    }

    /// An event of a writer or the reader.
    #[derive(Clone, Debug)]
    enum Event {
        Begin,
        /// The transaction at an index of those in progress draws a number.
        Draw(usize),
        End(usize),
        Poll,
    }

    proptest! {
        /// Compared with the definition: each number up to the answer belongs to a transaction that had ended.
        #[test]
        fn what_is_settled_has_ended(events in prop::collection::vec(prop_oneof![
            3 => Just(Event::Begin), 4 => (0..6usize).prop_map(Event::Draw), 3 => (0..6usize).prop_map(Event::End), 4 => Just(Event::Poll),
        ], 1..300)) {
            let (mut now, mut last) = (10, 0);
            // The floor of each transaction in progress, and its numbers.
            let mut running: Vec<(u64, Vec<i64>)> = Vec::new();
            let mut samples = Samples::EMPTY;
            for event in events {
                now += 1;
                match event {
                    Event::Begin => running.push((now - 1, Vec::new())),
                    Event::Draw(place) => if let Some((_, numbers)) = running.get_mut(place) {
                        last += 1;
                        numbers.push(last);
                    },
                    Event::End(place) => if place < running.len() {
                        running.remove(place);
                    },
                    Event::Poll => {
                        let at = now;
                        now += 1;
                        let settled = settled(now, running.iter().map(|(floor, _)| *floor).min());
                        if last > 0 {
                            samples.add(last, at, Some(settled));
                        }
                        if let Some(number) = samples.settled(settled) {
                            prop_assert!(number <= last);
                            prop_assert!(running.iter().flat_map(|(_, numbers)| numbers).all(|open| *open > number));
                        }
                    }
                }
            }
        }
    }
}
