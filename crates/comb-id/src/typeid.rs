//! TypeID 0.3: a prefix that names the type of an id, and the id in base32
//! (<https://github.com/jetify-com/typeid/tree/main/spec>).

use uuid::Uuid;

use super::text_form::{Alphabet, BASE32_LENGTH, Malformed};

/// The maximum length of a prefix.
pub const LONGEST_PREFIX: usize = 63;
/// The maximum length of a TypeID: prefix, separator and suffix.
pub const LONGEST: usize = LONGEST_PREFIX + 1 + BASE32_LENGTH;

const SEPARATOR: u8 = b'_';

/// Crockford's alphabet, in lower case only.
static SUFFIX: Alphabet = Alphabet::new(b"0123456789abcdefghjkmnpqrstvwxyz");

/// The two parts of a TypeID.
///
/// ```
/// use comb_id::typeid::{LONGEST, TypeId};
///
/// let typeid = TypeId::parse(b"user_01h455vb4pex5vsknk084sn02q").unwrap();
/// assert_eq!(typeid.prefix, b"user");
/// assert_eq!(typeid.id.to_string(), "01890a5d-ac96-774b-bcce-b302099a8057");
/// assert_eq!(typeid.write(&mut [0; LONGEST]), Ok(&b"user_01h455vb4pex5vsknk084sn02q"[..]));
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct TypeId<'a> {
    /// ASCII, and may be empty.
    pub prefix: &'a [u8],
    /// The id of the suffix.
    pub id: Uuid,
}

/// Why a text is not a prefix. Positions count characters from 1.
#[derive(Debug, PartialEq, Eq)]
pub enum InvalidPrefix {
    /// The text has this number of characters, all of them permitted.
    Length(usize),
    /// The byte at a position, or the character that begins with it, is not permitted.
    Character(u8, usize),
    /// The character at this position, the first or the last one, is an underscore.
    Underscore(usize),
}

/// Why a text is not a TypeID. Positions count the characters of the TypeID from 1.
#[derive(Debug, PartialEq, Eq)]
pub enum InvalidTypeId {
    /// The prefix is not valid.
    Prefix(InvalidPrefix),
    /// The text begins with its only underscore.
    NoPrefix,
    /// The suffix, which begins at a position, is not valid.
    Suffix(Malformed, usize),
}

/// Checks that a text can be a prefix.
///
/// # Errors
/// The text cannot be a prefix.
pub fn check_prefix(prefix: &[u8]) -> Result<(), InvalidPrefix> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase();
    let is_known = |byte: u8| is_letter(byte) || byte == SEPARATOR;
    if let Some(index) = prefix.iter().position(|&byte| !is_known(byte)) {
        return Err(InvalidPrefix::Character(prefix[index], index + 1));
    }
    if prefix.len() > LONGEST_PREFIX {
        return Err(InvalidPrefix::Length(prefix.len()));
    }
    for position in [1, prefix.len()] {
        if prefix.get(position.wrapping_sub(1)) == Some(&SEPARATOR) {
            return Err(InvalidPrefix::Underscore(position));
        }
    }
    Ok(())
}

impl<'a> TypeId<'a> {
    /// The parts of a text.
    ///
    /// # Errors
    /// The text is not a TypeID.
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
            Err(error) => Err(InvalidTypeId::Suffix(error, position)),
        }
    }

    /// The text, all ASCII, in the buffer.
    ///
    /// # Errors
    /// The prefix is not valid.
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
