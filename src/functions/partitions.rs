//! SQL functions that pg_partman calls.

use crate::postgres::call::export;
use crate::postgres::timestamp::TimestampTz;
use comb_id::bound;
use uuid::Uuid;

export!(comb_partman_decoder, comb_partman_mssql_decoder);

/// The time of a version 7 key or bound.
fn comb_partman_decoder(id: &Uuid) -> Option<TimestampTz> {
    bound::micros(id).map(TimestampTz::from_unix_micros)
}

/// The same of layout mssql.
fn comb_partman_mssql_decoder(id: &Uuid) -> Option<TimestampTz> {
    bound::micros_mssql(id).map(TimestampTz::from_unix_micros)
}
