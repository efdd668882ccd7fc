//! Why a text is not of its format.

use std::fmt;

/// The first fault of a text. Positions count characters from 1.
#[derive(Debug, PartialEq, Eq)]
pub enum TextError {
    /// The number of characters, and that of the format.
    Length(usize, usize),
    /// The byte at a position, or the character that begins with it, is not in the alphabet.
    Character(u8, usize),
    /// The number has more than 128 bits.
    Overflow,
}

impl fmt::Display for TextError {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::Length(found, length) => write!(to, "The length is {found} instead of {length}."),
            // Other bytes cannot be shown in every encoding.
            Self::Character(byte @ b' '..=b'~', position) => {
                write!(to, "Character {position} (\"{}\") is not in the alphabet.", char::from(byte))
            }
            Self::Character(_, position) => write!(to, "Character {position} is not in the alphabet."),
            Self::Overflow => to.write_str("The value has more than 128 bits: character 1 is greater than \"7\"."),
        }
    }
}
