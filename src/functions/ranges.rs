//! Bounds of ranges of UUIDs.

use super::layout::timestamp_out_of_range;
use crate::postgres::call::export;
use crate::postgres::report::Report;
use crate::postgres::timestamp::TimestampTz;
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, UUIDV7};
use uuid::Uuid;

export!(comb_min, comb_max, comb_lower_bound, comb_mssql_lower_bound);

/// The smallest UUID with the time field of a time.
fn comb_min(at: TimestampTz, layout: &'static Layout) -> Result<Uuid, Report> {
    layout.min(at.unix_micros()).ok_or_else(|| timestamp_out_of_range(layout))
}

/// The largest UUID with the time field of a time.
fn comb_max(at: TimestampTz, layout: &'static Layout) -> Result<Uuid, Report> {
    layout.max(at.unix_micros()).ok_or_else(|| timestamp_out_of_range(layout))
}

/// The lower bound of the version 7 UUIDs of a time or later.
fn comb_lower_bound(at: TimestampTz) -> Uuid {
    UUIDV7.lower_bound(at.unix_micros())
}

/// The lower bound of the UUIDs of layout mssql of a time or later, in SQL Server's order.
fn comb_mssql_lower_bound(at: TimestampTz) -> Uuid {
    MSSQL.lower_bound(at.unix_micros())
}
