//! SQL functions that read ids.

use pgrx::pg_sys::{self, Datum};
use serde::{Serialize, Serializer};

use crate::postgres::call::sql_functions;
use crate::postgres::raw;
use crate::postgres::string_info::StringInfo;
use crate::postgres::timestamp::TimestampTz;
use crate::server::mutation;
use comb_id::inspect;
use comb_id::layouts::{MSSQL, MSSQL_LEGACY};
use comb_id::rfc9562;
use uuid::Uuid;

sql_functions! {
    fn comb_timestamp(call) { call.timestamptz_or_null(rfc9562::micros(&call.uuid(0))) }
    fn comb_timestamp_layout(call) { call.timestamptz_or_null(call.layout(1)?.micros(&call.uuid(0))) }
    fn comb_timestamp_mssql(call) { call.timestamptz_or_null(MSSQL.micros(&call.uuid(0))) }
    fn comb_timestamp_mssql_legacy(call) { call.timestamptz_or_null(MSSQL_LEGACY.micros(&call.uuid(0))) }

    /// The time of a version 7 uuid with rand_a read as a fraction of the millisecond.
    fn comb_timestamp_micros(call) {
        call.timestamptz_or_null(rfc9562::micros_with_fraction(&call.uuid(0)))
    }

    fn comb_inspect(call) {
        let id = call.uuid(0);
        let inspection = Inspection {
            version: rfc9562::version(&id),
            variant: inspect::variant(&id),
            timestamp: rfc9562::micros(&id).map(TimestampTz::from_unix_micros),
            layouts: id,
        };
        mutation::allocate();
        let mut json = StringInfo::new();
        // No write fails. Where one raises an error, out of memory, the frames of serde_json hold none of Rust's memory.
        let _ = serde_json::to_writer(&mut json, &inspection);
        // SAFETY: a C string. An ERROR jumps over frames that hold nothing to be dropped.
        Ok(unsafe {
            let text = Datum::from(json.as_ptr());
            if let Some(jsonb) = mutation::jsonb_by_pgrx(text) {
                return Ok(jsonb);
            }
            raw::DirectFunctionCall1Coll(Some(raw::jsonb_in), pg_sys::Oid::INVALID, text)
        })
    }
}

/// The version and variant of a UUID, and the layouts that it can have.
#[derive(Serialize)]
struct Inspection {
    version: Option<usize>,
    variant: &'static str,
    timestamp: Option<TimestampTz>,
    #[serde(serialize_with = "readings")]
    layouts: Uuid,
}

#[derive(Serialize)]
struct Reading {
    layout: &'static str,
    timestamp: TimestampTz,
    plausible: bool,
    stamped: Option<bool>,
}

fn readings<S: Serializer>(id: &Uuid, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(inspect::readings(id).map(|reading| Reading {
        layout: reading.layout.label,
        timestamp: TimestampTz::from_unix_micros(reading.micros),
        plausible: reading.plausible,
        stamped: reading.stamped,
    }))
}
