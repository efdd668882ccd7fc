//! Rows as a result: one of a composite type, or a set.

use pgrx::pg_sys::{self, Datum};

use super::call::{ANY, Call, Value};
use super::compat::Const;
use super::raw;

/// Values and their NULLs in PostgreSQL's form, one for each column of the SQL declaration. That of an earlier or a later version
/// of the extension can have fewer columns than are given, or more, which are NULL.
///
/// # Safety
/// A tuple descriptor.
unsafe fn in_arrays(columns: &[Option<Datum>], description: pg_sys::TupleDesc) -> (*mut Datum, *mut bool) {
    // SAFETY: guaranteed by the caller. Both arrays have an element for each column.
    unsafe {
        let count = (*description).natts as usize;
        let values = raw::palloc(count * size_of::<Datum>()).cast::<Datum>();
        let nulls = raw::palloc(count * size_of::<bool>()).cast::<bool>();
        for index in 0..count {
            let value = columns.get(index).copied().flatten();
            values.add(index).write(value.unwrap_or(Datum::null()));
            nulls.add(index).write(value.is_none());
        }
        (values, nulls)
    }
}

/// One row of the type in the SQL declaration.
///
/// # Safety
/// The columns have the types and the order of every version of the SQL declaration.
pub unsafe fn row(call: Call, columns: &[Option<Datum>]) -> Datum {
    let mut description = std::ptr::null_mut();
    // SAFETY: guaranteed by the caller. Before version 17, heap_form_tuple() has mutable pointers as parameters and only reads
    // from them.
    unsafe {
        raw::get_call_result_type(call.info(), std::ptr::null_mut(), &raw mut description);
        let (values, nulls) = in_arrays(columns, description);
        let tuple = raw::heap_form_tuple(description, values as Const<_>, nulls as Const<_>);
        raw::HeapTupleHeaderGetDatum((*tuple).t_data)
    }
}

/// The rows of a set-returning function, collected before it returns.
pub struct Rows {
    info: *mut pg_sys::ReturnSetInfo,
}

impl Rows {
    /// # Safety
    /// The function returns a set; the columns of its rows are as for [`row`].
    pub unsafe fn begin(call: Call) -> Self {
        // SAFETY: guaranteed by the caller. It checks that the caller accepts a materialized set.
        unsafe {
            raw::InitMaterializedSRF(call.info(), 0);
            Self { info: (*call.info()).resultinfo.cast() }
        }
    }

    pub fn put(&self, columns: &[Option<Datum>]) {
        // SAFETY: InitMaterializedSRF filled these in, and tuplestore_putvalues() only reads from the arrays.
        unsafe {
            let (values, nulls) = in_arrays(columns, (*self.info).setDesc);
            raw::tuplestore_putvalues((*self.info).setResult, (*self.info).setDesc, values as Const<_>, nulls as Const<_>);
        }
    }
}

impl Value for Rows {
    const SQL: &'static str = ANY;

    fn datum(self) -> Datum {
        Datum::null()
    }
}
