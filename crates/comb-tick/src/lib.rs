//! The unit of time of all UUIDs, and its conversions.
//!
//! ```
//! use comb_tick::{TICKS_PER_MS, micros_of_tick, tick_of_micros};
//!
//! assert_eq!(tick_of_micros(1_000), i128::from(TICKS_PER_MS));
//! assert_eq!(micros_of_tick(tick_of_micros(1_645_557_742_000_001)), Some(1_645_557_742_000_001));
//! ```

#![forbid(unsafe_code)]

/// A time in units of 1/65536 ms since 1970-01-01 00:00:00 UTC, negative before it.
///
/// The clocks use 64 bits of it. The layouts reach from the year 1 to the year 10889, which needs more.
pub type Tick = i128;

/// The bits of a tick below the millisecond.
pub const FRACTION_BITS: u32 = 16;
/// The number of ticks in a millisecond.
pub const TICKS_PER_MS: u64 = 1 << FRACTION_BITS;

/// The first tick that is not before a time in microseconds since the Unix epoch.
///
/// It is rounded up, so that a time field whose unit is 10 µs or 100 ns is exact again when it is cut off
/// the tick.
pub const fn tick_of_micros(micros: i64) -> Tick {
    let ms = micros.div_euclid(1000);
    let micros_of_ms = micros.rem_euclid(1000) as u64;
    tick(ms, (micros_of_ms * TICKS_PER_MS).div_ceil(1000))
}

/// The microsecond of a tick, since the Unix epoch; `None` if it needs more than 64 bits.
pub fn micros_of_tick(tick: Tick) -> Option<i64> {
    let (ms, fraction) = split_ms(tick)?;
    ms.checked_mul(1000)?.checked_add(((fraction * 1000) >> FRACTION_BITS) as i64)
}

/// The tick of a millisecond and its fraction in 1/65536 ms.
pub const fn tick(ms: i64, fraction: u64) -> Tick {
    ((ms as Tick) << FRACTION_BITS) + fraction as Tick
}

/// The millisecond of a tick and its fraction; `None` if the milliseconds need more than 64 bits.
pub const fn split_ms(tick: Tick) -> Option<(i64, u64)> {
    let ms = tick >> FRACTION_BITS;
    if ms < i64::MIN as Tick || ms > i64::MAX as Tick {
        return None;
    }
    Some((ms as i64, (tick as u64) & (TICKS_PER_MS - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_milliseconds_of_a_tick_end_with_64_bits() {
        for ms in [i64::MIN, i64::MAX] {
            assert_eq!(split_ms(tick(ms, 5)), Some((ms, 5)));
        }
        assert_eq!(split_ms(tick(i64::MIN, 0) - 1), None);
        assert_eq!(split_ms(tick(i64::MAX, TICKS_PER_MS - 1) + 1), None);
    }

    proptest! {
        #[test]
        fn microseconds_come_back(micros in any::<i64>()) {
            prop_assert_eq!(micros_of_tick(tick_of_micros(micros)), Some(micros));
            prop_assert!(micros_of_tick(tick_of_micros(micros) - 1) < Some(micros));
        }
    }
}
