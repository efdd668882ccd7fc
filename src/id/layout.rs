//! A layout of ids, and the one encoder and one decoder of all layouts.
//!
//! Bits are placed in a 128-bit number whose most significant byte is the one that the layout's
//! byte order compares first. From the top it holds the time field, what the field leaves out of
//! the tick, and the random bits; a stamped layout leaves gaps for the RFC 9562 version (the high
//! half of byte 6) and variant (the top two bits of byte 8). Hence two ids of one layout compare
//! in its order exactly as their (tick, random) do.

use super::byte_order::{ByteOrder, Bytes};
use super::time_field::TimeField;
use super::value::{Comb, Tick, tick_of_micros};

const VERSION_BITS: u32 = 4;
const VARIANT_BITS: u32 = 2;
const VARIANT_RFC9562: u128 = 0b10;

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
        match self.version {
            Some(_) => 128 - VERSION_BITS - VARIANT_BITS,
            None => 128,
        }
    }

    /// Bits below the time field: the remainder of the tick, then the random ones.
    const fn rest_bits(&self) -> u32 {
        self.payload_bits() - self.time_field.bits()
    }

    /// Bits below the time field in the number that is compared, the stamp included: no layout has
    /// its stamp within the field.
    const fn below_field(&self) -> u32 {
        128 - self.time_field.bits()
    }

    /// Random bits of an id: 56 to 64.
    pub const fn random_bits(&self) -> u32 {
        self.rest_bits() - self.time_field.remainder_bits()
    }

    /// Whether its ids say by their own bits that they carry a time. Any version 4 UUID can be read in
    /// the other layouts, a random one as a moment up to year 10889: those end with year 9999.
    const fn declares_time(&self) -> bool {
        matches!(self.version, Some(7))
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

    /// Whether the random bits are those of the process that makes the ids, not of each id.
    pub const fn marks_process(&self) -> bool {
        matches!(self.time_field, TimeField::DotnetTicks)
    }

    /// The stamp's gaps as (position of the first bit from the top, width), higher one first.
    const fn gaps(&self) -> [(u32, u32); 2] {
        let version = (8 * self.order.rank_of_6(), VERSION_BITS);
        let variant = (8 * self.order.rank_of_8(), VARIANT_BITS);
        if version.0 < variant.0 { [version, variant] } else { [variant, version] }
    }

    /// A version and a variant in their places.
    const fn stamp(&self, version: u8, variant: u128) -> u128 {
        ((version as u128) << (128 - VERSION_BITS - 8 * self.order.rank_of_6()))
            | (variant << (128 - VARIANT_BITS - 8 * self.order.rank_of_8()))
    }

    /// The number with this layout's stamp, if it has one, in place of what stands there.
    const fn stamped(&self, number: u128) -> u128 {
        match self.version {
            Some(version) => number & !self.stamp(0xf, 0b11) | self.stamp(version, VARIANT_RFC9562),
            None => number,
        }
    }

    /// An id of a time field and the bits below it.
    #[inline(always)]
    fn assemble(&self, field: u64, rest: u128) -> Bytes {
        let payload = ((field as u128) << self.rest_bits()) | rest;
        let mut number = payload << (128 - self.payload_bits());
        if self.version.is_some() {
            for (at, width) in self.gaps() {
                number = open_gap(number, at, width);
            }
        }
        self.order.bytes(self.stamped(number))
    }

    /// The time field and the bits below it; the stamp is passed over, whatever it is.
    #[inline(always)]
    fn disassemble(&self, id: &Bytes) -> (u64, u128) {
        let mut number = self.order.number(id);
        if self.version.is_some() {
            for (at, width) in self.gaps().into_iter().rev() {
                number = close_gap(number, at, width);
            }
        }
        let payload = number >> (128 - self.payload_bits());
        ((payload >> self.rest_bits()) as u64, payload & ones(self.rest_bits()))
    }

    /// Whether the id carries this layout's stamp, bit for bit; true for any id where there is none.
    #[inline(always)]
    pub fn is_stamped(&self, id: &Bytes) -> bool {
        let number = self.order.number(id);
        self.stamped(number) == number
    }

    /// The id of a value; `None` outside the layout's range.
    #[inline(always)]
    pub fn encode(&self, comb: Comb) -> Option<Bytes> {
        if !self.holds(comb.tick) {
            return None;
        }
        let (field, remainder) = self.time_field.split(comb.tick)?;
        let random = comb.random >> (64 - self.random_bits());
        Some(self.assemble(field, ((remainder as u128) << self.random_bits()) | random as u128))
    }

    /// The value of an id; `None` where the id lacks the stamp or its time field cannot be.
    #[inline(always)]
    pub fn decode(&self, id: &Bytes) -> Option<Comb> {
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
    ///
    /// Version 7 says that an id carries a time, so another version is none of `uuidv7`. Version 4
    /// says nothing, and other writers of the same field stamp other versions: it is not asked for.
    #[inline(always)]
    pub fn micros(&self, id: &Bytes) -> Option<i64> {
        if self.declares_time() && !self.is_stamped(id) {
            return None;
        }
        let field = (self.order.number(id) >> self.below_field()) as u64;
        self.time_field.micros(field).filter(|&micros| self.holds_micros(micros))
    }

    /// The id with its time field overwritten by that of a moment, in microseconds since the Unix
    /// epoch, and every other bit as it was; `uuidv7` is stamped too, since without its stamp
    /// nothing reads the time. `None` outside the range.
    pub fn with_micros(&self, id: &Bytes, micros: i64) -> Option<Bytes> {
        let (field, _) = self.fields_of(micros)?;
        let below = self.order.number(id) & ones(self.below_field());
        let number = ((field as u128) << self.below_field()) | below;
        Some(self.order.bytes(if self.declares_time() { self.stamped(number) } else { number }))
    }

    /// Of a layout of whole milliseconds, the bytes that part ids at a moment, in microseconds since
    /// the Unix epoch: ids from them on have a time field that is not before the moment, those
    /// below an earlier one. Saturates beyond the range, where no id is left on one side.
    pub fn lower_bound(&self, micros: i64) -> Bytes {
        // The next whole millisecond, since an id's moment is one.
        self.with_micros(&[0; 16], micros.max(0).saturating_add(999)).unwrap_or([0xff; 16])
    }

    /// The smallest id of a moment, in microseconds since the Unix epoch; `None` outside the range.
    pub fn min(&self, micros: i64) -> Option<Bytes> {
        let (first, _) = self.fields_of(micros)?;
        Some(self.assemble(first, 0))
    }

    /// The largest id of a moment, in microseconds since the Unix epoch; `None` outside the range.
    pub fn max(&self, micros: i64) -> Option<Bytes> {
        let (_, last) = self.fields_of(micros)?;
        Some(self.assemble(last, ones(self.rest_bits())))
    }
}

/// A number with `width` zero bits put in at a position counted from the top; what stood there
/// moves down, and as many bits at the bottom, which must be free, are pushed out.
const fn open_gap(number: u128, at: u32, width: u32) -> u128 {
    let below = ones(128 - at);
    (number & !below) | ((number & below) >> width)
}

/// The reverse: the bits at that position are taken out, and zeros come in at the bottom.
const fn close_gap(number: u128, at: u32, width: u32) -> u128 {
    (number & !ones(128 - at)) | ((number & ones(128 - at - width)) << width)
}

/// The lowest `count` bits, of 1 to 127.
const fn ones(count: u32) -> u128 {
    (1 << count) - 1
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
