//! SQL Server's order: comparison, sort support, skip support, and the bounds of layout mssql.

use std::cmp::Ordering;
use std::ffi::c_int;

use pgrx::pg_sys::{Datum, SortSupport};
use pgrx::{extension_sql_file, pg_sys};

use super::fast::fast_function;
use crate::abbreviate::Abbreviation;
use crate::layout::MSSQL;
use crate::order::{ByteOrder, Bytes};

extension_sql_file!("../../sql/mssql.sql", name = "mssql");
#[cfg(feature = "pg18")]
extension_sql_file!(
    "../../sql/mssql_skip_support.sql",
    name = "skip_support",
    requires = ["mssql"]
);

fast_function! {
    fn comb_mssql_cmp(call) {
        let order = ByteOrder::Sqlserver.compare(&call.uuid(0), &call.uuid(1));
        call.return_integer(order as i32)
    }
}

fast_function! {
    fn comb_mssql_lt(call) {
        let order = ByteOrder::Sqlserver.compare(&call.uuid(0), &call.uuid(1));
        call.return_boolean(order.is_lt())
    }
}

fast_function! {
    fn comb_mssql_le(call) {
        let order = ByteOrder::Sqlserver.compare(&call.uuid(0), &call.uuid(1));
        call.return_boolean(order.is_le())
    }
}

fast_function! {
    fn comb_mssql_ge(call) {
        let order = ByteOrder::Sqlserver.compare(&call.uuid(0), &call.uuid(1));
        call.return_boolean(order.is_ge())
    }
}

fast_function! {
    fn comb_mssql_gt(call) {
        let order = ByteOrder::Sqlserver.compare(&call.uuid(0), &call.uuid(1));
        call.return_boolean(order.is_gt())
    }
}

fast_function! {
    fn comb_mssql_smaller(call) {
        let first = ByteOrder::Sqlserver.compare(&call.uuid(0), &call.uuid(1)).is_le();
        call.return_argument(if first { 0 } else { 1 })
    }
}

fast_function! {
    fn comb_mssql_larger(call) {
        let first = ByteOrder::Sqlserver.compare(&call.uuid(0), &call.uuid(1)).is_ge();
        call.return_argument(if first { 0 } else { 1 })
    }
}

fast_function! {
    fn comb_mssql_lower_bound(call) {
        let bound = MSSQL.lower_bound(call.timestamptz(0).unix_micros());
        call.return_uuid_or_raise(Ok(bound))
    }
}

fast_function! {
    fn comb_mssql_sortsupport(call) {
        // SAFETY: the sort calls it with its SortSupport, which outlives the call.
        unsafe { prepare_sort(&mut *call.pointer(0)) };
        call.return_void()
    }
}

unsafe extern "C-unwind" {
    /// PostgreSQL's own: the sort recognises it by its address, which that of pgrx's binding is not,
    /// and then compares abbreviated keys without calling it.
    fn ssup_datum_unsigned_cmp(x: Datum, y: Datum, ssup: SortSupport) -> c_int;
}

/// # Safety
/// `sort` is what a sort in progress gave its sort support function.
unsafe fn prepare_sort(sort: &mut pg_sys::SortSupportData) {
    sort.comparator = Some(compare_whole);
    sort.ssup_extra = std::ptr::null_mut();
    if !sort.abbreviate {
        return;
    }
    // SAFETY: the sort's memory context lives as long as the sort. Out of memory, PostgreSQL jumps
    // over frames that hold nothing to be dropped.
    let state = unsafe { pg_sys::MemoryContextAlloc(sort.ssup_cxt, size_of::<Abbreviation>()) };
    unsafe { state.cast::<Abbreviation>().write(Abbreviation::START) };
    sort.ssup_extra = state;
    sort.comparator = Some(ssup_datum_unsigned_cmp);
    sort.abbrev_converter = Some(abbreviate);
    sort.abbrev_abort = Some(is_lost_work);
    sort.abbrev_full_comparator = Some(compare_whole);
}

/// # Safety
/// Both are datums of uuids.
unsafe extern "C-unwind" fn compare_whole(x: Datum, y: Datum, _: SortSupport) -> c_int {
    // SAFETY: a uuid's datum points to 16 bytes.
    let (x, y) = unsafe { (&*x.cast_mut_ptr::<Bytes>(), &*y.cast_mut_ptr::<Bytes>()) };
    match ByteOrder::Sqlserver.compare(x, y) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// # Safety
/// A datum of a uuid, and the sort that `prepare_sort` prepared.
unsafe extern "C-unwind" fn abbreviate(original: Datum, sort: SortSupport) -> Datum {
    // SAFETY: a uuid's datum points to 16 bytes; ssup_extra was set by prepare_sort.
    let (id, state) = unsafe {
        (&*original.cast_mut_ptr::<Bytes>(), &mut *(*sort).ssup_extra.cast::<Abbreviation>())
    };
    let key = (ByteOrder::Sqlserver.number(id) >> 64) as u64;
    state.note(key);
    Datum::from(key)
}

/// # Safety
/// The sort that `prepare_sort` prepared.
unsafe extern "C-unwind" fn is_lost_work(_: c_int, sort: SortSupport) -> bool {
    // SAFETY: ssup_extra was set by prepare_sort.
    unsafe { (*(*sort).ssup_extra.cast::<Abbreviation>()).is_lost_work() }
}

#[cfg(feature = "pg18")]
mod skip_support {
    use super::*;
    use crate::order::{sqlserver_next, sqlserver_previous};
    use crate::pg::fast::new_uuid;

    /// PostgreSQL 18's SkipSupportData (utils/skipsupport.h), which pgrx does not bind.
    #[repr(C)]
    struct SkipSupportData {
        low_elem: Datum,
        high_elem: Datum,
        decrement: Step,
        increment: Step,
    }

    type Step = unsafe extern "C-unwind" fn(pg_sys::Relation, Datum, *mut bool) -> Datum;

    fast_function! {
        fn comb_mssql_skipsupport(call) {
            let support = SkipSupportData {
                low_elem: new_uuid([0; 16]),
                high_elem: new_uuid([0xff; 16]),
                decrement,
                increment,
            };
            // SAFETY: the scan calls it with its SkipSupport, every field of which is to be set.
            unsafe { call.pointer::<SkipSupportData>(0).write(support) };
            call.return_void()
        }
    }

    /// # Safety
    /// A datum of a uuid, and where to say that there is no such neighbour.
    unsafe extern "C-unwind" fn decrement(
        _: pg_sys::Relation,
        existing: Datum,
        overflow: *mut bool,
    ) -> Datum {
        unsafe { neighbour(sqlserver_previous, existing, overflow) }
    }

    /// # Safety
    /// As `decrement`.
    unsafe extern "C-unwind" fn increment(
        _: pg_sys::Relation,
        existing: Datum,
        overflow: *mut bool,
    ) -> Datum {
        unsafe { neighbour(sqlserver_next, existing, overflow) }
    }

    /// # Safety
    /// As `decrement`.
    unsafe fn neighbour(
        of: fn(&Bytes) -> Option<Bytes>,
        existing: Datum,
        overflow: *mut bool,
    ) -> Datum {
        // SAFETY: a uuid's datum points to 16 bytes; the scan gave a place for the answer.
        unsafe {
            let neighbour = of(&*existing.cast_mut_ptr::<Bytes>());
            *overflow = neighbour.is_none();
            neighbour.map_or(Datum::null(), new_uuid)
        }
    }
}
