//! SQL functions that read UUIDs.

use pgrx::pg_sys::{self, Datum};
use serde::{Serialize, Serializer};

use crate::postgres::call::export;
use crate::postgres::raw;
use crate::postgres::string_info::StringInfo;
use crate::postgres::timestamp::TimestampTz;
use comb_id::inspect;
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, MSSQL_LEGACY};
use comb_id::rfc9562;
use uuid::Uuid;

export!(
    comb_timestamp,
    comb_timestamp_layout,
    comb_timestamp_mssql,
    comb_timestamp_mssql_legacy,
    comb_timestamp_micros,
    comb_inspect,
);

fn comb_timestamp(id: &Uuid) -> Option<TimestampTz> {
    rfc9562::micros(id).map(TimestampTz::from_unix_micros)
}

fn comb_timestamp_layout(id: &Uuid, layout: &'static Layout) -> Option<TimestampTz> {
    layout.micros(id).map(TimestampTz::from_unix_micros)
}

fn comb_timestamp_mssql(id: &Uuid) -> Option<TimestampTz> {
    comb_timestamp_layout(id, &MSSQL)
}

fn comb_timestamp_mssql_legacy(id: &Uuid) -> Option<TimestampTz> {
    comb_timestamp_layout(id, &MSSQL_LEGACY)
}

/// The time of a UUID of version 7, with rand_a read as a fraction of the millisecond.
fn comb_timestamp_micros(id: &Uuid) -> Option<TimestampTz> {
    rfc9562::micros_with_fraction(id).map(TimestampTz::from_unix_micros)
}

fn comb_inspect(id: &Uuid) -> Datum {
    let inspection = Inspection {
        version: rfc9562::version(id),
        variant: inspect::variant(id),
        timestamp: comb_timestamp(id),
        note: note(id),
        layouts: *id,
    };
    let mut json = StringInfo::new();
    // No write fails. If PostgreSQL raises an error because memory is exhausted, the frames of serde_json hold none of
    // Rust's memory.
    let _ = serde_json::to_writer(&mut json, &inspection);
    // SAFETY: the argument is a C string. No frame that an ERROR jumps over has a value that needs a drop.
    unsafe { raw::DirectFunctionCall1Coll(Some(raw::jsonb_in), pg_sys::Oid::INVALID, Datum::from(json.as_ptr())) }
}

fn note(id: &Uuid) -> Option<&'static str> {
    if inspect::may_be_draft(id) {
        return Some(DRAFT);
    }
    inspect::without_first_bit(id).map(|_| DUCKDB)
}

const DRAFT: &str =
    "version 7, but a time far in the future: perhaps a key of an early draft of version 7, which began with 36 bits of seconds";

const DUCKDB: &str =
    "version 7, but a time far in the future: perhaps a key of uuidv7() of DuckDB 1.3.0, which set the first bit of the time";

/// The version and variant of a UUID, and the layouts that it can have.
#[derive(Serialize)]
struct Inspection {
    version: Option<usize>,
    variant: &'static str,
    timestamp: Option<TimestampTz>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
    #[serde(serialize_with = "readings")]
    layouts: Uuid,
}

#[derive(Serialize)]
struct Candidate {
    layout: &'static str,
    timestamp: TimestampTz,
    plausible: bool,
    stamped: Option<bool>,
}

fn readings<S: Serializer>(id: &Uuid, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(inspect::readings(id).map(|reading| Candidate {
        layout: reading.layout.label,
        timestamp: TimestampTz::from_unix_micros(reading.micros),
        plausible: reading.plausible,
        stamped: reading.stamped,
    }))
}
