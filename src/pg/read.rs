//! SQL functions that read ids.

use pgrx::pg_sys;
use pgrx::pg_sys::Datum;

use super::call::{Answer, ascii, sql_function, uuid};
use super::error::Error;
use super::raw;
use super::rows::Rows;
use super::text::Text;
use super::timestamp::{TimestampTz, iso8601};
use crate::id::bsv::Bsv;
use crate::id::byte_order::Bytes;
use crate::id::inspect;
use crate::id::layouts::{LAYOUTS, MSSQL, MSSQL_LEGACY};
use crate::id::rfc9562;

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

sql_function! {
    /// The moment of a BSV COMB whose writer's clock showed the time of that zone; NULL past year
    /// 9999.
    fn comb_bsv_timestamp(call) {
        let bsv = Bsv::parse(call.text(0)).map_err(Error::InvalidBsv)?;
        let Some(local) = bsv.micros() else { return call.null() };
        let local = TimestampTz::from_unix_micros(local).datum();
        // SAFETY: a text and a timestamp. An ERROR jumps over frames that hold nothing to be dropped.
        Ok(unsafe {
            let zone = raw::timestamp_zone;
            raw::DirectFunctionCall2Coll(zone, pg_sys::Oid::INVALID, call.argument(1), local)
        })
    }
}

sql_function! {
    /// The version 4 UUID in a BSV COMB.
    fn comb_bsv_uuid(call) {
        let bsv = Bsv::parse(call.text(0)).map_err(Error::InvalidBsv)?;
        Ok(uuid(bsv.id))
    }
}

/// What an id can be, as JSON: 110 bytes a layout, and a few for the rest.
type Json = Text<{ 256 + 128 * LAYOUTS.len() }>;

sql_function! {
    fn comb_inspect(call) {
        jsonb(&inspection(&call.uuid(0)))
    }
}

fn inspection(id: &Bytes) -> Json {
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
    // SAFETY: a C string. An ERROR jumps over frames that hold nothing to be dropped.
    Ok(unsafe {
        let text = Datum::from(json.as_ptr());
        raw::DirectFunctionCall1Coll(raw::jsonb_in, pg_sys::Oid::INVALID, text)
    })
}

sql_function! {
    /// The table of layouts.
    fn comb_layouts(call) {
        // SAFETY: a call of a set-returning function with the columns that follow.
        let rows = unsafe { Rows::begin(call) };
        for layout in &LAYOUTS {
            let (first, last) = layout.range_micros();
            rows.put(&[
                Some(ascii(layout.label.as_bytes())),
                Some(ascii(layout.time_field.label().as_bytes())),
                Some(ascii(layout.order.label().as_bytes())),
                layout.version.map(|version| Datum::from(i32::from(version))),
                Some(ascii(layout.time_field.resolution().as_bytes())),
                Some(ascii(iso8601(first).bytes())),
                Some(ascii(iso8601(last).bytes())),
                Some(ascii(layout.known_as.as_bytes())),
            ]);
        }
        call.null()
    }
}
