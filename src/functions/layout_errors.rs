//! The errors of what a layout does not hold, which several functions raise.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use crate::postgres::report::{Report, report};
use crate::postgres::timestamp::TimestampTz;
use comb_id::layout::Layout;

/// A time that the layout cannot hold.
#[cold]
pub fn timestamp_out_of_range(layout: &'static Layout) -> Report {
    let (first, last) = layout.range_micros();
    let [first, last] = [first, last].map(TimestampTz::from_unix_micros);
    report!(ERRCODE_DATETIME_FIELD_OVERFLOW, "timestamp out of range for UUID layout \"{}\"", layout.label)
        .detail(format_args!("The layout can represent times from {first} to {last}."))
}

/// A UUID that is not of the layout.
#[cold]
pub fn not_of_layout(layout: &'static Layout) -> Report {
    report!(
        ERRCODE_INVALID_PARAMETER_VALUE,
        "UUID does not have layout \"{}\"",
        layout.label
    )
    .hint("If the UUID has another layout, pass that layout as the second argument. A random UUID has no timestamp, although some layouts read one from it.")
}
