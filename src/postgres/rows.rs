//! Rows as a result: one of a composite type, or a set.

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum};

use super::call::{Call, Value};
use super::compat::Const;
use super::raw;
use super::report::{Report, report};

/// More columns than any function of ours has.
const MAX_COLUMNS: usize = 32;

/// Values and their NULLs in PostgreSQL's form. Columns beyond the given ones are NULL: the SQL
/// declaration of a later version of the extension may have more.
struct Columns {
    values: [Datum; MAX_COLUMNS],
    nulls: [bool; MAX_COLUMNS],
}

const _: () = assert!(!std::mem::needs_drop::<Columns>() && !std::mem::needs_drop::<Rows>());

impl Columns {
    fn of<'a>(columns: impl IntoIterator<Item = &'a Option<Datum>>) -> Self {
        let mut row = Self { values: [Datum::null(); MAX_COLUMNS], nulls: [true; MAX_COLUMNS] };
        for ((value, null), column) in row.values.iter_mut().zip(&mut row.nulls).zip(columns) {
            (*value, *null) = (column.unwrap_or(Datum::null()), column.is_none());
        }
        row
    }
}

/// Checks the number of columns, because PostgreSQL reads a value for each column of the SQL declaration.
///
/// # Safety
/// `description` is a tuple descriptor.
unsafe fn check_columns(description: pg_sys::TupleDesc) -> Result<(), Report> {
    // SAFETY: guaranteed by the caller.
    let columns = unsafe { (*description).natts };
    if columns as usize <= MAX_COLUMNS {
        return Ok(());
    }
    Err(report!(ERRCODE_DATATYPE_MISMATCH, "declaration of the function has too many columns: {columns}")
        .hint("The library is older than the extension. Install the newer library."))
}

/// One row of the type in the SQL declaration. The declaration of an earlier version may have only the first columns.
///
/// # Safety
/// The columns have the types and the order of every version of the SQL declaration.
pub unsafe fn row<'a>(call: Call, columns: impl IntoIterator<Item = &'a Option<Datum>>) -> Result<Datum, Report> {
    let columns = Columns::of(columns);
    let mut description = std::ptr::null_mut();
    // SAFETY: guaranteed by the caller. Before version 17 the functions have mutable pointers as parameters and only read
    // from them.
    unsafe {
        raw::get_call_result_type(call.info(), std::ptr::null_mut(), &raw mut description);
        check_columns(description)?;
        let (values, nulls) = (columns.values.as_ptr(), columns.nulls.as_ptr());
        let tuple = raw::heap_form_tuple(description, values as Const<_>, nulls as Const<_>);
        Ok(raw::HeapTupleHeaderGetDatum((*tuple).t_data))
    }
}

/// The rows of a set-returning function, collected before it returns.
pub struct Rows {
    info: *mut pg_sys::ReturnSetInfo,
}

impl Rows {
    /// # Safety
    /// The function returns a set; the columns of its rows are as for [`row`].
    pub unsafe fn begin(call: Call) -> Result<Self, Report> {
        // SAFETY: guaranteed by the caller. It checks that the caller accepts a materialized set.
        unsafe {
            raw::InitMaterializedSRF(call.info(), 0);
            let info: *mut pg_sys::ReturnSetInfo = (*call.info()).resultinfo.cast();
            check_columns((*info).setDesc)?;
            Ok(Self { info })
        }
    }

    pub fn put(&self, columns: &[Option<Datum>]) {
        let columns = Columns::of(columns);
        // SAFETY: InitMaterializedSRF filled these in.
        unsafe {
            raw::tuplestore_putvalues(
                (*self.info).setResult,
                (*self.info).setDesc,
                columns.values.as_ptr() as Const<_>,
                columns.nulls.as_ptr() as Const<_>,
            );
        }
    }
}

impl Value for Rows {
    fn datum(self) -> Datum {
        Datum::null()
    }
}
