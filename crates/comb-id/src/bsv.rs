//! BSV text: a COMB as 32 characters, which sort by time under COLLATE "C".
//!
//! The text is 24 bytes in a base64 whose 64 characters are in ASCII order: the .NET ticks (100 ns since
//! 0001-01-01), most significant byte first, then a version 4 Guid with the bytes of `Guid.ToByteArray()`.

use comb_tick::Tick;

use uuid::{Builder, Uuid};

use super::text_error::TextError;
use super::time_field::TimeField;

const ALPHABET: &[u8; 64] = b"$-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The length of a text in bytes.
pub const LENGTH: usize = 32;

/// The two parts of a BSV COMB.
///
/// ```
/// use comb_id::bsv::Bsv;
///
/// let bsv = Bsv::parse(b"0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF").unwrap();
/// assert_eq!(bsv.micros(), Some(1_696_628_853_222_784)); // 2023-10-06 21:47:33.222784
/// assert_eq!(bsv.id.to_string(), "e303a0f4-ee6e-44db-9cdb-372681e32a11");
/// assert_eq!(&bsv.text(), b"0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bsv {
    /// Units of 100 ns since 0001-01-01, in the time zone of the program that wrote the text.
    pub ticks: u64,
    /// The Guid, of version 4.
    pub id: Uuid,
}

impl Bsv {
    /// The time field.
    pub const TIME_FIELD: TimeField = TimeField::DOTNET_TICKS;

    /// The BSV COMB of a tick, in UTC, and 128 random bits; `None` after the year 9999.
    pub fn of_tick(tick: u64, random: [u64; 2]) -> Option<Self> {
        let (ticks, _) = Self::TIME_FIELD.split(Tick::from(tick))?;
        Some(Self { ticks, id: version_4(random) })
    }

    /// The parts of a text.
    ///
    /// # Errors
    /// The text is not 32 characters of the alphabet.
    pub fn parse(text: &[u8]) -> Result<Self, TextError> {
        let mut sextets = [0; LENGTH];
        for (index, &byte) in text.iter().enumerate() {
            let sextet = ALPHABET.binary_search(&byte).map_err(|_| TextError::Character(byte, index + 1))?;
            if let Some(place) = sextets.get_mut(index) {
                *place = sextet;
            }
        }
        if text.len() != LENGTH {
            return Err(TextError::Length(text.len(), LENGTH));
        }
        let number = |sextets: &[usize]| sextets.iter().fold(0u64, |number, &sextet| number << 6 | sextet as u64);
        // 24 bytes are four numbers of 48 bits (eight characters each), or three of 64 bits.
        let [a, b, c, d] = [0, 8, 16, 24].map(|from| number(&sextets[from..from + 8]));
        let words = [a << 16 | b >> 32, b << 32 | c >> 16, c << 48 | d];
        let mut guid = [0; 16];
        guid[..8].copy_from_slice(&words[1].to_be_bytes());
        guid[8..].copy_from_slice(&words[2].to_be_bytes());
        Ok(Self { ticks: words[0], id: Uuid::from_bytes_le(guid) })
    }

    /// The text, all ASCII.
    pub fn text(&self) -> [u8; LENGTH] {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.ticks.to_be_bytes());
        bytes[8..].copy_from_slice(&self.id.to_bytes_le());
        let mut text = [0; LENGTH];
        for (three, four) in bytes.chunks_exact(3).zip(text.chunks_exact_mut(4)) {
            let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
            for (character, shift) in four.iter_mut().zip([18, 12, 6, 0]) {
                *character = ALPHABET[(bits >> shift) as usize & 0x3f];
            }
        }
        text
    }

    /// The time of the ticks, in microseconds since the Unix epoch if they are UTC; `None` after the year
    /// 9999.
    pub fn micros(&self) -> Option<i64> {
        Self::TIME_FIELD.micros(self.ticks)
    }
}

/// A version 4 UUID (RFC 9562 section 5.4) of 128 random bits, of which it keeps 122.
fn version_4(random: [u64; 2]) -> Uuid {
    let [high, low] = random.map(u128::from);
    Builder::from_random_bytes((high << 64 | low).to_be_bytes()).into_uuid()
}

#[cfg(test)]
#[path = "bsv_tests.rs"]
mod tests;
