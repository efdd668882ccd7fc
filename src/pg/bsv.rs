//! SQL functions for BSV text.

use pgrx::pg_sys;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;

use super::error::Error;
use super::fast::fast_function;
use super::generate::with_generator;
use super::timestamp::TimestampTz;
use crate::bsv::Bsv;

/// A BSV COMB of now, in UTC.
#[pg_extern(volatile, parallel_safe)]
fn comb_new_bsv() -> String {
    with_generator(Bsv::next)
        .unwrap_or_else(|error| Error::of_generator(error, "bsv").raise())
        .text()
}

fast_function! {
    /// The moment of a BSV COMB whose writer's clock showed the time of that zone; NULL past year
    /// 9999.
    fn comb_bsv_timestamp(call) {
        let bsv = match Bsv::parse(call.text(0)) {
            Ok(bsv) => bsv,
            Err(error) => return call.raise(Error::InvalidBsv(error)),
        };
        match bsv.micros().map(TimestampTz::from_unix_micros) {
            // SAFETY: a text and a timestamp.
            Some(local) => unsafe {
                call.of_builtin(timestamp_zone, call.argument(1), Datum::from(local.0))
            },
            None => call.return_moment(None),
        }
    }
}

unsafe extern "C-unwind" {
    fn timestamp_zone(call: pg_sys::FunctionCallInfo) -> Datum;
}

fast_function! {
    /// The version 4 UUID in a BSV COMB.
    fn comb_bsv_uuid(call) {
        let bsv = Bsv::parse(call.text(0));
        call.return_uuid_or_raise(bsv.map(|bsv| bsv.id).map_err(Error::InvalidBsv))
    }
}

extension_sql!(
    r#"
CREATE FUNCTION comb_bsv_timestamp(bsv text, zone text DEFAULT 'UTC') RETURNS timestamptz
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_bsv_timestamp';

CREATE FUNCTION comb_bsv_uuid(bsv text) RETURNS uuid
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_bsv_uuid';
"#,
    name = "bsv"
);
