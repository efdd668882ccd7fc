//! SQL Server's order.

use super::order_functions::*;
use crate::postgres::call::export;
use comb_id::index_order::SqlserverOrder;

export!(
    comb_mssql_cmp = cmp::<SqlserverOrder>,
    comb_mssql_lt = lt::<SqlserverOrder>,
    comb_mssql_le = le::<SqlserverOrder>,
    comb_mssql_ge = ge::<SqlserverOrder>,
    comb_mssql_gt = gt::<SqlserverOrder>,
    comb_mssql_sortsupport = sort_support::<SqlserverOrder>,
    comb_mssql_skipsupport = skip_support::<SqlserverOrder>,
    comb_mssql_smaller = smaller::<SqlserverOrder>,
    comb_mssql_larger = larger::<SqlserverOrder>,
);
