//! The SQL functions of an index order: comparison, operators, sort and skip support, and the aggregates' transitions.

use comb_id::index_order::IndexOrder;
use uuid::Uuid;

pub use crate::postgres::skip_support::skip_support;
pub use crate::postgres::sort_support::sort_support;

pub fn cmp<O: IndexOrder>(a: &Uuid, b: &Uuid) -> i32 {
    O::compare(a, b) as i32
}

pub fn lt<O: IndexOrder>(a: &Uuid, b: &Uuid) -> bool {
    O::compare(a, b).is_lt()
}

pub fn le<O: IndexOrder>(a: &Uuid, b: &Uuid) -> bool {
    O::compare(a, b).is_le()
}

pub fn ge<O: IndexOrder>(a: &Uuid, b: &Uuid) -> bool {
    O::compare(a, b).is_ge()
}

pub fn gt<O: IndexOrder>(a: &Uuid, b: &Uuid) -> bool {
    O::compare(a, b).is_gt()
}

pub fn smaller<'a, O: IndexOrder>(a: &'a Uuid, b: &'a Uuid) -> &'a Uuid {
    if O::compare(a, b).is_le() { a } else { b }
}

pub fn larger<'a, O: IndexOrder>(a: &'a Uuid, b: &'a Uuid) -> &'a Uuid {
    if O::compare(a, b).is_ge() { a } else { b }
}
