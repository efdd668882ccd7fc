//! What an operator can see of a line.

use std::sync::atomic::{AtomicU64, Ordering};

use super::block::Block;
use super::follow::Moment;
use super::host::{Host, LineError, SeedSource};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    pub now: Moment,
    /// How often the real clock was seen to step back.
    pub steps_back: u64,
    /// The sum of all these steps, in ticks.
    pub stepped_back: u64,
    pub largest_step_back: u64,
    /// The real clock when the line began.
    pub seeded_at: u64,
    /// The first tick of the line.
    pub seeded_from: u64,
    pub seed_source: Option<SeedSource>,
}

impl Block {
    /// # Errors
    /// The real clock is out of range.
    pub fn status(&self, host: &impl Host) -> Result<Status, LineError> {
        let now = self.follow(host)?;
        let word = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let history = &self.history;
        let (_, status) = self.line.read(
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
