//! SQL functions for BSV text.

use pgrx::pg_sys;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;

use super::backend::{self, process_id};
use super::error::Error;
use super::fast::fast_function;
use super::timestamp::TimestampTz;
use crate::bsv::Bsv;

fast_function! {
    /// A BSV COMB of now, in UTC.
    fn comb_new_bsv(call) {
        let (generator, tick) = backend::next(Bsv::CLOCK, "bsv");
        match Bsv::next(generator, tick, process_id()) {
            Ok(bsv) => call.return_ascii(&bsv.text()),
            Err(error) => call.raise(Error::of_generator(error, "bsv")),
        }
    }
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
CREATE FUNCTION comb_new_bsv() RETURNS text
STRICT VOLATILE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_new_bsv';

CREATE FUNCTION comb_bsv_timestamp(bsv text, zone text DEFAULT 'UTC') RETURNS timestamptz
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_bsv_timestamp';

CREATE FUNCTION comb_bsv_uuid(bsv text) RETURNS uuid
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_bsv_uuid';
"#,
    name = "bsv"
);
