//! SQL functions for the text of ULID.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use crate::postgres::call::{Text, export};
use crate::postgres::report::{Report, report};
use comb_id::ulid;
use uuid::Uuid;

export!(comb_encode, comb_decode);

fn comb_encode(id: &Uuid) -> Text {
    Text::of(&ulid::write(*id))
}

fn comb_decode(text: &[u8]) -> Result<Uuid, Report> {
    ulid::read(text)
        .map_err(|error| report!(ERRCODE_INVALID_TEXT_REPRESENTATION, "invalid crockford text: ").quote(text).detail(error))
}
