//! Bounds of ranges of UUIDs.

use crate::postgres::call::export;
use crate::postgres::timestamp::TimestampTz;
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, UUIDV7};
use uuid::Uuid;

export!(comb_lower_bound, comb_lower_bound_layout, comb_mssql_lower_bound);

/// The smallest version 7 UUID of a time or later.
fn comb_lower_bound(at: TimestampTz) -> Uuid {
    UUIDV7.lower_bound(at.unix_micros())
}

/// The same in a layout.
fn comb_lower_bound_layout(at: TimestampTz, layout: &'static Layout) -> Uuid {
    layout.lower_bound(at.unix_micros())
}

/// The same in layout mssql, in SQL Server's order.
fn comb_mssql_lower_bound(at: TimestampTz) -> Uuid {
    MSSQL.lower_bound(at.unix_micros())
}
