//! The order in which ids that are not of version 7 come first.

use std::cmp::Ordering;

use pgrx::pg_sys::Datum;

use crate::postgres::call::{Call, sql_function, uuid};
use crate::postgres::skip_support::skip_support;
use crate::postgres::sort_support::sort_support;
use comb_id::index_order::{IndexOrder, TimeOrder};

#[inline(always)]
fn compare(call: Call) -> Ordering {
    TimeOrder::compare(&call.uuid(0), &call.uuid(1))
}

sql_function! {
    fn comb_time_cmp(call) {
        Ok(Datum::from(compare(call) as i32))
    }
}

sql_function! {
    fn comb_time_lt(call) {
        Ok(Datum::from(compare(call).is_lt()))
    }
}

sql_function! {
    fn comb_time_le(call) {
        Ok(Datum::from(compare(call).is_le()))
    }
}

sql_function! {
    fn comb_time_ge(call) {
        Ok(Datum::from(compare(call).is_ge()))
    }
}

sql_function! {
    fn comb_time_gt(call) {
        Ok(Datum::from(compare(call).is_gt()))
    }
}

sql_function! {
    fn comb_time_sortsupport(call) {
        sort_support::<TimeOrder>(call)
    }
}

sql_function! {
    fn comb_time_skipsupport(call) {
        skip_support::<TimeOrder>(call)
    }
}

sql_function! {
    /// The first id of a moment or later, any moment.
    fn comb_first_from(call) {
        Ok(uuid(TimeOrder::first_from(call.timestamptz(0).unix_micros())))
    }
}

sql_function! {
    /// The last id before a moment, any moment.
    fn comb_last_before(call) {
        Ok(uuid(TimeOrder::last_before(call.timestamptz(0).unix_micros())))
    }
}
