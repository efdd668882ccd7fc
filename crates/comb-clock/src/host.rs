//! What the clock asks of the process that it runs in.

use super::source::ClockSource;

/// The process, and the server that it is part of.
pub trait Host: ClockSource {
    /// A lower limit of new ids, from before the line began.
    fn floor(&self) -> Option<Floor>;

    /// Whether the server is in recovery.
    fn in_recovery(&self) -> bool;

    /// Runs a change of shared memory that must not be interrupted for good, because all others wait
    /// for it.
    fn undisturbed(&self, change: &mut dyn FnMut());

    /// Waits for another process's change. Called again and again, with the number of calls so far. It
    /// may raise an error instead of returning.
    fn wait(&self, turn: u32);
}

/// A moment that ids had reached in an earlier life of the server, and how that is known.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    pub reached: u64,
    /// The end of the unit in which `reached` is known. New ids start there if the real clock is before
    /// `reached`.
    pub end: u64,
    pub source: SeedSource,
}

/// Where a line began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedSource {
    SystemClock = 1,
    /// The time of the last checkpoint; the real clock was before it.
    Checkpoint = 2,
    /// The time of the last replayed transaction; the real clock was before it.
    Replay = 3,
    /// Where the line stood before a backend crashed; the real clock was before it.
    Crash = 4,
}

impl SeedSource {
    pub(super) fn of_word(word: u64) -> Option<Self> {
        [Self::SystemClock, Self::Checkpoint, Self::Replay, Self::Crash]
            .into_iter()
            .find(|&source| source as u64 == word)
    }
}

/// Why the line cannot do what is asked of it. The line is then as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineError {
    /// The real clock or the requested tick is out of range.
    OutOfRange,
    /// The requested tick is further ahead of the real clock than permitted.
    TooFarAhead,
}
