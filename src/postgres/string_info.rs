//! Text that grows in PostgreSQL's memory: messages, JSON, and other text for SQL.

use std::ffi::{CStr, c_char};
use std::mem::MaybeUninit;
use std::{fmt, io};

use pgrx::pg_sys;

use super::raw;

/// PostgreSQL's StringInfo, in the memory context that was current when it began: it needs no drop.
pub struct StringInfo(pg_sys::StringInfoData);

impl StringInfo {
    pub fn new() -> Self {
        let mut data = MaybeUninit::uninit();
        // SAFETY: initStringInfo() sets every field, or raises an ERROR.
        unsafe {
            raw::initStringInfo(data.as_mut_ptr());
            Self(data.assume_init())
        }
    }

    pub fn of(text: impl fmt::Display) -> Self {
        let mut info = Self::new();
        info.add(text);
        info
    }

    pub fn of_bytes(bytes: &[u8]) -> Self {
        let mut info = Self::new();
        info.push(bytes);
        info
    }

    pub fn add(&mut self, text: impl fmt::Display) {
        // No write fails: if memory is exhausted, PostgreSQL raises an ERROR.
        let _ = fmt::Write::write_fmt(self, format_args!("{text}"));
    }

    pub fn push(&mut self, bytes: &[u8]) {
        // PostgreSQL refuses texts of this length.
        let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
        // SAFETY: copies the bytes.
        unsafe { raw::appendBinaryStringInfo(&raw mut self.0, bytes.as_ptr().cast(), length) };
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: PostgreSQL keeps `len` bytes there.
        unsafe { std::slice::from_raw_parts(self.0.data.cast(), self.0.len as usize) }
    }

    pub fn as_c_str(&self) -> &CStr {
        // SAFETY: PostgreSQL ends it with a zero.
        unsafe { CStr::from_ptr(self.0.data) }
    }

    /// The text as a C string.
    pub fn as_ptr(&self) -> *const c_char {
        self.0.data
    }
}

impl fmt::Write for StringInfo {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

impl io::Write for StringInfo {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
