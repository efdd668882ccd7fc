//! comb_guard(): the trigger that accepts a row only if its key is above the floor that its transaction wrote before.

use std::cell::Cell;
use std::ffi::c_void;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, Oid};

use super::horizon::smallest_id;
use super::trigger::{Each, Event, Trigger};
use crate::horizon::definition::{KeyType, Polled, generation, polled_column};
use crate::horizon::entries::{bound, clock_floor};
use crate::horizon::poll::last_tick;
use crate::horizon::source::Source;
use crate::postgres::call::{Call, export};
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::sequence::{Reader, last_number};
use comb_horizon::tick_of_number;
use uuid::Uuid;

export!(comb_guard);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Number(i64),
    Uuid(Uuid),
}

/// What a statement knows of the trigger of one table.
struct Guarded {
    column: Polled,
    generation: u64,
    /// Whether a key of the statement was compared with the last one of the source.
    has_compared: bool,
}

/// FOR EACH ROW, INSERT OR UPDATE, on a partitioned table also DELETE. Its arguments are the column of the key (by default id), and
/// its layout if it is a UUID.
fn comb_guard(call: Call) -> Result<Datum, Report> {
    let trigger = Trigger::of(call, "comb_guard", Each::RowAtAnyTime)?;
    if trigger.is_temporary() {
        return Ok(Datum::from(trigger.row()));
    }
    // SAFETY: comb_guard() keeps a value of this type alone.
    let guarded = unsafe { call.state(|| begin(trigger))? };
    let last = take_last(&guarded.column, memory_of_row());
    let row = trigger.row();
    let Some(key) = key(trigger, row, &guarded.column) else { return Ok(Datum::from(row)) };
    let follows = |event| last.filter(|last| trigger.is_before() && last.is(event, key));
    match trigger.event() {
        Event::Delete if follows(Event::Update).is_some_and(|last| last.row == trigger.stored_at()) => {
            note(trigger, &guarded.column, key);
        }
        Event::Delete => (),
        Event::Insert if follows(Event::Delete).is_some() => (),
        Event::Update if trigger.old_row().and_then(|old| self::key(trigger, old, &guarded.column)) == Some(key) => {
            note(trigger, &guarded.column, key);
        }
        Event::Insert | Event::Update => check(trigger, guarded, key)?,
    }
    Ok(Datum::from(row))
}

fn begin(trigger: Trigger) -> Result<Guarded, Report> {
    let (attribute, key_type) = trigger.column(trigger.argument(0).unwrap_or(c"id"))?;
    match key_type {
        Some(KeyType::Uuid(_)) => drop(trigger.layout_argument()?),
        Some(_) => (),
        None => {
            return Err(report!(
                ERRCODE_INVALID_PARAMETER_VALUE,
                "comb_guard() requires a column of type bigint, integer, smallint, uuid or uniqueidentifier"
            )
            .hint("Write EXECUTE FUNCTION comb_guard('column'), or comb_guard('column', 'layout') for a UUID."));
        }
    }
    let column = polled_column(trigger.table(), attribute)?;
    Ok(Guarded { column, generation: generation(), has_compared: false })
}

/// The key of a row; `None` if it is NULL.
fn key(trigger: Trigger, row: pg_sys::HeapTuple, column: &Polled) -> Option<Key> {
    let value = trigger.value(row, column.attribute.into())?;
    Some(match column.key_type {
        KeyType::Smallint => Key::Number(i64::from(value.value() as i16)),
        KeyType::Integer => Key::Number(i64::from(value.value() as i32)),
        KeyType::Bigint => Key::Number(value.value() as i64),
        // SAFETY: the datum of a uuid points to 16 bytes of any alignment.
        KeyType::Uuid(_) => Key::Uuid(unsafe { value.cast_mut_ptr::<Uuid>().read() }),
    })
}

/// Checks that the key is above the bound of the transaction, and that the source can have generated it.
fn check(trigger: Trigger, guarded: &mut Guarded, key: Key) -> Result<(), Report> {
    if guarded.generation != generation() {
        guarded.column = polled_column(trigger.table(), guarded.column.attribute)?;
        guarded.generation = generation();
    }
    let column = &guarded.column;
    match key {
        Key::Number(number) => {
            let Some(bound) = bound(trigger.table(), column)?.filter(|bound| number > *bound) else {
                let error = report!(ERRCODE_CHECK_VIOLATION, "key {number} is not above the floor of the transaction");
                return Err(rejected(error, ""));
            };
            // The next number needs no look at the sequence: if another source has generated it, the one after it is an error.
            if !guarded.has_compared
                && number > bound + 1
                && let Source::Sequence(sequence) | Source::OwnedSequence(sequence) = column.source
            {
                let last = last_number(sequence, Reader::Writer)?.number;
                if number > last {
                    return Err(foreign(number, sequence, last));
                }
                guarded.has_compared = true;
            }
        }
        Key::Uuid(id) => {
            let layout = column.layout;
            if layout.decode(&id).is_none() {
                return Err(report!(ERRCODE_CHECK_VIOLATION, "key {id} does not have layout \"{}\"", layout.label).hint(
                    format_args!(
                        "Let the INSERT generate it with comb_new('{}'). A table with other keys is polled by a column that \
                         comb_row_version() fills.",
                        layout.label
                    ),
                ));
            }
            let is_above = match clock_floor() {
                // UUIDs are compared, not ticks: a layout may keep less than a tick.
                Some(floor) => layout.order.compare(&id, &smallest_id(layout, tick_of_number(floor) + 1)?).is_ge(),
                None => false,
            };
            if !is_above {
                let error = report!(ERRCODE_CHECK_VIOLATION, "key {id} is not above the floor of the transaction");
                return Err(rejected(error, " with a function of comb"));
            }
            let is_later = |tick: u64| Ok::<_, Report>(layout.order.compare(&id, &smallest_id(layout, tick)?).is_ge());
            if !guarded.has_compared && is_later(tick_of_number(last_tick()?) + layout.min_step())? {
                return Err(report!(ERRCODE_CHECK_VIOLATION, "key {id} is later than the clock of the server").hint(
                    "Let the INSERT generate the UUID, or use CALL comb_track('table') and then comb_observe() with the UUID, in \
                         the same transaction.",
                ));
            }
            guarded.has_compared = true;
        }
    }
    Ok(())
}

#[cold]
fn rejected(error: Report, with: &str) -> Report {
    let error = error.detail("It was generated before the transaction wrote its floor. A reader may have passed it already.");
    error.hint(format_args!(
        "Let the INSERT generate the key{with}, or use CALL comb_track('table') before the key is generated, in the same \
         transaction. If each INSERT fails, a trigger of the table or of its partition is missing: use \
         CALL comb_enable_polls('table', 'column')."
    ))
}

#[cold]
fn foreign(key: i64, sequence: Oid, last: i64) -> Report {
    report!(ERRCODE_CHECK_VIOLATION, "key {key} is above {last}, the last number of sequence ").relation(sequence).hint(
        "Let the sequence generate the key. Before an import of greater keys, use CALL comb_track('table') and then setval(), in \
             the same transaction.",
    )
}

/// The last call of the guard of a column. PostgreSQL moves a row to another partition by UPDATE, DELETE and INSERT, in this order.
#[derive(Clone, Copy)]
struct Last {
    event: Event,
    memory: pg_sys::MemoryContext,
    /// The column in the topmost table.
    of: (Oid, i16),
    key: Key,
    /// Where it was stored.
    row: (Oid, (pg_sys::BlockNumber, pg_sys::OffsetNumber)),
}

/// The memory for the row that a statement changes: each statement has its own, and PostgreSQL resets it before the next row. Two
/// actions of a MERGE can have one: if a trigger keeps the row of a move from being stored, the other action can store its key again,
/// in another row. Readers have had that key, as with an UPDATE of the other columns.
fn memory_of_row() -> pg_sys::MemoryContext {
    // SAFETY: reads a variable of the process. Triggers are called with this memory.
    unsafe { pg_sys::CurrentMemoryContext }
}

impl Last {
    /// Whether it was that one, of the same key.
    fn is(&self, event: Event, key: Key) -> bool {
        (self.event, self.key) == (event, key)
    }
}

/// For the guards of several columns of a table, which are called in turn.
const COLUMNS: usize = 8;

static LAST: OneThread<Cell<[Option<Last>; COLUMNS]>> = OneThread::new(Cell::new([None; COLUMNS]));

/// The last call for a column and the row of this memory, which is then forgotten.
fn take_last(column: &Polled, memory: pg_sys::MemoryContext) -> Option<Last> {
    let mut calls = LAST.get();
    let of = (column.topmost, column.topmost_attribute);
    let found = calls.iter_mut().find(|last| last.is_some_and(|last| (last.of, last.memory) == (of, memory)))?.take();
    LAST.set(calls);
    found
}

fn note(trigger: Trigger, column: &Polled, key: Key) {
    if !trigger.is_before() || !trigger.is_of_partition() {
        return;
    }
    let mut calls = LAST.get();
    let Some(place) = calls.iter_mut().find(|last| last.is_none()) else { return };
    let (memory, of) = (memory_of_row(), (column.topmost, column.topmost_attribute));
    // SAFETY: the callback is in the memory at whose reset it is called.
    unsafe {
        let callback = raw::palloc(size_of::<pg_sys::MemoryContextCallback>()).cast::<pg_sys::MemoryContextCallback>();
        callback.write(pg_sys::MemoryContextCallback { func: Some(forget_last), arg: memory.cast(), next: std::ptr::null_mut() });
        raw::MemoryContextRegisterResetCallback(memory, callback);
    }
    *place = Some(Last { event: trigger.event(), memory, of, key, row: trigger.stored_at() });
    LAST.set(calls);
}

/// A trigger that is called before the guard can keep the row of a move from being stored.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn forget_last(memory: *mut c_void) {
    LAST.set(LAST.get().map(|last| last.filter(|last| last.memory.cast() != memory)));
}
