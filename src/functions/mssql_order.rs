//! SQL Server's order: comparison, operators and the aggregates' transitions.

use crate::postgres::call::export;
use comb_id::byte_order::ByteOrder;
use uuid::Uuid;

pub const ORDER: ByteOrder = ByteOrder::Sqlserver;

export!(
    comb_mssql_cmp = cmp,
    comb_mssql_lt = lt,
    comb_mssql_le = le,
    comb_mssql_ge = ge,
    comb_mssql_gt = gt,
    comb_mssql_smaller = smaller,
    comb_mssql_larger = larger,
);

fn cmp(a: &Uuid, b: &Uuid) -> i32 {
    ORDER.compare(a, b) as i32
}

fn lt(a: &Uuid, b: &Uuid) -> bool {
    ORDER.compare(a, b).is_lt()
}

fn le(a: &Uuid, b: &Uuid) -> bool {
    ORDER.compare(a, b).is_le()
}

fn ge(a: &Uuid, b: &Uuid) -> bool {
    ORDER.compare(a, b).is_ge()
}

fn gt(a: &Uuid, b: &Uuid) -> bool {
    ORDER.compare(a, b).is_gt()
}

fn smaller<'a>(a: &'a Uuid, b: &'a Uuid) -> &'a Uuid {
    if ORDER.compare(a, b).is_le() { a } else { b }
}

fn larger<'a>(a: &'a Uuid, b: &'a Uuid) -> &'a Uuid {
    if ORDER.compare(a, b).is_ge() { a } else { b }
}
