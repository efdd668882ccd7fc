//! The functions of ranges, by what they compare, and the arguments of their calls.

use std::ffi::CStr;

use pgrx::pg_sys::{self, Node, NodeTag, Oid};
use uuid::Uuid;

use crate::postgres::raw;
use crate::postgres::timestamp::TimestampTz;
use comb_id::bound::micros_mssql;
use comb_id::index_order::{IndexOrder, SqlserverOrder, TimeOrder};
use comb_id::layouts::{MSSQL, UUIDV7};

/// One of the functions: what it compares, and by which objects in SQL.
pub struct Between {
    /// The bounds of a time, in microseconds since the Unix epoch.
    pub lower: fn(i64) -> Uuid,
    pub upper: fn(i64) -> Uuid,
    pub is_from: fn(&Uuid, &Uuid) -> bool,
    pub is_before: fn(&Uuid, &Uuid) -> bool,
    /// What histograms are made of: the upper bits in the default order of the type.
    pub position: fn(&Uuid) -> u64,
    pub in_layout: fn(&Uuid) -> bool,
    /// Whether keys that are not of the layout can be in the range.
    pub others: bool,
    pub lower_side: Side,
    pub upper_side: Side,
    pub operators_schema: fn(Oid) -> Oid,
}

/// A comparison: the function of the bound, the operator, and a copy of the function of the operator, which
/// marks the comparison in a partitioned table.
pub struct Side {
    pub bound: &'static CStr,
    pub operator: &'static CStr,
    pub test: &'static CStr,
}

const PG_CATALOG: fn(Oid) -> Oid = |_| Oid::from_u32(pg_sys::PG_CATALOG_NAMESPACE);

pub const UUID: Between = Between {
    lower: |micros| UUIDV7.lower_bound(micros),
    upper: |micros| UUIDV7.lower_bound(micros),
    is_from: |id, lower| id >= lower,
    is_before: |id, upper| id < upper,
    position: |id| (id.as_u128() >> 64) as u64,
    in_layout: |id| UUIDV7.micros(id).is_some(),
    others: true,
    lower_side: Side { bound: c"comb_lower_bound", operator: c">=", test: c"comb_between_lower" },
    upper_side: Side { bound: c"comb_lower_bound", operator: c"<", test: c"comb_between_upper" },
    operators_schema: PG_CATALOG,
};

pub const UNIQUEIDENTIFIER: Between = Between {
    lower: |micros| MSSQL.lower_bound(micros),
    upper: |micros| MSSQL.lower_bound(micros),
    is_from: |id, lower| SqlserverOrder::compare(id, lower).is_ge(),
    is_before: |id, upper| SqlserverOrder::compare(id, upper).is_lt(),
    position: SqlserverOrder::abbreviated,
    in_layout: |id| micros_mssql(id).is_some(),
    others: true,
    lower_side: Side { bound: c"comb_mssql_lower_bound", operator: c">=", test: c"comb_mssql_between_lower" },
    upper_side: Side { bound: c"comb_mssql_lower_bound", operator: c"<", test: c"comb_mssql_between_upper" },
    operators_schema: PG_CATALOG,
};

pub const TIME: Between = Between {
    lower: TimeOrder::first_from,
    upper: TimeOrder::last_before,
    is_from: |id, lower| TimeOrder::compare(id, lower).is_ge(),
    is_before: |id, upper| TimeOrder::compare(id, upper).is_le(),
    others: false,
    lower_side: Side { bound: c"comb_first_from", operator: c">=@~", test: c"comb_between_time_lower" },
    upper_side: Side { bound: c"comb_last_before", operator: c"<=@~", test: c"comb_between_time_upper" },
    operators_schema: |own| own,
    ..UUID
};

/// The nodes of a list of so many.
///
/// # Safety
/// A list of that many pointers to nodes.
pub unsafe fn nodes<const COUNT: usize>(list: *mut pg_sys::List) -> [*mut Node; COUNT] {
    std::array::from_fn(|index| (*(*list).elements.add(index)).ptr_value.cast())
}

/// # Safety
/// A list, or null, which is an empty one.
pub unsafe fn cells<'a>(list: *mut pg_sys::List) -> &'a [pg_sys::ListCell] {
    list.as_ref().map_or(&[], |list| std::slice::from_raw_parts(list.elements, list.length as usize))
}

impl Between {
    /// By the function's name and the type of its first argument.
    ///
    /// # Safety
    /// A function with this support function, and its first argument.
    pub unsafe fn of(function: Oid, id: *mut Node) -> &'static Self {
        // The name is null where somebody dropped the function meanwhile.
        let name = raw::get_func_name(function);
        if !name.is_null() && CStr::from_ptr(name) == c"comb_between_time" {
            &TIME
        } else if raw::exprType(id) == pg_sys::UUIDOID {
            &UUID
        } else {
            &UNIQUEIDENTIFIER
        }
    }
}

/// The time that an argument is, in microseconds since the Unix epoch; `None` if it is no constant, and
/// null apart.
///
/// # Safety
/// An expression of type timestamptz.
pub unsafe fn constant(time: *mut Node) -> Option<Option<i64>> {
    if (*time).type_ != NodeTag::T_Const {
        return None;
    }
    let time = time.cast::<pg_sys::Const>();
    let value = TimestampTz((*time).constvalue.value() as i64);
    Some((!(*time).constisnull).then(|| value.unix_micros()))
}
