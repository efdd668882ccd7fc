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
    seeded: Option<(i32, G)>,
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
            Some((owner, generator)) if *owner == process_id => Ok(generator.next_u64()),
            _ => self.seed(process_id),
        }
    }

    #[cold]
    fn seed(&mut self, process_id: i32) -> Result<u64, SysError> {
        let mut generator = G::try_from_rng(&mut SysRng)?;
        let first = generator.next_u64();
        self.seeded = Some((process_id, generator));
        Ok(first)
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

        assert_ne!(drawn[0], drawn[1]);
        assert_ne!(drawn[0], drawn[2]);
        assert_ne!(drawn[1], drawn[2]);
    }

    #[test]
    fn one_process_draws_different_numbers() {
        let mut random: Random = Random::UNSEEDED;
        let drawn: std::collections::HashSet<u64> =
            (0..10_000).map(|_| random.next(1).unwrap()).collect();
        assert_eq!(drawn.len(), 10_000);
    }
}
