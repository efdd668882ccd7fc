//! SQL functions that read ids.

use pgrx::pg_sys;
use pgrx::pg_sys::Datum;

use crate::postgres::call::{Answer, sql_function};
use crate::postgres::raw;
use crate::postgres::text::Text;
use crate::postgres::timestamp::iso8601;
use comb_id::inspect;
use comb_id::layouts::{LAYOUTS, MSSQL, MSSQL_LEGACY};
use comb_id::rfc9562;
use uuid::Uuid;

sql_function! {
    fn comb_timestamp(call) {
        call.moment(rfc9562::micros(&call.uuid(0)))
    }
}

sql_function! {
    fn comb_timestamp_layout(call) {
        call.moment(call.layout(1)?.micros(&call.uuid(0)))
    }
}

sql_function! {
    fn comb_timestamp_mssql(call) {
        call.moment(MSSQL.micros(&call.uuid(0)))
    }
}

sql_function! {
    fn comb_timestamp_mssql_legacy(call) {
        call.moment(MSSQL_LEGACY.micros(&call.uuid(0)))
    }
}

sql_function! {
    /// The moment of a version 7 uuid with rand_a read as a fraction of the millisecond.
    fn comb_timestamp_micros(call) {
        call.moment(rfc9562::micros_with_fraction(&call.uuid(0)))
    }
}

/// What an id can be, as JSON: 110 bytes a layout, and a few for the rest.
type Json = Text<{ 256 + 128 * LAYOUTS.len() }>;

sql_function! {
    fn comb_inspect(call) {
        jsonb(&inspection(&call.uuid(0)))
    }
}

fn inspection(id: &Uuid) -> Json {
    let mut json = Json::EMPTY;
    json.add(format_args!("{{\"version\": "));
    match rfc9562::version(id) {
        Some(version) => json.add(format_args!("{version}")),
        None => json.add(format_args!("null")),
    }
    json.add(format_args!(", \"variant\": \"{}\", \"timestamp\": ", inspect::variant(id)));
    match rfc9562::micros(id) {
        Some(micros) => json.add(format_args!("\"{}\"", iso8601(micros))),
        None => json.add(format_args!("null")),
    }
    json.add(format_args!(", \"layouts\": ["));
    for (index, reading) in inspect::readings(id).enumerate() {
        json.add(format_args!(
            "{}{{\"layout\": \"{}\", \"timestamp\": \"{}\", \"plausible\": {}, \"stamped\": {}}}",
            if index > 0 { ", " } else { "" },
            reading.layout.label,
            iso8601(reading.micros),
            reading.plausible,
            reading.stamped.map_or("null", |stamped| if stamped { "true" } else { "false" }),
        ));
    }
    json.add(format_args!("]}}"));
    json
}

fn jsonb(json: &Json) -> Answer {
    // SAFETY: a C string.
    Ok(unsafe {
        let text = Datum::from(json.as_ptr());
        raw::DirectFunctionCall1Coll(Some(raw::jsonb_in), pg_sys::Oid::INVALID, text)
    })
}
