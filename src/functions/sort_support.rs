//! Sorting in SQL Server's order, by abbreviated keys.

use std::ffi::c_int;

use pgrx::pg_sys::{self, Datum, SortSupport};

use super::mssql_order::ORDER;
use crate::postgres::call::export;
use crate::postgres::compat::HyperLogLog;
use crate::postgres::raw;
use uuid::Uuid;

export!(comb_mssql_sortsupport);

fn comb_mssql_sortsupport(sort: *mut pg_sys::SortSupportData) -> Datum {
    // SAFETY: the sort calls it with its SortSupport, which outlives the call.
    unsafe { prepare_sort(&mut *sort) };
    Datum::null()
}

/// The number of distinct abbreviated keys of a sort so far, estimated as in PostgreSQL's uuid.c.
struct Abbreviation {
    keys: i64,
    is_estimating: bool,
    distinct: HyperLogLog,
}

/// # Safety
/// `sort` is the SortSupport of a sort in progress.
unsafe fn prepare_sort(sort: &mut pg_sys::SortSupportData) {
    sort.comparator = Some(compare_whole);
    sort.ssup_extra = std::ptr::null_mut();
    if !sort.abbreviate {
        return;
    }
    // SAFETY: the sort's memory context lives as long as the sort.
    unsafe {
        let caller = pg_sys::CurrentMemoryContext;
        pg_sys::CurrentMemoryContext = sort.ssup_cxt;
        let state = raw::palloc(size_of::<Abbreviation>()).cast::<Abbreviation>();
        (&raw mut (*state).keys).write(0);
        (&raw mut (*state).is_estimating).write(true);
        raw::initHyperLogLog(&raw mut (*state).distinct, 10);
        pg_sys::CurrentMemoryContext = caller;
        sort.ssup_extra = state.cast();
    }
    sort.comparator = Some(raw::ssup_datum_unsigned_cmp);
    sort.abbrev_converter = Some(abbreviate);
    sort.abbrev_abort = Some(stops_abbreviating);
    sort.abbrev_full_comparator = Some(compare_whole);
}

/// # Safety
/// The datums are those of uuids.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn compare_whole(x: Datum, y: Datum, _sort: SortSupport) -> c_int {
    // SAFETY: a uuid's datum points to 16 bytes.
    let (x, y) = unsafe { (&*x.cast_mut_ptr::<Uuid>(), &*y.cast_mut_ptr::<Uuid>()) };
    ORDER.compare(x, y) as c_int
}

/// # Safety
/// `original` is the datum of a uuid, and `prepare_sort` has prepared the sort.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn abbreviate(original: Datum, sort: SortSupport) -> Datum {
    // SAFETY: a uuid's datum points to 16 bytes; ssup_extra was set by prepare_sort.
    let (id, state) = unsafe { (&*original.cast_mut_ptr::<Uuid>(), &mut *(*sort).ssup_extra.cast::<Abbreviation>()) };
    let key = ORDER.upper_half(id);
    state.keys += 1;
    if state.is_estimating {
        // SAFETY: prepare_sort has created the estimator.
        unsafe {
            let hash = raw::hash_bytes_uint32(key as u32 ^ (key >> 32) as u32);
            raw::addHyperLogLog(&raw mut state.distinct, hash);
        }
    }
    Datum::from(key)
}

/// Whether keys tie so often that UUIDs should be compared as a whole: the rule of uuid_abbrev_abort() in uuid.c.
///
/// # Safety
/// `prepare_sort` has prepared the sort.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn stops_abbreviating(rows: c_int, sort: SortSupport) -> bool {
    // SAFETY: ssup_extra was set by prepare_sort.
    let state = unsafe { &mut *(*sort).ssup_extra.cast::<Abbreviation>() };
    if rows < 10_000 || state.keys < 10_000 || !state.is_estimating {
        return false;
    }
    // SAFETY: prepare_sort has created the estimator.
    let distinct = unsafe { raw::estimateHyperLogLog(&raw mut state.distinct) };
    // With this many distinct keys, abbreviation is faster for any number of UUIDs.
    if distinct > 100_000.0 {
        state.is_estimating = false;
        return false;
    }
    distinct < state.keys as f64 / 2000.0 + 0.5
}
