//! A SQL timestamptz as argument and result.

use pgrx::callconv::{Arg, ArgAbi, BoxRet, FcInfo};
use pgrx::datum::{Datum, FromDatum, IntoDatum};
use pgrx::pg_sys;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};

/// Microseconds from 1970-01-01 to 2000-01-01, where PostgreSQL's clock begins.
const POSTGRES_EPOCH_UNIX_US: i64 = 946_684_800_000_000;

/// A timestamptz: microseconds since 2000-01-01 00:00:00 UTC; the infinities are the ends of i64.
///
/// A plain number instead of pgrx's own type: no conversion that could panic stands on the way.
#[derive(Clone, Copy)]
pub struct TimestampTz(pub pg_sys::TimestampTz);

impl TimestampTz {
    /// Microseconds since the Unix epoch; `-infinity` and `infinity` are the ends of i64, which no
    /// layout reaches.
    #[inline(always)]
    pub fn unix_micros(self) -> i64 {
        match self.0 {
            i64::MIN => i64::MIN,
            micros => micros.saturating_add(POSTGRES_EPOCH_UNIX_US),
        }
    }

    /// Of microseconds that a layout can hold, all of which a timestamptz can.
    #[inline(always)]
    pub fn from_unix_micros(micros: i64) -> Self {
        Self(micros - POSTGRES_EPOCH_UNIX_US)
    }
}

impl TimestampTz {
    /// As JSON has it: ISO 8601, in UTC.
    pub fn iso8601(self) -> String {
        // MAXDATELEN and its end, which JsonEncodeDateTime asks for.
        let mut text = [0; pg_sys::MAXDATELEN as usize + 1];
        let utc = 0;
        // SAFETY: a timestamptz of the type that is said, and a buffer of the size that the function
        // asks for, which it ends with a zero.
        let text = unsafe {
            let datum = pg_sys::Datum::from(self.0);
            pg_sys::JsonEncodeDateTime(text.as_mut_ptr(), datum, pg_sys::TIMESTAMPTZOID, &utc);
            std::ffi::CStr::from_ptr(text.as_ptr())
        };
        text.to_string_lossy().into_owned()
    }
}

impl IntoDatum for TimestampTz {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        Some(pg_sys::Datum::from(self.0))
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::TIMESTAMPTZOID
    }
}

impl FromDatum for TimestampTz {
    #[inline(always)]
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _: pg_sys::Oid,
    ) -> Option<Self> {
        (!is_null).then(|| Self(datum.value() as pg_sys::TimestampTz))
    }
}

// SAFETY: a timestamptz is passed by value; a STRICT function is never called with NULL.
unsafe impl<'fcx> ArgAbi<'fcx> for TimestampTz {
    #[inline(always)]
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        unsafe { arg.unbox_arg_using_from_datum() }
            .expect("a strict function is not called with NULL")
    }
}

// SAFETY: a timestamptz is returned by value.
unsafe impl BoxRet for TimestampTz {
    #[inline(always)]
    unsafe fn box_into<'fcx>(self, fcinfo: &mut FcInfo<'fcx>) -> Datum<'fcx> {
        unsafe { fcinfo.return_raw_datum(pg_sys::Datum::from(self.0)) }
    }
}

// SAFETY: the SQL type is the one that the conversions above are written for.
unsafe impl SqlTranslatable for TimestampTz {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(TimestampTz);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
        Ok(SqlMappingRef::literal("timestamp with time zone"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("timestamp with time zone")));
}
