//! SQL functions that read ids.

use pgrx::JsonB;
use pgrx::prelude::*;
use serde_json::json;

use super::fast::fast_function;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::inspect;
use crate::layout::{MSSQL, MSSQL_LEGACY};
use crate::rfc9562;

fast_function! {
    fn comb_timestamp(call) {
        let micros = rfc9562::micros(&call.uuid(0));
        call.return_moment(micros)
    }
}

fast_function! {
    fn comb_timestamp_layout(call) {
        let micros = call.layout(1).micros(&call.uuid(0));
        call.return_moment(micros)
    }
}

fast_function! {
    fn comb_timestamp_mssql(call) {
        let micros = MSSQL.micros(&call.uuid(0));
        call.return_moment(micros)
    }
}

fast_function! {
    fn comb_timestamp_mssql_legacy(call) {
        let micros = MSSQL_LEGACY.micros(&call.uuid(0));
        call.return_moment(micros)
    }
}

extension_sql!(
    r#"
CREATE FUNCTION comb_timestamp(id uuid) RETURNS timestamptz
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_timestamp';

CREATE FUNCTION comb_timestamp(id uuid, layout comb_layout) RETURNS timestamptz
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_timestamp_layout';

CREATE FUNCTION comb_timestamp_mssql(id uuid) RETURNS timestamptz
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_timestamp_mssql';

CREATE FUNCTION comb_timestamp_mssql_legacy(id uuid) RETURNS timestamptz
STRICT IMMUTABLE PARALLEL SAFE LANGUAGE c AS 'MODULE_PATHNAME', 'comb_timestamp_mssql_legacy';
"#,
    name = "read"
);

/// The moment of a version 7 uuid with rand_a read as a fraction of the millisecond.
#[pg_extern(immutable, parallel_safe)]
fn comb_timestamp_micros(id: Uuid) -> Option<TimestampTz> {
    rfc9562::micros_with_fraction(&id.0).map(TimestampTz::from_unix_micros)
}

/// What an id can be.
#[pg_extern(immutable, parallel_safe)]
fn comb_inspect(id: Uuid) -> JsonB {
    let moment = |micros| TimestampTz::from_unix_micros(micros).iso8601();
    let layouts: Vec<_> = inspect::readings(&id.0)
        .into_iter()
        .map(|reading| {
            json!({
                "layout": reading.label,
                "timestamp": moment(reading.micros),
                "plausible": reading.plausible,
                "stamped": reading.stamped,
            })
        })
        .collect();
    JsonB(json!({
        "version": rfc9562::version(&id.0),
        "variant": inspect::variant(&id.0),
        "timestamp": rfc9562::micros(&id.0).map(moment),
        "layouts": layouts,
    }))
}
