//! The entries of this process's transaction in the table of floors, and the bounds of its guards.
//!
//! The *bound* of an entry is the greatest of its floor and of each last number that this transaction read from the source after it
//! had its entry. A key above the bound is above the last number that a poll read if that poll did not find the entry.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr;

use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::definition::{Polled, accept_changes, generation, polled_column};
use super::prepared;
use super::source::Source;
use super::transactions::{ServerTransactions, own_id};
use crate::postgres::compat;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::sequence::{Reader, last_number};
use crate::server::backend;
use crate::server::host::{Process, in_parallel_worker, realtime};
use crate::server::shared_memory;
use comb_clock::block::Block;
use comb_clock::clock::Reading;
use comb_horizon::{Entry, Floors, Full, Key, Transactions, number_of_tick};

/// An entry of this transaction.
#[derive(Clone, Copy)]
struct Own {
    key: Key,
    place: usize,
    /// Whether the entry has a floor, and the bound of numbers is known.
    is_complete: bool,
    bound: i64,
    /// The bound without the file of a sequence that a rollback to a savepoint can take back.
    firm: i64,
    /// The sequence and the file that the bound is of, and the definition that says so.
    sequence: u32,
    file: u32,
    generation: u64,
}

/// The entries of this process's transaction, in its memory.
#[derive(Clone, Copy)]
struct Entries {
    /// The full id of the transaction.
    id: u64,
    first: *mut Own,
    count: usize,
    capacity: usize,
}

impl Entries {
    const NONE: Self = Self { id: 0, first: ptr::dangling_mut(), count: 0, capacity: 0 };

    fn as_slice(&self) -> &[Own] {
        // SAFETY: the memory has `count` entries until the end of the transaction, at which they are forgotten.
        unsafe { std::slice::from_raw_parts(self.first, self.count) }
    }

    /// Makes room for one more entry.
    fn reserve(&mut self) {
        if self.count < self.capacity {
            return;
        }
        let capacity = (2 * self.capacity).max(8);
        // SAFETY: the memory has room for `capacity` entries, and lives until the end of the transaction. `first` has `count`.
        unsafe {
            let memory = raw::MemoryContextAlloc(pg_sys::TopTransactionContext, capacity * size_of::<Own>()).cast::<Own>();
            ptr::copy_nonoverlapping(self.first, memory, self.count);
            (self.first, self.capacity) = (memory, capacity);
        }
    }
}

static ENTRIES: OneThread<Cell<Entries>> = OneThread::new(Cell::new(Entries::NONE));

/// The entry of this transaction for a key.
fn find(key: Key) -> Option<Own> {
    ENTRIES.get().as_slice().iter().find(|own| own.key == key).copied()
}

/// Replaces an entry.
fn store(own: Own) {
    let entries = ENTRIES.get();
    if let Some(index) = entries.as_slice().iter().position(|old| old.key == own.key) {
        // SAFETY: an element of the slice, to which no reference is in use.
        unsafe { entries.first.add(index).write(own) };
    }
}

/// The clock and the table of floors of this server, with those of transactions that were prepared before it started.
pub fn shared() -> Result<(&'static Block, Process, Floors<'static>), Report> {
    check_available()?;
    let (block, process) = backend::server()?;
    let Some(floors) = shared_memory::floors() else { return Err(no_table()) };
    if !floors.is_born() {
        prepared::load(floors)?;
    }
    Ok((block, process, floors))
}

#[cold]
fn no_table() -> Report {
    report!(ERRCODE_CONFIG_FILE_ERROR, "there is no shared memory for the floors of transactions")
        .hint("Add comb to \"shared_preload_libraries\" and restart the server.")
}

/// The key of the clock for tables of this database.
pub fn clock_key() -> Key {
    // SAFETY: a number that is set when the process connects to its database, before it runs SQL.
    Key::clock(unsafe { pg_sys::MyDatabaseId }.to_u32())
}

/// Ensures that the transaction has a floor below all UUIDs that it generates from now on.
pub fn track_clock() -> Result<(), Report> {
    // The floor does not cover UUIDs of a separate clock, to which the connection can have changed since.
    backend::server()?;
    if find(clock_key()).is_some_and(|own| own.is_complete) { Ok(()) } else { write_clock(clock_key()) }
}

#[cold]
fn write_clock(clock: Key) -> Result<(), Report> {
    let (block, process, floors) = for_writing()?;
    let mut resets = block.resets();
    // An idle server's clock would hold readers at the time of its last UUID.
    block.now(&process)?;
    let (place, id) = claim(floors, clock)?;
    floors.set_floor(place, id, number_of_tick(block.floor()), &ServerTransactions);
    // A reset that began meanwhile may not have found the entry.
    while resets != block.resets() {
        resets = block.resets();
        floors.lower_place(place, number_of_tick(block.floor()));
    }
    if let Some(own) = find(clock) {
        store(Own { is_complete: true, ..own });
    }
    Ok(())
}

/// Ensures that the transaction has a floor below all keys of a column that it stores from now on.
pub fn track(table: pg_sys::Oid, column: &Polled) -> Result<(), Report> {
    if column.source == Source::Clock {
        return track_clock();
    }
    match find(column.key) {
        // No message comes of what a sequence owns.
        Some(own) if own.is_complete && own.generation == generation() && matches!(column.source, Source::Sequence(_)) => Ok(()),
        _ => write_number(table, column),
    }
}

#[cold]
fn write_number(table: pg_sys::Oid, column: &Polled) -> Result<(), Report> {
    let (_, _, floors) = for_writing()?;
    let (place, id) = claim(floors, column.key)?;
    // A poll that did not find the entry read the definition before. This one is not older.
    accept_changes();
    let column = polled_column(table, column.attribute)?;
    read_bound(&column, |last, is_provisional| {
        floors.set_floor(place, id, if is_provisional { i64::MIN } else { last }, &ServerTransactions)
    })
}

/// Reads the last number of a column's source, if it is another source or file than the one that the bound is of. `floor` gets
/// the number, and whether it is provisional, and returns the floor of the entry, or a lower number.
fn read_bound(column: &Polled, floor: impl FnOnce(i64, bool) -> i64) -> Result<(), Report> {
    let generation = generation();
    let (Source::Sequence(sequence) | Source::OwnedSequence(sequence)) = column.source else { return Ok(()) };
    let last = last_number(sequence, Reader::Writer)?;
    let floor = floor(last.number, last.is_provisional);
    // A rollback brings back the other file. Its message does not count if the definition is not cached any more.
    let generation = if last.is_provisional { u64::MAX } else { generation };
    if let Some(own) = find(column.key) {
        let is_same = own.is_complete && (own.sequence, own.file) == (sequence.to_u32(), last.file);
        let bound = if is_same { own.bound } else { own.firm.max(last.number).max(floor) };
        let firm = if last.is_provisional { own.firm.max(floor) } else { bound };
        store(Own { sequence: sequence.to_u32(), file: last.file, bound, firm, is_complete: true, generation, ..own });
    }
    Ok(())
}

/// The bound of a column of numbers; `None` if the transaction has no entry for it.
pub fn bound(table: pg_sys::Oid, column: &Polled) -> Result<Option<i64>, Report> {
    match find(column.key) {
        None => return Ok(None),
        Some(own) if !own.is_complete => return Ok(None),
        Some(own) if own.generation == generation() && column.source.is(own.sequence) => return Ok(Some(own.bound)),
        Some(_) => (),
    }
    // A definition has changed during the transaction, or a rollback to a savepoint has brought one back.
    read_bound(&polled_column(table, column.attribute)?, |_, _| i64::MIN)?;
    Ok(find(column.key).map(|own| own.bound))
}

/// The floor of this transaction for UUIDs; `None` if it has none. A reset of the clock can lower it.
pub fn clock_floor() -> Option<i64> {
    let place = find(clock_key()).filter(|own| own.is_complete)?.place;
    shared_memory::floors()?.entry(place, own_id()?)?.floor
}

/// [`shared`], unless the process is a parallel worker, which cannot write a floor.
fn for_writing() -> Result<(&'static Block, Process, Floors<'static>), Report> {
    if in_parallel_worker() {
        // A function that calls one of ours can be PARALLEL SAFE.
        return Err(report!(ERRCODE_INVALID_FUNCTION_DEFINITION, "cannot track a transaction in a parallel worker")
            .hint("A function that calls comb_tracked() or comb_track() must be PARALLEL UNSAFE."));
    }
    shared()
}

/// The place of this transaction's entry for a key, and the id of the transaction. A transaction has one entry for a key, also
/// after an ERROR before it got its floor: a second one would hide from readers that the first was overwritten.
fn claim(floors: Floors, key: Key) -> Result<(usize, u64), Report> {
    // SAFETY: in a transaction, which is not that of a parallel worker.
    let id = unsafe { raw::GetTopFullTransactionId() }.value;
    if let Some(own) = find(key) {
        return Ok((own.place, id));
    }
    register();
    if ENTRIES.get().count >= floors.places() / 4 {
        return Err(report!(ERRCODE_PROGRAM_LIMIT_EXCEEDED, "transaction writes too many polled columns")
            .detail(format_args!("A transaction can write {} of them.", floors.places() / 4))
            .hint("Insert into fewer tables in one transaction. If comb is preloaded, there are more with a higher \"max_connections\"."));
    }
    let mut entries = ENTRIES.get();
    // An ERROR after the entry is written would leave one that this process does not know.
    entries.reserve();
    let entry = Entry { id, key, floor: None, since: realtime().unwrap_or(0) };
    let place = floors.place(entry, &ServerTransactions).map_err(|full| table_is_full(floors, full))?;
    let own = Own { key, place, is_complete: false, bound: i64::MIN, firm: i64::MIN, sequence: 0, file: 0, generation: 0 };
    // SAFETY: `reserve` has made room for one more entry.
    unsafe { entries.first.add(entries.count).write(own) };
    ENTRIES.set(Entries { id, count: entries.count + 1, ..entries });
    Ok((place, id))
}

#[cold]
fn table_is_full(floors: Floors, full: Full) -> Report {
    ServerTransactions.reach(c"comb-full");
    let hint = "SELECT * FROM comb_horizon_holders() shows them. There are more places if \"max_connections\" is higher.";
    let error = report!(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, "too many transactions write polled tables");
    match full {
        Full::Table => error.detail(format_args!("All {} places in shared memory are in use.", floors.places())),
        Full::Share => error.detail(format_args!(
            "This database has its share of the {} places in shared memory: three times as many as are free.",
            floors.places()
        )),
    }
    .hint(hint)
}

/// Sets the clock back to the system clock. Floors of transactions in progress become those of the new clock first.
pub fn reset_clock(block: &Block, process: &Process) -> Result<Reading, Report> {
    let lower = |tick| {
        if let Some(floors) = shared_memory::floors().filter(|_| process.shares_clock) {
            floors.lower(number_of_tick(tick));
        }
    };
    // SAFETY: one process at a time. Nothing between raises an ERROR.
    let reset = unsafe {
        let lock = compat::addin_shmem_init_lock();
        raw::LWLockAcquire(lock, pg_sys::LWLockMode::LW_EXCLUSIVE);
        let reset = block.reset(process, lower);
        raw::LWLockRelease(lock);
        reset
    };
    Ok(reset?)
}

/// Has [`at_end`] called at the end of each transaction of this process.
fn register() {
    static REGISTERED: OneThread<Cell<bool>> = OneThread::new(Cell::new(false));
    if !REGISTERED.replace(true) {
        // SAFETY: the function stays for the life of the process.
        unsafe { raw::RegisterXactCallback(Some(at_end), ptr::null_mut()) };
    }
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn at_end(event: pg_sys::XactEvent::Type, _argument: *mut c_void) {
    use pg_sys::XactEvent::*;
    let entries = ENTRIES.get();
    let Some(floors) = shared_memory::floors().filter(|_| entries.count > 0) else { return };
    // The memory of the transaction exists during its callbacks.
    let (id, own) = (entries.id, entries.as_slice());
    match event {
        XACT_EVENT_PRE_PREPARE => prepared::keep(own.iter().filter_map(|own| floors.entry(own.place, id))),
        // The entries stay, until a writer finds that the prepared transaction has ended.
        XACT_EVENT_PREPARE => ENTRIES.set(Entries::NONE),
        // The transaction has become visible, or is gone.
        XACT_EVENT_COMMIT | XACT_EVENT_ABORT => {
            ServerTransactions.reach(c"comb-visible");
            own.iter().for_each(|own| floors.end(own.place, id, &ServerTransactions));
            ENTRIES.set(Entries::NONE);
            ServerTransactions.reach(c"comb-ended");
        }
        _ => (),
    }
}

/// Returns an error in recovery, and in a session that a node of Citus opened to query shards: the transactions that write
/// them hold their floors where they began.
fn check_available() -> Result<(), Report> {
    // SAFETY: it has no arguments, and a process that runs SQL has attached to the shared memory that it reads.
    if unsafe { raw::RecoveryInProgress() } {
        return Err(in_recovery());
    }
    // SAFETY: a setting that is never null. Citus recognizes its sessions in the same way.
    if unsafe { CStr::from_ptr(pg_sys::application_name) }.to_bytes().starts_with(b"citus_internal gpid=") {
        return Err(report!(
            ERRCODE_WRONG_OBJECT_TYPE,
            "tracked UUIDs and the horizon are not available in a query on shards of Citus"
        )
        .hint("Select comb_node_horizon() in a separate statement before the one that reads the shards."));
    }
    Ok(())
}

#[cold]
pub fn in_recovery() -> Report {
    report!(ERRCODE_READ_ONLY_SQL_TRANSACTION, "tracked UUIDs and the horizon are not available during recovery").hint(
        "Compute the horizon on the primary. A standby has all rows up to it when it has replayed the WAL that \
         the primary had written by then.",
    )
}
