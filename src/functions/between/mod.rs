//! comb_between() and comb_between_time(): is a key in a range of time?
//!
//! PostgreSQL's estimates of ranges do not know uuid: within a bin of the histogram it takes half of it, and
//! nothing if both ends of the range are in the same bin. Therefore these are functions with planner support:
//! [`estimate`] tells how many rows are in a range, [`expand`] which comparisons an index or a
//! partitioned table takes in their place.

// What these functions read and build are the planner's nodes, nearly in every line. The contract of each is the
// reason why its body is sound.
#![allow(unsafe_op_in_unsafe_fn)]

mod estimate;
mod expand;
mod form;
mod range;

use pgrx::pg_sys::{self, Datum, Node, NodeTag};
use uuid::Uuid;

use crate::postgres::call::{Call, export};
use crate::postgres::raw;
use crate::postgres::timestamp::TimestampTz;
use range::{Between, TIME, UNIQUEIDENTIFIER, UUID};

export!(comb_between, comb_mssql_between, comb_between_time, comb_between_support);

fn comb_between(call: Call, id: Option<&Uuid>, from: Option<TimestampTz>, to: Option<TimestampTz>) -> Option<bool> {
    is_between(call, &UUID, id?, from, to)
}

fn comb_mssql_between(call: Call, id: Option<&Uuid>, from: Option<TimestampTz>, to: Option<TimestampTz>) -> Option<bool> {
    is_between(call, &UNIQUEIDENTIFIER, id?, from, to)
}

fn comb_between_time(call: Call, id: Option<&Uuid>, from: Option<TimestampTz>, to: Option<TimestampTz>) -> Option<bool> {
    is_between(call, &TIME, id?, from, to)
}

/// A bound, and the time that it is of.
#[derive(Clone, Copy)]
struct Known {
    micros: i64,
    bound: Uuid,
}

/// The AND of two comparisons, each of which is null if an argument of it is.
#[inline(always)]
fn is_between(
    call: Call,
    between: &'static Between,
    id: &Uuid,
    from: Option<TimestampTz>,
    to: Option<TimestampTz>,
) -> Option<bool> {
    let bound_of = |time: TimestampTz, known: &mut Known, bound: fn(i64) -> Uuid| {
        let micros = time.unix_micros();
        if known.micros != micros {
            *known = Known { micros, bound: bound(micros) };
        }
        known.bound
    };
    let [lower, upper] = known_bounds(call, between);
    let from = from.map(|from| (between.is_from)(id, &bound_of(from, lower, between.lower)));
    let before = to.map(|to| (between.is_before)(id, &bound_of(to, upper, between.upper)));
    match (from, before) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        _ => Some(from? && before?),
    }
}

/// The bounds of the last row, which are those of most rows. To compute them takes five times as long as to compare.
#[inline(always)]
fn known_bounds<'a>(call: Call, between: &Between) -> &'a mut [Known; 2] {
    // SAFETY: the executor calls it by a FmgrInfo, where a function keeps what is its own, in the
    // memory that lives as long.
    unsafe {
        let function = (*call.info()).flinfo;
        if (*function).fn_extra.is_null() {
            let known = raw::MemoryContextAlloc((*function).fn_mcxt, size_of::<[Known; 2]>());
            let bound = |bound: fn(i64) -> Uuid| Known { micros: 0, bound: bound(0) };
            known.cast::<[Known; 2]>().write([bound(between.lower), bound(between.upper)]);
            (*function).fn_extra = known;
        }
        &mut *(*function).fn_extra.cast()
    }
}

/// Called by the planner for each place where one of the functions stands.
fn comb_between_support(request: *mut Node) -> Datum {
    // SAFETY: the planner calls it with a node that is one of its requests. An ERROR jumps over frames that hold nothing
    // to be dropped.
    unsafe {
        match (*request).type_ {
            NodeTag::T_SupportRequestSimplify => {
                let request = request.cast::<pg_sys::SupportRequestSimplify>();
                Datum::from(expand::simplified((*request).root, (*request).fcall))
            }
            NodeTag::T_SupportRequestSelectivity => {
                let selectivity = request.cast::<pg_sys::SupportRequestSelectivity>();
                (*selectivity).selectivity = estimate::selectivity(&*selectivity);
                Datum::from(request)
            }
            NodeTag::T_SupportRequestIndexCondition => {
                let request = request.cast::<pg_sys::SupportRequestIndexCondition>();
                Datum::from(expand::index_condition(&mut *request))
            }
            _ => Datum::null(),
        }
    }
}
