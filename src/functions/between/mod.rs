//! comb_between() and comb_between_time(): is a key in a range of time?
//!
//! PostgreSQL's estimates of ranges do not know uuid: within a bin of the histogram it takes half of it, and
//! nothing if both ends of the range are in the same bin. So these are functions with planner support:
//! [`estimate`] tells how many rows are in a range, [`expand`] which comparisons an index or a
//! partitioned table takes in their place.

mod estimate;
mod expand;
mod form;

use std::ffi::CStr;

use pgrx::pg_sys;
use pgrx::pg_sys::{Datum, Node, NodeTag, Oid};

use crate::postgres::call::{Answer, Call, sql_function};
use crate::postgres::raw;
use comb_id::bound::micros_mssql;
use comb_id::index_order::{IndexOrder, SqlserverOrder, TimeOrder};
use comb_id::layouts::{MSSQL, UUIDV7};
use uuid::Uuid;

/// One of the functions: what it compares, and by which objects in SQL.
struct Between {
    /// The bounds of a moment, in microseconds since the Unix epoch.
    lower: fn(i64) -> Uuid,
    upper: fn(i64) -> Uuid,
    is_from: fn(&Uuid, &Uuid) -> bool,
    is_before: fn(&Uuid, &Uuid) -> bool,
    /// What histograms are made of: the upper bits in the default order of the type.
    position: fn(&Uuid) -> u64,
    in_layout: fn(&Uuid) -> bool,
    /// Whether keys that are not of the layout can be in the range.
    others: bool,
    lower_side: Side,
    upper_side: Side,
    operators_schema: fn(Oid) -> Oid,
}

/// A comparison: the function of the bound, the operator, and a function like that of the operator, under
/// which it stands for a partitioned table.
struct Side {
    bound: &'static CStr,
    operator: &'static CStr,
    test: &'static CStr,
}

const PG_CATALOG: fn(Oid) -> Oid = |_| Oid::from_u32(pg_sys::PG_CATALOG_NAMESPACE);

const UUID: Between = Between {
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

const UNIQUEIDENTIFIER: Between = Between {
    lower: |micros| MSSQL.lower_bound(micros),
    upper: |micros| MSSQL.lower_bound(micros),
    is_from: |id, lower| SqlserverOrder::compare(id, lower).is_ge(),
    is_before: |id, upper| SqlserverOrder::compare(id, upper).is_lt(),
    position: SqlserverOrder::abbreviated,
    in_layout: |id| micros_mssql(id).is_some(),
    others: true,
    lower_side: Side {
        bound: c"comb_mssql_lower_bound",
        operator: c">=",
        test: c"comb_mssql_between_lower",
    },
    upper_side: Side {
        bound: c"comb_mssql_lower_bound",
        operator: c"<",
        test: c"comb_mssql_between_upper",
    },
    operators_schema: PG_CATALOG,
};

const TIME: Between = Between {
    lower: TimeOrder::first_from,
    upper: TimeOrder::last_before,
    is_from: |id, lower| TimeOrder::compare(id, lower).is_ge(),
    is_before: |id, upper| TimeOrder::compare(id, upper).is_le(),
    others: false,
    lower_side: Side {
        bound: c"comb_first_from",
        operator: c">=@~",
        test: c"comb_between_time_lower",
    },
    upper_side: Side {
        bound: c"comb_last_before",
        operator: c"<=@~",
        test: c"comb_between_time_upper",
    },
    operators_schema: |own| own,
    ..UUID
};

sql_function! {
    fn comb_between(call) {
        answer_of(call, &UUID)
    }
}

sql_function! {
    fn comb_mssql_between(call) {
        answer_of(call, &UNIQUEIDENTIFIER)
    }
}

sql_function! {
    fn comb_between_time(call) {
        answer_of(call, &TIME)
    }
}

/// A bound, and the moment that it is of.
#[derive(Clone, Copy)]
struct Known {
    moment: i64,
    bound: Uuid,
}

/// The AND of two comparisons, each of which is null if an argument of it is.
#[inline(always)]
fn answer_of(call: Call, between: &'static Between) -> Answer {
    if call.is_null(0) {
        return call.null();
    }
    let id = call.uuid(0);
    let known = known_bounds(call, between);
    let side =
        |index, known: &mut Known, bound: fn(i64) -> Uuid, test: fn(&Uuid, &Uuid) -> bool| {
            if call.is_null(index) {
                return None;
            }
            let moment = call.timestamptz(index).unix_micros();
            if known.moment != moment {
                *known = Known { moment, bound: bound(moment) };
            }
            Some(test(&id, &known.bound))
        };
    let [lower, upper] = known;
    let from = side(1, lower, between.lower, between.is_from);
    let before = side(2, upper, between.upper, between.is_before);
    match (from, before) {
        (Some(false), _) | (_, Some(false)) => Ok(Datum::from(false)),
        (Some(true), Some(true)) => Ok(Datum::from(true)),
        _ => call.null(),
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
            let bound = |bound: fn(i64) -> Uuid| Known { moment: 0, bound: bound(0) };
            known.cast::<[Known; 2]>().write([bound(between.lower), bound(between.upper)]);
            (*function).fn_extra = known;
        }
        &mut *(*function).fn_extra.cast()
    }
}

sql_function! {
    /// Called by the planner for each place where one of the functions stands.
    fn comb_between_support(call) {
        let request = call.pointer::<Node>(0);
        // SAFETY: the planner calls it with a node that is one of its requests. An ERROR jumps over frames that
        // hold nothing to be dropped.
        unsafe {
            match (*request).type_ {
                NodeTag::T_SupportRequestSimplify => {
                    let request = request.cast::<pg_sys::SupportRequestSimplify>();
                    Ok(Datum::from(expand::simplified((*request).root, (*request).fcall)))
                }
                NodeTag::T_SupportRequestSelectivity => {
                    let selectivity = request.cast::<pg_sys::SupportRequestSelectivity>();
                    (*selectivity).selectivity = estimate::selectivity(&*selectivity);
                    Ok(Datum::from(request))
                }
                NodeTag::T_SupportRequestIndexCondition => {
                    let request = request.cast::<pg_sys::SupportRequestIndexCondition>();
                    Ok(Datum::from(expand::index_condition(&mut *request)))
                }
                _ => Ok(Datum::null()),
            }
        }
    }
}

/// The nodes of a list of so many.
///
/// # Safety
/// A list of that many pointers to nodes.
unsafe fn nodes<const COUNT: usize>(list: *mut pg_sys::List) -> [*mut Node; COUNT] {
    // SAFETY: the caller's word.
    std::array::from_fn(|index| unsafe { (*(*list).elements.add(index)).ptr_value.cast() })
}

/// # Safety
/// A list, or null, which is an empty one.
unsafe fn cells<'a>(list: *mut pg_sys::List) -> &'a [pg_sys::ListCell] {
    // SAFETY: the caller's word.
    unsafe {
        list.as_ref()
            .map_or(&[], |list| std::slice::from_raw_parts(list.elements, list.length as usize))
    }
}

impl Between {
    /// By the function's name and the type of its first argument.
    ///
    /// # Safety
    /// A function with this support function, and its first argument.
    unsafe fn of(function: Oid, id: *mut Node) -> &'static Self {
        // SAFETY: the name is null where somebody dropped the function meanwhile, else it ends with a zero.
        unsafe {
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
}

/// The moment that an argument is, in microseconds since the Unix epoch; `None` if it is no constant, and
/// null apart.
///
/// # Safety
/// An expression of type timestamptz.
unsafe fn constant(time: *mut Node) -> Option<Option<i64>> {
    // SAFETY: the caller's word.
    unsafe {
        if (*time).type_ != NodeTag::T_Const {
            return None;
        }
        let time = time.cast::<pg_sys::Const>();
        let value = crate::postgres::timestamp::TimestampTz((*time).constvalue.value() as i64);
        Some((!(*time).constisnull).then(|| value.unix_micros()))
    }
}
