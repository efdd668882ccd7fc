//! Sorting in an order of ours, by abbreviated keys.

use std::cmp::Ordering;
use std::ffi::c_int;

use pgrx::pg_sys;
use pgrx::pg_sys::{Datum, SortSupport};

use super::call::{Answer, Call};
use super::raw;
use comb_id::abbreviation::Abbreviation;
use comb_id::index_order::IndexOrder;
use uuid::Uuid;

/// The answer of a sort support function: `call` is given the SortSupport of a sort.
pub fn sort_support<O: IndexOrder>(call: Call) -> Answer {
    // SAFETY: the sort calls it with its SortSupport, which outlives the call.
    unsafe { prepare_sort::<O>(&mut *call.pointer(0)) };
    Ok(Datum::null())
}

/// # Safety
/// `sort` is what a sort in progress gave its sort support function.
unsafe fn prepare_sort<O: IndexOrder>(sort: &mut pg_sys::SortSupportData) {
    sort.comparator = Some(compare_whole::<O>);
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
    sort.abbrev_converter = Some(abbreviate::<O>);
    sort.abbrev_abort = Some(is_lost_work);
    sort.abbrev_full_comparator = Some(compare_whole::<O>);
}

/// # Safety
/// Both are datums of uuids.
unsafe extern "C-unwind" fn compare_whole<O: IndexOrder>(
    x: Datum,
    y: Datum,
    _: SortSupport,
) -> c_int {
    // SAFETY: a uuid's datum points to 16 bytes.
    let (x, y) = unsafe { (&*x.cast_mut_ptr::<Uuid>(), &*y.cast_mut_ptr::<Uuid>()) };
    match O::compare(x, y) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    }
}

/// # Safety
/// A datum of a uuid, and the sort that `prepare_sort` prepared.
unsafe extern "C-unwind" fn abbreviate<O: IndexOrder>(original: Datum, sort: SortSupport) -> Datum {
    // SAFETY: a uuid's datum points to 16 bytes; ssup_extra was set by prepare_sort.
    let (id, state) = unsafe {
        (&*original.cast_mut_ptr::<Uuid>(), &mut *(*sort).ssup_extra.cast::<Abbreviation>())
    };
    let key = O::abbreviated(id);
    state.note(key);
    Datum::from(key)
}

/// # Safety
/// The sort that `prepare_sort` prepared.
unsafe extern "C-unwind" fn is_lost_work(_: c_int, sort: SortSupport) -> bool {
    // SAFETY: ssup_extra was set by prepare_sort.
    unsafe { (*(*sort).ssup_extra.cast::<Abbreviation>()).is_lost_work() }
}
