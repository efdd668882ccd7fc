//! Whether sorting by a short key first is worth its while.
//!
//! A sort compares the upper 64 bits of ids first and looks at the ids only where these tie. Where
//! nearly all tie, making the keys is lost work, and the sort should stop making them.

/// Bits of the map in which key values leave a mark.
const MAP_BITS: u32 = 4096;
/// So many marks mean that keys differ enough, for good.
const ENOUGH_MARKS: u32 = MAP_BITS / 2;
/// Before so many keys it is too early to say.
const FIRST_VERDICT: u64 = 10_000;
/// Fewer than one distinct key in so many is too few: the measure of PostgreSQL's own uuid.
const TOO_FEW: u64 = 2_000;

/// Counts distinct keys, at the least, while they are made.
pub struct Abbreviation {
    keys: u64,
    marks: u32,
    map: [u64; (MAP_BITS / 64) as usize],
}

impl Abbreviation {
    pub const START: Self = Self { keys: 0, marks: 0, map: [0; (MAP_BITS / 64) as usize] };

    /// Notes a key that was made.
    #[inline(always)]
    pub fn note(&mut self, key: u64) {
        self.keys += 1;
        if self.marks < ENOUGH_MARKS {
            // Fibonacci hashing: the top bits of the product depend on all of the key.
            let place = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - MAP_BITS.ilog2());
            let mark = 1 << (place % 64);
            let word = &mut self.map[(place / 64) as usize];
            self.marks += u32::from(*word & mark == 0);
            *word |= mark;
        }
    }

    /// Whether the keys tie so often that ids should be compared as a whole.
    pub fn is_lost_work(&self) -> bool {
        self.keys >= FIRST_VERDICT
            && self.marks < ENOUGH_MARKS
            && u64::from(self.marks) < self.keys / TOO_FEW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(keys: impl Iterator<Item = u64>) -> bool {
        let mut abbreviation = Abbreviation::START;
        keys.for_each(|key| abbreviation.note(key));
        abbreviation.is_lost_work()
    }

    #[test]
    fn keys_that_differ_are_worth_their_while() {
        assert!(!verdict(0..9_999));
        assert!(!verdict(0..5_000_000));
        assert!(!verdict((0..5_000_000).map(|key| key << 16)));
        assert!(!verdict((0..20_000).map(|key| key % 100)));
    }

    #[test]
    fn keys_that_tie_are_not() {
        assert!(verdict(std::iter::repeat_n(7, 10_000)));
        assert!(verdict((0..1_000_000).map(|key| key % 100)));
    }

    #[test]
    fn the_first_keys_decide_nothing() {
        assert!(!verdict(std::iter::repeat_n(7, 9_999)));
    }
}
