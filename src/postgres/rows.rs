//! Rows as a result: one of a composite type, or a set.

use pgrx::pg_sys;
use pgrx::pg_sys::Datum;

use super::call::{Answer, Call};
use super::raw;

/// More columns than any function of ours has.
const MOST_COLUMNS: usize = 32;

/// Values and their NULLs as PostgreSQL takes them. Columns beyond those given are NULL: the SQL
/// declaration of a later version of the extension may have more.
struct Columns {
    values: [Datum; MOST_COLUMNS],
    nulls: [bool; MOST_COLUMNS],
}

impl Columns {
    fn of(columns: &[Option<Datum>]) -> Self {
        let mut row = Self { values: [Datum::null(); MOST_COLUMNS], nulls: [true; MOST_COLUMNS] };
        for ((value, null), column) in row.values.iter_mut().zip(&mut row.nulls).zip(columns) {
            (*value, *null) = (column.unwrap_or(Datum::null()), column.is_none());
        }
        row
    }
}

/// One row of the type that the SQL declaration says. An earlier version's may have fewer columns, the
/// first ones.
///
/// # Safety
/// The columns are of the types that every version of the SQL declaration says, in its order, and that has
/// no more than [`MOST_COLUMNS`].
pub unsafe fn row(call: Call, columns: &[Option<Datum>]) -> Answer {
    let columns = Columns::of(columns);
    let mut description = std::ptr::null_mut();
    // SAFETY: the caller's word.
    unsafe {
        raw::get_call_result_type(call.info(), std::ptr::null_mut(), &raw mut description);
        let tuple =
            raw::heap_form_tuple(description, columns.values.as_ptr(), columns.nulls.as_ptr());
        Ok(raw::HeapTupleHeaderGetDatum((*tuple).t_data))
    }
}

/// The rows of a set-returning function, collected before it returns.
pub struct Rows {
    info: *mut pg_sys::ReturnSetInfo,
}

impl Rows {
    /// # Safety
    /// A call of a set-returning function; what is put in are columns as for [`row`].
    pub unsafe fn begin(call: Call) -> Self {
        // SAFETY: the caller's word. It checks that the caller takes a materialized set.
        unsafe {
            raw::InitMaterializedSRF(call.info(), 0);
            Self { info: (*call.info()).resultinfo.cast() }
        }
    }

    pub fn put(&self, columns: &[Option<Datum>]) {
        let columns = Columns::of(columns);
        // SAFETY: InitMaterializedSRF filled these in.
        unsafe {
            raw::tuplestore_putvalues(
                (*self.info).setResult,
                (*self.info).setDesc,
                columns.values.as_ptr(),
                columns.nulls.as_ptr(),
            );
        }
    }
}
