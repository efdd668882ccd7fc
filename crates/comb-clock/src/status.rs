//! The state of the logical clock, for comb_status().

use std::sync::atomic::{AtomicU64, Ordering};

use super::block::Block;
use super::follow::ClockReading;
use super::host::Host;
use super::logical_clock::{ClockError, SeedSource};

/// The logical clock and its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// The logical clock now.
    pub now: ClockReading,
    /// The number of steps back of the system clock that were seen.
    pub steps_back: u64,
    /// The sum of these steps, in ticks.
    pub stepped_back: u64,
    /// The largest of them, in ticks.
    pub largest_step_back: u64,
    /// The system clock when the logical clock started.
    pub seeded_at: u64,
    /// The first tick of the logical clock.
    pub seeded_from: u64,
    /// The time at which it started.
    pub seed_source: Option<SeedSource>,
}

impl Block {
    /// The state, after the logical clock has followed the system clock.
    ///
    /// # Errors
    /// The system clock is out of range.
    pub fn status(&self, host: &impl Host) -> Result<Status, ClockError> {
        let now = self.follow(host)?;
        let word = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let history = &self.history;
        let (_, status) = self.clock.read(
            |turn| host.wait(turn),
            || Status {
                now,
                steps_back: word(&history.steps_back),
                stepped_back: word(&history.stepped_back),
                largest_step_back: word(&history.largest_step_back),
                seeded_at: word(&history.seeded_at),
                seeded_from: word(&history.seeded_from),
                seed_source: SeedSource::of_word(word(&history.seed_source)),
            },
        );
        Ok(status)
    }
}
