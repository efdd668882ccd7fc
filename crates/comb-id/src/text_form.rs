//! Ids as short text: Crockford's base32, which is ULID's, base32hex (RFC 4648 section 7) and base58.
//!
//! The alphabets are in ASCII order, and all texts of a form have one length. Therefore the bytes of texts compare
//! as the ids do.
//!
//! Rationale: no crate does all of this. `ulid` does not read I, L and O, ignores an overflow and returns no
//! position; `data-encoding` puts padding bits at the end only; `bs58` writes texts of several lengths.

use uuid::Uuid;

/// A form of ids as text.
///
/// ```
/// use comb_id::text_form::{BASE32_LENGTH, TextForm};
///
/// let id = "0186cb65-25d7-81da-815c-7e25a6bfe7db".parse().unwrap();
/// let text = TextForm::Crockford.write(id, &mut [0; BASE32_LENGTH]).to_vec();
/// assert_eq!(text, b"01GV5PA9EQG7D82Q3Y4PKBZSYV");
/// assert_eq!(TextForm::Crockford.read(&text), Ok(id));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextForm {
    /// The form of ULID: 26 characters of base32, two zero bits in front. Reads Crockford's base32: lower case,
    /// and I, L and O too, but no hyphens.
    Crockford,
    /// 26 characters of base32hex, two zero bits at the end. Reads lower case too, and the six `=` of
    /// padding that PostgreSQL 19's `encode()` writes.
    Base32hex,
    /// 22 characters of Bitcoin's alphabet: the number in base 58, with leading zeros (`1`). Reads fewer
    /// characters too: other programs write no leading zeros, or one for each zero byte.
    Base58,
}

/// All text forms.
pub const TEXT_FORMS: [TextForm; 3] = [TextForm::Crockford, TextForm::Base32hex, TextForm::Base58];

/// The length of an id in base32.
pub const BASE32_LENGTH: usize = 26;
/// The length of an id in base 58.
const BASE58_LENGTH: usize = 22;

/// Why a text is not an id. Positions count characters from 1.
#[derive(Debug, PartialEq, Eq)]
pub enum Malformed {
    /// The number of characters, all of the alphabet, is out of range.
    Length {
        /// The number of characters of the text.
        found: usize,
        /// The minimum.
        min: usize,
        /// The maximum.
        max: usize,
    },
    /// The byte at a position, or the character that begins with it, is not in the alphabet.
    Character(u8, usize),
    /// The number has more than 128 bits.
    Overflow,
    /// The number has more than 128 bits, since the first of 26 characters is greater than `7`.
    FirstCharacter,
    /// The last character has bits after the 128th that are not zero.
    TrailingBits,
}

impl TextForm {
    /// Its name in SQL.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Crockford => "crockford",
            Self::Base32hex => "base32hex",
            Self::Base58 => "base58",
        }
    }

    /// The form with a label.
    pub fn labelled(label: &[u8]) -> Option<Self> {
        TEXT_FORMS.into_iter().find(|form| form.label().as_bytes() == label)
    }

    /// The text, all ASCII, in the buffer.
    pub fn write(self, id: Uuid, buffer: &mut [u8; BASE32_LENGTH]) -> &[u8] {
        let number = id.as_u128();
        match self {
            Self::Crockford => {
                *buffer = CROCKFORD.write_base32(number);
                buffer
            }
            Self::Base32hex => {
                for (index, character) in buffer.iter_mut().enumerate() {
                    *character = BASE32HEX.characters[(number << (5 * index) >> 123) as usize];
                }
                buffer
            }
            Self::Base58 => {
                let text = &mut buffer[..BASE58_LENGTH];
                write_base58(number, text);
                text
            }
        }
    }

    /// The id of a text.
    ///
    /// # Errors
    /// The text is not an id in this form.
    pub fn read(self, text: &[u8]) -> Result<Uuid, Malformed> {
        let number = match self {
            Self::Crockford => CROCKFORD.read_base32(text)?,
            Self::Base32hex => read_base32hex(text)?,
            Self::Base58 => read_base58(text)?,
        };
        Ok(Uuid::from_u128(number))
    }
}

/// The digits of a number system, and the characters that are read as these digits.
pub(crate) struct Alphabet {
    characters: &'static [u8],
    /// The digit of each byte, or `NO_DIGIT`.
    digits: [u8; 256],
}

const NO_DIGIT: u8 = 0xff;

impl Alphabet {
    pub const fn new(characters: &'static [u8]) -> Self {
        let mut digits = [NO_DIGIT; 256];
        let mut digit = 0;
        while digit < characters.len() {
            digits[characters[digit] as usize] = digit as u8;
            digit += 1;
        }
        Self { characters, digits }
    }

    /// Reads another character as `character`.
    const fn alias(mut self, other: u8, character: u8) -> Self {
        self.digits[other as usize] = self.digits[character as usize];
        self
    }

    /// Reads letters in lower case too.
    const fn in_any_case(mut self) -> Self {
        let mut letter = b'A';
        while letter <= b'Z' {
            self.digits[letter.to_ascii_lowercase() as usize] = self.digits[letter as usize];
            letter += 1;
        }
        self
    }

    /// Checks that all bytes are characters of the alphabet.
    fn check(&self, text: &[u8]) -> Result<(), Malformed> {
        // In every encoding of a database, each byte before the first one that is not ASCII is a character.
        match text.iter().position(|&byte| self.digits[byte as usize] == NO_DIGIT) {
            Some(index) => Err(Malformed::Character(text[index], index + 1)),
            None => Ok(()),
        }
    }

    /// The digits of a checked text, the most significant first.
    fn digits<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = u128> + 'a {
        text.iter().map(|&byte| u128::from(self.digits[byte as usize]))
    }

    /// 128 bits in base32, two zero bits in front.
    pub fn write_base32(&self, number: u128) -> [u8; BASE32_LENGTH] {
        std::array::from_fn(|index| self.characters[(number >> (125 - 5 * index)) as usize & 0x1f])
    }

    /// The reverse of [`Self::write_base32`].
    ///
    /// # Errors
    /// The text is not 26 characters of the alphabet, or has more than 128 bits.
    pub fn read_base32(&self, text: &[u8]) -> Result<u128, Malformed> {
        self.check(text)?;
        if text.len() != BASE32_LENGTH {
            return Err(base32_length(text));
        }
        if self.digits(text).next() > Some(7) {
            return Err(Malformed::FirstCharacter);
        }
        Ok(self.digits(text).fold(0, |number, digit| number << 5 | digit))
    }
}

static CROCKFORD: Alphabet =
    Alphabet::new(b"0123456789ABCDEFGHJKMNPQRSTVWXYZ").alias(b'I', b'1').alias(b'L', b'1').alias(b'O', b'0').in_any_case();
static BASE32HEX: Alphabet = Alphabet::new(b"0123456789ABCDEFGHIJKLMNOPQRSTUV").in_any_case();
static BASE58: Alphabet = Alphabet::new(b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");

fn base32_length(text: &[u8]) -> Malformed {
    Malformed::Length { found: text.len(), min: BASE32_LENGTH, max: BASE32_LENGTH }
}

fn read_base32hex(text: &[u8]) -> Result<u128, Malformed> {
    const PADDING: &[u8] = b"======";
    let padded = text.len() == BASE32_LENGTH + PADDING.len();
    let text = text.strip_suffix(PADDING).filter(|_| padded).unwrap_or(text);
    BASE32HEX.check(text)?;
    let (front, last) = match text.split_last_chunk() {
        Some((front, [last])) if text.len() == BASE32_LENGTH => (front, BASE32HEX.digits[*last as usize]),
        _ => return Err(base32_length(text)),
    };
    if last & 0b11 != 0 {
        return Err(Malformed::TrailingBits);
    }
    let front = BASE32HEX.digits(front).fold(0, |number, digit| number << 5 | digit);
    Ok(front << 3 | u128::from(last >> 2))
}

fn read_base58(text: &[u8]) -> Result<u128, Malformed> {
    BASE58.check(text)?;
    if text.is_empty() || text.len() > BASE58_LENGTH {
        return Err(Malformed::Length { found: text.len(), min: 1, max: BASE58_LENGTH });
    }
    BASE58.digits(text).try_fold(0u128, |number, digit| number.checked_mul(58)?.checked_add(digit)).ok_or(Malformed::Overflow)
}

/// Writes a number in base 58. Only two divisions have 128 bits; the others have 64.
fn write_base58(number: u128, text: &mut [u8]) {
    const TEN_DIGITS: u128 = 58u128.pow(10);
    let upper = number / TEN_DIGITS;
    let parts = [upper / TEN_DIGITS, upper % TEN_DIGITS, number % TEN_DIGITS];
    let (front, ten_by_ten) = text.split_at_mut(BASE58_LENGTH - 20);
    let (middle, back) = ten_by_ten.split_at_mut(10);
    for (place, part) in [front, middle, back].into_iter().zip(parts) {
        let mut part = part as u64;
        for character in place.iter_mut().rev() {
            *character = BASE58.characters[(part % 58) as usize];
            part /= 58;
        }
    }
}

#[cfg(test)]
#[path = "text_form_tests.rs"]
mod tests;
