//! SQL Server's order.

use super::order::order_functions;
use crate::postgres::call::sql_functions;
use comb_id::index_order::SqlserverOrder;

order_functions!(
    SqlserverOrder: comb_mssql_cmp, comb_mssql_lt, comb_mssql_le, comb_mssql_ge, comb_mssql_gt,
    comb_mssql_sortsupport, comb_mssql_skipsupport
);

sql_functions! {
    fn comb_mssql_smaller(call) {
        Ok(call.argument(if compare(call).is_le() { 0 } else { 1 }))
    }

    fn comb_mssql_larger(call) {
        Ok(call.argument(if compare(call).is_ge() { 0 } else { 1 }))
    }
}
