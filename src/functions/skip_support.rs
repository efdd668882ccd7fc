//! Skip support of SQL Server's order, which PostgreSQL calls from version 18 on. The libraries for older major versions
//! have it as well, so that one install script serves all.

use pgrx::pg_sys::{self, Datum};

use super::mssql_order::ORDER;
use crate::postgres::call::{Value, export};
use crate::postgres::compat::SkipSupportData;
use comb_id::byte_order::ByteOrder;
use uuid::Uuid;

export!(comb_mssql_skipsupport);

fn comb_mssql_skipsupport(scan: *mut SkipSupportData) -> Datum {
    let support = SkipSupportData {
        low_elem: Uuid::nil().datum(),
        high_elem: Uuid::max().datum(),
        decrement: neighbour::<false>,
        increment: neighbour::<true>,
    };
    // SAFETY: the scan calls it with its SkipSupport, and reads every field.
    unsafe { scan.write(support) };
    Datum::null()
}

/// The next uuid, or the previous one.
///
/// # Safety
/// `existing` is the datum of a uuid, and `overflow` can be written.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn neighbour<const NEXT: bool>(_index: pg_sys::Relation, existing: Datum, overflow: *mut bool) -> Datum {
    let step = if NEXT { ByteOrder::next } else { ByteOrder::previous };
    // SAFETY: guaranteed by the caller. A uuid's datum points to 16 bytes.
    unsafe {
        let neighbour = step(ORDER, &*existing.cast_mut_ptr::<Uuid>());
        *overflow = neighbour.is_none();
        neighbour.map_or(Datum::null(), Uuid::datum)
    }
}
