//! Trigger functions: how they are called, and the column of the key in their rows.

use std::ffi::CStr;
use std::ptr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, HeapTuple, NodeTag};

use super::layout::layout_named;
use crate::horizon::definition::{KeyType, key_type};
use crate::postgres::call::{Call, Value};
use crate::postgres::compat::Const;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_id::layout::Layout;
use uuid::Uuid;

/// What a trigger is called for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Each {
    Statement,
    Row,
    /// Also AFTER, and for DELETE.
    RowAtAnyTime,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Insert,
    Update,
    Delete,
}

/// The call of a function by a trigger without a list of columns.
#[derive(Clone, Copy)]
pub struct Trigger<'a> {
    function: &'static str,
    call: Call<'a>,
    data: &'a pg_sys::TriggerData,
}

/// A column of UUIDs.
#[derive(Clone, Copy)]
pub struct UuidColumn {
    pub number: i32,
    pub layout: &'static Layout,
}

impl<'a> Trigger<'a> {
    /// The trigger that calls a function; an error unless it is of the kind that the function needs.
    pub fn of(call: Call<'a>, function: &'static str, each: Each) -> Result<Self, Report> {
        let state = ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED;
        let (timing, name, row) = match each {
            Each::Statement => ("BEFORE", "STATEMENT", 0),
            Each::Row => ("BEFORE", "ROW", pg_sys::TRIGGER_EVENT_ROW),
            Each::RowAtAnyTime => ("BEFORE or AFTER", "ROW", pg_sys::TRIGGER_EVENT_ROW),
        };
        // SAFETY: the context of a call by a trigger is a TriggerData, which lives as long as the call and has its Trigger.
        let (data, columns) = unsafe {
            let node = (*call.info()).context.as_ref().filter(|node| node.type_ == NodeTag::T_TriggerData);
            let data = node.map(|node| &*ptr::from_ref(node).cast::<pg_sys::TriggerData>());
            (data, data.map_or(0, |data| (*data.tg_trigger).tgnattr))
        };
        let data = data.filter(|data| {
            let operation = data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK;
            let at = data.tg_event & pg_sys::TRIGGER_EVENT_TIMINGMASK;
            data.tg_event & pg_sys::TRIGGER_EVENT_ROW == row
                && (at == pg_sys::TRIGGER_EVENT_BEFORE || at == pg_sys::TRIGGER_EVENT_AFTER && each == Each::RowAtAnyTime)
                && (matches!(operation, pg_sys::TRIGGER_EVENT_INSERT | pg_sys::TRIGGER_EVENT_UPDATE)
                    || operation == pg_sys::TRIGGER_EVENT_DELETE && each == Each::RowAtAnyTime)
        });
        let Some(data) = data else {
            return Err(report!(state, "{function}() must be called by a trigger {timing} INSERT OR UPDATE FOR EACH {name}"));
        };
        if columns > 0 {
            return Err(report!(state, "{function}() cannot be called by a trigger with a list of columns")
                .detail("Another trigger can change a column in an UPDATE that does not name it.")
                .hint("Create the trigger without OF."));
        }
        Ok(Self { function, call, data })
    }

    pub fn event(self) -> Event {
        match self.data.tg_event & pg_sys::TRIGGER_EVENT_OPMASK {
            pg_sys::TRIGGER_EVENT_INSERT => Event::Insert,
            pg_sys::TRIGGER_EVENT_UPDATE => Event::Update,
            _ => Event::Delete,
        }
    }

    pub fn is_before(self) -> bool {
        self.data.tg_event & pg_sys::TRIGGER_EVENT_TIMINGMASK == pg_sys::TRIGGER_EVENT_BEFORE
    }

    /// The OID of its table.
    pub fn table(self) -> pg_sys::Oid {
        // SAFETY: the trigger's table is open.
        unsafe { (*self.data.tg_relation).rd_id }
    }

    fn class(&self) -> &pg_sys::FormData_pg_class {
        // SAFETY: the trigger's table is open.
        unsafe { &*(*self.data.tg_relation).rd_rel }
    }

    pub fn is_temporary(self) -> bool {
        self.class().relpersistence as u8 == pg_sys::RELPERSISTENCE_TEMP
    }

    pub fn is_of_partition(self) -> bool {
        self.class().relispartition
    }

    /// The row that is about to be stored or deleted, or was.
    pub fn row(self) -> HeapTuple {
        if self.event() == Event::Update { self.data.tg_newtuple } else { self.data.tg_trigtuple }
    }

    /// The row before an UPDATE.
    pub fn old_row(self) -> Option<HeapTuple> {
        (self.event() == Event::Update).then_some(self.data.tg_trigtuple)
    }

    /// Where the row is stored that is about to be updated or deleted: its table, and its place there.
    pub fn stored_at(self) -> (pg_sys::Oid, (pg_sys::BlockNumber, pg_sys::OffsetNumber)) {
        // SAFETY: a trigger for a row has this one.
        (self.table(), pgrx::itemptr::item_pointer_get_both(unsafe { (*self.data.tg_trigtuple).t_self }))
    }

    /// An argument of the trigger.
    pub fn argument(self, index: i16) -> Option<&'a CStr> {
        // SAFETY: the arguments of a trigger are C strings, which live as long as the call.
        unsafe {
            let trigger = &*self.data.tg_trigger;
            (index < trigger.tgnargs).then(|| CStr::from_ptr(*trigger.tgargs.add(index as usize)))
        }
    }

    /// The number of a column that is not generated, and the type of its keys.
    pub fn column(self, name: &CStr) -> Result<(i16, Option<KeyType>), Report> {
        // SAFETY: the trigger's table is open.
        unsafe {
            let table = &*self.data.tg_relation;
            let number = raw::SPI_fnumber(table.rd_att, name.as_ptr());
            if number <= 0 {
                let function = self.function;
                return Err(report!(ERRCODE_UNDEFINED_COLUMN, "table has no column ")
                    .quote(name.to_bytes())
                    .hint(format_args!("If the column was renamed, use CREATE OR REPLACE TRIGGER with {function}('column').")));
            }
            if raw::get_attgenerated(table.rd_id, number as i16) != 0 {
                return Err(report!(ERRCODE_INVALID_PARAMETER_VALUE, "{}() does not support a generated column", self.function)
                    .detail("PostgreSQL computes generated columns after BEFORE triggers.")
                    .hint("Use a column that is not generated."));
            }
            Ok((number as i16, key_type(raw::SPI_gettypeid(table.rd_att, number))))
        }
    }

    /// The layout that the second argument names.
    pub fn layout_argument(self) -> Result<Option<&'static Layout>, Report> {
        self.argument(1).map(|label| layout_named(label.to_bytes())).transpose()
    }

    /// The column of UUIDs that the first argument of the trigger names, and the layout that the second one names.
    pub fn uuid_column(self, default: &CStr) -> Result<UuidColumn, Report> {
        let find = || match self.column(self.argument(0).unwrap_or(default))? {
            (number, Some(KeyType::Uuid(by_type))) => {
                Ok(UuidColumn { number: number.into(), layout: self.layout_argument()?.unwrap_or(by_type) })
            }
            _ => Err(self.no_uuid_column()),
        };
        // SAFETY: a statement has one FmgrInfo for each trigger of each table. The function of the trigger keeps this value alone.
        unsafe { self.call.state(find) }.copied()
    }

    #[cold]
    fn no_uuid_column(self) -> Report {
        let function = self.function;
        report!(ERRCODE_INVALID_PARAMETER_VALUE, "{function}() requires a column of type uuid or uniqueidentifier").hint(
            format_args!(
                "Write EXECUTE FUNCTION {function}('column', 'layout'). \
                 The default layout is uuidv7 for uuid, and mssql for uniqueidentifier."
            ),
        )
    }

    /// The value of a column of a row of the trigger's table; `None` if it is NULL.
    pub fn value(self, row: HeapTuple, column: i32) -> Option<pg_sys::Datum> {
        let mut is_null = false;
        // SAFETY: the row is of the trigger's table.
        unsafe {
            let description = (*self.data.tg_relation).rd_att;
            let value = raw::SPI_getbinval(row, description, column, &raw mut is_null);
            (!is_null).then_some(value)
        }
    }

    /// The new row with another UUID.
    pub fn with_id(self, column: UuidColumn, id: Uuid) -> HeapTuple {
        let (value, is_null) = (id.datum(), false);
        let (value, is_null): (*const _, *const _) = (&raw const value, &raw const is_null);
        let number = &raw const column.number;
        // SAFETY: the row and the column are of the trigger's table.
        unsafe {
            let description = (*self.data.tg_relation).rd_att;
            raw::heap_modify_tuple_by_cols(self.row(), description, 1, number as Const<_>, value as Const<_>, is_null as Const<_>)
        }
    }
}
