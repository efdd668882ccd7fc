//! The SQL enum `comb_layout` and the view of the table behind it.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_int};

use pgrx::callconv::{Arg, ArgAbi};
use pgrx::datum::FromDatum;
use pgrx::pg_sys;
use pgrx::pg_sys::SysCacheIdentifier::ENUMOID;
use pgrx::pgrx_sql_entity_graph::metadata::{
    ArgumentError, ReturnsError, ReturnsRef, SqlMappingRef, SqlTranslatable, TypeOrigin,
};
use pgrx::prelude::*;

use super::error::Error;
use super::timestamp::TimestampTz;
use crate::layout::{LAYOUTS, Layout};

extension_sql_file!("../../sql/layouts.sql", name = "layouts", bootstrap);

/// A layout that SQL names by its label.
pub struct LayoutArgument(pub &'static Layout);

/// The layouts whose labels were looked up, by the oid of the label.
///
/// Rationale: no look-up in the system cache for each row. The entries are forgotten whenever pg_enum
/// changes, as when the extension is dropped and created again.
struct Known {
    entries: [Option<(pg_sys::Oid, &'static Layout)>; LAYOUTS.len()],
    watches_pg_enum: bool,
}

struct Backend(UnsafeCell<Known>);

// SAFETY: a backend runs SQL functions and invalidation callbacks on one thread, and no borrow of
// the cell is held where PostgreSQL could run the latter.
unsafe impl Sync for Backend {}

static KNOWN: Backend =
    Backend(UnsafeCell::new(Known { entries: [None; LAYOUTS.len()], watches_pg_enum: false }));

/// The layout of a label's oid, if it was looked up before.
#[inline(always)]
pub fn known(label: pg_sys::Oid) -> Option<&'static Layout> {
    // SAFETY: see Backend.
    let entries = unsafe { &(*KNOWN.0.get()).entries };
    let mut entries = entries.iter().map_while(|&entry| entry);
    entries.find(|&(oid, _)| oid == label).map(|(_, layout)| layout)
}

/// The layout of a label's oid, by PostgreSQL's system cache. Raises errors: only inside a function
/// that pgrx's guard surrounds.
#[cold]
pub fn look_up(oid: pg_sys::Oid) -> &'static Layout {
    let label = label_of(oid).unwrap_or_else(|| Error::UnknownLayout(oid.to_string()).raise());
    let layout = Layout::labelled(&label).unwrap_or_else(|| Error::UnknownLayout(label).raise());
    // SAFETY: see Backend; registering a callback runs none.
    unsafe {
        let known = &mut *KNOWN.0.get();
        if !known.watches_pg_enum {
            let nothing = pg_sys::Datum::null();
            pg_sys::CacheRegisterSyscacheCallback(ENUMOID as c_int, Some(pg_enum_changed), nothing);
            known.watches_pg_enum = true;
        }
        // Full only if labels were added to the enum, which `find` above does not know.
        if let Some(place) = known.entries.iter_mut().find(|entry| entry.is_none()) {
            *place = Some((oid, layout));
        }
    }
    layout
}

/// A label of an enum, whatever the encoding of the database.
fn label_of(oid: pg_sys::Oid) -> Option<String> {
    // SAFETY: a tuple of pg_enum, which is released after its label was copied.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(ENUMOID as c_int, pg_sys::Datum::from(oid));
        if tuple.is_null() {
            return None;
        }
        let row = pg_sys::GETSTRUCT(tuple).cast::<pg_sys::FormData_pg_enum>();
        let label = CStr::from_ptr((*row).enumlabel.data.as_ptr().cast());
        let label = label.to_string_lossy().into_owned();
        pg_sys::ReleaseSysCache(tuple);
        Some(label)
    }
}

extern "C-unwind" fn pg_enum_changed(_: pg_sys::Datum, _: c_int, _: u32) {
    // SAFETY: see Backend.
    unsafe { (*KNOWN.0.get()).entries = [None; LAYOUTS.len()] };
}

/// The table of layouts, for the view comb_layouts.
#[pg_extern(immutable, parallel_safe)]
#[allow(clippy::type_complexity)]
fn comb_layout_table() -> TableIterator<
    'static,
    (
        name!(label, &'static str),
        name!(clock, &'static str),
        name!(byte_order, &'static str),
        name!(stamp, Option<i32>),
        name!(resolution, &'static str),
        name!(first, TimestampTz),
        name!(last, TimestampTz),
        name!(known_as, &'static str),
    ),
> {
    TableIterator::new(LAYOUTS.iter().map(|layout| {
        let (first, last) = layout.clock.range_micros();
        (
            layout.label,
            layout.clock.label(),
            layout.order.label(),
            layout.version.map(i32::from),
            layout.clock.resolution(),
            TimestampTz::from_unix_micros(first),
            TimestampTz::from_unix_micros(last),
            layout.known_as,
        )
    }))
}

extension_sql!(
    r#"
CREATE VIEW comb_layouts AS
SELECT label::comb_layout, clock, byte_order, stamp, resolution, first, last, known_as
FROM comb_layout_table();
GRANT SELECT ON comb_layouts TO PUBLIC;
"#,
    name = "comb_layouts",
    requires = [comb_layout_table]
);

impl FromDatum for LayoutArgument {
    #[inline(always)]
    unsafe fn from_polymorphic_datum(
        datum: pg_sys::Datum,
        is_null: bool,
        _: pg_sys::Oid,
    ) -> Option<Self> {
        (!is_null).then(|| {
            let label = pg_sys::Oid::from(datum.value() as u32);
            Self(known(label).unwrap_or_else(|| look_up(label)))
        })
    }
}

// SAFETY: an enum is passed as the oid of its label; a STRICT function is never called with NULL.
unsafe impl<'fcx> ArgAbi<'fcx> for LayoutArgument {
    #[inline(always)]
    unsafe fn unbox_arg_unchecked(arg: Arg<'_, 'fcx>) -> Self {
        unsafe { arg.unbox_arg_using_from_datum() }
            .expect("a strict function is not called with NULL")
    }
}

// SAFETY: the SQL type is the one that the conversion above is written for.
unsafe impl SqlTranslatable for LayoutArgument {
    const TYPE_IDENT: &'static str = pgrx::pgrx_resolved_type!(LayoutArgument);
    const TYPE_ORIGIN: TypeOrigin = TypeOrigin::External;
    const ARGUMENT_SQL: Result<SqlMappingRef, ArgumentError> =
        Ok(SqlMappingRef::literal("comb_layout"));
    const RETURN_SQL: Result<ReturnsRef, ReturnsError> =
        Ok(ReturnsRef::One(SqlMappingRef::literal("comb_layout")));
}
