//! TypeID 0.3: a prefix that says what an id is of, and the id in base32
//! (<https://github.com/jetify-com/typeid/tree/main/spec>).

use uuid::Uuid;

use super::text_form::{Alphabet, BASE32_LENGTH, Malformed};

pub const LONGEST_PREFIX: usize = 63;
/// Prefix, separator and suffix.
pub const LONGEST: usize = LONGEST_PREFIX + 1 + BASE32_LENGTH;

const SEPARATOR: u8 = b'_';

/// Crockford's, in lower case and nothing else.
static SUFFIX: Alphabet = Alphabet::new(b"0123456789abcdefghjkmnpqrstvwxyz");

/// What a TypeID says.
#[derive(Debug, PartialEq, Eq)]
pub struct TypeId<'a> {
    /// ASCII, and may be empty.
    pub prefix: &'a [u8],
    pub id: Uuid,
}

/// Why a text is no prefix. Positions count characters, the first being 1.
#[derive(Debug, PartialEq, Eq)]
pub enum InvalidPrefix {
    /// So many characters, all of which a prefix can have.
    Length(usize),
    Character {
        byte: u8,
        position: usize,
    },
    /// The first or the last character is an underscore.
    Underscore {
        position: usize,
    },
}

/// Why a text is no TypeID. Positions are those in the TypeID.
#[derive(Debug, PartialEq, Eq)]
pub enum InvalidTypeId {
    Prefix(InvalidPrefix),
    /// It begins with the only underscore.
    NoPrefix,
    Suffix {
        fault: Malformed,
        /// Of the first character of the suffix.
        position: usize,
    },
}

/// Whether a text can be a prefix.
///
/// # Errors
/// It cannot.
pub fn check_prefix(prefix: &[u8]) -> Result<(), InvalidPrefix> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase();
    let is_known = |byte: u8| is_letter(byte) || byte == SEPARATOR;
    if let Some(index) = prefix.iter().position(|&byte| !is_known(byte)) {
        return Err(InvalidPrefix::Character { byte: prefix[index], position: index + 1 });
    }
    if prefix.len() > LONGEST_PREFIX {
        return Err(InvalidPrefix::Length(prefix.len()));
    }
    for position in [1, prefix.len()] {
        if prefix.get(position.wrapping_sub(1)) == Some(&SEPARATOR) {
            return Err(InvalidPrefix::Underscore { position });
        }
    }
    Ok(())
}

impl<'a> TypeId<'a> {
    /// # Errors
    /// It is no TypeID.
    pub fn parse(text: &'a [u8]) -> Result<Self, InvalidTypeId> {
        let (prefix, suffix) = match text.iter().rposition(|&byte| byte == SEPARATOR) {
            Some(0) => return Err(InvalidTypeId::NoPrefix),
            Some(index) => (&text[..index], &text[index + 1..]),
            None => (&text[..0], text),
        };
        check_prefix(prefix).map_err(InvalidTypeId::Prefix)?;
        let position = text.len() - suffix.len() + 1;
        match SUFFIX.read_base32(suffix) {
            Ok(number) => Ok(Self { prefix, id: Uuid::from_u128(number) }),
            Err(fault) => Err(InvalidTypeId::Suffix { fault, position }),
        }
    }

    /// The text, all ASCII, in the buffer.
    ///
    /// # Errors
    /// The prefix is none.
    pub fn write<'b>(&self, buffer: &'b mut [u8; LONGEST]) -> Result<&'b [u8], InvalidPrefix> {
        check_prefix(self.prefix)?;
        let mut begin = self.prefix.len();
        buffer[..begin].copy_from_slice(self.prefix);
        if begin > 0 {
            buffer[begin] = SEPARATOR;
            begin += 1;
        }
        let end = begin + BASE32_LENGTH;
        let suffix = SUFFIX.write_base32(self.id.as_u128());
        buffer[begin..end].copy_from_slice(&suffix);
        Ok(&buffer[..end])
    }
}

#[cfg(test)]
#[path = "typeid_tests.rs"]
mod tests;
