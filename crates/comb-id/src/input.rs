//! UUIDs as PostgreSQL accepts them as text (string_to_uuid() in uuid.c): 32 hexadecimal digits, a hyphen after any four of
//! them, and all of it in braces.

use uuid::Uuid;

/// The UUID of a text; `None` if it is none.
pub fn parse(text: &[u8]) -> Option<Uuid> {
    let text = match text.strip_prefix(b"{") {
        Some(text) => text.strip_suffix(b"}")?,
        None => text,
    };
    let (mut value, mut digits) = (0, 0);
    let mut characters = text.iter();
    while let Some(character) = characters.next() {
        let digit = match character {
            b'-' if digits % 4 == 0 && (4..32).contains(&digits) => characters.next()?,
            digit => digit,
        };
        value = value << 4 | u128::from(char::from(*digit).to_digit(16)?);
        digits += 1;
        if digits > 32 {
            return None;
        }
    }
    (digits == 32).then(|| Uuid::from_u128(value))
}

#[cfg(test)]
#[path = "input_tests.rs"]
mod tests;
