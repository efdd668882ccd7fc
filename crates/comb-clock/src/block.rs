//! The memory that the processes of a server share: the clock line and its history.
//!
//! The block has a fixed size. Its first user fixes that size for the life of the server, and libraries of
//! several versions may use the block at the same time. All zeros is a block that nobody has used yet:
//! memory begins so, after a crash too. The line, which every id reads, has a cache line of its own.
//!
//! A process that shares with no other has a block of its own.

use std::sync::atomic::{AtomicU64, Ordering};

use super::host::{Host, LineError, SeedSource};
use super::line::Line;
use super::seqlock::SeqLock;
use super::source::{ClockSource, LAST_TICK, Sample};

/// The meaning of the words of the block. A library that gives them another meaning must count it up; it
/// then does not share the block with older libraries.
const VERSION: u64 = u64::from_be_bytes(*b"comb0001");

/// The shared block. Its words keep their places for good.
#[repr(C, align(64))]
pub struct Block {
    version: AtomicU64,
    pub(super) line: SeqLock,
    /// How often the line was set back on purpose.
    resets: AtomicU64,
    /// Real clock minus monotonic clock when last seen; wraps around.
    pub(super) clock_offset: AtomicU64,
    pub(super) history: History,
    reserve: [AtomicU64; 18],
}

/// What is written while the line is changed, and seldom read.
#[repr(C)]
pub(super) struct History {
    /// Not 0 from a start in recovery to the end of the recovery.
    pub in_recovery: AtomicU64,
    pub steps_back: AtomicU64,
    /// The sum of all of them, in ticks.
    pub stepped_back: AtomicU64,
    pub largest_step_back: AtomicU64,
    /// The real clock when the line began.
    pub seeded_at: AtomicU64,
    /// The first tick of the line.
    pub seeded_from: AtomicU64,
    pub seed_source: AtomicU64,
}

const _: () = assert!(size_of::<Block>() == 256);

impl Block {
    /// All zeros.
    pub const fn unused() -> Self {
        Self {
            version: AtomicU64::new(0),
            line: SeqLock::empty(),
            resets: AtomicU64::new(0),
            clock_offset: AtomicU64::new(0),
            history: History {
                in_recovery: AtomicU64::new(0),
                steps_back: AtomicU64::new(0),
                stepped_back: AtomicU64::new(0),
                largest_step_back: AtomicU64::new(0),
                seeded_at: AtomicU64::new(0),
                seeded_from: AtomicU64::new(0),
                seed_source: AtomicU64::new(0),
            },
            reserve: [const { AtomicU64::new(0) }; 18],
        }
    }

    /// Marks a block of zeros as one of this version.
    pub fn claim(&self) {
        self.version.store(VERSION, Ordering::Release);
    }

    /// Whether the block is one of this version.
    pub fn is_usable(&self) -> bool {
        self.version.load(Ordering::Acquire) == VERSION
    }

    /// The line's tick and the monotonic clock at one moment; `None` while the line is being changed.
    #[inline(always)]
    pub fn try_now(&self, source: &impl ClockSource) -> Option<(u64, u64)> {
        let (line, monotonic) = self.line.try_read(|| source.monotonic())?;
        Some((line.tick(monotonic), monotonic))
    }

    /// The line's tick now, after waiting for changes.
    pub fn now(&self, host: &impl Host) -> u64 {
        let (line, monotonic) = self.line.read(|turn| host.wait(turn), || host.monotonic());
        line.tick(monotonic)
    }

    /// The tick that the line had reached at that moment of the monotonic clock, when all its users are
    /// gone. `None` if nobody had used the block, if it is of another version, or if its words are
    /// damaged.
    pub fn last_tick(&self, monotonic: u64) -> Option<u64> {
        let tick = self.line.last_tick(monotonic).filter(|_| self.is_usable())?;
        SeedSource::of_word(self.history.seed_source.load(Ordering::Relaxed))?;
        let first = self.history.seeded_from.load(Ordering::Relaxed);
        (first..=LAST_TICK).contains(&tick).then_some(tick)
    }

    /// How often the line was set back on purpose.
    pub fn resets(&self) -> u64 {
        self.resets.load(Ordering::Acquire)
    }

    pub(super) fn count_reset(&self) {
        self.resets.fetch_add(1, Ordering::Release);
    }

    /// Whether the line may have to be raised at any moment, since the server may be promoted.
    pub fn awaits_promotion(&self) -> bool {
        self.history.in_recovery.load(Ordering::Relaxed) != 0
    }

    /// Changes the line. `decide` gets the current line and both clocks.
    pub(super) fn change<T>(
        &self,
        host: &impl Host,
        decide: impl FnOnce(Line, Sample) -> Result<(Line, T), LineError>,
    ) -> Result<T, LineError> {
        self.line.update(
            |turn| host.wait(turn),
            |change| host.undisturbed(change),
            |line| {
                let at = Sample::take(host).ok_or(LineError::OutOfRange)?;
                decide(line, at)
            },
        )
    }
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
