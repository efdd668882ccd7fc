//! SQL functions that read ids.

use pgrx::prelude::*;

use super::fast::fast_function;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::rfc9562;

fast_function! {
    /// The moment of a version 7, 6 or 1 uuid, NULL of any other.
    fn comb_timestamp(call) {
        match rfc9562::micros(&call.uuid(0)) {
            Some(micros) => call.return_timestamptz(TimestampTz::from_unix_micros(micros)),
            None => call.return_null(),
        }
    }
}

extension_sql!(
    r#"
CREATE FUNCTION comb_timestamp(id uuid) RETURNS timestamptz
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_timestamp';
"#,
    name = "comb_timestamp"
);

/// The moment of a version 7 uuid with rand_a read as a fraction of the millisecond.
#[pg_extern(immutable, parallel_safe)]
fn comb_timestamp_micros(id: Uuid) -> Option<TimestampTz> {
    rfc9562::micros_with_fraction(&id.0).map(TimestampTz::from_unix_micros)
}
