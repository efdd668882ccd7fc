//! SQL functions as Rust functions: `export!(comb_at)` exports one whose parameters and result have the types of its
//! SQL declaration.
//!
//! Rationale: sql/ declares the functions, and the types are uuid::Uuid of the crates and plain integers of time. pgrx's `Uuid`
//! allocates from Rust's allocator, which costs 8 ns a call and ends the process when memory runs out. As with `#[pg_extern]`,
//! pgrx's guard catches a panic and raises an ERROR, which costs up to 3 ns. `functions/declarations.rs` compares the types with sql/.

use std::marker::PhantomData;
use std::mem::needs_drop;

use pgrx::pg_sys::{self, Datum, Oid};

use super::raw;
use super::report::Report;
use super::timestamp::TimestampTz;
use uuid::Uuid;

/// In place of a type: a value that is passed on to PostgreSQL, or that it passes on.
pub const ANY: &str = "any";

/// One call of a function, for its time.
#[derive(Clone, Copy)]
pub struct Call<'a>(pg_sys::FunctionCallInfo, PhantomData<&'a ()>);

impl<'a> Call<'a> {
    pub fn info(self) -> pg_sys::FunctionCallInfo {
        self.0
    }

    #[inline(always)]
    fn argument(self, index: usize) -> pg_sys::NullableDatum {
        // SAFETY: a call comes from `invoke`, whose caller vouches for the number of arguments.
        unsafe { *(*self.0).args.as_ptr().add(index) }
    }

    /// What the function keeps from one call to the next ones of the same place in a statement.
    ///
    /// # Safety
    /// The caller is a function that keeps one value, of this type, and has no other reference to it.
    #[inline(always)]
    pub unsafe fn state<T, E>(self, first: impl FnOnce() -> Result<T, E>) -> Result<&'a mut T, E> {
        // SAFETY: PostgreSQL passes a FmgrInfo, where a function can keep a pointer to memory of the same lifetime.
        unsafe {
            let function = (*self.0).flinfo;
            if (*function).fn_extra.is_null() {
                let state = first()?;
                let memory = raw::MemoryContextAlloc((*function).fn_mcxt, size_of::<T>());
                memory.cast::<T>().write(state);
                (*function).fn_extra = memory;
            }
            Ok(&mut *(*function).fn_extra.cast())
        }
    }
}

/// The type of a parameter.
pub trait Parameter: Sized {
    /// Its type in SQL; [`ANY`]; `None` if it reads no argument.
    const SQL: Option<&'static str>;
    /// Whether it can be NULL.
    #[cfg_attr(not(test), allow(dead_code, reason = "functions/declarations.rs compares it"))]
    const TAKES_NULL: bool = false;

    /// # Safety
    /// The call has an argument of this type at that place. It is not NULL, except for an `Option`. A reference is
    /// not used after the call.
    unsafe fn read(call: Call, index: usize) -> Result<Self, Report>;
}

/// The call itself, for functions that need more than its arguments.
impl Parameter for Call<'_> {
    const SQL: Option<&'static str> = None;

    #[inline(always)]
    unsafe fn read(call: Call, _: usize) -> Result<Self, Report> {
        Ok(Call(call.0, PhantomData))
    }
}

/// An argument of a function that is not STRICT.
impl<P: Parameter> Parameter for Option<P> {
    const SQL: Option<&'static str> = P::SQL;
    const TAKES_NULL: bool = true;

    #[inline(always)]
    unsafe fn read(call: Call, index: usize) -> Result<Self, Report> {
        if call.argument(index).isnull {
            return Ok(None);
        }
        // SAFETY: guaranteed by the caller; it is not NULL.
        unsafe { P::read(call, index) }.map(Some)
    }
}

/// Types whose arguments are read from their datum alone.
macro_rules! parameters {
    ($($(#[$comment:meta])* $type:ty: $sql:expr, $datum:ident => $value:expr;)*) => {$(
        $(#[$comment])*
        impl Parameter for $type {
            const SQL: Option<&'static str> = Some($sql);

            #[inline(always)]
            unsafe fn read(call: Call, index: usize) -> Result<Self, Report> {
                let $datum = call.argument(index).value;
                Ok($value)
            }
        }
    )*};
}
parameters! {
    i32: "integer", datum => datum.value() as i32;
    i64: "bigint", datum => datum.value() as i64;
    TimestampTz: "timestamptz", datum => Self(datum.value() as pg_sys::TimestampTz);
    /// An oid or a regclass.
    Oid: "regclass", datum => Oid::from_u32(datum.value() as u32);
    /// A uuid or a uniqueidentifier.
    // SAFETY: guaranteed by the caller. The datum of a uuid points to 16 bytes of any alignment.
    &Uuid: "uuid", datum => unsafe { &*datum.cast_mut_ptr() };
    /// An argument that is passed on to PostgreSQL.
    Datum: ANY, datum => datum;
}

/// A text, in the encoding of the database.
impl Parameter for &[u8] {
    const SQL: Option<&'static str> = Some("text");

    #[inline(always)]
    unsafe fn read(call: Call, index: usize) -> Result<Self, Report> {
        // SAFETY: guaranteed by the caller. A text is a varlena, which may be compressed or stored elsewhere until it
        // is detoasted.
        unsafe {
            let text = raw::pg_detoast_datum_packed(call.argument(index).value.cast_mut_ptr());
            Ok(pgrx::varlena::varlena_to_byte_slice(text))
        }
    }
}

/// An argument of type internal.
impl<T> Parameter for *mut T {
    const SQL: Option<&'static str> = Some("internal");

    #[inline(always)]
    unsafe fn read(call: Call, index: usize) -> Result<Self, Report> {
        Ok(call.argument(index).value.cast_mut_ptr())
    }
}

/// A text as a result, in the memory context of the caller.
#[derive(Clone, Copy)]
pub struct Text(Datum);

impl Text {
    /// A text in the encoding of the database, such as ASCII.
    pub fn of(text: &[u8]) -> Self {
        // SAFETY: copies the bytes of the text. No text of ours is longer than an i32 counts.
        Self(unsafe { Datum::from(raw::cstring_to_text_with_len(text.as_ptr().cast(), text.len() as i32)) })
    }
}

/// A result that is not NULL.
pub trait Value {
    /// Its type in SQL, or [`ANY`].
    #[cfg_attr(not(test), allow(dead_code, reason = "functions/declarations.rs compares it"))]
    const SQL: &'static str;

    fn datum(self) -> Datum;
}

macro_rules! values {
    ($($(#[$comment:meta])* $type:ty: $sql:expr, $value:ident => $datum:expr;)*) => {$(
        $(#[$comment])*
        impl Value for $type {
            const SQL: &'static str = $sql;

            #[inline(always)]
            fn datum(self) -> Datum {
                let $value = self;
                $datum
            }
        }
    )*};
}
values! {
    bool: "boolean", value => value.into();
    i32: "integer", value => value.into();
    i64: "bigint", value => value.into();
    f64: "float8", value => value.to_bits().into();
    TimestampTz: "timestamptz", time => time.0.into();
    pg_sys::Interval: "interval", value => by_reference(value);
    Text: "text", text => text.0;
    Uuid: "uuid", id => by_reference(id);
    /// The value of an argument.
    &Uuid: "uuid", id => std::ptr::from_ref(id).into();
    Datum: ANY, datum => datum;
}

/// A value that SQL passes by reference, in the memory context of the caller.
#[inline(always)]
fn by_reference<T: Copy>(value: T) -> Datum {
    // SAFETY: palloc returns this number of bytes, aligned for any type of SQL, or raises an ERROR.
    unsafe {
        let place = raw::palloc(size_of::<T>()).cast::<T>();
        place.write(value);
        Datum::from(place)
    }
}

/// The result of a function.
pub trait Answer {
    /// Its type in SQL, or [`ANY`].
    #[cfg_attr(not(test), allow(dead_code, reason = "functions/declarations.rs compares it"))]
    const SQL: &'static str;

    /// The result; `None` is NULL.
    fn answer(self) -> Result<Option<Datum>, Report>;
}

impl<V: Value> Answer for V {
    const SQL: &'static str = V::SQL;

    #[inline(always)]
    fn answer(self) -> Result<Option<Datum>, Report> {
        Ok(Some(self.datum()))
    }
}

impl<V: Value> Answer for Option<V> {
    const SQL: &'static str = V::SQL;

    #[inline(always)]
    fn answer(self) -> Result<Option<Datum>, Report> {
        Ok(self.map(V::datum))
    }
}

impl<A: Answer> Answer for Result<A, Report> {
    const SQL: &'static str = A::SQL;

    #[inline(always)]
    fn answer(self) -> Result<Option<Datum>, Report> {
        self.and_then(A::answer)
    }
}

// An ERROR jumps over the frames that hold one.
const _: () = assert!(!needs_drop::<Result<Option<Datum>, Report>>());

/// The types of a function in SQL.
#[cfg(test)]
pub struct Signature {
    pub parameters: &'static [Option<&'static str>],
    pub result: &'static str,
    pub takes_nulls: bool,
}

#[cfg(test)]
impl Signature {
    pub const fn of<Parameters, F: Function<Parameters>>(_: &F) -> Self {
        F::SIGNATURE
    }
}

/// A function that SQL can call, with parameters of these types.
pub trait Function<Parameters> {
    #[cfg(test)]
    const SIGNATURE: Signature;

    /// # Safety
    /// As [`invoke`].
    unsafe fn call(self, call: Call) -> Result<Option<Datum>, Report>;
}

macro_rules! functions_of {
    ($(($($parameter:ident)*))*) => {$(
        impl<F: Fn($($parameter),*) -> A, A: Answer, $($parameter: Parameter),*> Function<($($parameter,)*)> for F {
            #[cfg(test)]
            const SIGNATURE: Signature = Signature {
                parameters: &[$($parameter::SQL),*],
                result: A::SQL,
                takes_nulls: false $(|| $parameter::TAKES_NULL)*,
            };

            #[inline(always)]
            #[allow(non_snake_case, unused_assignments, unused_mut, unused_variables)]
            unsafe fn call(self, call: Call) -> Result<Option<Datum>, Report> {
                let mut index = 0;
                $(
                    // SAFETY: guaranteed by the caller.
                    let $parameter = unsafe { $parameter::read(call, index)? };
                    index += $parameter::SQL.is_some() as usize;
                )*
                self($($parameter),*).answer()
            }
        }
    )*};
}
functions_of!(() (P) (P Q) (P Q R) (P Q R S));

/// Calls a function with the arguments of a call.
///
/// # Safety
/// A call by PostgreSQL of a function whose SQL declaration has arguments of these types. It is STRICT if a parameter is
/// not an `Option`.
#[inline(always)]
pub unsafe fn invoke<Parameters>(function: impl Function<Parameters>, info: pg_sys::FunctionCallInfo) -> Datum {
    // SAFETY: guaranteed by the caller.
    match unsafe { function.call(Call(info, PhantomData)) } {
        Ok(Some(datum)) => datum,
        Ok(None) => {
            // SAFETY: the call is valid for the time of the function.
            unsafe { (*info).isnull = true };
            Datum::null()
        }
        Err(error) => error.raise(),
    }
}

/// Exports functions to PostgreSQL under its version 1 calling convention, each under its own name or another one.
macro_rules! export {
    ($($name:ident $(= $function:expr)?),* $(,)?) => {
        /// Their names in SQL, and their types.
        #[cfg(test)]
        pub const EXPORTED: &[(&str, $crate::postgres::call::Signature)] = &[$((
            stringify!($name),
            $crate::postgres::call::Signature::of(&$crate::postgres::call::export!(@ $name $($function)?)),
        )),*];
        $(const _: () = {
            #[pgrx::pg_guard]
            #[unsafe(export_name = stringify!($name))]
            extern "C-unwind" fn exported(info: pgrx::pg_sys::FunctionCallInfo) -> pgrx::pg_sys::Datum {
                // SAFETY: PostgreSQL calls it, as a function that sql/ declares.
                unsafe { $crate::postgres::call::invoke($crate::postgres::call::export!(@ $name $($function)?), info) }
            }

            #[unsafe(export_name = concat!("pg_finfo_", stringify!($name)))]
            extern "C" fn finfo() -> &'static pgrx::pg_sys::Pg_finfo_record {
                &pgrx::pg_sys::Pg_finfo_record { api_version: 1 }
            }
        };)*
    };
    (@ $name:ident) => { $name };
    (@ $name:ident $function:expr) => { $function };
}
pub(crate) use export;
