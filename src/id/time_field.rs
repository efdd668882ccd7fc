//! The first axis of a layout: which time field it writes, its epoch and its unit.
//!
//! A tick is split into the field and what the field leaves out of the tick, its remainder.
//! Splitting keeps the order: ticks compare as their (field, remainder) do.

use super::value::{FRACTION_BITS, TICKS_PER_MS, Tick, split_ms, tick, tick_of_micros};

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

/// A time field, by the names of docs/design.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeField {
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

impl TimeField {
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

    /// The least number of ticks from one id to the next that lets ids increase.
    #[inline(always)]
    pub const fn least_step(self) -> u64 {
        match self {
            // No remainder tells two ids of one unit apart.
            Self::DotnetTicks => TICKS_PER_MS.div_ceil(DOTNET_TICKS_PER_MS),
            _ => 1,
        }
    }

    /// The first tick, not before the given one, that reads back as exactly its own moment. `None`
    /// outside the field's range.
    pub const fn next_exact(self, tick: Tick) -> Option<Tick> {
        let Some(exact) = self.read_back(tick) else {
            return None;
        };
        // A unit is read as a moment within its first microsecond, so that one unit from there lies in
        // the next unit.
        if exact >= tick { Some(exact) } else { self.read_back(exact + self.unit_ticks() as Tick) }
    }

    /// The tick of the moment that is read from the field of a tick.
    const fn read_back(self, tick: Tick) -> Option<Tick> {
        match self.split(tick) {
            Some((field, _)) => match self.micros(field) {
                Some(micros) => Some(tick_of_micros(micros)),
                None => None,
            },
            None => None,
        }
    }

    /// The distance of two moments that can be read from the field, rounded up to whole ticks.
    const fn unit_ticks(self) -> u64 {
        match self {
            Self::UnixMs | Self::DotnetMs => TICKS_PER_MS,
            Self::SqlDatetime => sql_unit_begin(1),
            Self::Unix10us => tens_of_us_begin(1),
            // 100 ns, of which whole microseconds are read.
            Self::DotnetTicks => TICKS_PER_MS.div_ceil(1000),
        }
    }

    /// The unit, in words.
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

    /// The tick of a field and a remainder; `None` where the field is not one of this kind.
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
    /// is not one of this kind. 1/300 s is rounded up, so that writing what was read gives the same
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
#[path = "time_field_tests.rs"]
mod tests;
