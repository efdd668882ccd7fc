//! The tick of now, and the rule by which ticks increase whatever the clock does.
//!
//! The clock is a seam: `advance` takes what was read as a plain number, and the tests hand it
//! clocks that stand still, step back and jump.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::comb::FRACTION_BITS;

/// Seconds that 48 bits of milliseconds hold.
const LAST_SECOND: u64 = ((1 << 48) - 1) / 1000 - 1;

/// Now, as a tick; `None` where the system's clock stands before 1970 or beyond year 10889.
///
/// SystemTime reads CLOCK_REALTIME through libc, which is where libfaketime can steer it.
#[inline(always)]
pub fn now() -> Option<u64> {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    tick_of_unix_time(since_epoch.as_secs(), since_epoch.subsec_nanos())
}

#[inline(always)]
fn tick_of_unix_time(seconds: u64, nanoseconds: u32) -> Option<u64> {
    if seconds > LAST_SECOND {
        return None;
    }
    // TICKS_PER_MS / NS_PER_MS, shortened.
    Some(((seconds * 1000) << FRACTION_BITS) + u64::from(nanoseconds) * 1024 / 15_625)
}

/// The tick after `last`: that of the clock, unless that is less than `step` ahead of `last`.
/// `None` where 64 bits end.
///
/// A tick is 15 ns, so at fewer than 65 million ids a second the ticks never run ahead of the
/// clock; 12 bits of fraction would, at 4 million.
#[inline(always)]
pub const fn advance(last: u64, now: u64, step: u64) -> Option<u64> {
    match last.checked_add(step) {
        Some(next) if next > now => Some(next),
        Some(_) => Some(now),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn unix_time_becomes_ticks() {
        assert_eq!(tick_of_unix_time(0, 0), Some(0));
        assert_eq!(tick_of_unix_time(1, 0), Some(65_536_000));
        assert_eq!(tick_of_unix_time(1, 1_000_000), Some(65_536_000 + 65_536));
        assert_eq!(tick_of_unix_time(0, 999_999_999), Some(65_535_999));
        // PostgreSQL 18's uuidv7() keeps 12 bits of the fraction, cut off: ours are its continuation.
        let ns = 123_456;
        assert_eq!(tick_of_unix_time(0, ns).unwrap() >> 4, u64::from(ns) * 4096 / 1_000_000);
    }

    #[test]
    fn a_clock_beyond_48_bits_of_milliseconds_is_refused() {
        assert!(tick_of_unix_time(LAST_SECOND, 999_999_999).is_some());
        assert_eq!(tick_of_unix_time(LAST_SECOND + 1, 0), None);
        assert_eq!(tick_of_unix_time(u64::MAX, 0), None);
    }

    #[test]
    fn now_is_this_century() {
        let ms = now().unwrap() >> FRACTION_BITS;
        assert!((1_577_836_800_000..4_102_444_800_000).contains(&ms));
    }

    #[test]
    fn the_end_of_64_bits_is_an_end() {
        assert_eq!(advance(u64::MAX, 0, 1), None);
        assert_eq!(advance(u64::MAX - 1, 0, 1), Some(u64::MAX));
    }

    proptest! {
        /// The clock may read anything at any time.
        #[test]
        fn ticks_increase_under_any_clock(readings in prop::collection::vec(0..u64::MAX / 2, 1..200)) {
            let mut last = 0;
            for now in readings {
                let next = advance(last, now, 1).unwrap();
                prop_assert!(next > last);
                prop_assert!(next >= now);
                last = next;
            }
        }

        /// A clock that goes on catches up with ticks that ran ahead of it.
        #[test]
        fn ticks_return_to_the_clock(begin in 0u64..1 << 60, back in 0u64..1 << 40) {
            let ahead = advance(begin, begin + back, 1).unwrap();
            prop_assert_eq!(advance(ahead, begin, 1), Some(ahead + 1));
            prop_assert_eq!(advance(ahead + 1, ahead + 2 + back, 1), Some(ahead + 2 + back));
        }
    }
}
