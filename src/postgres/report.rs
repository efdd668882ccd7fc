//! A report of an error or a warning: the arguments of ereport().

use std::ffi::{CStr, c_char};
use std::{fmt, ptr};

use pgrx::PgLogLevel;
use pgrx::pg_sys::{self, Oid};

use super::raw;
use super::string_info::StringInfo;

/// The number of bytes of an argument that a message shows: more than any UUID or label.
const MAX_QUOTE: i32 = 96;

/// One call of ereport(), whose texts are in PostgreSQL's memory.
pub struct Report {
    sqlstate: i32,
    message: StringInfo,
    detail: *const c_char,
    hint: *const c_char,
    file: &'static CStr,
    line: i32,
}

/// A report of this place in the source: its SQLSTATE and its message.
///
/// Rationale for a macro: PostgreSQL keeps the pointer to the name of the file, a C string. The name in
/// std::panic::Location is not a C string before Rust 1.92.
macro_rules! report {
    ($sqlstate:expr, $($message:tt)*) => {
        $crate::postgres::report::Report::new(
            $sqlstate as i32,
            format_args!($($message)*),
            concat!(file!(), "\0"),
            line!() as i32,
        )
    };
}
pub(crate) use report;

impl Report {
    /// The name of the file ends with a zero.
    #[cold]
    pub fn new(sqlstate: i32, message: fmt::Arguments, file: &'static str, line: i32) -> Self {
        let message = StringInfo::of(message);
        let file = CStr::from_bytes_with_nul(file.as_bytes()).unwrap_or_default();
        Self { sqlstate, message, detail: ptr::null(), hint: ptr::null(), file, line }
    }

    /// Adds text in the encoding of the database to the message, in quotes, and clipped.
    pub fn quote(mut self, text: impl AsRef<[u8]>) -> Self {
        let text = text.as_ref();
        let length = i32::try_from(text.len()).unwrap_or(i32::MAX);
        // SAFETY: reads up to `length` bytes.
        let shown = unsafe { raw::pg_mbcliplen(text.as_ptr().cast(), length, MAX_QUOTE) };
        self.message.add('"');
        self.message.push(text.get(..shown as usize).unwrap_or(text));
        self.and(if shown < length { "...\"" } else { "\"" })
    }

    /// Adds the name of a relation to the message, in quotes; if it was dropped, its OID.
    pub fn relation(self, relation: Oid) -> Self {
        // SAFETY: in a transaction, where any OID can be looked up. The name is null or a C string in the memory of the caller.
        let name = unsafe { raw::get_rel_name(relation).as_ref().map(|name| CStr::from_ptr(name).to_bytes()) };
        match name {
            Some(name) => self.quote(name),
            None => self.and(format_args!("with OID {}", relation.to_u32())),
        }
    }

    /// Adds text to the message.
    pub fn and(mut self, text: impl fmt::Display) -> Self {
        self.message.add(text);
        self
    }

    /// The message, in the encoding of the database.
    pub fn message(&self) -> &[u8] {
        self.message.bytes()
    }

    pub fn detail(self, detail: impl fmt::Display) -> Self {
        Self { detail: StringInfo::of(detail).as_ptr(), ..self }
    }

    pub fn hint(self, hint: impl fmt::Display) -> Self {
        Self { hint: StringInfo::of(hint).as_ptr(), ..self }
    }

    /// Raises the error. No frame between here and PostgreSQL may hold anything to be dropped.
    #[cold]
    pub fn raise(&self) -> ! {
        self.send(PgLogLevel::ERROR);
        // errfinish() does not return from an ERROR.
        std::process::abort()
    }

    /// Reports an error of an input function: raises it, or stores it in `context` if the caller has passed one, as errsave()
    /// does. Then the function returns. PostgreSQL 15 passes none.
    ///
    /// # Safety
    /// `context` is null or that of a call. No frame between here and PostgreSQL may hold anything to be dropped.
    #[cold]
    pub unsafe fn save(&self, context: *mut pg_sys::Node) {
        #[cfg(feature = "pg15")]
        {
            let _ = context;
            self.raise()
        }
        // SAFETY: guaranteed by the caller: errsave() makes these calls.
        #[cfg(not(feature = "pg15"))]
        unsafe {
            if raw::errsave_start(context, ptr::null()) {
                self.fill();
                raw::errsave_finish(context, self.file.as_ptr(), self.line, ptr::null());
            }
        }
    }

    pub fn send(&self, level: PgLogLevel) {
        // SAFETY: ereport() makes these calls. The name of the file, which it does not copy, is static.
        unsafe {
            if raw::errstart(level as i32, ptr::null()) {
                self.fill();
                raw::errfinish(self.file.as_ptr(), self.line, ptr::null());
            }
        }
    }

    /// # Safety
    /// Between the start and the end of an error, which copies the C strings.
    unsafe fn fill(&self) {
        let print = c"%s".as_ptr();
        // SAFETY: guaranteed by the caller.
        unsafe {
            raw::errcode(self.sqlstate);
            raw::errmsg(print, self.message.as_ptr());
            if !self.detail.is_null() {
                raw::errdetail(print, self.detail);
            }
            if !self.hint.is_null() {
                raw::errhint(print, self.hint);
            }
        }
    }
}
