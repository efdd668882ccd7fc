//! The rows of pg_trigger that call the functions of the extension.

use std::ffi::CStr;

use pgrx::pg_sys::{self, FormData_pg_trigger, Oid};

use crate::postgres::catalog::{self, Row};
use crate::postgres::compat::{TRIGGER_ARGUMENTS, TRIGGER_CONDITION, TRIGGERS_OF_TABLE};
use crate::postgres::raw;
use crate::postgres::report::Report;

/// The function of the extension that a trigger calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    Track,
    Guard,
    RowVersion,
}

impl Calls {
    /// Whether it proves the keys that are stored.
    pub fn guards(self) -> bool {
        matches!(self, Self::Guard | Self::RowVersion)
    }
}

/// A row of pg_trigger, during a scan.
pub struct TriggerRow<'a> {
    pub row: Row,
    form: &'a FormData_pg_trigger,
}

/// The arguments are shorter: a column and a layout. Others are not read.
const LONGEST_ARGUMENTS: usize = 1024;

const ROW: u32 = pg_sys::TRIGGER_TYPE_ROW;
const BEFORE: u32 = pg_sys::TRIGGER_TYPE_BEFORE;
const INSERT: u32 = pg_sys::TRIGGER_TYPE_INSERT;
const UPDATE: u32 = pg_sys::TRIGGER_TYPE_UPDATE;
const DELETE: u32 = pg_sys::TRIGGER_TYPE_DELETE;

/// Calls `each` with the triggers of a table, in the order of their names, in which PostgreSQL calls them.
pub fn scan(table: Oid, mut each: impl FnMut(&TriggerRow) -> Result<(), Report>) -> Result<(), Report> {
    catalog::scan(TRIGGERS_OF_TABLE, &[table], |row| {
        // SAFETY: a row of pg_trigger, which exists during the call.
        each(&TriggerRow { row, form: unsafe { row.form() } })
    })
}

/// Calls `each` with the tables that have a trigger which is a guard and not that of a partition, in the order of their OIDs.
pub fn scan_guarded_tables(mut each: impl FnMut(Oid) -> Result<(), Report>) -> Result<(), Report> {
    catalog::scan(TRIGGERS_OF_TABLE, &[], |row| {
        // SAFETY: the scan is of pg_trigger, whose rows have this type and exist during the call.
        let trigger = TriggerRow { row, form: unsafe { row.form() } };
        if trigger.is_own_guard() { each(trigger.form.tgrelid) } else { Ok(()) }
    })
}

impl TriggerRow<'_> {
    pub fn name(&self) -> &CStr {
        // SAFETY: a name ends with a zero.
        unsafe { CStr::from_ptr(self.form.tgname.data.as_ptr()) }
    }

    /// The function of the extension that it calls, known by its symbol.
    pub fn calls(&self) -> Option<Calls> {
        catalog::with_c_function(self.form.tgfoid, |library, symbol| match symbol.to_bytes() {
            _ if !catalog::is_ours(library) => None,
            b"comb_track" => Some(Calls::Track),
            b"comb_guard" => Some(Calls::Guard),
            b"comb_version" => Some(Calls::RowVersion),
            _ => None,
        })
        .flatten()
    }

    /// The column that a guard or a row version names.
    pub fn column(&self) -> &CStr {
        self.argument(0).unwrap_or(if self.calls() == Some(Calls::Guard) { c"id" } else { c"version" })
    }

    /// The label of the layout that it names.
    pub fn layout(&self) -> Option<&CStr> {
        self.argument(1)
    }

    fn argument(&self, index: usize) -> Option<&CStr> {
        let arguments = self.row.value(TRIGGER_ARGUMENTS)?;
        // SAFETY: a bytea, whose copy lives as long as the memory context of the call.
        let mut rest = unsafe {
            let start = raw::pg_detoast_datum_slice(arguments.cast_mut_ptr(), 0, LONGEST_ARGUMENTS as i32);
            pgrx::varlena::varlena_to_byte_slice(start)
        };
        if rest.len() == LONGEST_ARGUMENTS {
            // The name of no column and of no layout.
            return Some(c"");
        }
        for _ in 0..index {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = rest.get(end + 1..)?;
        }
        CStr::from_bytes_until_nul(rest).ok()
    }

    fn is(&self, bits: u32) -> bool {
        self.form.tgtype as u32 & bits == bits
    }

    /// Whether a row trigger of this table that is called before a row is stored.
    pub fn is_before_row(&self) -> bool {
        self.is(ROW | BEFORE) && (self.is(INSERT) || self.is(UPDATE))
    }

    pub fn is_before_delete(&self) -> bool {
        self.is(ROW | BEFORE | DELETE)
    }

    /// Whether no setting calls it.
    pub fn is_disabled(&self) -> bool {
        self.form.tgenabled as u8 == pg_sys::TRIGGER_DISABLED
    }

    /// Whether it is called for all rows of INSERT and UPDATE, by sessions of applications, and also by apply workers if
    /// `always`.
    pub fn sees_all_rows(&self, always: bool) -> bool {
        let enabled = self.form.tgenabled as u8;
        self.is(ROW | INSERT | UPDATE)
            && (enabled == pg_sys::TRIGGER_FIRES_ALWAYS || enabled == pg_sys::TRIGGER_FIRES_ON_ORIGIN && !always)
            && self.is_unconditional()
    }

    /// Whether it is a trigger of comb_track() that is called before each INSERT.
    pub fn tracks_inserts(&self) -> bool {
        self.is(BEFORE | INSERT)
            && !self.is(ROW)
            && !self.is_disabled()
            && self.is_unconditional()
            && self.calls() == Some(Calls::Track)
    }

    fn is_unconditional(&self) -> bool {
        self.form.tgattr.dim1 == 0 && self.row.value(TRIGGER_CONDITION).is_none()
    }

    /// Whether PostgreSQL created it for a partition.
    pub fn is_of_parent(&self) -> bool {
        self.form.tgparentid != Oid::INVALID
    }

    /// Whether it guards a column, and PostgreSQL did not create it for a partition.
    pub fn is_own_guard(&self) -> bool {
        self.calls().is_some_and(Calls::guards) && !self.is_of_parent()
    }
}
