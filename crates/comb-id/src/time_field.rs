//! The first axis of a layout: the time field, with its epoch and its unit.
//!
//! A tick is split into the field and the remainder, the part of the tick that the field does not hold. Ticks
//! compare as their (field, remainder) do.

use comb_tick::{FRACTION_BITS, TICKS_PER_MS, Tick, split_ms, tick, tick_of_micros};

const MS_PER_DAY: u64 = 86_400_000;

/// 0001-01-01, the epoch of .NET's DateTime.
const DOTNET_EPOCH_MS: i64 = -62_135_596_800_000;
/// 9999-12-31 23:59:59.9999999, DateTime.MaxValue.
const DOTNET_LAST_TICK: u64 = 3_155_378_975_999_999_999;

/// 1582-10-15, the epoch of RFC 9562 versions 1 and 6.
const GREGORIAN_EPOCH_MS: i64 = -12_219_292_800_000;

/// 1900-01-01, the epoch of SQL Server's datetime.
const SQL_EPOCH_MS: i64 = -25_567 * MS_PER_DAY as i64;
const SQL_DAYS: u64 = 1 << 16;
/// NHibernate divides by 3.333333 ms, and so writes up to two units past midnight.
const SQL_UNITS_PAST_MIDNIGHT: u64 = 2;

/// A time field: the number of units since an epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeField {
    /// Its name in SQL.
    pub label: &'static str,
    /// The length of a unit.
    pub unit: Unit,
    /// The epoch, in milliseconds since the Unix epoch.
    epoch_ms: i64,
    /// The last unit.
    last: u64,
    /// The width of the field.
    pub(crate) bits: u32,
    encoding: Encoding,
    pub(crate) low_bits: LowBits,
}

/// How a field holds the number of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Number,
    /// The day, then in 32 bits the unit of the day.
    DayAndUnit,
}

/// The content of the bits below a time field, except for those of the stamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LowBits {
    /// The remainder, then random bits.
    Random,
    /// The remainder, then random bits. The last 48 of them are a node, as RFC 9562 has it.
    Node,
    /// Random bits that are the same in all UUIDs of a process.
    Process,
}

/// A unit of time: `count` units are `ms` milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The length in words.
    pub label: &'static str,
    count: u64,
    ms: u64,
    /// The length in ticks, rounded up: a tick and the tick this much later lie in different units.
    pub ticks: u64,
}

impl TimeField {
    /// 48 bits: milliseconds since 1970-01-01.
    pub const UNIX_MS: Self = Self {
        label: "unix_ms",
        unit: Unit::MS,
        epoch_ms: 0,
        last: (1 << 48) - 1,
        bits: 48,
        encoding: Encoding::Number,
        low_bits: LowBits::Random,
    };
    /// 48 bits: units of 10 µs since 1970-01-01.
    pub const UNIX_10US: Self = Self { label: "unix_10us", unit: Unit::US_10, ..Self::UNIX_MS };
    /// The low 48 bits of the milliseconds since 0001-01-01.
    pub const DOTNET_MS: Self = Self { label: "dotnet_ms", epoch_ms: DOTNET_EPOCH_MS, ..Self::UNIX_MS };
    /// 64 bits: units of 100 ns since 0001-01-01.
    pub const DOTNET_TICKS: Self = Self {
        label: "dotnet_ticks",
        unit: Unit::NS_100,
        epoch_ms: DOTNET_EPOCH_MS,
        last: DOTNET_LAST_TICK,
        bits: 64,
        encoding: Encoding::Number,
        low_bits: LowBits::Process,
    };
    /// 60 bits: units of 100 ns since 1582-10-15.
    pub const GREGORIAN_100NS: Self = Self {
        label: "gregorian_100ns",
        unit: Unit::NS_100,
        epoch_ms: GREGORIAN_EPOCH_MS,
        last: (1 << 60) - 1,
        bits: 60,
        encoding: Encoding::Number,
        low_bits: LowBits::Node,
    };
    /// 16 bits: days since 1900-01-01, then 32 bits: 1/300 s since midnight.
    pub const SQL_DATETIME: Self = Self {
        label: "sql_datetime",
        unit: Unit::THIRD_OF_10_MS,
        epoch_ms: SQL_EPOCH_MS,
        last: SQL_DAYS * Unit::THIRD_OF_10_MS.per_day() - 1,
        encoding: Encoding::DayAndUnit,
        ..Self::UNIX_MS
    };

    /// Width of the remainder in bits.
    pub(crate) const fn remainder_bits(self) -> u32 {
        u64::BITS - (self.unit.ticks - 1).leading_zeros()
    }

    /// The number of ticks between two times that differ by at least `ticks`, rounded up to whole units, and by at least one.
    #[inline(always)]
    pub const fn step(self, ticks: u64) -> u64 {
        let units = ticks.div_ceil(self.unit.ticks);
        if units == 0 { self.unit.ticks } else { units * self.unit.ticks }
    }

    /// The field and the remainder of a tick; `None` outside the field's range.
    #[inline(always)]
    pub(crate) fn split(self, tick: Tick) -> Option<(u64, u64)> {
        self.unit.as_constant(|unit| {
            let (number, remainder) = self.number(tick, unit)?;
            Some((self.encode(number, unit), remainder))
        })
    }

    /// The number of units at a tick, and the remainder; `None` outside the field's range.
    #[inline(always)]
    fn number(self, tick: Tick, unit: Unit) -> Option<(u64, u64)> {
        let (ms, fraction) = split_ms(tick)?;
        let ms = u64::try_from(ms.checked_sub(self.epoch_ms)?).ok()?;
        let (period, ms_of_period) = (ms / unit.ms, ms % unit.ms);
        if period > self.last / unit.count {
            return None;
        }
        let tick_of_period = (ms_of_period << FRACTION_BITS) + fraction;
        let of_period = tick_of_period * unit.count / (unit.ms * TICKS_PER_MS);
        let number = period * unit.count + of_period;
        (number <= self.last).then(|| (number, tick_of_period - unit.begin(of_period)))
    }

    /// The tick of a field and a remainder; `None` if the field is not valid.
    ///
    /// A remainder beyond the unit (random bits of another program) is replaced by the last one of the unit, so
    /// that the tick stays within the unit of the field.
    #[inline(always)]
    pub(crate) fn join(self, field: u64, remainder: u64) -> Option<Tick> {
        self.unit.as_constant(|unit| {
            let number = self.decode(field, unit)?;
            let (period, of_period) = (number / unit.count, number % unit.count);
            let begin = unit.begin(of_period);
            let within = remainder.min(unit.begin(of_period + 1) - begin - 1);
            Some(tick((period * unit.ms) as i64 + self.epoch_ms, begin + within))
        })
    }

    /// The time of a field, in microseconds since the Unix epoch; `None` if the field is not valid. A unit finer
    /// than a microsecond is cut off. Any other is rounded up, so that the time is written as the same field again.
    #[inline(always)]
    pub(crate) fn micros(self, field: u64) -> Option<i64> {
        self.unit.as_constant(|unit| {
            let number = self.decode(field, unit)?;
            let (period, of_period) = (number / unit.count, number % unit.count * unit.ms * 1000);
            let of_period = if unit.per_micro() > 1 { of_period / unit.count } else { of_period.div_ceil(unit.count) };
            Some((period * unit.ms * 1000 + of_period) as i64 + self.epoch_ms * 1000)
        })
    }

    /// The field that holds a number of units.
    #[inline(always)]
    fn encode(self, number: u64, unit: Unit) -> u64 {
        match self.encoding {
            Encoding::Number => number,
            Encoding::DayAndUnit => {
                let (day, of_day) = (number / unit.per_day(), number % unit.per_day());
                day << 32 | of_day
            }
        }
    }

    /// The number of units of a field; `None` if the field is not valid.
    #[inline(always)]
    fn decode(self, field: u64, unit: Unit) -> Option<u64> {
        let number = match self.encoding {
            Encoding::Number => field,
            Encoding::DayAndUnit => {
                let (day, of_day) = (field >> 32, field & 0xffff_ffff);
                if of_day > unit.per_day() + SQL_UNITS_PAST_MIDNIGHT {
                    return None;
                }
                day * unit.per_day() + of_day
            }
        };
        (number <= self.last).then_some(number)
    }

    /// The field of a time in microseconds since the Unix epoch, cut off; `None` outside the range.
    pub(crate) fn field_of(self, micros: i64) -> Option<u64> {
        let (number, _) = self.number(tick_of_micros(micros), self.unit)?;
        Some(self.encode(number, self.unit))
    }

    /// The number of whole units in a period, in microseconds.
    pub(crate) const fn count(self, start: i64, end: i64) -> u64 {
        ((end - start) as u128 * self.unit.count as u128 / (self.unit.ms as u128 * 1000)) as u64
    }

    /// The last tick of the field.
    #[inline(always)]
    pub fn last_tick(self) -> Tick {
        self.unit.as_constant(|unit| {
            let (period, of_period) = (self.last / unit.count, self.last % unit.count);
            tick((period * unit.ms) as i64 + self.epoch_ms, unit.begin(of_period + 1) - 1)
        })
    }

    /// The first and the last time of the field, in microseconds since the Unix epoch.
    pub const fn range_micros(self) -> (i64, i64) {
        let end = (self.last as u128 + 1) * self.unit.ms as u128 * 1000;
        let last = end.div_ceil(self.unit.count as u128) - 1;
        (self.epoch_ms * 1000, last as i64 + self.epoch_ms * 1000)
    }
}

impl Unit {
    const MS: Self = Self::new("1 ms", 1, 1);
    const US_10: Self = Self::new("10 us", 100, 1);
    const NS_100: Self = Self::new("100 ns", 10_000, 1);
    const THIRD_OF_10_MS: Self = Self::new("1/300 s", 3, 10);

    const fn new(label: &'static str, count: u64, ms: u64) -> Self {
        Self { label, count, ms, ticks: (ms * TICKS_PER_MS).div_ceil(count) }
    }

    /// Calls a function with the unit, as a constant if it is one of the above.
    ///
    /// Rationale: a division by a number that is not a constant costs up to 10 ns per id.
    #[inline(always)]
    fn as_constant<T>(self, call: impl Fn(Self) -> T) -> T {
        match (self.count, self.ms) {
            (1, 1) => call(Self::MS),
            (100, 1) => call(Self::US_10),
            (10_000, 1) => call(Self::NS_100),
            (3, 10) => call(Self::THIRD_OF_10_MS),
            _ => call(self),
        }
    }

    /// The first tick of the n-th unit of `ms` milliseconds.
    #[inline(always)]
    const fn begin(self, n: u64) -> u64 {
        (n * self.ms * TICKS_PER_MS).div_ceil(self.count)
    }

    /// The number of units that begin in a microsecond, at least 1.
    #[inline(always)]
    const fn per_micro(self) -> u64 {
        if self.count > self.ms * 1000 { self.count / (self.ms * 1000) } else { 1 }
    }

    #[inline(always)]
    const fn per_day(self) -> u64 {
        MS_PER_DAY / self.ms * self.count
    }
}

#[cfg(test)]
#[path = "time_field_tests.rs"]
mod tests;
