//! Skip support of an order of ours, which PostgreSQL 18 and newer calls. It is in the libraries of older
//! major versions too, so that one install script serves all.

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
    // SAFETY: the scan calls it with its SkipSupport, every field of which is to be set.
    unsafe { scan.write(support) };
    Datum::null()
}

/// The next uuid, or the previous one.
///
/// # Safety
/// A datum of a uuid, and where to say that there is no such neighbour.
unsafe extern "C-unwind" fn neighbour<O: IndexOrder, const NEXT: bool>(
    _: pg_sys::Relation,
    existing: Datum,
    overflow: *mut bool,
) -> Datum {
    let of = if NEXT { O::next } else { O::previous };
    // SAFETY: a uuid's datum points to 16 bytes; the scan gave a place for the answer.
    unsafe {
        let neighbour = of(&*existing.cast_mut_ptr::<Uuid>());
        *overflow = neighbour.is_none();
        neighbour.map_or(Datum::null(), Uuid::datum)
    }
}
