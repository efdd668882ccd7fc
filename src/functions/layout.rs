//! Layouts as arguments, and the errors of layouts.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use crate::postgres::call::{Call, Parameter};
use crate::postgres::report::{Report, report};
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend::{clock_micros, clock_out_of_range};
use comb_id::layout::Layout;
use comb_id::layouts::{labelled, nearest};

/// A text that names a layout.
impl Parameter for &'static Layout {
    const SQL: Option<&'static str> = Some("text");

    #[inline(always)]
    unsafe fn read(call: Call, index: usize) -> Result<Self, Report> {
        // SAFETY: guaranteed by the caller.
        layout_named(unsafe { <&[u8]>::read(call, index)? })
    }
}

pub fn layout_named(label: &[u8]) -> Result<&'static Layout, Report> {
    labelled(label).ok_or_else(|| unknown_layout(label))
}

#[cold]
fn unknown_layout(label: &[u8]) -> Report {
    let error = report!(ERRCODE_INVALID_PARAMETER_VALUE, "unrecognized UUID layout: ").quote(label);
    match nearest(label) {
        Some(layout) => error.hint(format_args!("Perhaps you meant \"{}\". comb_layouts() lists the layouts.", layout.label)),
        None => error.hint("comb_layouts() lists the layouts."),
    }
}

/// A time that the layout cannot hold.
#[cold]
pub fn timestamp_out_of_range(layout: &'static Layout, at: Option<TimestampTz>) -> Report {
    let (first, last) = layout.range_micros();
    let [first, last] = [first, last].map(TimestampTz::from_unix_micros);
    let error = report!(ERRCODE_DATETIME_FIELD_OVERFLOW, "timestamp out of range for UUID layout \"{}\"", layout.label);
    let error = match at {
        Some(at) => error.and(format_args!(": {at}")),
        None => error,
    };
    error.hint(format_args!("The layout holds times from {first} to {last}."))
}

/// A clock whose time the layout cannot hold.
#[cold]
pub fn clock_out_of_layout(layout: &'static Layout) -> Report {
    let ((first, last), of_layout) = (clock_micros(), layout.range_micros());
    let range = (first.max(of_layout.0), last.min(of_layout.1));
    clock_out_of_range(format_args!(" for UUID layout \"{}\"", layout.label), "New UUIDs of the layout", range)
}

/// A UUID that is not of the layout.
#[cold]
pub fn not_of_layout(layout: &'static Layout) -> Report {
    report!(ERRCODE_INVALID_PARAMETER_VALUE, "UUID does not have layout \"{}\"", layout.label).hint(
        "If the UUID has another layout, pass that layout as the second argument. \
         A random UUID has no timestamp, although some layouts read one from it.",
    )
}
