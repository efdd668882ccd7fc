//! Bounds of ranges of UUIDs.

use super::layout::timestamp_out_of_range;
use crate::postgres::call::export;
use crate::postgres::report::Report;
use crate::postgres::timestamp::TimestampTz;
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, UUIDV7};
use uuid::Uuid;

export!(comb_min, comb_max, comb_lower_bound, comb_mssql_lower_bound);

/// The smallest UUID whose time field is that time's.
fn comb_min(at: TimestampTz, layout: &'static Layout) -> Result<Uuid, Report> {
    layout.min(at.unix_micros()).ok_or_else(|| timestamp_out_of_range(layout))
}

/// The largest UUID whose time field is that time's.
fn comb_max(at: TimestampTz, layout: &'static Layout) -> Result<Uuid, Report> {
    layout.max(at.unix_micros()).ok_or_else(|| timestamp_out_of_range(layout))
}

/// The UUID from which on those of version 7 are not before a time, any time.
fn comb_lower_bound(at: TimestampTz) -> Uuid {
    UUIDV7.lower_bound(at.unix_micros())
}

/// The same of layout mssql, in SQL Server's order.
fn comb_mssql_lower_bound(at: TimestampTz) -> Uuid {
    MSSQL.lower_bound(at.unix_micros())
}
