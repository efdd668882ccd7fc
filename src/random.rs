//! Buffered cryptographic randomness that no two processes share.
//!
//! # Security
//! ChaCha12, seeded from the operating system once for each process: the generator of rand's own
//! StdRng, named here so that a release of rand cannot change it. One draw in 32 computes a
//! block of 256 bytes, the others copy 8 bytes out of it.
//!
//! # Forks
//! rand has no protection against fork: a copied generator repeats the original's numbers. With
//! the library preloaded every backend is a fork of the postmaster, so the state belongs to the
//! process that seeded it, and any other seeds anew.

use rand::rngs::{ChaCha12Rng, SysError, SysRng};
use rand::{Rng, SeedableRng};

/// A generator and the process that it belongs to.
#[derive(Clone)]
pub struct Random<G = ChaCha12Rng> {
    seeded: Option<Seeded<G>>,
}

#[derive(Clone)]
struct Seeded<G> {
    process_id: i32,
    /// Drawn once for the process.
    process_bits: u64,
    generator: G,
}

impl<G: Rng + SeedableRng> Random<G> {
    /// A generator that seeds itself at its first draw.
    pub const UNSEEDED: Self = Self { seeded: None };

    /// 64 random bits for the process of that id.
    ///
    /// # Errors
    /// Where the operating system gives no seed; nothing has changed then.
    #[inline(always)]
    pub fn next(&mut self, process_id: i32) -> Result<u64, SysError> {
        match &mut self.seeded {
            Some(seeded) if seeded.process_id == process_id => Ok(seeded.generator.next_u64()),
            _ => Ok(self.seed(process_id)?.generator.next_u64()),
        }
    }

    /// 64 random bits that stay the same for the process of that id.
    ///
    /// # Errors
    /// As [`Self::next`].
    #[inline(always)]
    pub fn process_bits(&mut self, process_id: i32) -> Result<u64, SysError> {
        match &self.seeded {
            Some(seeded) if seeded.process_id == process_id => Ok(seeded.process_bits),
            _ => Ok(self.seed(process_id)?.process_bits),
        }
    }

    #[cold]
    fn seed(&mut self, process_id: i32) -> Result<&mut Seeded<G>, SysError> {
        let mut generator = G::try_from_rng(&mut SysRng)?;
        let process_bits = generator.next_u64();
        Ok(self.seeded.insert(Seeded { process_id, process_bits, generator }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::Xoshiro256PlusPlus;

    /// What fork does to a generator: a second process goes on with a copy of it. ChaCha12Rng
    /// refuses to be copied any other way, so a generator that can be stands in for it.
    #[test]
    fn forked_processes_draw_different_numbers() {
        let mut parent = Random::<Xoshiro256PlusPlus>::UNSEEDED;
        parent.next(1).unwrap();
        let (mut first_child, mut second_child) = (parent.clone(), parent.clone());

        let drawn =
            [parent.next(1).unwrap(), first_child.next(2).unwrap(), second_child.next(3).unwrap()];

        let process_bits = [
            parent.process_bits(1).unwrap(),
            first_child.process_bits(2).unwrap(),
            second_child.process_bits(3).unwrap(),
        ];
        for drawn in [drawn, process_bits] {
            assert_ne!(drawn[0], drawn[1]);
            assert_ne!(drawn[0], drawn[2]);
            assert_ne!(drawn[1], drawn[2]);
        }
    }

    #[test]
    fn one_process_draws_different_numbers() {
        let mut random: Random = Random::UNSEEDED;
        let drawn: std::collections::HashSet<u64> =
            (0..10_000).map(|_| random.next(1).unwrap()).collect();
        assert_eq!(drawn.len(), 10_000);
    }

    #[test]
    fn the_bits_of_a_process_stay_the_same() {
        let mut random: Random = Random::UNSEEDED;
        let bits = random.process_bits(1).unwrap();
        random.next(1).unwrap();
        assert_eq!(random.process_bits(1).unwrap(), bits);
        assert_ne!(random.process_bits(2).unwrap(), bits);
    }
}
