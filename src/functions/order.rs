//! What an index order needs in SQL: comparison, operators, sort and skip support.

/// The functions of an [`IndexOrder`](comb_id::index_order::IndexOrder), by their names.
macro_rules! order_functions {
    ($order:ty: $cmp:ident, $lt:ident, $le:ident, $ge:ident, $gt:ident, $sort:ident, $skip:ident) => {
        #[inline(always)]
        fn compare(call: $crate::postgres::call::Call) -> std::cmp::Ordering {
            <$order as comb_id::index_order::IndexOrder>::compare(&call.uuid(0), &call.uuid(1))
        }

        $crate::postgres::call::sql_functions! {
            fn $cmp(call) { Ok(pgrx::pg_sys::Datum::from(compare(call) as i32)) }
            fn $lt(call) { Ok(pgrx::pg_sys::Datum::from(compare(call).is_lt())) }
            fn $le(call) { Ok(pgrx::pg_sys::Datum::from(compare(call).is_le())) }
            fn $ge(call) { Ok(pgrx::pg_sys::Datum::from(compare(call).is_ge())) }
            fn $gt(call) { Ok(pgrx::pg_sys::Datum::from(compare(call).is_gt())) }
            fn $sort(call) { $crate::postgres::sort_support::sort_support::<$order>(call) }
            fn $skip(call) { $crate::postgres::skip_support::skip_support::<$order>(call) }
        }
    };
}
pub(crate) use order_functions;
