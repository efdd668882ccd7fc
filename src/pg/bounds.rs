//! SQL functions for ranges of ids: the smallest and largest id of a moment, and between two.

use pgrx::prelude::*;

use super::layouts::LayoutArgument;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::layout::UUIDV7;

/// The smallest id whose time field is that moment's.
#[pg_extern(immutable, parallel_safe)]
fn comb_min(at: TimestampTz, layout: default!(LayoutArgument, "'uuidv7'")) -> Uuid {
    Uuid::or_out_of_range(layout.0.min(at.unix_micros()), layout.0)
}

/// The largest id whose time field is that moment's.
#[pg_extern(immutable, parallel_safe)]
fn comb_max(at: TimestampTz, layout: default!(LayoutArgument, "'uuidv7'")) -> Uuid {
    Uuid::or_out_of_range(layout.0.max(at.unix_micros()), layout.0)
}

/// The id from which on version 7 ids are not before a moment, any moment: what comb_between
/// compares with.
#[pg_extern(immutable, parallel_safe)]
fn comb_lower_bound(at: TimestampTz) -> Uuid {
    Uuid(UUIDV7.lower_bound(at.unix_micros()))
}

// Not STRICT: the planner inlines a STRICT function only where NULL in any argument makes the body
// NULL, and AND does not. What NULL gives is what the comparisons give.
extension_sql_file!("../../sql/between.sql", name = "between", requires = [comb_lower_bound]);
