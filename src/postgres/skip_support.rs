//! Skip support of an order of ours, which PostgreSQL calls from version 18 on. The libraries for older major versions
//! have it as well, so that one install script serves all.

use pgrx::pg_sys::{self, Datum};

use super::call::Value;
use super::compat::SkipSupportData;
use comb_id::index_order::IndexOrder;
use uuid::Uuid;

/// A skip support function, which gets the SkipSupport of a scan.
pub fn skip_support<O: IndexOrder>(scan: *mut SkipSupportData) -> Datum {
    let support = SkipSupportData {
        low_elem: O::FIRST.datum(),
        high_elem: O::LAST.datum(),
        decrement: neighbour::<O, false>,
        increment: neighbour::<O, true>,
    };
    // SAFETY: the scan calls it with its SkipSupport, and reads every field.
    unsafe { scan.write(support) };
    Datum::null()
}

/// The next uuid, or the previous one.
///
/// # Safety
/// `existing` is the datum of a uuid, and `overflow` can be written.
unsafe extern "C-unwind" fn neighbour<O: IndexOrder, const NEXT: bool>(
    _: pg_sys::Relation,
    existing: Datum,
    overflow: *mut bool,
) -> Datum {
    let step = if NEXT { O::next } else { O::previous };
    // SAFETY: guaranteed by the caller. A uuid's datum points to 16 bytes.
    unsafe {
        let neighbour = step(&*existing.cast_mut_ptr::<Uuid>());
        *overflow = neighbour.is_none();
        neighbour.map_or(Datum::null(), Uuid::datum)
    }
}
