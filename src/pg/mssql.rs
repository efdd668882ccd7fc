//! SQL Server's order: comparison and sort support.

use std::cmp::Ordering;
use std::ffi::c_int;

use pgrx::pg_sys;
use pgrx::pg_sys::{Datum, SortSupport};

use super::call::{Call, sql_function};
use super::raw;
use crate::id::abbreviation::Abbreviation;
use crate::id::byte_order::{ByteOrder, Bytes};

#[inline(always)]
fn compare(call: Call) -> Ordering {
    ByteOrder::Sqlserver.compare(&call.uuid(0), &call.uuid(1))
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
        // SAFETY: the sort calls it with its SortSupport, which outlives the call.
        unsafe { prepare_sort(&mut *call.pointer(0)) };
        Ok(Datum::null())
    }
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
    let state = unsafe { raw::MemoryContextAlloc(sort.ssup_cxt, size_of::<Abbreviation>()) };
    unsafe { state.cast::<Abbreviation>().write(Abbreviation::START) };
    sort.ssup_extra = state;
    sort.comparator = Some(raw::ssup_datum_unsigned_cmp);
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
