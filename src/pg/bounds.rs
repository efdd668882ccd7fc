//! SQL functions for ranges of ids: the smallest and largest id of a moment, and between two.

use pgrx::prelude::*;

use super::error::Error;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::layout::UUIDV7;
use crate::order::Bytes;
use crate::rfc9562;

/// The smallest version 7 id whose time field is that moment's.
#[pg_extern(immutable, parallel_safe)]
fn comb_min(at: TimestampTz) -> Uuid {
    or_out_of_range(UUIDV7.min(at.unix_micros()))
}

/// The largest version 7 id whose time field is that moment's.
#[pg_extern(immutable, parallel_safe)]
fn comb_max(at: TimestampTz) -> Uuid {
    or_out_of_range(UUIDV7.max(at.unix_micros()))
}

fn or_out_of_range(id: Option<Bytes>) -> Uuid {
    id.map(Uuid).unwrap_or_else(|| Error::TimestampOutOfRange(&UUIDV7).raise())
}

/// The id from which on version 7 ids are not before a moment, any moment: what comb_between
/// compares with.
#[pg_extern(immutable, parallel_safe)]
fn comb_lower_bound(at: TimestampTz) -> Uuid {
    Uuid(rfc9562::lower_bound(at.unix_micros()))
}

// Not STRICT: the planner inlines a STRICT function only where NULL in any argument makes the body
// NULL, and AND does not. What NULL gives is what the comparisons give.
extension_sql_file!("../../sql/between.sql", name = "between", requires = [comb_lower_bound]);
