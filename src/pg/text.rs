//! A SQL text as argument, as the bytes that it is.

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::datum::FromDatum;
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};

/// A text in the encoding of the database. pgrx's `&str` panics on bytes that are not UTF-8, which
/// another encoding has.
pub struct Text<'a>(pub &'a [u8]);

/// The bytes of a text's datum, for as long as the call's memory context lives.
///
/// # Safety
/// A datum of a text that is not NULL.
pub unsafe fn bytes<'a>(text: pg_sys::Datum) -> &'a [u8] {
    // SAFETY: a text is a varlena, which may be compressed or stored elsewhere until it is
    // detoasted.
    unsafe { pgrx::varlena::varlena_to_byte_slice(pg_detoast_datum_packed(text.cast_mut_ptr())) }
}

unsafe extern "C-unwind" {
    /// PostgreSQL's own, without pgrx's barrier, which garbles an error's text that is not UTF-8.
    fn pg_detoast_datum_packed(datum: *mut pg_sys::varlena) -> *mut pg_sys::varlena;
}

impl FromDatum for Text<'_> {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _: pg_sys::Oid,
    ) -> Option<Self> {
        // SAFETY: as declared below, the argument is a text.
        (!is_null).then(|| Self(unsafe { bytes(datum) }))
    }
}

// SAFETY: as FromDatum's; a STRICT function is never called with NULL.
unsafe impl<'fcx> ArgAbi<'fcx> for Text<'fcx> {
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        unsafe { arg.unbox_arg_using_from_datum() }
            .expect("a strict function is not called with NULL")
    }
}

// SAFETY: the SQL type is the one that the conversion above is written for.
unsafe impl SqlTranslatable for Text<'_> {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Text);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("text"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("text")));
}
