//! Text of limited length that needs no allocation: messages, JSON, and what SQL gets as text.

use std::ffi::c_char;
use std::fmt;

/// Up to `SIZE - 1` bytes and a zero. What does not fit is cut off.
pub struct Text<const SIZE: usize> {
    bytes: [u8; SIZE],
    length: usize,
}

impl<const SIZE: usize> Text<SIZE> {
    pub const EMPTY: Self = Self { bytes: [0; SIZE], length: 0 };

    pub fn of(arguments: fmt::Arguments) -> Self {
        let mut text = Self::EMPTY;
        text.add(arguments);
        text
    }

    pub fn add(&mut self, arguments: fmt::Arguments) {
        // Never fails: see `write_str`.
        let _ = fmt::Write::write_fmt(self, arguments);
    }

    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut copy = Self::EMPTY;
        copy.push(bytes);
        copy
    }

    fn push(&mut self, bytes: &[u8]) {
        let place = self.bytes.iter_mut().take(SIZE - 1).skip(self.length);
        self.length += place.zip(bytes).map(|(place, byte)| *place = *byte).count();
    }

    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    /// As a C string.
    pub fn as_ptr(&self) -> *const c_char {
        self.bytes.as_ptr().cast()
    }
}

/// ASCII; any other byte as a question mark.
impl<const SIZE: usize> fmt::Display for Text<SIZE> {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        for &byte in self.bytes() {
            write!(to, "{}", if byte.is_ascii() { char::from(byte) } else { '?' })?;
        }
        Ok(())
    }
}

impl<const SIZE: usize> fmt::Write for Text<SIZE> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_cut_off() {
        let mut text = Text::<8>::of(format_args!("{}-{}", 12, "ab"));
        assert_eq!(text.bytes(), b"12-ab");
        text.add(format_args!("cdef"));
        assert_eq!((text.bytes(), text.bytes[7]), (&b"12-abcd"[..], 0));
        text.add(format_args!("g"));
        assert_eq!(text.bytes(), b"12-abcd");
    }
}
