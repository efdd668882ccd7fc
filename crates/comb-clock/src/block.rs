//! The memory that the processes of a server share: the clock, and its history.
//!
//! The block has a fixed size: its first user allocates it for the life of the server, and libraries of several versions may
//! find it. A block of zeros is unused; new memory is zeros, after a crash too. A process that does not share a clock has a
//! private block.

use std::mem::offset_of;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The version of the words of the block. A library that gives a word another meaning must change it, and then does not
/// share the block with older libraries. The words of the table of floors count as well. Version 0.4.1 had
/// comb0002.
const VERSION: u64 = u64::from_be_bytes(*b"comb0003");

/// The shared block.
#[repr(C, align(64))]
pub struct Block {
    version: AtomicU64,
    pub(super) state: AtomicU64,
    /// Twice the number of resets; odd during one.
    pub(super) resets: AtomicU64,
    /// The tick to which the clock is being reset.
    pub(super) reset_to: AtomicU64,
    pub(super) seed: Seed,
    /// The number of places of the table of floors, in other memory.
    places: AtomicU64,
    pub(super) last: Last,
    reserve: [AtomicU64; 16],
}

/// How the clock started.
#[repr(C)]
pub(super) struct Seed {
    /// The system clock then.
    pub at: AtomicU64,
    /// The first tick.
    pub from: AtomicU64,
    /// A [`SeedTime`](super::interface::SeedTime).
    pub time: AtomicU64,
}

/// The greatest tick, which each UUID changes. It shares its cache line with no word that a UUID only reads.
#[repr(C, align(64))]
pub(super) struct Last(pub AtomicU64);

const _: () = assert!(size_of::<Block>() == 256 && offset_of!(Block, version) == 0 && offset_of!(Block, last) == 64);

impl Block {
    /// A block of zeros.
    pub const fn unused() -> Self {
        Self {
            version: AtomicU64::new(0),
            state: AtomicU64::new(0),
            resets: AtomicU64::new(0),
            reset_to: AtomicU64::new(0),
            seed: Seed { at: AtomicU64::new(0), from: AtomicU64::new(0), time: AtomicU64::new(0) },
            places: AtomicU64::new(0),
            last: Last(AtomicU64::new(0)),
            reserve: [const { AtomicU64::new(0) }; 16],
        }
    }

    /// Marks a block of zeros as one of this version.
    pub fn claim(&self) {
        self.version.store(VERSION, Release);
    }

    /// Whether the block is one of this version.
    pub fn is_usable(&self) -> bool {
        self.version.load(Acquire) == VERSION
    }

    /// The number of places of the table of floors; 0 if there is none.
    pub fn places(&self) -> usize {
        self.places.load(Relaxed) as usize
    }

    /// Says how many places the table of floors has.
    pub fn set_places(&self, places: usize) {
        self.places.store(places as u64, Relaxed);
    }
}
