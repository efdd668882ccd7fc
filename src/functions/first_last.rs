//! The first and the last of many UUIDs, in the order of uuid: transition functions of the aggregates.

use crate::postgres::call::export;
use uuid::Uuid;

export!(comb_smaller, comb_larger);

fn comb_smaller<'a>(a: &'a Uuid, b: &'a Uuid) -> &'a Uuid {
    if a <= b { a } else { b }
}

fn comb_larger<'a>(a: &'a Uuid, b: &'a Uuid) -> &'a Uuid {
    if a >= b { a } else { b }
}
