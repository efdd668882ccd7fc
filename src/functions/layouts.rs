//! The table of layouts.

use comb_id::layouts::LAYOUTS;

use crate::postgres::call::{Call, Text, Value, export};
use crate::postgres::rows::Rows;
use crate::postgres::string_info::StringInfo;
use crate::postgres::timestamp::TimestampTz;

export!(comb_layouts);

fn comb_layouts(call: Call) -> Rows {
    // SAFETY: the SQL declaration returns a set of the columns below.
    let rows = unsafe { Rows::begin(call) };
    let text = |text: &str| Some(Text::of(text.as_bytes()).datum());
    for layout in &LAYOUTS {
        let (first, last) = layout.range_micros();
        let [first, last] = [first, last].map(TimestampTz::from_unix_micros).map(StringInfo::of);
        rows.put(&[
            text(layout.label),
            text(layout.time_field.label),
            text(layout.order.label()),
            layout.version.map(|version| i32::from(version).datum()),
            text(layout.time_field.unit.label),
            Some(Text::of(first.bytes()).datum()),
            Some(Text::of(last.bytes()).datum()),
            text(layout.known_as),
        ]);
    }
    rows
}
