//! The first axis of a layout: which time field it writes, from which epoch, in which unit.
//!
//! A tick is split into the field and what the field leaves out of the tick, its remainder.
//! Splitting keeps the order: ticks compare as their (field, remainder) do.

use crate::comb::{FRACTION_BITS, TICKS_PER_MS, Tick, split_ms, tick, tick_of_micros};

const MS_PER_DAY: i64 = 86_400_000;
const US_PER_DAY: i64 = 86_400_000_000;

/// 0001-01-01, where .NET's DateTime begins.
const DOTNET_EPOCH_MS: i64 = -62_135_596_800_000;
/// .NET's DateTime.Ticks: 100 ns.
const DOTNET_TICKS_PER_MS: u64 = 10_000;
/// 9999-12-31 23:59:59.9999999, DateTime.MaxValue.
const DOTNET_LAST_TICK: u64 = 3_155_378_975_999_999_999;

/// 1900-01-01, where SQL Server's datetime begins.
const SQL_EPOCH_DAY: i64 = -25_567;
/// SQL Server's datetime counts 1/300 s since midnight.
const SQL_UNITS_PER_DAY: u64 = 25_920_000;
/// NHibernate's divisor (3.333333 ms) writes up to two units past midnight.
const SQL_LAST_UNIT: u64 = SQL_UNITS_PER_DAY + 2;

const TENS_OF_US_PER_MS: u64 = 100;

/// A time field, by the names of the design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// 48 bits: milliseconds since 1970-01-01.
    UnixMs,
    /// 16 bits: days since 1900-01-01, then 32 bits: 1/300 s since midnight.
    SqlDatetime,
    /// 48 bits: units of 10 us since 1970-01-01.
    Unix10us,
    /// The low 48 bits of the milliseconds since 0001-01-01.
    DotnetMs,
    /// 64 bits: units of 100 ns since 0001-01-01.
    DotnetTicks,
}

impl Clock {
    pub const fn label(self) -> &'static str {
        match self {
            Self::UnixMs => "unix_ms",
            Self::SqlDatetime => "sql_datetime",
            Self::Unix10us => "unix_10us",
            Self::DotnetMs => "dotnet_ms",
            Self::DotnetTicks => "dotnet_ticks",
        }
    }

    /// Width of the field in bits.
    pub const fn bits(self) -> u32 {
        match self {
            Self::DotnetTicks => 64,
            _ => 48,
        }
    }

    /// Bits that hold what the field leaves out of the tick.
    pub const fn remainder_bits(self) -> u32 {
        match self {
            Self::UnixMs | Self::DotnetMs => FRACTION_BITS,
            Self::SqlDatetime => 18, // 1/300 s is 218453.3 ticks
            Self::Unix10us => 10,    // 10 us is 655.36 ticks
            Self::DotnetTicks => 0,
        }
    }

    /// The least number of ticks from one id to the next that lets ids increase and, where
    /// `apart_ms` is not 0, their time fields differ by at least so many milliseconds.
    #[inline(always)]
    pub const fn step(self, apart_ms: u64) -> u64 {
        match self {
            // Whole units, so that cutting the moment off to a unit takes nothing from the distance.
            Self::SqlDatetime if apart_ms > 0 => sql_unit_begin((apart_ms * 3).div_ceil(10)),
            _ if apart_ms > 0 => apart_ms * TICKS_PER_MS,
            // No remainder tells two ids of one unit apart.
            Self::DotnetTicks => TICKS_PER_MS.div_ceil(DOTNET_TICKS_PER_MS),
            _ => 1,
        }
    }

    /// The smallest distance of two fields, in words.
    pub const fn resolution(self) -> &'static str {
        match self {
            Self::UnixMs | Self::DotnetMs => "1 ms",
            Self::SqlDatetime => "1/300 s",
            Self::Unix10us => "10 us",
            Self::DotnetTicks => "100 ns",
        }
    }

    /// The field and the remainder of a tick; `None` outside the field's range.
    #[inline(always)]
    pub const fn split(self, tick: Tick) -> Option<(u64, u64)> {
        let Some((ms, fraction)) = split_ms(tick) else {
            return None;
        };
        match self {
            Self::UnixMs => fits_48(ms, fraction),
            Self::DotnetMs => match ms.checked_sub(DOTNET_EPOCH_MS) {
                Some(ms) => fits_48(ms, fraction),
                None => None,
            },
            Self::Unix10us => {
                if ms < 0 || ms as u64 > (1 << 48) / TENS_OF_US_PER_MS {
                    return None;
                }
                let field = ms as u64 * TENS_OF_US_PER_MS
                    + ((fraction * TENS_OF_US_PER_MS) >> FRACTION_BITS);
                let begin = tens_of_us_begin(field % TENS_OF_US_PER_MS);
                fits_48(field as i64, fraction - begin)
            }
            Self::SqlDatetime => {
                let day = ms.div_euclid(MS_PER_DAY) - SQL_EPOCH_DAY;
                if day < 0 || day > u16::MAX as i64 {
                    return None;
                }
                let tick_of_day = ((ms.rem_euclid(MS_PER_DAY) as u64) << FRACTION_BITS) + fraction;
                let unit = tick_of_day * 3 / (10 * TICKS_PER_MS);
                Some(((day as u64) << 32 | unit, tick_of_day - sql_unit_begin(unit)))
            }
            Self::DotnetTicks => {
                if ms < DOTNET_EPOCH_MS
                    || ms > DOTNET_EPOCH_MS + (DOTNET_LAST_TICK / DOTNET_TICKS_PER_MS) as i64
                {
                    return None;
                }
                let of_ms = (fraction * DOTNET_TICKS_PER_MS) >> FRACTION_BITS;
                Some(((ms - DOTNET_EPOCH_MS) as u64 * DOTNET_TICKS_PER_MS + of_ms, 0))
            }
        }
    }

    /// The tick of a field and a remainder; `None` where the field is none of this clock's.
    ///
    /// A remainder beyond the unit (another program's random bits, read as one) becomes the
    /// unit's last: the moment never leaves what the field says.
    #[inline(always)]
    pub const fn join(self, field: u64, remainder: u64) -> Option<Tick> {
        match self {
            Self::UnixMs => Some(tick(field as i64, remainder)),
            Self::DotnetMs => Some(tick(field as i64 + DOTNET_EPOCH_MS, remainder)),
            Self::Unix10us => {
                let unit = field % TENS_OF_US_PER_MS;
                let begin = tens_of_us_begin(unit);
                let within = at_most(remainder, tens_of_us_begin(unit + 1) - begin - 1);
                Some(tick((field / TENS_OF_US_PER_MS) as i64, begin + within))
            }
            Self::SqlDatetime => {
                let (day, unit) = (field >> 32, field & 0xffff_ffff);
                if unit > SQL_LAST_UNIT {
                    return None;
                }
                let begin = sql_unit_begin(unit);
                let within = at_most(remainder, sql_unit_begin(unit + 1) - begin - 1);
                Some(tick((day as i64 + SQL_EPOCH_DAY) * MS_PER_DAY, begin + within))
            }
            Self::DotnetTicks => {
                if field > DOTNET_LAST_TICK {
                    return None;
                }
                let ms = (field / DOTNET_TICKS_PER_MS) as i64 + DOTNET_EPOCH_MS;
                let of_ms = field % DOTNET_TICKS_PER_MS;
                Some(tick(ms, (of_ms * TICKS_PER_MS).div_ceil(DOTNET_TICKS_PER_MS)))
            }
        }
    }

    /// The moment that a field names, in microseconds since the Unix epoch; `None` where the field
    /// is none of this clock's. 1/300 s is rounded up, so that writing what was read gives the same
    /// field again; 100 ns is cut off.
    #[inline(always)]
    pub const fn micros(self, field: u64) -> Option<i64> {
        match self {
            Self::UnixMs => Some(field as i64 * 1000),
            Self::DotnetMs => Some((field as i64 + DOTNET_EPOCH_MS) * 1000),
            Self::Unix10us => Some(field as i64 * 10),
            Self::SqlDatetime => {
                let (day, unit) = (field >> 32, field & 0xffff_ffff);
                if unit > SQL_LAST_UNIT {
                    return None;
                }
                Some((day as i64 + SQL_EPOCH_DAY) * US_PER_DAY + (unit * 10_000).div_ceil(3) as i64)
            }
            Self::DotnetTicks => {
                if field > DOTNET_LAST_TICK {
                    return None;
                }
                Some((field / 10) as i64 + DOTNET_EPOCH_MS * 1000)
            }
        }
    }

    /// The first and the last field of a moment given in microseconds since the Unix epoch: the
    /// same one, unless the field's unit is finer. `None` outside the range.
    pub const fn fields_of(self, micros: i64) -> Option<(u64, u64)> {
        match (self, self.split(tick_of_micros(micros))) {
            (Self::DotnetTicks, Some((first, _))) => Some((first, first + 9)),
            (_, Some((field, _))) => Some((field, field)),
            (_, None) => None,
        }
    }

    /// The first and the last microsecond that the field can name.
    pub const fn range_micros(self) -> (i64, i64) {
        const LAST_48: i64 = (1 << 48) - 1;
        match self {
            Self::UnixMs => (0, LAST_48 * 1000 + 999),
            Self::Unix10us => (0, LAST_48 * 10 + 9),
            Self::DotnetMs => (DOTNET_EPOCH_MS * 1000, (LAST_48 + DOTNET_EPOCH_MS) * 1000 + 999),
            Self::SqlDatetime => {
                (SQL_EPOCH_DAY * US_PER_DAY, (SQL_EPOCH_DAY + u16::MAX as i64 + 1) * US_PER_DAY - 1)
            }
            Self::DotnetTicks => {
                (DOTNET_EPOCH_MS * 1000, (DOTNET_LAST_TICK / 10) as i64 + DOTNET_EPOCH_MS * 1000)
            }
        }
    }
}

const fn fits_48(field: i64, remainder: u64) -> Option<(u64, u64)> {
    if field < 0 || field >= 1 << 48 { None } else { Some((field as u64, remainder)) }
}

const fn at_most(value: u64, limit: u64) -> u64 {
    if value < limit { value } else { limit }
}

/// First tick of the n-th 1/300 s of a day.
const fn sql_unit_begin(unit: u64) -> u64 {
    (unit * 10 * TICKS_PER_MS).div_ceil(3)
}

/// First tick of the n-th 10 us of a millisecond.
const fn tens_of_us_begin(unit: u64) -> u64 {
    (unit * TICKS_PER_MS).div_ceil(TENS_OF_US_PER_MS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::micros;
    use proptest::prelude::*;

    const CLOCKS: [Clock; 5] =
        [Clock::UnixMs, Clock::SqlDatetime, Clock::Unix10us, Clock::DotnetMs, Clock::DotnetTicks];

    /// The design's formulas over plain microseconds, in 128 bits.
    fn expected_field(clock: Clock, micros: i64) -> u128 {
        let micros = i128::from(micros);
        let since_dotnet_epoch = micros + 62_135_596_800_000_000;
        let since_1900 = micros + 25_567 * 86_400_000_000;
        let field = match clock {
            Clock::UnixMs => micros / 1000,
            Clock::Unix10us => micros / 10,
            Clock::DotnetMs => since_dotnet_epoch / 1000,
            Clock::DotnetTicks => since_dotnet_epoch * 10,
            Clock::SqlDatetime => {
                let (day, of_day) = (since_1900 / 86_400_000_000, since_1900 % 86_400_000_000);
                (day << 32) | (of_day * 300 / 1_000_000)
            }
        };
        field as u128
    }

    fn field_of(clock: Clock, micros: i64) -> Option<u64> {
        clock.split(tick_of_micros(micros)).map(|(field, _)| field)
    }

    fn clock() -> impl Strategy<Value = Clock> {
        prop::sample::select(&CLOCKS[..])
    }

    fn clock_and_micros() -> impl Strategy<Value = (Clock, i64)> {
        clock().prop_flat_map(|clock| {
            let (first, last) = clock.range_micros();
            (Just(clock), first..=last)
        })
    }

    #[test]
    fn ranges_end_where_the_field_does() {
        let ranges = [
            (Clock::UnixMs, "1970-01-01 00:00:00", None),
            (Clock::SqlDatetime, "1900-01-01 00:00:00", Some("2079-06-06 23:59:59.999999")),
            (Clock::Unix10us, "1970-01-01 00:00:00", Some("2059-03-13 02:56:07.106559")),
            (Clock::DotnetMs, "0001-01-01 00:00:00", Some("8920-08-03 05:31:50.655999")),
            (Clock::DotnetTicks, "0001-01-01 00:00:00", None),
        ];
        for (clock, first, last) in ranges {
            assert_eq!(clock.range_micros().0, micros(first), "{clock:?}");
            if let Some(last) = last {
                assert_eq!(clock.range_micros().1, micros(last), "{clock:?}");
            }
        }
        // jiff ends a day before these.
        assert_eq!(Clock::UnixMs.range_micros().1, 281_474_976_710_655_999);
        assert_eq!(
            Clock::DotnetTicks.range_micros().1,
            micros("9999-12-30 00:00:00") + 2 * US_PER_DAY - 1
        );

        for clock in CLOCKS {
            let (first, last) = clock.range_micros();
            assert!(field_of(clock, first).is_some(), "{clock:?}");
            assert!(field_of(clock, last).is_some(), "{clock:?}");
            assert_eq!(field_of(clock, first - 1), None, "{clock:?}");
            assert_eq!(field_of(clock, last + 1), None, "{clock:?}");
            assert_eq!(field_of(clock, i64::MIN), None, "{clock:?}");
            assert_eq!(field_of(clock, i64::MAX), None, "{clock:?}");
            assert_eq!(clock.split(Tick::MAX), None, "{clock:?}");
            assert_eq!(clock.split(Tick::MIN), None, "{clock:?}");
        }
    }

    #[test]
    fn one_three_hundredth_of_a_second_at_the_end_of_a_day() {
        let read = |unit: u64| Clock::SqlDatetime.micros(25_567 << 32 | unit);
        assert_eq!(read(1), Some(3_334)); // rounded up
        assert_eq!(read(3), Some(10_000));
        assert_eq!(read(25_919_999), Some(86_399_996_667));
        assert_eq!(read(25_920_000), Some(US_PER_DAY));
        assert_eq!(read(25_920_002), Some(US_PER_DAY + 6_667));
        assert_eq!(read(25_920_003), None);
        assert_eq!(Clock::SqlDatetime.join(25_567 << 32 | 25_920_003, 0), None);
        assert_eq!(field_of(Clock::SqlDatetime, US_PER_DAY - 1), Some(25_567 << 32 | 25_919_999));
    }

    #[test]
    fn dotnet_ticks_end_with_year_9999() {
        assert!(Clock::DotnetTicks.micros(DOTNET_LAST_TICK).is_some());
        assert_eq!(Clock::DotnetTicks.micros(DOTNET_LAST_TICK + 1), None);
        assert_eq!(Clock::DotnetTicks.join(u64::MAX, 0), None);
    }

    #[test]
    fn steps_are_the_fewest_ticks_that_do() {
        for clock in CLOCKS {
            let one = if clock == Clock::DotnetTicks { 7 } else { 1 };
            assert_eq!(clock.step(0), one, "{clock:?}");
        }
        assert_eq!(Clock::UnixMs.step(4), 4 * TICKS_PER_MS);
        // 4 ms are more than one 1/300 s, and less than two.
        assert_eq!(Clock::SqlDatetime.step(4), sql_unit_begin(2));
        assert_eq!(Clock::SqlDatetime.step(10), sql_unit_begin(3));
    }

    proptest! {
        #[test]
        fn steps_keep_fields_apart(
            (clock, micros) in clock_and_micros(), within in 0i128..65, apart_ms in 0u64..10_000,
        ) {
            let tick = tick_of_micros(micros) + within;
            let next = tick + Tick::from(clock.step(apart_ms));
            if let (Some(earlier), Some(later)) = (clock.split(tick), clock.split(next)) {
                prop_assert!(earlier < later);
                if apart_ms > 0 {
                    let moment = |(field, _)| clock.micros(field).unwrap();
                    prop_assert!(moment(later) - moment(earlier) >= apart_ms as i64 * 1000);
                }
            }
        }

        #[test]
        fn fields_are_what_the_design_says((clock, micros) in clock_and_micros()) {
            prop_assert_eq!(field_of(clock, micros).map(u128::from), Some(expected_field(clock, micros)));
        }

        /// A tick is what its field and its remainder say, but for the clock that keeps no remainder.
        #[test]
        fn joining_reverses_splitting((clock, micros) in clock_and_micros(), within in 0i128..65) {
            let tick = tick_of_micros(micros) + within;
            let (field, remainder) = clock.split(tick).unwrap();
            prop_assert!(field >> (clock.bits() - 1) <= 1);
            prop_assert!(remainder < 1 << clock.remainder_bits());
            let joined = clock.join(field, remainder).unwrap();
            if clock == Clock::DotnetTicks {
                prop_assert!((0..7).contains(&(tick - joined)));
                prop_assert_eq!(clock.split(joined), Some((field, 0)));
            } else {
                prop_assert_eq!(joined, tick);
            }
        }

        #[test]
        fn splitting_keeps_the_order(
            (clock, micros) in clock_and_micros(), distance in 0i128..1_000_000,
        ) {
            let tick = tick_of_micros(micros);
            if let (Some(earlier), Some(later)) = (clock.split(tick), clock.split(tick + distance)) {
                prop_assert!(earlier <= later);
            }
        }

        /// What was read is written as the same field, and read as the same moment.
        #[test]
        fn writing_reverses_reading((clock, micros) in clock_and_micros()) {
            let field = field_of(clock, micros).unwrap();
            let read = clock.micros(field).unwrap();
            prop_assert_eq!(field_of(clock, read), Some(field));
        }

        /// Foreign ids hold random bits where ours hold the remainder.
        #[test]
        fn any_remainder_stays_within_the_field(
            (clock, micros) in clock_and_micros(), remainder in any::<u64>(),
        ) {
            let field = field_of(clock, micros).unwrap();
            let remainder = remainder & ((1 << clock.remainder_bits()) - 1);
            let tick = clock.join(field, remainder).unwrap();
            prop_assert_eq!(clock.split(tick).unwrap().0, field);
        }

        #[test]
        fn no_field_panics(clock in clock(), field in any::<u64>(), remainder in 0u64..1 << 18) {
            let field = field >> (64 - clock.bits());
            let remainder = remainder >> (18 - clock.remainder_bits());
            prop_assert_eq!(clock.micros(field).is_some(), clock.join(field, remainder).is_some());
        }
    }
}
