//! Trigger functions: how they are called, and the column of the key in their rows.

use std::ffi::CStr;
use std::ptr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, HeapTuple, NodeTag};

use super::layout::layout_named;
use crate::postgres::call::{Call, Value};
use crate::postgres::compat::Const;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_id::layout::Layout;
use comb_id::layouts::{MSSQL, UUIDV7};
use uuid::Uuid;

/// The call of a function by a trigger BEFORE INSERT OR UPDATE, without a list of columns.
#[derive(Clone, Copy)]
pub struct Trigger {
    function: &'static str,
    call: Call,
    pub data: &'static pg_sys::TriggerData,
}

/// The column of a key.
#[derive(Clone, Copy)]
pub struct KeyColumn {
    number: i32,
    pub layout: &'static Layout,
}

impl Trigger {
    /// The trigger that calls a function; an error unless it is FOR EACH ROW or FOR EACH STATEMENT as required.
    pub fn of(call: Call, function: &'static str, per_row: bool) -> Result<Self, Report> {
        let (each, row) = if per_row { ("ROW", pg_sys::TRIGGER_EVENT_ROW) } else { ("STATEMENT", 0) };
        let state = ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED;
        // SAFETY: the context of a call by a trigger is a TriggerData, which lives as long as the call and has its Trigger.
        let (data, columns) = unsafe {
            let node = (*call.info()).context.as_ref().filter(|node| node.type_ == NodeTag::T_TriggerData);
            let data = node.map(|node| &*ptr::from_ref(node).cast::<pg_sys::TriggerData>());
            (data, data.map_or(0, |data| (*data.tg_trigger).tgnattr))
        };
        let mask = pg_sys::TRIGGER_EVENT_ROW | pg_sys::TRIGGER_EVENT_TIMINGMASK;
        let data = data.filter(|data| {
            let operation = data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK;
            data.tg_event & mask == row | pg_sys::TRIGGER_EVENT_BEFORE
                && matches!(operation, pg_sys::TRIGGER_EVENT_INSERT | pg_sys::TRIGGER_EVENT_UPDATE)
        });
        let Some(data) = data else {
            return Err(report!(state, "{function}() must be called by a trigger BEFORE INSERT OR UPDATE FOR EACH {each}"));
        };
        if columns > 0 {
            return Err(report!(state, "{function}() cannot be called by a trigger with a list of columns")
                .detail("Another trigger can change a column in an UPDATE that does not name it.")
                .hint("Create the trigger without OF."));
        }
        Ok(Self { function, call, data })
    }

    pub fn updates(self) -> bool {
        self.data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK == pg_sys::TRIGGER_EVENT_UPDATE
    }

    /// The row that is about to be stored.
    pub fn new_row(self) -> HeapTuple {
        if self.updates() { self.data.tg_newtuple } else { self.data.tg_trigtuple }
    }

    /// The column that the first argument of the trigger names, and the layout that the second one names. It is looked up
    /// once for each table of a statement.
    pub fn key_column(self, default: &CStr) -> Result<KeyColumn, Report> {
        // SAFETY: a statement has one FmgrInfo for each trigger of each table.
        unsafe {
            let function = &mut *(*self.call.info()).flinfo;
            if let Some(column) = function.fn_extra.cast::<KeyColumn>().as_ref() {
                return Ok(*column);
            }
            let column = self.find_key_column(default)?;
            let memory = raw::MemoryContextAlloc(function.fn_mcxt, size_of::<KeyColumn>());
            memory.cast::<KeyColumn>().write(column);
            function.fn_extra = memory;
            Ok(column)
        }
    }

    fn find_key_column(self, default: &CStr) -> Result<KeyColumn, Report> {
        // SAFETY: the trigger's table is open. The arguments of a trigger are C strings.
        unsafe {
            let trigger = &*self.data.tg_trigger;
            let argument = |index: i16| (index < trigger.tgnargs).then(|| CStr::from_ptr(*trigger.tgargs.add(index as usize)));
            let table = &*self.data.tg_relation;
            let number = raw::SPI_fnumber(table.rd_att, argument(0).unwrap_or(default).as_ptr());
            if number <= 0 {
                return Err(self.no_key_column());
            }
            if raw::get_attgenerated(table.rd_id, number as i16) != 0 {
                return Err(report!(ERRCODE_INVALID_PARAMETER_VALUE, "{}() does not support a generated column", self.function)
                    .detail("PostgreSQL computes generated columns after BEFORE triggers.")
                    .hint("Use a column that is not generated."));
            }
            let type_id = raw::getBaseType(raw::SPI_gettypeid(table.rd_att, number));
            let by_type = layout_of_type(type_id).ok_or_else(|| self.no_key_column())?;
            let layout = match argument(1) {
                Some(label) => layout_named(label.to_bytes())?,
                None => by_type,
            };
            Ok(KeyColumn { number, layout })
        }
    }

    #[cold]
    fn no_key_column(self) -> Report {
        let function = self.function;
        report!(ERRCODE_INVALID_PARAMETER_VALUE, "{function}() requires a column of type uuid or uniqueidentifier").hint(
            format_args!(
                "Write EXECUTE FUNCTION {function}('column', 'layout'). \
                 The default layout is uuidv7 for uuid, and mssql for uniqueidentifier."
            ),
        )
    }

    /// The key of a row of the trigger's table; `None` if it is NULL.
    pub fn key(self, row: HeapTuple, column: KeyColumn) -> Option<Uuid> {
        let mut is_null = false;
        // SAFETY: the row is of the trigger's table. The datum of a uuid points to 16 bytes of any alignment.
        unsafe {
            let description = (*self.data.tg_relation).rd_att;
            let value = raw::SPI_getbinval(row, description, column.number, &raw mut is_null);
            (!is_null).then(|| value.cast_mut_ptr::<Uuid>().read())
        }
    }

    /// The new row with another key.
    pub fn with_key(self, column: KeyColumn, key: Uuid) -> HeapTuple {
        let (value, is_null) = (key.datum(), false);
        let (value, is_null): (*const _, *const _) = (&raw const value, &raw const is_null);
        let number = &raw const column.number;
        // SAFETY: the row and the column are of the trigger's table.
        unsafe {
            let description = (*self.data.tg_relation).rd_att;
            raw::heap_modify_tuple_by_cols(
                self.new_row(),
                description,
                1,
                number as Const<_>,
                value as Const<_>,
                is_null as Const<_>,
            )
        }
    }
}

/// The layout of keys of a type; `None` if it is neither uuid nor uniqueidentifier.
fn layout_of_type(type_id: pg_sys::Oid) -> Option<&'static Layout> {
    if type_id == pg_sys::UUIDOID {
        return Some(&UUIDV7);
    }
    // SAFETY: the type of a column has a row, which is copied before it is released.
    let (name, length, by_value) = unsafe {
        let row = raw::SearchSysCache1(pg_sys::SysCacheIdentifier::TYPEOID as i32, type_id.into());
        let form = pg_sys::GETSTRUCT(row).cast::<pg_sys::FormData_pg_type>();
        let found = ((*form).typname, (*form).typlen, (*form).typbyval);
        raw::ReleaseSysCache(row);
        found
    };
    // Any type can have this name.
    let is_sixteen_bytes = !by_value && usize::try_from(length) == Ok(size_of::<Uuid>());
    // SAFETY: a name ends with a zero.
    let name = unsafe { CStr::from_ptr(name.data.as_ptr()) };
    (is_sixteen_bytes && name == c"uniqueidentifier").then_some(&MSSQL)
}
