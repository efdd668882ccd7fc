//! Bounds of ranges of ids.

use super::layout_errors::timestamp_out_of_range;
use crate::postgres::call::{sql_functions, uuid};
use comb_id::layouts::{MSSQL, UUIDV7};

sql_functions! {
    /// The smallest id whose time field is that time's.
    fn comb_min(call) {
        let layout = call.layout(1)?;
        let id = layout.min(call.timestamptz(0).unix_micros());
        id.map(uuid).ok_or_else(|| timestamp_out_of_range(layout))
    }

    /// The largest id whose time field is that time's.
    fn comb_max(call) {
        let layout = call.layout(1)?;
        let id = layout.max(call.timestamptz(0).unix_micros());
        id.map(uuid).ok_or_else(|| timestamp_out_of_range(layout))
    }

    /// The id from which on version 7 ids are not before a time, any time.
    fn comb_lower_bound(call) {
        Ok(uuid(UUIDV7.lower_bound(call.timestamptz(0).unix_micros())))
    }

    /// The same of layout mssql, in SQL Server's order.
    fn comb_mssql_lower_bound(call) {
        Ok(uuid(MSSQL.lower_bound(call.timestamptz(0).unix_micros())))
    }
}
