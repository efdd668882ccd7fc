//! Skip support of an order of ours, which PostgreSQL 18 and newer calls. It is in the libraries of older
//! major versions too, so that one install script serves all.

use pgrx::pg_sys::{self, Datum};

use super::call::{Answer, Call, uuid};
use super::compat::SkipSupportData;
use comb_id::index_order::IndexOrder;
use uuid::Uuid;

/// The answer of a skip support function: `call` is given the SkipSupport of a scan.
pub fn skip_support<O: IndexOrder>(call: Call) -> Answer {
    let support = SkipSupportData {
        low_elem: uuid(O::FIRST),
        high_elem: uuid(O::LAST),
        decrement: decrement::<O>,
        increment: increment::<O>,
    };
    // SAFETY: the scan calls it with its SkipSupport, every field of which is to be set.
    unsafe { call.pointer::<SkipSupportData>(0).write(support) };
    Ok(Datum::null())
}

/// # Safety
/// A datum of a uuid, and where to say that there is no such neighbour.
unsafe extern "C-unwind" fn decrement<O: IndexOrder>(
    _: pg_sys::Relation,
    existing: Datum,
    overflow: *mut bool,
) -> Datum {
    unsafe { neighbour(O::previous, existing, overflow) }
}

/// # Safety
/// As `decrement`.
unsafe extern "C-unwind" fn increment<O: IndexOrder>(
    _: pg_sys::Relation,
    existing: Datum,
    overflow: *mut bool,
) -> Datum {
    unsafe { neighbour(O::next, existing, overflow) }
}

/// # Safety
/// As `decrement`.
unsafe fn neighbour(of: fn(&Uuid) -> Option<Uuid>, existing: Datum, overflow: *mut bool) -> Datum {
    // SAFETY: a uuid's datum points to 16 bytes; the scan gave a place for the answer.
    unsafe {
        let neighbour = of(&*existing.cast_mut_ptr::<Uuid>());
        *overflow = neighbour.is_none();
        neighbour.map_or(Datum::null(), uuid)
    }
}
