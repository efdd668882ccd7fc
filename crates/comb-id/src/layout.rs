//! A layout of ids, and the one encoder and one decoder of all layouts.
//!
//! Bits are placed in a 128-bit number whose most significant byte is the one that the layout's
//! byte order compares first. From the top it holds the time field, what the field leaves out of
//! the tick, and the random bits; a stamped layout leaves gaps for the RFC 9562 version (the high
//! half of byte 6), the variant (the top two bits of byte 8), and, where there is a node, for its
//! multicast bit (the lowest of byte 10). Hence two ids of one layout compare in its order exactly
//! as their (tick, random) do.

use comb_tick::{Tick, tick_of_micros};
use uuid::Uuid;

use super::byte_order::ByteOrder;
use super::time_field::TimeField;
use super::value::Comb;

const VERSION_BITS: u32 = 4;
const VARIANT_BITS: u32 = 2;
const VARIANT_RFC9562: u128 = 0b10;
/// Where the multicast bit is, from the top: in the byte orders of versions 1 and 6, bytes 8 to 15 are the
/// last.
const MULTICAST_AT: u32 = 87;

/// The first microsecond after year 9999, where the date types of most client libraries end.
const YEAR_10000_US: i64 = 253_402_300_800_000_000;
const YEAR_10000: Tick = tick_of_micros(YEAR_10000_US);

/// One way of writing a COMB down.
#[derive(Debug, PartialEq, Eq)]
pub struct Layout {
    /// The name by which SQL knows it.
    pub label: &'static str,
    pub time_field: TimeField,
    pub order: ByteOrder,
    /// The RFC 9562 version that is stamped together with the variant, if any.
    pub version: Option<u8>,
    /// Who writes such ids.
    pub known_as: &'static str,
}

impl Layout {
    /// Bits that are not stamped.
    const fn payload_bits(&self) -> u32 {
        let [(_, first), (_, second), (_, third)] = self.gaps();
        128 - first - second - third
    }

    /// Bits below the time field: the remainder of the tick, then the random ones.
    const fn rest_bits(&self) -> u32 {
        self.payload_bits() - self.time_field.bits()
    }

    /// Random bits of an id: 56 to 64.
    pub const fn random_bits(&self) -> u32 {
        self.rest_bits() - if self.marks_process() { 0 } else { self.time_field.remainder_bits() }
    }

    /// Whether its ids say by their version that they carry a time. Any version 4 UUID can be read in
    /// the other layouts, a random one as a moment up to year 10889: those end with year 9999.
    const fn declares_time(&self) -> bool {
        matches!(self.version, Some(1 | 6 | 7))
    }

    /// Whether an id without the stamp is none of the layout. Version 4 says nothing of an id, and other
    /// writers of the same field stamp other versions: it is not asked for.
    const fn asks_for_stamp(&self) -> bool {
        !matches!(self.version, None | Some(4))
    }

    /// Whether an id ends with a node: a random one, in which RFC 9562 (section 6.10) wants the multicast
    /// bit, or the address of a network card, in which the bit is 0.
    const fn has_node(&self) -> bool {
        matches!(self.time_field, TimeField::Gregorian100ns)
    }

    /// The first and the last moment of the layout, in microseconds since the Unix epoch.
    pub const fn range_micros(&self) -> (i64, i64) {
        let (first, last) = self.time_field.range_micros();
        if self.declares_time() || last < YEAR_10000_US {
            (first, last)
        } else {
            (first, YEAR_10000_US - 1)
        }
    }

    /// As [`TimeField::next_exact`], within the layout's range.
    pub fn next_exact(&self, tick: Tick) -> Option<Tick> {
        self.time_field.next_exact(tick).filter(|&tick| self.holds(tick))
    }

    #[inline(always)]
    const fn holds(&self, tick: Tick) -> bool {
        self.declares_time() || tick < YEAR_10000
    }

    #[inline(always)]
    const fn holds_micros(&self, micros: i64) -> bool {
        self.declares_time() || micros < YEAR_10000_US
    }

    /// The time fields of the first and the last id of a moment, in microseconds since the Unix epoch.
    fn fields_of(&self, micros: i64) -> Option<(u64, u64)> {
        self.time_field.fields_of(micros).filter(|_| self.holds_micros(micros))
    }

    /// Whether all bits below the time field are those of the process that makes the ids, not of each id.
    /// SQL Server compares those of NEWSEQUENTIALID() before the time.
    pub const fn marks_process(&self) -> bool {
        matches!(self.time_field, TimeField::DotnetTicks)
            || matches!(self.order, ByteOrder::Newsequentialid)
    }

    /// The least number of ticks from one id to the next that lets ids of one process increase.
    #[inline(always)]
    pub const fn least_step(&self) -> u64 {
        // No remainder tells two ids of one unit apart.
        if self.marks_process() { self.time_field.unit_ticks() } else { 1 }
    }

    /// Where the version is, from the top. Version 1 has it above the highest bits of the time, wherever
    /// the layout has put that byte.
    const fn version_at(&self) -> u32 {
        if matches!(self.version, Some(1)) { 0 } else { 8 * self.order.rank_of_6() }
    }

    const fn variant_at(&self) -> u32 {
        8 * self.order.rank_of_8()
    }

    /// The stamp's gaps as (position of the first bit from the top, width), the highest one first.
    const fn gaps(&self) -> [(u32, u32); 3] {
        let (version_bits, variant_bits) =
            if self.version.is_some() { (VERSION_BITS, VARIANT_BITS) } else { (0, 0) };
        let version = (self.version_at(), version_bits);
        let variant = (self.variant_at(), variant_bits);
        let multicast = (MULTICAST_AT, self.has_node() as u32);
        if version.0 < variant.0 {
            [version, variant, multicast]
        } else {
            [variant, version, multicast]
        }
    }

    /// A version and a variant in their places.
    const fn stamp(&self, version: u8, variant: u128) -> u128 {
        ((version as u128) << (128 - VERSION_BITS - self.version_at()))
            | (variant << (128 - VARIANT_BITS - self.variant_at()))
    }

    /// The multicast bit in its place; 0 where there is no node.
    const fn multicast(&self) -> u128 {
        (self.has_node() as u128) << (127 - MULTICAST_AT)
    }

    /// The number with this layout's stamp, if it has one, in place of what stands there.
    const fn stamped(&self, number: u128) -> u128 {
        match self.version {
            Some(version) => number & !self.stamp(0xf, 0b11) | self.stamp(version, VARIANT_RFC9562),
            None => number,
        }
    }

    /// A time field and the bits below it in their places.
    #[inline(always)]
    const fn place(&self, field: u64, rest: u128) -> u128 {
        let payload = ((field as u128) << self.rest_bits()) | rest;
        let [first, second, third] = self.gaps();
        let number = open_gap(payload << (128 - self.payload_bits()), first);
        open_gap(open_gap(number, second), third)
    }

    /// An id of a time field and the bits below it.
    #[inline(always)]
    fn assemble(&self, field: u64, rest: u128, multicast: bool) -> Uuid {
        let number = self.stamped(self.place(field, rest));
        self.order.uuid(if multicast { number | self.multicast() } else { number })
    }

    /// The time field and the bits below it; the stamp is passed over, whatever it is.
    #[inline(always)]
    fn disassemble(&self, id: &Uuid) -> (u64, u128) {
        let [first, second, third] = self.gaps();
        let number = close_gap(close_gap(self.order.number(id), third), second);
        let payload = close_gap(number, first) >> (128 - self.payload_bits());
        ((payload >> self.rest_bits()) as u64, payload & ones(self.rest_bits()))
    }

    /// The time field alone, with no more work than it takes: of the stamp, at most the version stands above
    /// its lowest bit.
    #[inline(always)]
    const fn field(&self, number: u128) -> u64 {
        let bits = self.time_field.bits();
        let number = if self.version.is_some() && self.version_at() < bits {
            close_gap(number, (self.version_at(), VERSION_BITS))
        } else {
            number
        };
        (number >> (128 - bits)) as u64
    }

    /// Whether the id carries this layout's version and variant; true for any id where there is none.
    #[inline(always)]
    pub fn is_stamped(&self, id: &Uuid) -> bool {
        let number = self.order.number(id);
        self.stamped(number) == number
    }

    /// The id of a value; `None` outside the layout's range.
    #[inline(always)]
    pub fn encode(&self, comb: Comb) -> Option<Uuid> {
        self.write(comb, true)
    }

    /// The smallest id of a tick that anybody writes; `None` outside the layout's range.
    pub fn least(&self, tick: Tick) -> Option<Uuid> {
        self.write(Comb { tick, random: 0 }, false)
    }

    #[inline(always)]
    fn write(&self, comb: Comb, multicast: bool) -> Option<Uuid> {
        if !self.holds(comb.tick) {
            return None;
        }
        let (field, remainder) = self.time_field.split(comb.tick)?;
        let remainder = if self.marks_process() { 0 } else { remainder };
        let random = comb.random >> (64 - self.random_bits());
        let rest = ((remainder as u128) << self.random_bits()) | random as u128;
        Some(self.assemble(field, rest, multicast))
    }

    /// An id of another layout in this one, `comb` being the value that the other one decoded; `None`
    /// outside this layout's range.
    ///
    /// Where both have the same time field and as many bits below it, all of them are copied, also those of
    /// which the value does not say everything: another program's, and the node's.
    pub fn rewrite(&self, source: &Self, id: &Uuid, comb: Comb) -> Option<Uuid> {
        if self.time_field != source.time_field || self.rest_bits() != source.rest_bits() {
            return self.encode(comb);
        }
        let (field, rest) = source.disassemble(id);
        let multicast = source.order.number(id) & source.multicast() != 0;
        self.holds(comb.tick).then(|| self.assemble(field, rest, multicast))
    }

    /// The value of an id; `None` where the id lacks the stamp or its time field cannot be.
    #[inline(always)]
    pub fn decode(&self, id: &Uuid) -> Option<Comb> {
        if !self.is_stamped(id) {
            return None;
        }
        let (field, rest) = self.disassemble(id);
        let tick = self.time_field.join(field, (rest >> self.random_bits()) as u64)?;
        self.holds(tick)
            .then_some(Comb { tick, random: (rest << (64 - self.random_bits())) as u64 })
    }

    /// The moment in an id's time field, in microseconds since the Unix epoch; `None` where the id
    /// cannot be of this layout.
    #[inline(always)]
    pub fn micros(&self, id: &Uuid) -> Option<i64> {
        if self.asks_for_stamp() && !self.is_stamped(id) {
            return None;
        }
        let number = self.order.number(id);
        self.time_field.micros(self.field(number)).filter(|&micros| self.holds_micros(micros))
    }

    /// The id with its time field overwritten by that of a moment, in microseconds since the Unix
    /// epoch, and every other bit as it was; a layout that asks for its stamp is stamped too, since
    /// nothing would read the time without it. `None` outside the range.
    pub fn with_micros(&self, id: &Uuid, micros: i64) -> Option<Uuid> {
        let (field, _) = self.fields_of(micros)?;
        let all = u64::MAX >> (u64::BITS - self.time_field.bits());
        let number = self.order.number(id) & !self.place(all, 0) | self.place(field, 0);
        Some(self.order.uuid(if self.asks_for_stamp() { self.stamped(number) } else { number }))
    }

    /// Of a layout of whole milliseconds, the bytes that part ids at a moment, in microseconds since
    /// the Unix epoch: ids from them on have a time field that is not before the moment, those
    /// below an earlier one. Saturates beyond the range, where no id is left on one side.
    pub fn lower_bound(&self, micros: i64) -> Uuid {
        // The next whole millisecond, since an id's moment is one.
        self.with_micros(&Uuid::nil(), micros.max(0).saturating_add(999)).unwrap_or(Uuid::max())
    }

    /// The smallest id of a moment, in microseconds since the Unix epoch; `None` outside the range.
    pub fn min(&self, micros: i64) -> Option<Uuid> {
        let (first, _) = self.fields_of(micros)?;
        Some(self.assemble(first, 0, false))
    }

    /// The largest id of a moment, in microseconds since the Unix epoch; `None` outside the range.
    pub fn max(&self, micros: i64) -> Option<Uuid> {
        let (_, last) = self.fields_of(micros)?;
        Some(self.assemble(last, ones(self.rest_bits()), true))
    }
}

/// A number with so many zero bits put in at a position counted from the top; what stood there
/// moves down, and as many bits at the bottom, which must be free, are pushed out.
#[inline(always)]
const fn open_gap(number: u128, (at, width): (u32, u32)) -> u128 {
    if width == 0 {
        return number;
    }
    let below = ones(128 - at);
    (number & !below) | ((number & below) >> width)
}

/// The reverse: the bits at that position are taken out, and zeros come in at the bottom.
#[inline(always)]
const fn close_gap(number: u128, (at, width): (u32, u32)) -> u128 {
    if width == 0 {
        return number;
    }
    (number & !ones(128 - at)) | ((number & ones(128 - at - width)) << width)
}

/// The lowest `count` bits, of 1 to 128.
const fn ones(count: u32) -> u128 {
    u128::MAX >> (128 - count)
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
