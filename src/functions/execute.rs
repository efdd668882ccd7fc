//! An IF for the scripts of the extension.

use pgrx::pg_sys::Datum;

use crate::postgres::call::export;
use crate::postgres::raw;
use crate::postgres::string_info::StringInfo;

export!(comb_execute);

/// PostgreSQL counts it as the statement of a script, with what it grants and adds.
fn comb_execute(statement: &[u8]) -> Datum {
    let statement = StringInfo::of_bytes(statement);
    // SAFETY: a C string, which lives until the end of the call. An ERROR of the statement closes the connection.
    unsafe {
        raw::SPI_connect();
        raw::SPI_execute(statement.as_ptr(), false, 0);
        raw::SPI_finish();
    }
    Datum::null()
}
