//! SQL functions for the text of ULID.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use crate::postgres::call::{Call, Parameter, Text, export};
use crate::postgres::report::{Report, report};
use comb_id::ulid;
use uuid::Uuid;

export!(comb_encode, comb_decode);

/// A text that names a format: there is one.
struct Format;

impl Parameter for Format {
    const SQL: Option<&'static str> = Some("text");

    unsafe fn read(call: Call, index: usize) -> Result<Self, Report> {
        // SAFETY: guaranteed by the caller.
        match unsafe { <&[u8]>::read(call, index)? } {
            b"crockford" => Ok(Self),
            name => Err(report!(ERRCODE_INVALID_PARAMETER_VALUE, "unrecognized text format: ")
                .quote(name)
                .hint("The format is crockford.")),
        }
    }
}

fn comb_encode(id: &Uuid, _: Format) -> Text {
    Text::of(&ulid::write(*id))
}

fn comb_decode(text: &[u8], _: Format) -> Result<Uuid, Report> {
    ulid::read(text)
        .map_err(|error| report!(ERRCODE_INVALID_TEXT_REPRESENTATION, "invalid crockford text: ").quote(text).detail(error))
}
