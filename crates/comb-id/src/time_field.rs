//! The first axis of a layout: the time field, with its epoch and its unit.
//!
//! A tick is split into the field and the remainder, the part of the tick that the field does not hold. Ticks
//! compare as their (field, remainder) do.

use comb_tick::{FRACTION_BITS, TICKS_PER_MS, Tick, split_ms, tick, tick_of_micros};

const MS_PER_DAY: i64 = 86_400_000;
const US_PER_DAY: i64 = 86_400_000_000;

/// 0001-01-01, the epoch of .NET's DateTime.
const DOTNET_EPOCH_MS: i64 = -62_135_596_800_000;
/// 9999-12-31 23:59:59.9999999, DateTime.MaxValue.
const DOTNET_LAST_TICK: u64 = 3_155_378_975_999_999_999;

/// 1582-10-15, the epoch of RFC 9562 versions 1 and 6.
const GREGORIAN_EPOCH_MS: i64 = -12_219_292_800_000;

/// 1900-01-01, the epoch of SQL Server's datetime.
const SQL_EPOCH_DAY: i64 = -25_567;
/// SQL Server's datetime counts 1/300 s since midnight.
const SQL_UNITS_PER_DAY: u64 = 25_920_000;
/// NHibernate divides by 3.333333 ms, and so writes up to two units past midnight.
const SQL_LAST_UNIT: u64 = SQL_UNITS_PER_DAY + 2;

/// A time field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeField {
    /// 48 bits: milliseconds since 1970-01-01.
    UnixMs,
    /// 16 bits: days since 1900-01-01, then 32 bits: 1/300 s since midnight.
    SqlDatetime,
    /// 48 bits: units of 10 µs since 1970-01-01.
    Unix10us,
    /// The low 48 bits of the milliseconds since 0001-01-01.
    DotnetMs,
    /// 64 bits: units of 100 ns since 0001-01-01.
    DotnetTicks,
    /// 60 bits: units of 100 ns since 1582-10-15.
    Gregorian100ns,
}

/// A field that counts units of one length since an epoch.
///
/// Rationale: [`TimeField`] calls each function with a constant, once for each field. A division by a
/// number that is not a constant costs up to 10 ns per id.
#[derive(Clone, Copy)]
struct Count {
    /// The epoch, in milliseconds since the Unix epoch.
    epoch_ms: i64,
    /// Units in a millisecond: 1, or a power of ten.
    per_ms: u64,
    last: u64,
}

const LAST_48: u64 = (1 << 48) - 1;
const UNIX_MS: Count = Count { epoch_ms: 0, per_ms: 1, last: LAST_48 };
const UNIX_10US: Count = Count { epoch_ms: 0, per_ms: 100, last: LAST_48 };
const DOTNET_MS: Count = Count { epoch_ms: DOTNET_EPOCH_MS, per_ms: 1, last: LAST_48 };
const DOTNET_TICKS: Count = Count { epoch_ms: DOTNET_EPOCH_MS, per_ms: 10_000, last: DOTNET_LAST_TICK };
const GREGORIAN_100NS: Count = Count { epoch_ms: GREGORIAN_EPOCH_MS, per_ms: 10_000, last: (1 << 60) - 1 };

impl TimeField {
    pub const fn label(self) -> &'static str {
        match self {
            Self::UnixMs => "unix_ms",
            Self::SqlDatetime => "sql_datetime",
            Self::Unix10us => "unix_10us",
            Self::DotnetMs => "dotnet_ms",
            Self::DotnetTicks => "dotnet_ticks",
            Self::Gregorian100ns => "gregorian_100ns",
        }
    }

    /// What the field counts; `None` for `SqlDatetime`, which counts both days and units of a day.
    const fn count(self) -> Option<Count> {
        match self {
            Self::UnixMs => Some(UNIX_MS),
            Self::Unix10us => Some(UNIX_10US),
            Self::DotnetMs => Some(DOTNET_MS),
            Self::DotnetTicks => Some(DOTNET_TICKS),
            Self::Gregorian100ns => Some(GREGORIAN_100NS),
            Self::SqlDatetime => None,
        }
    }

    /// Width of the field in bits.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            Self::DotnetTicks => 64,
            Self::Gregorian100ns => 60,
            Self::UnixMs | Self::SqlDatetime | Self::Unix10us | Self::DotnetMs => 48,
        }
    }

    /// Width of the remainder in bits.
    pub(crate) const fn remainder_bits(self) -> u32 {
        u64::BITS - (self.unit_ticks() - 1).leading_zeros()
    }

    /// The unit in ticks, rounded up: a tick and the tick this much later lie in different units.
    #[inline(always)]
    pub const fn unit_ticks(self) -> u64 {
        match self.count() {
            Some(count) => unit_begin(1, count.per_ms),
            None => sql_unit_begin(1),
        }
    }

    /// The first tick from the given one on that is read back as exactly its own time; `None` outside the
    /// field's range.
    pub fn next_exact(self, tick: Tick) -> Option<Tick> {
        let exact = self.read_back(tick)?;
        // A unit is read as a time within its first microsecond. Therefore the time one distance later lies in the
        // next unit.
        if exact >= tick { Some(exact) } else { self.read_back(exact + self.moment_ticks() as Tick) }
    }

    /// The tick of the time that is read from the field of the given tick.
    fn read_back(self, tick: Tick) -> Option<Tick> {
        let (field, _) = self.split(tick)?;
        self.micros(field).map(tick_of_micros)
    }

    /// The distance between two times that are read from the field, rounded up to whole ticks: its unit, or a
    /// microsecond if that is longer.
    fn moment_ticks(self) -> u64 {
        self.unit_ticks().max(TICKS_PER_MS.div_ceil(1000))
    }

    /// The unit, in words.
    pub const fn resolution(self) -> &'static str {
        match self {
            Self::UnixMs | Self::DotnetMs => "1 ms",
            Self::SqlDatetime => "1/300 s",
            Self::Unix10us => "10 us",
            Self::DotnetTicks | Self::Gregorian100ns => "100 ns",
        }
    }

    /// The field and the remainder of a tick; `None` outside the field's range.
    #[inline(always)]
    pub(crate) fn split(self, tick: Tick) -> Option<(u64, u64)> {
        let (ms, fraction) = split_ms(tick)?;
        match self {
            Self::UnixMs => UNIX_MS.split(ms, fraction),
            Self::Unix10us => UNIX_10US.split(ms, fraction),
            Self::DotnetMs => DOTNET_MS.split(ms, fraction),
            Self::DotnetTicks => DOTNET_TICKS.split(ms, fraction),
            Self::Gregorian100ns => GREGORIAN_100NS.split(ms, fraction),
            Self::SqlDatetime => {
                let day = ms.div_euclid(MS_PER_DAY) - SQL_EPOCH_DAY;
                if day < 0 || day > u16::MAX as i64 {
                    return None;
                }
                let tick_of_day = ((ms.rem_euclid(MS_PER_DAY) as u64) << FRACTION_BITS) + fraction;
                let unit = tick_of_day * 3 / (10 * TICKS_PER_MS);
                Some(((day as u64) << 32 | unit, tick_of_day - sql_unit_begin(unit)))
            }
        }
    }

    /// The tick of a field and a remainder; `None` if the field is not valid.
    ///
    /// A remainder beyond the unit (random bits of another program) is replaced by the last one of the unit, so
    /// that the tick stays within the unit of the field.
    #[inline(always)]
    pub(crate) fn join(self, field: u64, remainder: u64) -> Option<Tick> {
        match self {
            Self::UnixMs => UNIX_MS.join(field, remainder),
            Self::Unix10us => UNIX_10US.join(field, remainder),
            Self::DotnetMs => DOTNET_MS.join(field, remainder),
            Self::DotnetTicks => DOTNET_TICKS.join(field, remainder),
            Self::Gregorian100ns => GREGORIAN_100NS.join(field, remainder),
            Self::SqlDatetime => {
                let (day, unit) = (field >> 32, field & 0xffff_ffff);
                if unit > SQL_LAST_UNIT {
                    return None;
                }
                let begin = sql_unit_begin(unit);
                let within = remainder.min(sql_unit_begin(unit + 1) - begin - 1);
                Some(tick((day as i64 + SQL_EPOCH_DAY) * MS_PER_DAY, begin + within))
            }
        }
    }

    /// The time of a field, in microseconds since the Unix epoch; `None` if the field is not valid. 1/300
    /// s is rounded up, so that the time is written as the same field again; 100 ns is cut off.
    #[inline(always)]
    pub(crate) const fn micros(self, field: u64) -> Option<i64> {
        match self {
            Self::UnixMs => UNIX_MS.micros(field),
            Self::Unix10us => UNIX_10US.micros(field),
            Self::DotnetMs => DOTNET_MS.micros(field),
            Self::DotnetTicks => DOTNET_TICKS.micros(field),
            Self::Gregorian100ns => GREGORIAN_100NS.micros(field),
            Self::SqlDatetime => {
                let (day, unit) = (field >> 32, field & 0xffff_ffff);
                if unit > SQL_LAST_UNIT {
                    return None;
                }
                let of_day = (unit * 10_000).div_ceil(3) as i64;
                Some((day as i64 + SQL_EPOCH_DAY) * US_PER_DAY + of_day)
            }
        }
    }

    /// The first and the last field of a time in microseconds since the Unix epoch; `None` outside the range.
    /// They differ if the unit is finer than a microsecond.
    pub(crate) fn fields_of(self, micros: i64) -> Option<(u64, u64)> {
        let (first, _) = self.split(tick_of_micros(micros))?;
        let last = match self.count() {
            Some(Count { per_ms, last, .. }) => last.min(first + (per_ms / 1000).max(1) - 1),
            None => first,
        };
        Some((first, last))
    }

    /// The first and the last time of the field, in microseconds since the Unix epoch.
    pub const fn range_micros(self) -> (i64, i64) {
        match self.count() {
            Some(count) => {
                let end = (count.last as u128 + 1) * 1000;
                let last = end.div_ceil(count.per_ms as u128) - 1;
                (count.epoch_ms * 1000, last as i64 + count.epoch_ms * 1000)
            }
            None => {
                let end = SQL_EPOCH_DAY + u16::MAX as i64 + 1;
                (SQL_EPOCH_DAY * US_PER_DAY, end * US_PER_DAY - 1)
            }
        }
    }
}

impl Count {
    #[inline(always)]
    fn split(self, ms: i64, fraction: u64) -> Option<(u64, u64)> {
        let ms = ms.checked_sub(self.epoch_ms)?;
        if ms < 0 || ms as u64 > self.last / self.per_ms {
            return None;
        }
        let of_ms = (fraction * self.per_ms) >> FRACTION_BITS;
        let field = ms as u64 * self.per_ms + of_ms;
        if field > self.last {
            return None;
        }
        Some((field, fraction - unit_begin(of_ms, self.per_ms)))
    }

    #[inline(always)]
    fn join(self, field: u64, remainder: u64) -> Option<Tick> {
        if field > self.last {
            return None;
        }
        let of_ms = field % self.per_ms;
        let begin = unit_begin(of_ms, self.per_ms);
        let within = remainder.min(unit_begin(of_ms + 1, self.per_ms) - begin - 1);
        Some(tick((field / self.per_ms) as i64 + self.epoch_ms, begin + within))
    }

    #[inline(always)]
    const fn micros(self, field: u64) -> Option<i64> {
        if field > self.last {
            return None;
        }
        let micros = if self.per_ms >= 1000 { field / (self.per_ms / 1000) } else { field * (1000 / self.per_ms) };
        Some(micros as i64 + self.epoch_ms * 1000)
    }
}

/// The first tick of the n-th 1/300 s of a day.
const fn sql_unit_begin(unit: u64) -> u64 {
    (unit * 10 * TICKS_PER_MS).div_ceil(3)
}

/// The first tick of the n-th unit of a millisecond, which has `per_ms` units.
const fn unit_begin(unit: u64, per_ms: u64) -> u64 {
    (unit * TICKS_PER_MS).div_ceil(per_ms)
}

#[cfg(test)]
#[path = "time_field_tests.rs"]
mod tests;
