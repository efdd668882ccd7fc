//! The text of a UUID, as PostgreSQL's `uuid_in()` reads it.

use uuid::Uuid;

/// The UUID of 32 hexadecimal digits: in upper or lower case, with a hyphen after any group of four, and in braces.
///
/// ```
/// use comb_id::uuid_text::read;
///
/// let id = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11".parse().ok();
/// assert_eq!(read(b"{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}"), id);
/// assert_eq!(read(b"a0eebc999c0b4ef8bb6d6bb9bd380a11"), id);
/// assert_eq!(read(b"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1"), None);
/// ```
pub fn read(text: &[u8]) -> Option<Uuid> {
    let mut rest = match text.strip_prefix(b"{") {
        Some(inner) => inner.strip_suffix(b"}")?,
        None => text,
    };
    let mut number = 0u128;
    for digit in 0..32 {
        let (&byte, after) = rest.split_first()?;
        number = number << 4 | u128::from(char::from(byte).to_digit(16)?);
        rest = after;
        if digit % 4 == 3 && digit < 31 {
            rest = rest.strip_prefix(b"-").unwrap_or(rest);
        }
    }
    rest.is_empty().then(|| Uuid::from_u128(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::ids;
    use proptest::prelude::*;

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "{}",
            "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
            "{{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}}",
            "a0eebc99--9c0b-4ef8-bb6d-6bb9bd380a11",
            "a0-eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11-",
            " a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "g0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        ] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn uuids_are_read_with_any_hyphens(id in ids(), hyphens in any::<u8>(), upper in any::<bool>()) {
            let digits = id.simple().to_string();
            let mut text = String::new();
            for (index, group) in digits.as_bytes().chunks(4).enumerate() {
                text += std::str::from_utf8(group).unwrap();
                if index < 7 && hyphens >> index & 1 == 1 {
                    text.push('-');
                }
            }
            let text = if upper { text.to_uppercase() } else { text };
            prop_assert_eq!(read(text.as_bytes()), Some(id));
        }
    }
}
