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
//! transaction acquired earlier; and as long as neither the sequence nor the logical clock is set back. A transaction whose
//! floor comes from an earlier logical clock breaks f < t. Therefore no sample is taken while one holds such a floor at or
//! above t.

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
#[path = "samples_tests.rs"]
mod tests;
