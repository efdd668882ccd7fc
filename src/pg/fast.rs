//! SQL functions without pgrx's wrapper around them: those that are called once for each row, and those
//! that call built-in functions whose errors are to stay PostgreSQL's own.
//!
//! Rationale: the wrapper that `#[pg_extern]` writes catches panics, switches memory contexts and
//! boxes arguments, which costs about 10 ns a call, a sixth of comb_new(). These functions take their
//! arguments straight from the call; they cannot panic, and an error is raised behind pgrx's guard.

use pgrx::pg_sys;
use pgrx::pg_sys::submodules::panic::pgrx_extern_c_guard;

use super::error::Error;
use super::layouts;
use super::timestamp::TimestampTz;
use crate::layout::Layout;
use crate::order::Bytes;

unsafe extern "C-unwind" {
    /// PostgreSQL's own. pgrx's binding of it sets up a barrier (sigsetjmp) at every call, which
    /// the frames of these functions do not need: nothing in them waits to be dropped.
    fn palloc(size: usize) -> *mut u8;

    /// PostgreSQL's own, for the same reason, and because the barrier garbles an error's text that is
    /// not UTF-8.
    fn DirectFunctionCall2Coll(
        function: BuiltIn,
        collation: pg_sys::Oid,
        first: pg_sys::Datum,
        second: pg_sys::Datum,
    ) -> pg_sys::Datum;

    /// As palloc.
    fn cstring_to_text_with_len(text: *const u8, length: i32) -> *mut pg_sys::text;

    /// As above.
    fn pg_detoast_datum_packed(datum: *mut pg_sys::varlena) -> *mut pg_sys::varlena;
}

/// A SQL function that PostgreSQL brings.
pub type BuiltIn = unsafe extern "C-unwind" fn(pg_sys::FunctionCallInfo) -> pg_sys::Datum;

/// A uuid in the memory context of the caller.
#[inline(always)]
pub fn new_uuid(id: Bytes) -> pg_sys::Datum {
    // SAFETY: palloc gives 16 bytes, or does not return.
    unsafe {
        let result = palloc(size_of::<Bytes>()).cast::<Bytes>();
        result.write(id);
        pg_sys::Datum::from(result)
    }
}

/// One call of a STRICT function.
pub struct Call(pg_sys::FunctionCallInfo);

impl Call {
    /// # Safety
    /// A valid call of a STRICT function, which is not called with a NULL argument.
    pub unsafe fn new(fcinfo: pg_sys::FunctionCallInfo) -> Self {
        Self(fcinfo)
    }

    pub fn argument(&self, index: usize) -> pg_sys::Datum {
        // SAFETY: the SQL declaration gives the function that many arguments, none of them NULL.
        unsafe { (*(*self.0).args.as_ptr().add(index)).value }
    }

    /// An argument that SQL declares as uuid.
    #[inline(always)]
    pub fn uuid(&self, index: usize) -> Bytes {
        // SAFETY: a uuid's datum points to 16 bytes.
        unsafe { self.argument(index).cast_mut_ptr::<Bytes>().read() }
    }

    /// An argument that SQL declares as comb_layout.
    #[inline(always)]
    pub fn layout(&self, index: usize) -> &'static Layout {
        let label = pg_sys::Oid::from(self.argument(index).value() as u32);
        layouts::known(label).unwrap_or_else(|| {
            // SAFETY: the guard turns a panic into PostgreSQL's ERROR after its frames are gone.
            unsafe { pgrx_extern_c_guard(|| layouts::look_up(label)) }
        })
    }

    /// An argument that SQL declares as timestamptz.
    #[inline(always)]
    pub fn timestamptz(&self, index: usize) -> TimestampTz {
        TimestampTz(self.argument(index).value() as pg_sys::TimestampTz)
    }

    /// An argument that SQL declares as text, in the encoding of the database. pgrx's `&str` panics on
    /// bytes that are not UTF-8, which another encoding has.
    pub fn text(&self, index: usize) -> &[u8] {
        // SAFETY: a text is a varlena, which may be compressed or stored elsewhere until it is
        // detoasted; the result lives as long as the memory context of the call.
        unsafe {
            let text = pg_detoast_datum_packed(self.argument(index).cast_mut_ptr());
            pgrx::varlena::varlena_to_byte_slice(text)
        }
    }

    /// What a STRICT built-in function of two arguments that never answers NULL makes of them. Its
    /// errors are PostgreSQL's own.
    ///
    /// # Safety
    /// The datums are of the types that the function takes.
    pub unsafe fn of_builtin(
        &self,
        function: BuiltIn,
        first: pg_sys::Datum,
        second: pg_sys::Datum,
    ) -> pg_sys::Datum {
        // SAFETY: the caller's word; an error jumps over frames that hold nothing to be dropped.
        unsafe { DirectFunctionCall2Coll(function, pg_sys::Oid::INVALID, first, second) }
    }

    /// An argument that SQL declares as internal.
    #[inline(always)]
    pub fn pointer<T>(&self, index: usize) -> *mut T {
        self.argument(index).cast_mut_ptr()
    }

    #[inline(always)]
    pub fn return_uuid_or_raise(self, id: Result<Bytes, Error>) -> pg_sys::Datum {
        match id {
            Ok(id) => new_uuid(id),
            Err(error) => self.raise(error),
        }
    }

    /// Text that every encoding of a database has.
    pub fn return_ascii<const LENGTH: usize>(self, text: &[u8; LENGTH]) -> pg_sys::Datum {
        // SAFETY: copies so many bytes from there into the memory context of the caller.
        unsafe { pg_sys::Datum::from(cstring_to_text_with_len(text.as_ptr(), LENGTH as i32)) }
    }

    /// One of the arguments itself.
    #[inline(always)]
    pub fn return_argument(self, index: usize) -> pg_sys::Datum {
        self.argument(index)
    }

    #[inline(always)]
    pub fn return_boolean(self, value: bool) -> pg_sys::Datum {
        pg_sys::Datum::from(value)
    }

    #[inline(always)]
    pub fn return_integer(self, value: i32) -> pg_sys::Datum {
        pg_sys::Datum::from(value)
    }

    pub fn return_void(self) -> pg_sys::Datum {
        pg_sys::Datum::null()
    }

    /// A timestamptz of microseconds since the Unix epoch, or NULL.
    #[inline(always)]
    pub fn return_moment(self, micros: Option<i64>) -> pg_sys::Datum {
        match micros {
            Some(micros) => pg_sys::Datum::from(TimestampTz::from_unix_micros(micros).0),
            None => {
                // SAFETY: the call is valid for the time of the function.
                unsafe { (*self.0).isnull = true };
                pg_sys::Datum::null()
            }
        }
    }

    #[cold]
    pub fn raise(self, error: Error) -> pg_sys::Datum {
        // SAFETY: the guard turns the panic that carries the report into PostgreSQL's ERROR, after
        // its frames are gone.
        unsafe { pgrx_extern_c_guard(|| -> pg_sys::Datum { error.raise() }) }
    }
}

/// Exports `name` to PostgreSQL under its version 1 calling convention.
macro_rules! fast_function {
    ($(#[$doc:meta])* fn $name:ident($call:ident) $body:block) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        extern "C-unwind" fn $name(fcinfo: pgrx::pg_sys::FunctionCallInfo) -> pgrx::pg_sys::Datum {
            // SAFETY: PostgreSQL calls it, as the STRICT function that the SQL declares.
            let $call = unsafe { $crate::pg::fast::Call::new(fcinfo) };
            $body
        }

        const _: () = {
            #[unsafe(export_name = concat!("pg_finfo_", stringify!($name)))]
            extern "C" fn finfo() -> &'static pgrx::pg_sys::Pg_finfo_record {
                &pgrx::pg_sys::Pg_finfo_record { api_version: 1 }
            }
        };
    };
}
pub(super) use fast_function;
