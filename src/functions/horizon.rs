//! The horizon for readers.

use std::ffi::CStr;

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, Oid};

use super::clock::timestamptz_of_tick;
use super::layout::{clock_out_of_layout, layout_named};
use crate::horizon::answers::{Horizon, Keys};
use crate::horizon::definition::{KeyType, Polled, column_name, not_polled, polled_columns};
use crate::horizon::entries::{self, clock_key};
use crate::horizon::members;
use crate::horizon::poll::{horizon, horizon_now, may, require_select, unchecked_horizon};
use crate::horizon::source::Source;
use crate::horizon::transactions::ServerTransactions;
use crate::horizon::triggers;
use crate::postgres::call::{Call, Text, Value, export};
use crate::postgres::catalog;
use crate::postgres::report::{Report, report};
use crate::postgres::rows::Rows;
use crate::postgres::string_info::StringInfo;
use comb_horizon::{Entry, Transactions, tick_of_number};
use comb_id::byte_order::ByteOrder;
use comb_id::layout::Layout;
use comb_id::layouts::UUIDV7;
use comb_tick::Tick;
use uuid::Uuid;

// The last two have other symbols than in version 0.4.1, whose declarations have other columns.
export!(
    comb_number_horizon,
    comb_uuid_horizon,
    comb_node_horizon,
    comb_polled_columns = comb_horizon_status,
    comb_table_floors = comb_floors
);

/// The last number that is settled for the statement.
fn comb_number_horizon(table: Option<Oid>, key: Option<&[u8]>, after: Option<i64>) -> Result<i64, Report> {
    let (table, key, after) = (given(table)?, given(key)?, cursor(after)?);
    let horizon = horizon(table, key, Keys::Numbers, |horizon| {
        let remedy = "Set the sequence above the cursor with setval()";
        if after > horizon.last { Err(went_back(table, after, horizon.last, remedy)) } else { Ok(()) }
    })?;
    // A floor that is not known is the least number. It does not set a reader back that stores the horizon.
    Ok(horizon.settled.max(after))
}

/// The greatest UUID that is settled for the statement.
fn comb_uuid_horizon(
    table: Option<Oid>,
    key: Option<&[u8]>,
    after: Option<&Uuid>,
    layout: Option<&[u8]>,
) -> Result<Uuid, Report> {
    let (table, key, after, label) = (given(table)?, given(key)?, cursor(after)?, given(layout)?);
    let horizon = horizon(table, key, Keys::Uuids, |horizon| {
        let layout = horizon.layout;
        // If the statement compares in another order, it loses rows.
        let is_named = if label.is_empty() { layout == horizon.of_type } else { layout_named(label)? == layout };
        if !is_named {
            return Err(report!(ERRCODE_INVALID_PARAMETER_VALUE, "keys of table ")
                .relation(table)
                .and(format_args!(" have layout \"{}\"", layout.label))
                .hint(format_args!("Name it: layout => '{0}'. In the order of SQL Server, compare uuid by <=#.", layout.label)));
        }
        require_comparable(layout, horizon.of_type)?;
        let last = greatest(layout, horizon.last)?;
        if layout.order.compare(after, &last).is_gt() {
            return Err(went_back(table, after, last, "Advance the clock with comb_observe(), with the cursor"));
        }
        Ok(())
    })?;
    let layout = horizon.layout;
    let settled = greatest(layout, horizon.settled)?;
    Ok(if layout.order.compare(after, &settled).is_gt() { *after } else { settled })
}

/// An argument that must not be NULL.
pub fn given<T>(argument: Option<T>) -> Result<T, Report> {
    argument.ok_or_else(|| report!(ERRCODE_NULL_VALUE_NOT_ALLOWED, "an argument must not be NULL"))
}

fn cursor<T>(after: Option<T>) -> Result<T, Report> {
    after.ok_or_else(|| {
        report!(ERRCODE_NULL_VALUE_NOT_ALLOWED, "the cursor must not be NULL")
            .hint("If there is no cursor yet, begin below the first key, such as with 0 or the UUID of zeros.")
    })
}

#[cold]
fn went_back(table: Oid, after: impl std::fmt::Display, last: impl std::fmt::Display, remedy: &str) -> Report {
    report!(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "cursor {after} is above the last key {last} that table ")
        .relation(table)
        .and(" can have")
        .hint(format_args!(
            "The source went back, by a restart, a restore or a failover. Stop the readers: rows up to the cursor would be skipped. \
             {remedy}, then set the cursors back to the key to which the source went back; if it is not known, below the first key."
        ))
}

/// Returns an error unless PostgreSQL can compare keys of a layout in a column of this type.
pub fn require_comparable(layout: &Layout, of_type: &Layout) -> Result<(), Report> {
    if !layout.order.is_in_postgres() {
        return Err(report!(ERRCODE_INVALID_PARAMETER_VALUE, "UUIDs of layout \"{}\" cannot be polled", layout.label)
            .detail("PostgreSQL does not sort UUIDs of this layout by their timestamps.")
            .hint("Poll the table by another column: an identity column, or a version column."));
    }
    // An uuid has the operators of both orders.
    if [layout.order, ByteOrder::Postgres].contains(&of_type.order) {
        return Ok(());
    }
    Err(report!(ERRCODE_INVALID_PARAMETER_VALUE, "keys of layout \"{}\" cannot be polled in a column of this type", layout.label)
        .detail("The type compares them in another order.")
        .hint("Use type uuid."))
}

/// The greatest UUID of a layout that is settled, or was generated, in the order of the layout.
pub fn greatest(layout: &'static Layout, number: i64) -> Result<Uuid, Report> {
    let above = smallest_id(layout, tick_of_number(number) + 1)?;
    layout.predecessor(&above).ok_or_else(|| clock_out_of_layout(layout))
}

/// The smallest UUID of a tick or later.
pub fn smallest_id(layout: &'static Layout, tick: u64) -> Result<Uuid, Report> {
    layout.smallest(Tick::from(tick)).ok_or_else(|| clock_out_of_layout(layout))
}

/// The greatest UUID that is settled on this node of Citus, whose distributed tables have no triggers.
fn comb_node_horizon(layout: &'static Layout) -> Result<Uuid, Report> {
    if !catalog::has_extension(c"citus") {
        return Err(report!(ERRCODE_WRONG_OBJECT_TYPE, "comb_node_horizon() needs the extension citus")
            .hint("Use comb_uuid_horizon('table'), which checks the table."));
    }
    require_comparable(layout, layout)?;
    greatest(layout, unchecked_horizon()?.settled)
}

/// A row for each polled column of the database.
fn comb_horizon_status(call: Call) -> Result<Rows, Report> {
    // SAFETY: it returns a set, with the columns of its SQL declaration.
    let rows = unsafe { Rows::begin(call) };
    let mut last = Oid::INVALID;
    triggers::scan_guarded_tables(|table| {
        // The scan is in the order of the tables.
        if table != last {
            last = table;
            put_table(&rows, table)?;
        }
        Ok(())
    })?;
    Ok(rows)
}

fn put_table(rows: &Rows, table: Oid) -> Result<(), Report> {
    let problem = |error: &Report| put_problem(rows, table, None, error);
    // Without a privilege, a role must not lock the table.
    if let Err(error) = require_select(table) {
        if polled_columns(table).is_ok_and(|mut columns| columns.any(|column| column.topmost == table)) {
            problem(&error);
        }
        return Ok(());
    }
    let put = || match polled_columns(table) {
        _ if catalog::relation(table).is_none() => Ok(()),
        Ok(mut columns) => {
            columns.try_for_each(|column| if column.topmost == table { put_status(rows, table, &column) } else { Ok(()) })?;
            triggers::scan(table, |trigger| {
                if trigger.is_own_guard() && !is_polled(table, trigger.column()) {
                    let (name, problem) = (Text::of(trigger.column().to_bytes()), not_polled(table));
                    put_problem(rows, table, Some(name), &problem);
                }
                Ok(())
            })
        }
        // The other tables have their rows.
        Err(error) => {
            problem(&error);
            Ok(())
        }
    };
    // Without the lock, the table could be dropped meanwhile.
    catalog::while_locked(table, pg_sys::AccessShareLock, put).unwrap_or_else(|| {
        problem(&catalog::is_locked(table));
        Ok(())
    })
}

fn put_problem(rows: &Rows, table: Oid, key: Option<Text>, error: &Report) {
    let problem = Some(Text::of(error.message()).datum());
    rows.put(&[Some(Datum::from(table)), key.map(Text::datum), None, problem, None, None, None, None, None]);
}

/// False if the column that a guard names was renamed or dropped, or has another type.
fn is_polled(table: Oid, name: &CStr) -> bool {
    let attribute = catalog::column(table, name, |_, column| column.attnum);
    polled_columns(table).is_ok_and(|mut columns| columns.any(|column| Some(column.attribute) == attribute))
}

fn put_status(rows: &Rows, table: Oid, column: &Polled) -> Result<(), Report> {
    let name = column_name(column);
    let keys = if matches!(column.key_type, KeyType::Uuid(_)) { Keys::Uuids } else { Keys::Numbers };
    let (mut untracked, mut held) = (0, None);
    members::for_each_table(column.topmost, |member| {
        let mut is_tracked = false;
        triggers::scan(member.table, |trigger| {
            is_tracked |= trigger.tracks_inserts();
            Ok(())
        })?;
        untracked += i32::from(!is_tracked);
        Ok(())
    })?;
    if let Ok((_, _, floors)) = entries::shared() {
        let of_column = |entry: &Entry| entry.key == column.key && ServerTransactions.in_progress(entry.id);
        held = floors.live().filter(of_column).min_by_key(|entry| entry.since);
    }
    let (problem, settled) = match horizon_now(column) {
        Ok(Horizon { settled, layout, .. }) => (None, Some((settled, layout))),
        Err(error) => (Some(Text::of(error.message())), None),
    };
    let (mut shown, mut timestamp) = (None, None);
    if let Some((settled, layout)) = settled {
        shown = Some(match keys {
            Keys::Numbers => Text::of(StringInfo::of(settled).bytes()),
            Keys::Uuids => Text::of(StringInfo::of(greatest(layout, settled)?).bytes()),
        });
        timestamp = Some(timestamptz_of_tick(tick_of_number(settled))).filter(|_| keys == Keys::Uuids);
    }
    let sequence = match column.source {
        Source::Clock => None,
        Source::Sequence(sequence) | Source::OwnedSequence(sequence) => Some(Datum::from(sequence)),
    };
    rows.put(&[
        Some(Datum::from(table)),
        Some(Text::of(name.to_bytes()).datum()),
        sequence,
        problem.map(Text::datum),
        Some(untracked.datum()),
        shown.map(Text::datum),
        timestamp.map(|time| time.datum()),
        held.map(|entry| timestamptz_of_tick(entry.since).datum()),
        held.map(|entry| Datum::from(entry.id as i64)),
    ]);
    Ok(())
}

/// The transactions of the server that hold a horizon back: transaction id, database, what the floor is for, the floor, and since
/// when.
fn comb_floors(call: Call) -> Result<Rows, Report> {
    // SAFETY: it returns a set, with the columns of its SQL declaration.
    let rows = unsafe { Rows::begin(call) };
    let Ok((_, _, floors)) = entries::shared() else { return Ok(rows) };
    for entry in floors.live().filter(|entry| ServerTransactions.in_progress(entry.id)) {
        let Some(floor) = entry.floor else { continue };
        let is_clock = entry.key.table() == 0;
        // Numbers of a table say how many rows it has.
        let may_read =
            entry.key.database() == clock_key().database() && may(Oid::from_u32(entry.key.table()), pg_sys::ACL_SELECT);
        rows.put(&[
            Some(Datum::from(entry.id as i64)),
            Some(Datum::from(entry.key.database())),
            Some(Datum::from(entry.key.table())).filter(|_| !is_clock),
            Some(i32::from(entry.key.attribute()).datum()).filter(|_| !is_clock),
            if is_clock { Some(smallest_id(&UUIDV7, tick_of_number(floor))?.datum()) } else { None },
            Some(floor.datum()).filter(|_| !is_clock && may_read),
            Some(timestamptz_of_tick(entry.since).datum()),
        ]);
    }
    Ok(rows)
}
