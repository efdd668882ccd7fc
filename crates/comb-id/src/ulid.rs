//! The text of ULID: 26 characters of Crockford's base32, two zero bits in front.
//!
//! The alphabet is in ASCII order, and all texts have one length. Therefore the bytes of texts compare as the UUIDs do.
//!
//! Rationale: the crate `ulid` does not read I, L and O, ignores an overflow and returns no position.

use uuid::Uuid;

use super::text_error::TextError;

/// The number of characters.
pub const LENGTH: usize = 26;

const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The text, all ASCII.
///
/// ```
/// let id = "0186cb65-25d7-81da-815c-7e25a6bfe7db".parse().unwrap();
/// let text = comb_id::ulid::write(id);
/// assert_eq!(&text, b"01GV5PA9EQG7D82Q3Y4PKBZSYV");
/// assert_eq!(comb_id::ulid::read(&text), Ok(id));
/// ```
pub fn write(id: Uuid) -> [u8; LENGTH] {
    let number = id.as_u128();
    std::array::from_fn(|index| ALPHABET[(number >> (125 - 5 * index)) as usize & 0x1f])
}

/// The UUID of a text. Lower case is read too, and I, L and O as 1, 1 and 0, but no hyphens.
///
/// # Errors
/// The text is not 26 characters of the alphabet, or has more than 128 bits.
pub fn read(text: &[u8]) -> Result<Uuid, TextError> {
    let mut number = 0u128;
    for (index, &byte) in text.iter().enumerate() {
        // In every encoding of a database, each byte before the first one that is not ASCII is a character.
        number = number << 5 | digit(byte).ok_or(TextError::Character(byte, index + 1))?;
    }
    match text {
        [first, ..] if text.len() == LENGTH && digit(*first) > Some(7) => Err(TextError::Overflow),
        _ if text.len() == LENGTH => Ok(Uuid::from_u128(number)),
        _ => Err(TextError::Length(text.len(), LENGTH)),
    }
}

fn digit(byte: u8) -> Option<u128> {
    let byte = match byte.to_ascii_uppercase() {
        b'I' | b'L' => b'1',
        b'O' => b'0',
        other => other,
    };
    ALPHABET.binary_search(&byte).ok().map(|digit| digit as u128)
}

#[cfg(test)]
#[path = "ulid_tests.rs"]
mod tests;
