//! The first and the last id of many, in uuid's order: transition functions of the aggregates.

use crate::postgres::call::sql_functions;

sql_functions! {
    fn comb_smaller(call) {
        Ok(call.argument(if call.uuid(0) <= call.uuid(1) { 0 } else { 1 }))
    }

    fn comb_larger(call) {
        Ok(call.argument(if call.uuid(0) >= call.uuid(1) { 0 } else { 1 }))
    }
}
