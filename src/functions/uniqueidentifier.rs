//! The type uniqueidentifier: its input, and planner support for equality with uuid.
//!
//! The operator of the two types is a member of our operator family alone, so an ordinary index on a uuid
//! column would not serve it, which a foreign key to a uniqueidentifier key needs. The planner replaces it:
//! by `uniqueidentifier = uniqueidentifier` if the uuid side has no columns, otherwise by `uuid = uuid`.
//!
//! Rationale: with an inlinable SQL function instead, `WHERE tenant = $1::uuid ORDER BY created` would lose the order of
//! an index on (tenant, created), and `= ANY (array)` would call an SQL function for each row, which takes 35 times as long.

use std::ffi::CStr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, Expr, Node, NodeTag, Oid};

use crate::postgres::call::{Call, export};
use crate::postgres::catalog::cells;
use crate::postgres::raw;
use crate::postgres::report::report;
use comb_id::uuid_text;
use uuid::Uuid;

export!(uniqueidentifier_in, uniqueidentifier_eq_support);

/// The input function accepts the texts that uuid's does. Its error has the name of this type.
fn uniqueidentifier_in(call: Call, text: Datum) -> Option<Uuid> {
    // SAFETY: the argument is a cstring, which lives as long as the call.
    let text = unsafe { CStr::from_ptr(text.cast_mut_ptr()) }.to_bytes();
    let id = uuid_text::read(text);
    if id.is_none() {
        let error = report!(ERRCODE_INVALID_TEXT_REPRESENTATION, "invalid input syntax for type uniqueidentifier: ").quote(text);
        // SAFETY: PostgreSQL passes no context, or one that says where to store an error (pg_input_is_valid).
        unsafe { error.save((*call.info()).context) };
    }
    id
}

fn uniqueidentifier_eq_support(request: *mut Node) -> Datum {
    // SAFETY: the planner calls it with a node that is one of its requests.
    unsafe {
        if (*request).type_ != NodeTag::T_SupportRequestSimplify {
            return Datum::null();
        }
        let request = request.cast::<pg_sys::SupportRequestSimplify>();
        simplified((*(*request).fcall).args).map_or(Datum::null(), Datum::from)
    }
}

/// The comparison within one type; `None` if there are not two arguments.
///
/// # Safety
/// `arguments` is a list of expressions. If there are two, one is a uuid and the other a uniqueidentifier.
unsafe fn simplified(arguments: *mut pg_sys::List) -> Option<*mut Expr> {
    // SAFETY: guaranteed by the caller.
    unsafe {
        let &[left, right] = cells(arguments) else { return None };
        let [left, right] = [left, right].map(|cell| cell.ptr_value.cast::<Node>());
        let left_is_uuid = raw::exprType(left) == pg_sys::UUIDOID;
        let (uuid, other) = if left_is_uuid { (left, right) } else { (right, left) };
        let target = if raw::contain_var_clause(uuid) { pg_sys::UUIDOID } else { raw::exprType(other) };
        let operator = (*raw::lookup_type_cache(target, pg_sys::TYPECACHE_EQ_OPR as i32)).eq_opr;
        if operator == Oid::INVALID {
            return None;
        }
        let none = Oid::INVALID;
        let form = pg_sys::CoercionForm::COERCE_IMPLICIT_CAST;
        // Both types have the same bytes. A side that has the type keeps its explicit cast, which EXPLAIN shows.
        let [left, right] = [left, right].map(|side| match raw::exprType(side) == target {
            true => side.cast(),
            false => raw::applyRelabelType(side, target, -1, none, form, -1, false).cast(),
        });
        let expression = raw::make_opclause(operator, pg_sys::BOOLOID, false, left, right, none, none);
        raw::set_opfuncid(expression.cast());
        Some(expression)
    }
}
