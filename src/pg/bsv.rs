//! SQL functions for BSV text.

use pgrx::prelude::*;
use pgrx::{direct_function_call, pg_sys};

use super::error::Error;
use super::generate::with_generator;
use super::text::Text;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::bsv::Bsv;

/// A BSV COMB of now, in UTC.
#[pg_extern(volatile, parallel_safe)]
fn comb_new_bsv() -> String {
    with_generator(Bsv::next)
        .unwrap_or_else(|error| Error::of_generator(error, "bsv").raise())
        .text()
}

/// The moment of a BSV COMB whose writer's clock showed the time of that zone; NULL past year 9999.
#[pg_extern(immutable, parallel_safe)]
fn comb_bsv_timestamp(bsv: Text<'_>, zone: default!(Text<'_>, "'UTC'")) -> Option<TimestampTz> {
    let local = TimestampTz::from_unix_micros(parse(&bsv).micros()?);
    let arguments = [Some(zone.datum), Some(pg_sys::Datum::from(local.0))];
    // SAFETY: the function takes a text and a timestamp, which these are, and answers a timestamptz
    // or raises an error.
    unsafe { direct_function_call(pg_sys::timestamp_zone, &arguments) }
}

/// The version 4 UUID in a BSV COMB.
#[pg_extern(immutable, parallel_safe)]
fn comb_bsv_uuid(bsv: Text<'_>) -> Uuid {
    Uuid(parse(&bsv).id)
}

fn parse(bsv: &Text<'_>) -> Bsv {
    Bsv::parse(bsv.bytes).unwrap_or_else(|error| Error::InvalidBsv(error).raise())
}
