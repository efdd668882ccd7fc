//! The one way in which SQL functions are written: `sql_functions!` over a [`Call`].
//!
//! Rationale: the wrapper that pgrx's `#[pg_extern]` writes catches panics, switches memory contexts and
//! boxes arguments, which costs about 10 ns a call, a sixth of comb_new(). These functions read their
//! arguments straight from the call.

use std::mem::needs_drop;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum};

use super::raw;
use super::report::{List, Report, report};
use super::timestamp::TimestampTz;
use comb_id::layout::Layout;
use comb_id::layouts::{LAYOUTS, labelled};
use uuid::Uuid;

/// What a SQL function answers.
pub type Answer = Result<Datum, Report>;

// An ERROR jumps over the frames that hold one.
const _: () = assert!(!needs_drop::<Answer>());

/// One call of a function.
#[derive(Clone, Copy)]
pub struct Call(pg_sys::FunctionCallInfo);

impl Call {
    /// # Safety
    /// A valid call. The function takes as many arguments as its declaration has, by their numbers and of their types:
    /// the methods below that read an argument trust it. If it is not STRICT, it asks [`Self::is_null`] of an argument
    /// before it reads one.
    pub unsafe fn new(fcinfo: pg_sys::FunctionCallInfo) -> Self {
        Self(fcinfo)
    }

    pub fn info(&self) -> pg_sys::FunctionCallInfo {
        self.0
    }

    #[inline(always)]
    pub fn is_null(&self, index: usize) -> bool {
        // SAFETY: the SQL declaration has that many arguments.
        unsafe { (*(*self.0).args.as_ptr().add(index)).isnull }
    }

    #[inline(always)]
    pub fn argument(&self, index: usize) -> Datum {
        // SAFETY: the contract of `new`.
        unsafe { (*(*self.0).args.as_ptr().add(index)).value }
    }

    /// An argument that SQL declares as uuid or uniqueidentifier.
    #[inline(always)]
    pub fn uuid(&self, index: usize) -> Uuid {
        // SAFETY: the contract of `new`. A uuid's datum points to 16 bytes of any alignment.
        unsafe { self.argument(index).cast_mut_ptr::<Uuid>().read() }
    }

    /// An argument that SQL declares as text, and that names a layout.
    #[inline(always)]
    pub fn layout(&self, index: usize) -> Result<&'static Layout, Report> {
        let name = self.text(index);
        labelled(name).ok_or_else(|| unknown_layout(name))
    }

    /// An argument that SQL declares as timestamptz.
    #[inline(always)]
    pub fn timestamptz(&self, index: usize) -> TimestampTz {
        TimestampTz(self.argument(index).value() as pg_sys::TimestampTz)
    }

    /// An argument that SQL declares as text, in the encoding of the database. It lives as long as the
    /// call.
    #[inline(always)]
    pub fn text(&self, index: usize) -> &[u8] {
        // SAFETY: the contract of `new`. A text is a varlena, which may be compressed or stored elsewhere until it is
        // detoasted.
        unsafe {
            let text = raw::pg_detoast_datum_packed(self.argument(index).cast_mut_ptr());
            pgrx::varlena::varlena_to_byte_slice(text)
        }
    }

    /// An argument that SQL declares as regclass.
    pub fn oid(&self, index: usize) -> pg_sys::Oid {
        pg_sys::Oid::from_u32(self.argument(index).value() as u32)
    }

    /// An argument that SQL declares as internal.
    #[inline(always)]
    pub fn pointer<T>(&self, index: usize) -> *mut T {
        self.argument(index).cast_mut_ptr()
    }

    pub fn null(&self) -> Answer {
        // SAFETY: the call is valid for the time of the function.
        unsafe { (*self.0).isnull = true };
        Ok(Datum::null())
    }

    /// A timestamptz of microseconds since the Unix epoch, or NULL.
    #[inline(always)]
    pub fn timestamptz_or_null(&self, micros: Option<i64>) -> Answer {
        match micros {
            Some(micros) => Ok(TimestampTz::from_unix_micros(micros).datum()),
            None => self.null(),
        }
    }
}

#[cold]
pub fn unknown_layout(name: &[u8]) -> Report {
    let labels = List(LAYOUTS.iter().map(|layout| layout.label));
    report!(ERRCODE_INVALID_PARAMETER_VALUE, "unrecognized UUID layout: ")
        .quote(name)
        .hint(format_args!("The layouts are {labels}."))
}

/// A value that SQL passes by reference, in the memory context of the caller.
#[inline(always)]
fn by_reference<T: Copy>(value: T) -> Datum {
    // SAFETY: palloc returns so many bytes, aligned for any type of SQL, or raises an ERROR.
    unsafe {
        let place = raw::palloc(size_of::<T>()).cast::<T>();
        place.write(value);
        Datum::from(place)
    }
}

#[inline(always)]
pub fn uuid(id: Uuid) -> Datum {
    by_reference(id)
}

/// A text of ASCII, which every encoding of a database has.
pub fn ascii(text: &[u8]) -> Datum {
    // SAFETY: copies so many bytes from there into the memory context of the caller. No text of ours is
    // longer than an i32 counts.
    unsafe { Datum::from(raw::cstring_to_text_with_len(text.as_ptr().cast(), text.len() as i32)) }
}

pub fn interval_of_micros(micros: i64) -> Datum {
    by_reference(pg_sys::Interval { time: micros, day: 0, month: 0 })
}

/// Exports functions of a [`Call`] to PostgreSQL under its version 1 calling convention.
macro_rules! sql_functions {
    ($($(#[$doc:meta])* fn $name:ident($call:ident) $body:block)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        extern "C-unwind" fn $name(fcinfo: pgrx::pg_sys::FunctionCallInfo) -> pgrx::pg_sys::Datum {
            #[inline(always)]
            fn answer($call: $crate::postgres::call::Call) -> $crate::postgres::call::Answer $body

            // SAFETY: PostgreSQL calls it, as a function that the SQL declares.
            match answer(unsafe { $crate::postgres::call::Call::new(fcinfo) }) {
                Ok(datum) => datum,
                Err(error) => error.raise(),
            }
        }

        const _: () = {
            #[unsafe(export_name = concat!("pg_finfo_", stringify!($name)))]
            extern "C" fn finfo() -> &'static pgrx::pg_sys::Pg_finfo_record {
                &pgrx::pg_sys::Pg_finfo_record { api_version: 1 }
            }
        };
    )*};
}
pub(crate) use sql_functions;
