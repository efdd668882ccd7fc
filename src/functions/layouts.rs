//! The table of layouts.

use comb_id::layouts::LAYOUTS;
use pgrx::pg_sys::Datum;

use crate::postgres::call::{ascii, sql_functions};
use crate::postgres::rows::Rows;
use crate::postgres::string_info::StringInfo;
use crate::postgres::timestamp::TimestampTz;

sql_functions! {
    /// The table of layouts.
    fn comb_layouts(call) {
        // SAFETY: a call of a set-returning function with the columns that follow.
        let rows = unsafe { Rows::begin(call)? };
        for layout in &LAYOUTS {
            let (first, last) = layout.range_micros();
            let [first, last] = [first, last].map(TimestampTz::from_unix_micros).map(StringInfo::of);
            rows.put(&[
                Some(ascii(layout.label.as_bytes())),
                Some(ascii(layout.time_field.label().as_bytes())),
                Some(ascii(layout.order.label().as_bytes())),
                layout.version.map(|version| Datum::from(i32::from(version))),
                Some(ascii(layout.time_field.resolution().as_bytes())),
                Some(ascii(first.bytes())),
                Some(ascii(last.bytes())),
                Some(ascii(layout.known_as.as_bytes())),
            ]);
        }
        call.null()
    }
}
