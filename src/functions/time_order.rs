//! The order in which UUIDs that are not of version 7 come first.

use super::order_functions::*;
use crate::postgres::call::export;
use crate::postgres::timestamp::TimestampTz;
use comb_id::index_order::TimeOrder;
use uuid::Uuid;

export!(
    comb_time_cmp = cmp::<TimeOrder>,
    comb_time_lt = lt::<TimeOrder>,
    comb_time_le = le::<TimeOrder>,
    comb_time_ge = ge::<TimeOrder>,
    comb_time_gt = gt::<TimeOrder>,
    comb_time_sortsupport = sort_support::<TimeOrder>,
    comb_time_skipsupport = skip_support::<TimeOrder>,
    comb_first_from,
    comb_last_before,
);

/// The first UUID of a time or later.
fn comb_first_from(at: TimestampTz) -> Uuid {
    TimeOrder::first_from(at.unix_micros())
}

/// The last UUID before a time.
fn comb_last_before(at: TimestampTz) -> Uuid {
    TimeOrder::last_before(at.unix_micros())
}
