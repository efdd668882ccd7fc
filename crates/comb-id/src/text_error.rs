//! The error messages for texts that are not ids.

use std::fmt;

use super::bsv::BsvError;
use super::text_form::{BASE32_LENGTH, Malformed};
use super::typeid::{InvalidPrefix, InvalidTypeId, LONGEST_PREFIX};

/// The message for a malformed text, or for the malformed suffix of a TypeID.
pub struct Explanation<'a> {
    /// The error.
    pub error: &'a Malformed,
    /// The name of the text form.
    pub label: &'a str,
    /// The position of the first character of the suffix, counted from 1; 1 for a text.
    pub begin: usize,
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let at = |position: usize| self.begin + position - 1;
        match *self.error {
            Malformed::Length { found, min, max } => {
                let of = if self.begin > 1 { " of the suffix" } else { "" };
                write!(to, "The length{of} is {found}")?;
                if min == max { write!(to, " instead of {max}.") } else { write!(to, "; it must be from {min} to {max}.") }
            }
            Malformed::Character(byte, position) => {
                write!(to, "Character {}{} is not in the alphabet of {}.", at(position), Shown(byte), self.label)
            }
            Malformed::Overflow => to.write_str("The value has more than 128 bits."),
            Malformed::FirstCharacter => {
                write!(to, "The value has more than 128 bits: character {} is greater than \"7\".", at(1))
            }
            Malformed::TrailingBits => {
                write!(to, "Character {} has bits after the 128 bits of a UUID, which are not zero.", at(BASE32_LENGTH))
            }
        }
    }
}

impl fmt::Display for InvalidPrefix {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::Length(found) => write!(to, "The length of the prefix is {found}; it must not exceed {LONGEST_PREFIX}."),
            Self::Character(byte, position) => {
                write!(to, "Character {position}{} of the prefix is neither a letter from a to z nor an underscore.", Shown(byte))
            }
            Self::Underscore(position) => {
                write!(to, "Character {position} is an underscore, but a prefix begins and ends with a letter.")
            }
        }
    }
}

impl fmt::Display for InvalidTypeId {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Prefix(error) => error.fmt(to),
            Self::NoPrefix => to.write_str("Character 1 is an underscore, but there is no prefix before it."),
            Self::Suffix(error, position) => Explanation { error, label: "TypeID", begin: *position }.fmt(to),
        }
    }
}

impl fmt::Display for BsvError {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            Self::Length(length) => write!(to, "invalid length of BSV COMB: {length}"),
            Self::Character(byte, position) => {
                match byte {
                    b' '..=b'~' => write!(to, "invalid character \"{}\"", char::from(byte))?,
                    _ => write!(to, "invalid byte 0x{byte:02x}")?,
                }
                write!(to, " at position {position} of BSV COMB")
            }
        }
    }
}

/// A character in parentheses if it is one that can be shown in every encoding.
struct Shown(u8);

impl fmt::Display for Shown {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            b' '..=b'~' => write!(to, " (\"{}\")", char::from(self.0)),
            _ => Ok(()),
        }
    }
}
