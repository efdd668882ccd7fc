//! SQL Server's order.

use std::cmp::Ordering;

use pgrx::pg_sys::Datum;

use crate::postgres::call::{Call, sql_function};
use crate::postgres::skip_support::skip_support;
use crate::postgres::sort_support::sort_support;
use comb_id::index_order::{IndexOrder, SqlserverOrder};

#[inline(always)]
fn compare(call: Call) -> Ordering {
    SqlserverOrder::compare(&call.uuid(0), &call.uuid(1))
}

sql_function! {
    fn comb_mssql_cmp(call) {
        Ok(Datum::from(compare(call) as i32))
    }
}

sql_function! {
    fn comb_mssql_lt(call) {
        Ok(Datum::from(compare(call).is_lt()))
    }
}

sql_function! {
    fn comb_mssql_le(call) {
        Ok(Datum::from(compare(call).is_le()))
    }
}

sql_function! {
    fn comb_mssql_ge(call) {
        Ok(Datum::from(compare(call).is_ge()))
    }
}

sql_function! {
    fn comb_mssql_gt(call) {
        Ok(Datum::from(compare(call).is_gt()))
    }
}

sql_function! {
    fn comb_mssql_smaller(call) {
        Ok(call.argument(if compare(call).is_le() { 0 } else { 1 }))
    }
}

sql_function! {
    fn comb_mssql_larger(call) {
        Ok(call.argument(if compare(call).is_ge() { 0 } else { 1 }))
    }
}

sql_function! {
    fn comb_mssql_sortsupport(call) {
        sort_support::<SqlserverOrder>(call)
    }
}

sql_function! {
    fn comb_mssql_skipsupport(call) {
        skip_support::<SqlserverOrder>(call)
    }
}
