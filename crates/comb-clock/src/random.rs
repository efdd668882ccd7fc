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
//! Two clones of a running machine have the same processes, generators and monotonic clock. Therefore a generator
//! gets a new seed after a second or [`MAX_DRAWS`], whichever comes first.
//!
//! # Bits of a process
//! Some ids have random bits of their process, and some systems compare these before the time. Therefore a new
//! seed does not replace these bits, but increases them by a random amount. Then two clones of a process
//! have different bits, and the ids of one process stay in order.

use rand::rngs::{ChaCha12Rng, SysError, SysRng};
use rand::{Rng, SeedableRng};

use comb_tick::TICKS_PER_MS;

/// The number of draws from a seed. A new seed costs 1 µs, 0.02 ns per draw.
const MAX_DRAWS: u32 = 65_536;

/// How long a seed is used, 1 s.
const LONGEST_USE: u64 = 1000 * TICKS_PER_MS;

/// A new seed increases the bits of a process by a random number without this many upper bits. The bits
/// wrap around after 2^25 seeds, that is a year of ids, and two clones of a process seldom have the same.
const COUNTED_BITS: u32 = 24;

/// A generator and the process that it belongs to.
#[derive(Clone)]
pub struct Random<G = ChaCha12Rng> {
    seeded: Option<Seeded<G>>,
    /// The time of the monotonic clock at which [`Random::refresh`] first saw the seed in use.
    seen_at: Option<u64>,
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
    pub const UNSEEDED: Self = Self { seeded: None, seen_at: None };

    /// Discards a seed that was in use for longer than a second of the monotonic clock. Call it before the first id
    /// after a pause, and regularly while ids are generated.
    pub fn refresh(&mut self, monotonic: u64) {
        match self.seen_at {
            Some(at) if monotonic.wrapping_sub(at) < LONGEST_USE => {}
            _ => {
                self.seen_at = Some(monotonic);
                if let Some(seeded) = &mut self.seeded {
                    seeded.draws_left = 0;
                }
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
mod tests {
    use super::*;
    use crate::simulation::STRIDE;
    use rand::rngs::Xoshiro256PlusPlus;

    /// A fork or a clone of the machine copies a generator, which then continues in two places. ChaCha12Rng
    /// cannot be cloned, and a generator that can be cloned replaces it here.
    type Copyable = Random<Xoshiro256PlusPlus>;

    #[test]
    fn forked_processes_draw_different_numbers() {
        let mut parent = Copyable::UNSEEDED;
        parent.next(1).unwrap();
        let (mut first_child, mut second_child) = (parent.clone(), parent.clone());

        let drawn = [parent.next(1).unwrap(), first_child.next(2).unwrap(), second_child.next(3).unwrap()];

        let process_bits =
            [parent.process_bits(1).unwrap(), first_child.process_bits(2).unwrap(), second_child.process_bits(3).unwrap()];
        for drawn in [drawn, process_bits] {
            assert_ne!(drawn[0], drawn[1]);
            assert_ne!(drawn[0], drawn[2]);
            assert_ne!(drawn[1], drawn[2]);
        }
    }

    /// The clocks of both copies do not advance, and only the count of draws shows the difference.
    #[test]
    #[cfg_attr(miri, ignore = "65,536 draws are too many for Miri")]
    fn a_cloned_machine_draws_different_numbers_after_65536() {
        let mut original = Copyable::UNSEEDED;
        original.refresh(5);
        original.next(1).unwrap();
        let mut copy = original.clone();
        let mut both = || {
            original.refresh(5);
            copy.refresh(5);
            (original.next(1).unwrap(), copy.next(1).unwrap())
        };
        let same = (0..MAX_DRAWS).take_while(|_| matches!(both(), (a, b) if a == b)).count();
        assert_eq!(same, MAX_DRAWS as usize - 1);
        assert_ne!(original.process_bits(1).unwrap(), copy.process_bits(1).unwrap());
    }

    #[test]
    fn a_cloned_machine_draws_different_numbers_after_a_second() {
        let mut original = Copyable::UNSEEDED;
        original.refresh(5);
        original.next(1).unwrap();
        let mut copy = original.clone();
        for (monotonic, same) in [(5 + LONGEST_USE - 1, true), (5 + LONGEST_USE, false)] {
            original.refresh(monotonic);
            copy.refresh(monotonic);
            assert_eq!(original.next(1).unwrap() == copy.next(1).unwrap(), same);
        }
    }

    #[test]
    fn one_process_draws_different_numbers() {
        let mut random: Random = Random::UNSEEDED;
        let drawn: std::collections::HashSet<u64> = (0..200_000).step_by(STRIDE).map(|_| random.next(1).unwrap()).collect();
        assert_eq!(drawn.len(), 200_000 / STRIDE);
    }

    /// Otherwise ids that are compared by these bits first would begin at another place each second.
    #[test]
    fn the_bits_of_a_process_increase_from_seed_to_seed() {
        let mut random: Random = Random::UNSEEDED;
        let seeds: Vec<_> = (0..10_000)
            .step_by(STRIDE)
            .map(|second| {
                random.refresh(second * LONGEST_USE);
                random.process_bits(1).unwrap()
            })
            .collect();
        // They wrap around at most once.
        let around = seeds.windows(2).filter(|pair| pair[0] >= pair[1]).count();
        assert!(around <= 1, "{around}");
        let other = random.process_bits(2).unwrap();
        assert!(seeds[seeds.len() - 1].abs_diff(other) > u64::MAX >> COUNTED_BITS);
    }

    #[test]
    #[cfg_attr(miri, ignore = "65,536 draws are too many for Miri")]
    fn the_bits_of_a_process_are_the_same_until_the_next_seed() {
        let mut random: Random = Random::UNSEEDED;
        let bits = random.process_bits(1).unwrap();
        random.next(1).unwrap();
        let same = (0..MAX_DRAWS).take_while(|_| random.process_bits(1).unwrap() == bits).count();
        assert_eq!(same, MAX_DRAWS as usize - 2);
        assert_ne!(random.process_bits(2).unwrap(), bits);
    }
}
