//! A layout of UUIDs. One encoder and one decoder serve all layouts.
//!
//! A UUID is a 128-bit number whose most significant byte is the byte that the layout's byte order compares
//! first. From the top, the number holds the time field, the remainder of the tick and the random bits. A
//! stamped layout has gaps between them: for the RFC 9562 version (the high half of byte 6), for the variant
//! (the top two bits of byte 8), and, if the UUID has a node, for the multicast bit (the lowest bit of byte 10).
//! Hence two UUIDs of a layout compare in its byte order exactly as their (tick, random) do.
//!
//! The *low bits* of a UUID are those below its time field without the stamp: the remainder and the random bits.

use comb_tick::{Tick, tick_of_micros};
use uuid::Uuid;

use super::byte_order::ByteOrder;
use super::time_field::{LowBits, TimeField};

const VERSION_BITS: u32 = 4;
const VARIANT_BITS: u32 = 2;
const VARIANT_RFC9562: u128 = 0b10;
const CLOCK_SEQUENCE_BITS: u32 = 14;
/// The position of the multicast bit, counted from the top. Each byte order of a layout that has a node ends
/// with bytes 8 to 15.
const MULTICAST_AT: u32 = 87;

/// The first microsecond after the year 9999. The date types of most client libraries end with that year.
const YEAR_10000_US: i64 = 253_402_300_800_000_000;
const YEAR_10000: Tick = tick_of_micros(YEAR_10000_US);

/// The value of a UUID, in whatever layout the UUID is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Comb {
    /// Its time.
    pub tick: Tick,
    /// Its random bits. A layout with fewer of them uses the upper ones.
    pub random: u64,
}

/// A way to write a COMB as a UUID.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// Its name in SQL.
    pub label: &'static str,
    /// The time field.
    pub time_field: TimeField,
    /// The order in which the target system compares the bytes.
    pub order: ByteOrder,
    /// The version that is stamped together with the RFC 9562 variant; `None` for a layout without a stamp.
    pub version: Option<u8>,
    /// The programs that write such UUIDs.
    pub known_as: &'static str,
}

impl Layout {
    /// The number of bits without those of the stamp.
    const fn payload_bits(&self) -> u32 {
        let [(_, first), (_, second), (_, third)] = self.gaps();
        128 - first - second - third
    }

    /// The number of low bits.
    const fn low_bits(&self) -> u32 {
        self.payload_bits() - self.time_field.bits
    }

    /// The number of random bits: 56 to 64.
    pub const fn random_bits(&self) -> u32 {
        self.low_bits() - if self.marks_process() { 0 } else { self.time_field.remainder_bits() }
    }

    /// Whether the version of a UUID says that the UUID has a time. The range of all other layouts ends with the
    /// year 9999: any version 4 UUID can be read in one of them, a random one as a time up to the year 10889.
    const fn declares_time(&self) -> bool {
        matches!(self.version, Some(1 | 6 | 7))
    }

    /// Whether only a UUID with the stamp can be of the layout. A stamp of version 4 is not required, because
    /// other programs write the same time field with other versions.
    const fn requires_stamp(&self) -> bool {
        !matches!(self.version, None | Some(4))
    }

    /// Whether the last 48 bits of a UUID are a node. RFC 9562 (section 6.10) wants the multicast bit in a
    /// random node; in the address of a network card it is 0.
    const fn has_node(&self) -> bool {
        match self.time_field.low_bits {
            LowBits::Node => true,
            LowBits::Random | LowBits::Process => false,
        }
    }

    /// The first and the last time of the layout, in microseconds since the Unix epoch.
    pub const fn range_micros(&self) -> (i64, i64) {
        let (first, last) = self.time_field.range_micros();
        (first, if self.holds_micros(last) { last } else { YEAR_10000_US - 1 })
    }

    /// The last tick of the layout.
    #[inline(always)]
    pub fn last_tick(&self) -> Tick {
        let last = self.time_field.last_tick();
        if self.holds(last) { last } else { YEAR_10000 - 1 }
    }

    #[inline(always)]
    const fn holds(&self, tick: Tick) -> bool {
        self.declares_time() || tick < YEAR_10000
    }

    #[inline(always)]
    const fn holds_micros(&self, micros: i64) -> bool {
        self.declares_time() || micros < YEAR_10000_US
    }

    /// Whether the low bits are the same in all UUIDs of a process. SQL Server compares those of
    /// NEWSEQUENTIALID() before the time.
    pub const fn marks_process(&self) -> bool {
        use ByteOrder::*;
        match (self.time_field.low_bits, self.order) {
            (LowBits::Process, _) | (_, Newsequentialid) => true,
            (LowBits::Random | LowBits::Node, Postgres | Dotnet | Sqlserver | Uuidv1) => false,
        }
    }

    /// The random bits of the UUIDs of a process, from bits that increase. SQL Server compares the node of NEWSEQUENTIALID(), which
    /// has the lower ones, before the clock sequence.
    #[inline(always)]
    pub const fn bits_of_process(&self, bits: u64) -> u64 {
        if matches!(self.order, ByteOrder::Newsequentialid) {
            let (count, bits) = (self.random_bits(), bits >> (64 - self.random_bits()));
            return (bits << (count - CLOCK_SEQUENCE_BITS) | bits >> CLOCK_SEQUENCE_BITS) << (64 - count);
        }
        bits
    }

    /// The minimum number of ticks between two UUIDs with which they increase.
    #[inline(always)]
    pub const fn min_step(&self) -> u64 {
        // Without a remainder, UUIDs of one unit would be equal.
        if self.marks_process() { self.time_field.unit.ticks } else { 1 }
    }

    /// The number of ticks between two UUIDs whose time fields differ by at least `ticks`, which is rounded up to whole units.
    /// 0 means [`Self::min_step`].
    #[inline(always)]
    pub const fn step(&self, ticks: u64) -> u64 {
        if ticks == 0 { self.min_step() } else { self.time_field.step(ticks) }
    }

    /// The position of the version, counted from the top. Version 1 has it above the highest bits of the
    /// time, wherever the layout has that byte.
    const fn version_at(&self) -> u32 {
        if matches!(self.version, Some(1)) { 0 } else { 8 * self.order.rank_of(6) }
    }

    const fn variant_at(&self) -> u32 {
        8 * self.order.rank_of(8)
    }

    /// The gaps of the stamp as (position of the first bit from the top, width), from the top to the bottom.
    const fn gaps(&self) -> [(u32, u32); 3] {
        let (version_bits, variant_bits) = if self.version.is_some() { (VERSION_BITS, VARIANT_BITS) } else { (0, 0) };
        let version = (self.version_at(), version_bits);
        let variant = (self.variant_at(), variant_bits);
        let multicast = (MULTICAST_AT, self.has_node() as u32);
        if version.0 < variant.0 { [version, variant, multicast] } else { [variant, version, multicast] }
    }

    /// How many of 2^64 random UUIDs have the stamp, if another than that of version 4 is required, and a time from `start` to
    /// before `end`, in microseconds since the Unix epoch.
    pub(super) const fn share_of_random(&self, start: i64, end: i64) -> u64 {
        let (first, last) = self.range_micros();
        let count = self.time_field.count(if start > first { start } else { first }, if end <= last { end } else { last + 1 });
        let share = count << (u64::BITS - self.time_field.bits);
        if self.requires_stamp() { share >> (VERSION_BITS + VARIANT_BITS) } else { share }
    }

    /// Panics unless the encoder and the decoder can serve the layout. Called when the table is compiled.
    pub(super) const fn check(&self) {
        assert!(matches!(self.random_bits(), 56..=64), "56 to 64 random bits must remain");
        assert!(matches!(self.version, None | Some(1..=8)), "the version must be 1 to 8");
        // The version may lie within the time field, the variant may not.
        let bits = self.time_field.bits;
        let end = if self.version_at() < bits { bits + VERSION_BITS } else { bits };
        let is_apart = self.version.is_none() || self.variant_at() >= end;
        assert!(is_apart, "the time field overlaps the variant");
        let has_multicast = 8 * self.order.rank_of(10) + 7 == MULTICAST_AT;
        assert!(!self.has_node() || has_multicast, "the byte order must end with bytes 8 to 15");
    }

    /// A version and a variant at their positions.
    const fn stamp(&self, version: u8, variant: u128) -> u128 {
        ((version as u128) << (128 - VERSION_BITS - self.version_at())) | (variant << (128 - VARIANT_BITS - self.variant_at()))
    }

    /// The multicast bit at its position; 0 for a layout without a node.
    const fn multicast(&self) -> u128 {
        (self.has_node() as u128) << (127 - MULTICAST_AT)
    }

    /// The number with the bits of the stamp overwritten by the layout's, if it has a stamp.
    const fn stamped(&self, number: u128) -> u128 {
        match self.version {
            Some(version) => number & !self.stamp(0xf, 0b11) | self.stamp(version, VARIANT_RFC9562),
            None => number,
        }
    }

    /// A time field and low bits at their positions.
    #[inline(always)]
    const fn place(&self, field: u64, low: u128) -> u128 {
        let payload = ((field as u128) << self.low_bits()) | low;
        let [first, second, third] = self.gaps();
        let number = open_gap(payload << (128 - self.payload_bits()), first);
        open_gap(open_gap(number, second), third)
    }

    /// The UUID of a time field and low bits.
    #[inline(always)]
    fn assemble(&self, field: u64, low: u128, multicast: bool) -> Uuid {
        let number = self.stamped(self.place(field, low));
        self.order.uuid(if multicast { number | self.multicast() } else { number })
    }

    /// The time field and the low bits of a UUID with any stamp.
    #[inline(always)]
    fn disassemble(&self, id: &Uuid) -> (u64, u128) {
        let [first, second, third] = self.gaps();
        let number = close_gap(close_gap(self.order.number(id), third), second);
        let payload = close_gap(number, first) >> (128 - self.payload_bits());
        ((payload >> self.low_bits()) as u64, payload & ones(self.low_bits()))
    }

    /// The time field alone.
    #[inline(always)]
    const fn field(&self, number: u128) -> u64 {
        let bits = self.time_field.bits;
        let number = if self.version.is_some() && self.version_at() < bits {
            close_gap(number, (self.version_at(), VERSION_BITS))
        } else {
            number
        };
        (number >> (128 - bits)) as u64
    }

    /// Whether the UUID has the layout's version and variant. True for any UUID if the layout has no stamp.
    #[inline(always)]
    pub fn is_stamped(&self, id: &Uuid) -> bool {
        let number = self.order.number(id);
        self.stamped(number) == number
    }

    /// The UUID of a value; `None` outside the layout's range.
    ///
    /// ```
    /// use comb_id::layouts::UUIDV7;
    /// use comb_id::layout::Comb;
    /// use comb_tick::tick_of_micros;
    ///
    /// let tick = tick_of_micros(1_645_557_742_000_000); // 2022-02-22 19:22:22 UTC
    /// let id = UUIDV7.encode(Comb { tick, random: u64::MAX }).unwrap();
    /// assert_eq!(id.to_string(), "017f22e2-79b0-7000-83ff-ffffffffffff");
    /// assert_eq!(UUIDV7.encode(Comb { tick: -1, random: 0 }), None);
    /// ```
    #[inline(always)]
    pub fn encode(&self, comb: Comb) -> Option<Uuid> {
        self.write(comb, true)
    }

    /// The smallest UUID of a tick, also among the UUIDs of other programs; `None` outside the layout's range.
    pub fn smallest(&self, tick: Tick) -> Option<Uuid> {
        self.write(Comb { tick, random: 0 }, false)
    }

    /// The greatest UUID of the layout below one of the layout, in its order; `None` if there is none.
    pub fn predecessor(&self, id: &Uuid) -> Option<Uuid> {
        let (field, low) = self.disassemble(id);
        let payload = ((field as u128) << self.low_bits() | low).checked_sub(1)?;
        Some(self.assemble((payload >> self.low_bits()) as u64, payload & ones(self.low_bits()), true))
    }

    #[inline(always)]
    fn write(&self, comb: Comb, multicast: bool) -> Option<Uuid> {
        if !self.holds(comb.tick) {
            return None;
        }
        let (field, remainder) = self.time_field.split(comb.tick)?;
        let remainder = if self.marks_process() { 0 } else { remainder };
        let random = comb.random >> (64 - self.random_bits());
        let low = ((remainder as u128) << self.random_bits()) | random as u128;
        Some(self.assemble(field, low, multicast))
    }

    /// A UUID of layout `source` in this layout. `comb` is the value that `source` decoded. `None` outside this
    /// layout's range.
    ///
    /// If both have the same time field and the same number of low bits, all bits are copied. A value does not
    /// hold all of them if another program wrote the UUID, or if it has a node.
    pub fn rewrite(&self, source: &Self, id: &Uuid, comb: Comb) -> Option<Uuid> {
        if self.time_field != source.time_field || self.low_bits() != source.low_bits() {
            return self.encode(comb);
        }
        let (field, low) = source.disassemble(id);
        let multicast = source.order.number(id) & source.multicast() != 0;
        self.holds(comb.tick).then(|| self.assemble(field, low, multicast))
    }

    /// The value of a UUID; `None` if the UUID does not have the stamp, or no valid time field.
    #[inline(always)]
    pub fn decode(&self, id: &Uuid) -> Option<Comb> {
        if !self.is_stamped(id) {
            return None;
        }
        let (field, low) = self.disassemble(id);
        let tick = self.time_field.join(field, (low >> self.random_bits()) as u64)?;
        self.holds(tick).then_some(Comb { tick, random: (low << (64 - self.random_bits())) as u64 })
    }

    /// The time in the time field of a UUID, in microseconds since the Unix epoch; `None` if the UUID cannot
    /// be of this layout.
    #[inline(always)]
    pub fn micros(&self, id: &Uuid) -> Option<i64> {
        if self.requires_stamp() && !self.is_stamped(id) {
            return None;
        }
        let number = self.order.number(id);
        self.time_field.micros(self.field(number)).filter(|&micros| self.holds_micros(micros))
    }

    /// The UUID with its time field overwritten by that of a time in microseconds since the Unix epoch; `None`
    /// outside the range. All other bits stay, but a layout that requires its stamp writes the stamp too:
    /// without it, no program reads the time.
    pub fn with_micros(&self, id: &Uuid, micros: i64) -> Option<Uuid> {
        let field = self.time_field.field_of(micros).filter(|_| self.holds_micros(micros))?;
        Some(self.with_field(id, field))
    }

    fn with_field(&self, id: &Uuid, field: u64) -> Uuid {
        let all = u64::MAX >> (u64::BITS - self.time_field.bits);
        let number = self.order.number(id) & !self.place(all, 0) | self.place(field, 0);
        self.order.uuid(if self.requires_stamp() { self.stamped(number) } else { number })
    }

    /// The smallest UUID of a time or later, in microseconds since the Unix epoch. Before the range it is the nil UUID or the
    /// first UUID, after it the max UUID.
    ///
    /// At a time that the time field shows, UUIDs of an earlier time are below it, also those of other programs. At any other
    /// time, it is within the unit of a time field: it is right for UUIDs whose bits below the field are the remainder.
    ///
    /// ```
    /// use comb_id::layouts::{MSSQL, UUIDV7};
    ///
    /// let bound = UUIDV7.lower_bound(1_645_557_742_000_000); // 2022-02-22 19:22:22 UTC
    /// assert_eq!(bound.to_string(), "017f22e2-79b0-7000-8000-000000000000");
    /// let bound = UUIDV7.lower_bound(1_645_557_742_000_500);
    /// assert_eq!(bound.to_string(), "017f22e2-79b0-7800-8000-000000000000");
    /// // A layout whose UUIDs need not have a version has bounds without one.
    /// let bound = MSSQL.lower_bound(1_645_557_742_000_000);
    /// assert_eq!(bound.to_string(), "00000000-0000-0000-0000-017f22e279b0");
    /// assert!(UUIDV7.lower_bound(i64::MAX).is_max());
    /// ```
    pub fn lower_bound(&self, micros: i64) -> Uuid {
        let micros = micros.max(self.range_micros().0);
        let shown = self.time_field.field_of(micros).filter(|&field| self.time_field.micros(field) == Some(micros));
        match shown.filter(|_| self.holds_micros(micros)) {
            Some(field) => self.with_field(&Uuid::nil(), field),
            None => self.smallest(tick_of_micros(micros)).unwrap_or(Uuid::max()),
        }
    }
}

/// A number with `width` zero bits inserted `at` a position, counted from the top. The bits below move
/// down, and `width` bits at the bottom are lost; these must be unused.
#[inline(always)]
const fn open_gap(number: u128, (at, width): (u32, u32)) -> u128 {
    if width == 0 {
        return number;
    }
    let below = ones(128 - at);
    (number & !below) | ((number & below) >> width)
}

/// The reverse of [`open_gap`]: the bits at the position are removed, and the bottom is filled with zeros.
#[inline(always)]
const fn close_gap(number: u128, (at, width): (u32, u32)) -> u128 {
    if width == 0 {
        return number;
    }
    (number & !ones(128 - at)) | ((number & ones(128 - at - width)) << width)
}

/// A number with its lowest `count` bits set, 1 to 128 of them.
const fn ones(count: u32) -> u128 {
    u128::MAX >> (128 - count)
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
