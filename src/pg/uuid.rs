//! A SQL uuid as argument and result.

use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::{Datum, FromDatum};
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};

use super::error::Error;
use crate::layout::Layout;
use crate::order::Bytes;

/// A uuid's 16 bytes.
pub struct Uuid(pub Bytes);

impl Uuid {
    /// An id that a layout made of a moment, or the error that the moment is out of its range.
    pub fn or_out_of_range(id: Option<Bytes>, layout: &'static Layout) -> Self {
        id.map(Self).unwrap_or_else(|| Error::TimestampOutOfRange(layout).raise())
    }
}

// SAFETY: the datum of a uuid argument is a pointer to 16 bytes of any alignment.
impl FromDatum for Uuid {
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _: pg_sys::Oid,
    ) -> Option<Self> {
        // SAFETY: as above, and it is read before the function returns.
        (!is_null).then(|| Self(unsafe { datum.cast_mut_ptr::<Bytes>().read() }))
    }
}

// SAFETY: as FromDatum's; a STRICT function is never called with NULL.
unsafe impl<'fcx> ArgAbi<'fcx> for Uuid {
    #[inline(always)]
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        unsafe { arg.unbox_arg_using_from_datum() }
            .expect("a strict function is not called with NULL")
    }
}

// SAFETY: pgrx's own conversion of the same 16 bytes.
unsafe impl BoxRet for Uuid {
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        unsafe { pgrx::Uuid::from_bytes(self.0).box_into(fcinfo) }
    }
}

// SAFETY: the SQL type is the one that the conversions above are written for.
unsafe impl SqlTranslatable for Uuid {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(Uuid);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> = Ok(SqlMappingRef::literal("uuid"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("uuid")));
}
