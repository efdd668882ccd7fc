//! An IF for the scripts of the extension.

use pgrx::pg_sys::Datum;

use crate::postgres::call::export;
use crate::postgres::report::Report;
use crate::postgres::spi;

export!(comb_execute);

/// PostgreSQL counts it as the statement of a script, with what it grants and adds.
fn comb_execute(statement: &[u8]) -> Result<Datum, Report> {
    spi::connected(|| {
        spi::execute(&[statement]);
        Ok(())
    })?;
    Ok(Datum::null())
}
