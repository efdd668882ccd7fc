//! A build without the feature `mutants` makes none of the mistakes of mutation.rs: the compiler removes the points.

use pgrx::pg_sys::{self, Datum};

#[inline(always)]
pub const fn is(_mistake: &str) -> bool {
    false
}

#[inline(always)]
pub const fn pause() {}

#[inline(always)]
pub fn early<T>(_mistake: &str, _step: impl FnOnce() -> T) -> Option<T> {
    None
}

#[inline(always)]
pub const fn stop() {}

#[inline(always)]
pub const fn releases_before_commit(_lock: &pg_sys::LOCKTAG) -> bool {
    false
}

#[inline(always)]
pub const fn loaded() {}

#[inline(always)]
pub const fn allocate() {}

#[inline(always)]
pub const unsafe fn jsonb_by_pgrx(_text: Datum) -> Option<Datum> {
    None
}
