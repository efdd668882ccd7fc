//! Statements that functions of the extension execute.

use pgrx::pg_sys::{self, Oid};

use super::raw;
use super::report::Report;
use super::string_info::StringInfo;

/// Executes statements in a connection to SPI. Memory of the call is freed at its end.
pub fn connected(run: impl FnOnce() -> Result<(), Report>) -> Result<(), Report> {
    // SAFETY: an ERROR closes the connection.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        raw::SPI_connect();
        pg_sys::CurrentMemoryContext = context;
        let result = run();
        raw::SPI_finish();
        result
    }
}

/// Runs with the privileges of the owner of a table, restricted as in CREATE INDEX: a statement that reads the table can call functions
/// of its owner.
pub fn as_owner<T>(owner: Oid, run: impl FnOnce() -> T) -> T {
    let (mut role, mut context) = (Oid::INVALID, 0);
    // SAFETY: an ERROR restores the role and the settings.
    unsafe {
        raw::GetUserIdAndSecContext(&raw mut role, &raw mut context);
        raw::SetUserIdAndSecContext(owner, context | pg_sys::SECURITY_RESTRICTED_OPERATION as i32);
        let level = raw::NewGUCNestLevel();
        let result = run();
        raw::AtEOXact_GUC(false, level);
        raw::SetUserIdAndSecContext(role, context);
        result
    }
}

/// Executes a statement, which these parts are, in [`connected`].
pub fn execute(statement: &[&[u8]]) {
    run_in_connection(&joined(statement), false);
}

/// Executes a statement. SPI leaves its own memory context as the current one, but errors of ours outlive the connection.
fn run_in_connection(statement: &StringInfo, is_read_only: bool) {
    // SAFETY: a C string, in a connection. It raises an ERROR if the statement fails.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        raw::SPI_execute(statement.as_ptr(), is_read_only, 0);
        pg_sys::CurrentMemoryContext = context;
    }
}

/// The first column of the only row of a SELECT, a bigint, in [`connected`].
pub fn select(statement: &[&[u8]]) -> Option<i64> {
    run_in_connection(&joined(statement), true);
    // SAFETY: a SELECT of an aggregate returns one row. Without a connection there is no table of rows.
    unsafe {
        let table = pg_sys::SPI_tuptable.as_ref()?;
        let mut is_null = false;
        let value = raw::SPI_getbinval(*table.vals, table.tupdesc, 1, &raw mut is_null);
        (!is_null).then_some(value.value() as i64)
    }
}

fn joined(parts: &[&[u8]]) -> StringInfo {
    let mut text = StringInfo::new();
    parts.iter().for_each(|part| text.push(part));
    text
}
