//! SQL functions for BSV text.

use comb_id::bsv::Bsv;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum};

use crate::postgres::call::{Text, Value, export};
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend::{self, clock_micros, clock_out_of_range};
use crate::server::settings;
use uuid::Uuid;

export!(comb_new_bsv, comb_bsv_timestamp, comb_bsv_uuid);

/// The next BSV COMB, in UTC.
fn comb_new_bsv() -> Result<Text, Report> {
    let (field, out_of_range) = (Bsv::TIME_FIELD, || clock_out_of_range(" for a BSV COMB", "New BSV COMBs", clock_micros()));
    let tick = backend::next_tick(field.step(settings::timestamp_step()), field.last_tick(), out_of_range)?;
    let random = [backend::random()?, backend::random()?];
    let bsv = Bsv::of_tick(tick, random).ok_or_else(out_of_range)?;
    Ok(Text::of(&bsv.text()))
}

/// The time of a BSV COMB that was written in a time zone; NULL past year 9999.
fn comb_bsv_timestamp(text: &[u8], zone: Datum) -> Result<Option<TimestampTz>, Report> {
    let Some(local) = parse(text)?.micros() else { return Ok(None) };
    let local = TimestampTz::from_unix_micros(local).datum();
    // SAFETY: the arguments are a text and a timestamp.
    let at = unsafe { raw::DirectFunctionCall2Coll(Some(raw::timestamp_zone), pg_sys::Oid::INVALID, zone, local) };
    Ok(Some(TimestampTz(at.value() as pg_sys::TimestampTz)))
}

/// The version 4 UUID in a BSV COMB.
fn comb_bsv_uuid(text: &[u8]) -> Result<Uuid, Report> {
    Ok(parse(text)?.id)
}

fn parse(text: &[u8]) -> Result<Bsv, Report> {
    Bsv::parse(text).map_err(|error| report!(ERRCODE_INVALID_TEXT_REPRESENTATION, "invalid BSV COMB: ").quote(text).detail(error))
}
