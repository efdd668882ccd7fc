//! The memory that the processes of a server share: the logical clock and its history.
//!
//! The block has a fixed size: its first user allocates it for the life of the server, and libraries of
//! several versions may use it at the same time. A block of zeros is unused; new memory is zeros, after a
//! crash too.
//!
//! All words that each id reads are in the first 64 bytes, a cache line. They are written only when the
//! logical clock changes.
//!
//! A process that does not share a logical clock has a private block.

use std::mem::offset_of;
use std::sync::atomic::{AtomicU64, Ordering};

use super::host::Host;
use super::logical_clock::{ClockError, LogicalClock, SeedSource};
use super::published::Published;
use super::seqlock::SeqLock;
use super::source::{ClockSource, LAST_TICK, Sample};

/// The version of the words of the block. A library that gives a word another meaning must increase it, and
/// then does not share the block with older libraries.
const VERSION: u64 = u64::from_be_bytes(*b"comb0001");

/// The shared block. Each word keeps its offset in all versions of the library.
#[repr(C, align(64))]
pub struct Block {
    version: AtomicU64,
    pub(super) clock: SeqLock,
    /// The number of resets of the logical clock.
    resets: AtomicU64,
    /// System clock minus monotonic clock when the logical clock last followed the system clock; wraps around.
    pub(super) realtime_offset: AtomicU64,
    pub(super) history: History,
    published: Published,
    reserve: [AtomicU64; 1],
}

/// Words that are written when the logical clock changes, and seldom read.
#[repr(C)]
pub(super) struct History {
    /// 1 from a start in recovery until the recovery has ended, otherwise 0.
    pub in_recovery: AtomicU64,
    pub steps_back: AtomicU64,
    /// The sum of these steps, in ticks.
    pub stepped_back: AtomicU64,
    pub largest_step_back: AtomicU64,
    /// The system clock when the logical clock started.
    pub seeded_at: AtomicU64,
    /// The first tick of the logical clock.
    pub seeded_from: AtomicU64,
    pub seed_source: AtomicU64,
}

const _: () = {
    assert!(size_of::<Block>() == 256);
    assert!(offset_of!(Block, version) == 0);
    assert!(offset_of!(Block, clock) == 8);
    assert!(offset_of!(Block, resets) == 40);
    assert!(offset_of!(Block, realtime_offset) == 48);
    assert!(offset_of!(Block, history.in_recovery) == 56);
    assert!(offset_of!(Block, history.steps_back) == 64);
    assert!(offset_of!(Block, history.stepped_back) == 72);
    assert!(offset_of!(Block, history.largest_step_back) == 80);
    assert!(offset_of!(Block, history.seeded_at) == 88);
    assert!(offset_of!(Block, history.seeded_from) == 96);
    assert!(offset_of!(Block, history.seed_source) == 104);
    assert!(offset_of!(Block, published) == 112);
    assert!(offset_of!(Block, reserve) == 248);
};

impl Block {
    /// A block of zeros.
    pub const fn unused() -> Self {
        Self {
            version: AtomicU64::new(0),
            clock: SeqLock::empty(),
            resets: AtomicU64::new(0),
            realtime_offset: AtomicU64::new(0),
            history: History {
                in_recovery: AtomicU64::new(0),
                steps_back: AtomicU64::new(0),
                stepped_back: AtomicU64::new(0),
                largest_step_back: AtomicU64::new(0),
                seeded_at: AtomicU64::new(0),
                seeded_from: AtomicU64::new(0),
                seed_source: AtomicU64::new(0),
            },
            published: Published::empty(),
            reserve: [const { AtomicU64::new(0) }; 1],
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

    /// The logical clock and the monotonic clock at one time; `None` during a change of the logical clock.
    #[inline(always)]
    pub fn try_now(&self, source: &impl ClockSource) -> Option<(u64, u64)> {
        let (clock, monotonic) = self.clock.try_read(|| source.monotonic())?;
        Some((clock.tick(monotonic), monotonic))
    }

    /// The logical clock now, after waiting for changes.
    pub fn now(&self, host: &impl Host) -> u64 {
        let (clock, monotonic) = self.clock.read(|turn| host.wait(turn), || host.monotonic());
        clock.tick(monotonic)
    }

    /// The tick that the logical clock had reached at a time of the monotonic clock, for a block whose
    /// users are gone. `None` if the block is unused, of another version or damaged.
    pub fn last_tick(&self, monotonic: u64) -> Option<u64> {
        let tick = self.clock.last_tick(monotonic).filter(|_| self.is_usable())?;
        SeedSource::of_word(self.history.seed_source.load(Ordering::Relaxed))?;
        let first = self.history.seeded_from.load(Ordering::Relaxed);
        (first..=LAST_TICK).contains(&tick).then_some(tick)
    }

    /// The number of resets of the logical clock.
    pub fn resets(&self) -> u64 {
        self.resets.load(Ordering::Acquire)
    }

    pub(super) fn count_reset(&self) {
        self.resets.fetch_add(1, Ordering::Release);
    }

    /// The horizons of the last minutes; `None` after a reset of the logical clock, when they may be true no more.
    pub fn published(&self) -> Option<&Published> {
        (self.resets() == 0).then_some(&self.published)
    }

    /// Whether the server is in recovery: at its end, the logical clock may have to be advanced.
    pub fn awaits_promotion(&self) -> bool {
        self.history.in_recovery.load(Ordering::Relaxed) != 0
    }

    /// Changes the logical clock to the one that `decide` returns. It gets the current one and a sample of the clocks.
    pub(super) fn change<T>(
        &self,
        host: &impl Host,
        decide: impl FnOnce(LogicalClock, Sample) -> Result<(LogicalClock, T), ClockError>,
    ) -> Result<T, ClockError> {
        self.clock.update(
            |turn| host.wait(turn),
            |change| host.undisturbed(change),
            |clock| {
                let at = Sample::read(host).ok_or(ClockError::OutOfRange)?;
                decide(clock, at)
            },
        )
    }
}

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;
