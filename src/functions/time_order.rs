//! The order in which ids that are not of version 7 come first.

use super::order::order_functions;
use crate::postgres::call::{sql_functions, uuid};
use comb_id::index_order::TimeOrder;

order_functions!(
    TimeOrder: comb_time_cmp, comb_time_lt, comb_time_le, comb_time_ge, comb_time_gt,
    comb_time_sortsupport, comb_time_skipsupport
);

sql_functions! {
    /// The first id of a time or later, any time.
    fn comb_first_from(call) {
        Ok(uuid(TimeOrder::first_from(call.timestamptz(0).unix_micros())))
    }

    /// The last id before a time, any time.
    fn comb_last_before(call) {
        Ok(uuid(TimeOrder::last_before(call.timestamptz(0).unix_micros())))
    }
}
