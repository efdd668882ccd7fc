//! The three functions: what each compares, and the arguments of their calls.

use std::ffi::CStr;

use pgrx::pg_sys::{self, Node, NodeTag, Oid};
use uuid::Uuid;

use crate::postgres::timestamp::TimestampTz;
use comb_id::bound::micros_mssql;
use comb_id::index_order::{IndexOrder, SqlserverOrder, TimeOrder};
use comb_id::layouts::{MSSQL, UUIDV7};

pub struct RangeFunction {
    /// The bounds of a time, in microseconds since the Unix epoch.
    pub lower: fn(i64) -> Uuid,
    pub upper: fn(i64) -> Uuid,
    pub is_from: fn(&Uuid, &Uuid) -> bool,
    pub is_before: fn(&Uuid, &Uuid) -> bool,
    /// The upper 64 bits of a key in the default order of the type, which is the order of histograms.
    pub position: fn(&Uuid) -> u64,
    pub in_layout: fn(&Uuid) -> bool,
    /// Whether keys of other layouts can be in the range.
    pub other_layouts: bool,
    pub lower_side: Side,
    pub upper_side: Side,
    pub operators_schema: fn(Oid) -> Oid,
}

/// A comparison: the function of its bound, and its operator.
pub struct Side {
    pub bound: &'static CStr,
    pub operator: &'static CStr,
}

const PG_CATALOG: fn(Oid) -> Oid = |_| Oid::from_u32(pg_sys::PG_CATALOG_NAMESPACE);

pub const UUID: RangeFunction = RangeFunction {
    lower: |micros| UUIDV7.lower_bound(micros),
    upper: |micros| UUIDV7.lower_bound(micros),
    is_from: |id, lower| id >= lower,
    is_before: |id, upper| id < upper,
    position: |id| (id.as_u128() >> 64) as u64,
    in_layout: |id| UUIDV7.micros(id).is_some(),
    other_layouts: true,
    lower_side: Side { bound: c"comb_lower_bound", operator: c">=" },
    upper_side: Side { bound: c"comb_lower_bound", operator: c"<" },
    operators_schema: PG_CATALOG,
};

pub const UNIQUEIDENTIFIER: RangeFunction = RangeFunction {
    lower: |micros| MSSQL.lower_bound(micros),
    upper: |micros| MSSQL.lower_bound(micros),
    is_from: |id, lower| SqlserverOrder::compare(id, lower).is_ge(),
    is_before: |id, upper| SqlserverOrder::compare(id, upper).is_lt(),
    position: SqlserverOrder::abbreviated,
    in_layout: |id| micros_mssql(id).is_some(),
    other_layouts: true,
    lower_side: Side { bound: c"comb_mssql_lower_bound", operator: c">=" },
    upper_side: Side { bound: c"comb_mssql_lower_bound", operator: c"<" },
    operators_schema: PG_CATALOG,
};

pub const TIME: RangeFunction = RangeFunction {
    lower: TimeOrder::first_from,
    upper: TimeOrder::last_before,
    is_from: |id, lower| TimeOrder::compare(id, lower).is_ge(),
    is_before: |id, upper| TimeOrder::compare(id, upper).is_le(),
    other_layouts: false,
    lower_side: Side { bound: c"comb_first_from", operator: c">=@~" },
    upper_side: Side { bound: c"comb_last_before", operator: c"<=@~" },
    operators_schema: |own| own,
    ..UUID
};

impl RangeFunction {
    /// By the C symbol: an owner can rename a function.
    pub fn of(symbol: &CStr) -> Option<&'static Self> {
        match symbol.to_bytes() {
            b"comb_between" => Some(&UUID),
            b"comb_mssql_between" => Some(&UNIQUEIDENTIFIER),
            b"comb_between_time" => Some(&TIME),
            _ => None,
        }
    }
}

/// The elements of a list.
///
/// # Safety
/// A list of `COUNT` pointers to nodes.
pub unsafe fn nodes<const COUNT: usize>(list: *mut pg_sys::List) -> [*mut Node; COUNT] {
    std::array::from_fn(|index| (*(*list).elements.add(index)).ptr_value.cast())
}

/// The value of a constant, in microseconds since the Unix epoch: `Some(None)` for null, `None` if the expression is not a
/// constant.
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
