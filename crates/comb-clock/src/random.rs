//! Buffered cryptographic random bits, different in each process.
//!
//! # Security
//! ChaCha12, seeded by the operating system: the generator of rand's StdRng, named here so that a release
//! of rand cannot change it. One draw in 32 computes a block of 256 bytes; each draw copies 8 bytes of it.
//!
//! # Forks
//! rand has no protection against fork: a copy of a generator repeats the numbers of the original. If the
//! library is preloaded, every backend is a fork of the postmaster. Therefore a generator belongs to the process
//! that seeded it; any other process seeds a new one.
//!
//! # Cloned machines
//! Two clones of a running machine have the same processes, generators and clocks. Therefore a generator
//! gets a new seed after a second or [`MAX_DRAWS`], whichever comes first.
//!
//! # Bits of a process
//! Some UUIDs have random bits of their process, and some systems compare these before the time. Therefore a new
//! seed does not replace these bits, but increases them by a random amount. Then two clones of a process
//! have different bits, and the UUIDs of one process stay in order.

use rand::rngs::{ChaCha12Rng, SysError, SysRng};
use rand::{Rng, SeedableRng};

use comb_tick::TICKS_PER_MS;

/// The number of draws from a seed. A new seed costs 1 µs, 0.02 ns per draw.
const MAX_DRAWS: u32 = 65_536;

/// How long a seed is used, 1 s, in ticks.
const MAX_USE: u64 = 1000 * TICKS_PER_MS;

/// A new seed increases the bits of a process by a random number without this many upper bits. The bits
/// wrap around after 2^25 seeds, that is a year of UUIDs, and two clones of a process seldom have the same.
const COUNTED_BITS: u32 = 24;

/// A generator and the process that it belongs to.
#[derive(Clone)]
pub struct Random<G = ChaCha12Rng> {
    seeded: Option<Seeded<G>>,
    /// The system clock when [`Random::refresh`] first saw the seed in use.
    seen_at: u64,
}

#[derive(Clone)]
struct Seeded<G> {
    process_id: i32,
    draws_left: u32,
    /// The first draw of the first seed, increased by each later seed.
    process_bits: u64,
    generator: G,
}

impl<G: Rng + SeedableRng> Random<G> {
    /// A generator that gets its seed at the first draw.
    pub const UNSEEDED: Self = Self { seeded: None, seen_at: 0 };

    /// Whether the seed was in use for less than a second of the system clock. A clock that was set counts as a second.
    #[inline(always)]
    pub fn is_fresh(&self, system: u64) -> bool {
        system.wrapping_sub(self.seen_at) < MAX_USE
    }

    /// Discards a seed that is not fresh. Call it before the first UUID after a pause, and regularly while UUIDs are
    /// generated.
    pub fn refresh(&mut self, system: u64) {
        if !self.is_fresh(system) {
            self.seen_at = system;
            if let Some(seeded) = &mut self.seeded {
                seeded.draws_left = 0;
            }
        }
    }

    /// 64 random bits for the process of that id.
    ///
    /// # Errors
    /// The operating system returned no seed. Nothing changes.
    #[inline(always)]
    pub fn next(&mut self, process_id: i32) -> Result<u64, SysError> {
        match &mut self.seeded {
            Some(seeded) if seeded.process_id == process_id && seeded.draws_left > 0 => {
                seeded.draws_left -= 1;
                Ok(seeded.generator.next_u64())
            }
            _ => Ok(self.seed(process_id)?.generator.next_u64()),
        }
    }

    /// 64 random bits of the process. They are the same until the next seed, which increases them; they
    /// wrap around as [`COUNTED_BITS`] says.
    ///
    /// # Errors
    /// The operating system returned no seed. Nothing changes.
    #[inline(always)]
    pub fn process_bits(&mut self, process_id: i32) -> Result<u64, SysError> {
        match &mut self.seeded {
            Some(seeded) if seeded.process_id == process_id && seeded.draws_left > 0 => {
                seeded.draws_left -= 1;
                Ok(seeded.process_bits)
            }
            _ => Ok(self.seed(process_id)?.process_bits),
        }
    }

    #[cold]
    fn seed(&mut self, process_id: i32) -> Result<&mut Seeded<G>, SysError> {
        let mut generator = G::try_from_rng(&mut SysRng)?;
        let drawn = generator.next_u64();
        let process_bits = match &self.seeded {
            Some(seeded) if seeded.process_id == process_id => seeded.process_bits.wrapping_add(drawn >> COUNTED_BITS),
            _ => drawn,
        };
        // The caller draws once.
        let draws_left = MAX_DRAWS - 1;
        Ok(self.seeded.insert(Seeded { process_id, draws_left, process_bits, generator }))
    }
}

#[cfg(test)]
#[path = "random_tests.rs"]
mod tests;
