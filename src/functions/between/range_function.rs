//! The two functions, and the comparisons of uuid in SQL Server's order: what each compares, and the arguments of their calls.

use std::ffi::CStr;

use pgrx::pg_sys::{self, Node, NodeTag, Oid};
use uuid::Uuid;

use crate::postgres::catalog::{is_ours, with_c_function};
use crate::postgres::timestamp::TimestampTz;
use comb_id::bound::micros_mssql;
use comb_id::byte_order::ByteOrder;
use comb_id::layouts::{MSSQL, UUIDV7};

pub struct RangeFunction {
    /// The bound of a time, in microseconds since the Unix epoch.
    pub bound: fn(i64) -> Uuid,
    /// The SQL function of the bound.
    pub bound_name: &'static CStr,
    pub is_from: fn(&Uuid, &Uuid) -> bool,
    /// The upper 64 bits of a key in the default order of the type, which is the order of histograms.
    pub position: fn(&Uuid) -> u64,
    pub in_layout: fn(&Uuid) -> bool,
    /// Whether the histograms of a column are in the order of the keys.
    pub is_sorted: bool,
}

pub const UUID: RangeFunction = RangeFunction {
    bound: |micros| UUIDV7.lower_bound(micros),
    bound_name: c"comb_lower_bound",
    is_from: |id, lower| id >= lower,
    position: |id| ByteOrder::Postgres.upper_half(id),
    in_layout: |id| UUIDV7.micros(id).is_some(),
    is_sorted: true,
};

pub const UNIQUEIDENTIFIER: RangeFunction = RangeFunction {
    bound: |micros| MSSQL.lower_bound(micros),
    bound_name: c"comb_mssql_lower_bound",
    is_from: |id, lower| ByteOrder::Sqlserver.compare(id, lower).is_ge(),
    position: |id| ByteOrder::Sqlserver.upper_half(id),
    in_layout: |id| micros_mssql(id).is_some(),
    is_sorted: true,
};

/// A uuid in SQL Server's order.
pub const UUID_MSSQL: RangeFunction = RangeFunction { is_sorted: false, ..UNIQUEIDENTIFIER };

impl RangeFunction {
    /// The range function that a SQL function is. Its name in SQL does not say it: an owner can change that.
    pub fn of(function: Oid) -> Option<&'static Self> {
        with_c_function(function, |library, symbol| match symbol.to_bytes() {
            _ if !is_ours(library) => None,
            b"comb_between" => Some(&UUID),
            b"comb_mssql_between" => Some(&UNIQUEIDENTIFIER),
            _ => None,
        })
        .flatten()
    }
}

/// The elements of a list of `COUNT` nodes.
pub unsafe fn nodes<const COUNT: usize>(list: *mut pg_sys::List) -> [*mut Node; COUNT] {
    std::array::from_fn(|index| (*(*list).elements.add(index)).ptr_value.cast())
}

/// The value of an expression of type timestamptz, in microseconds since the Unix epoch: `Some(None)` for null, `None` if it is
/// not a constant.
pub unsafe fn constant(time: *mut Node) -> Option<Option<i64>> {
    if (*time).type_ != NodeTag::T_Const {
        return None;
    }
    let time = time.cast::<pg_sys::Const>();
    let value = TimestampTz((*time).constvalue.value() as i64);
    Some((!(*time).constisnull).then(|| value.unix_micros()))
}
