//! The floors of this server's transactions: comb_clock::floors has the table and its proof.

use std::cell::Cell;
use std::ffi::{CStr, c_void};

use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use super::backend;
use super::host::{Process, in_parallel_worker, realtime};
use super::prepared;
use super::shared_memory;
use super::transactions::Server;
use crate::postgres::compat;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::sequence::{Durability, last_number};
use comb_clock::block::Block;
use comb_clock::clock::Reading;
use comb_clock::floors::{Entry, Floors, Source, number_of_tick};

/// How many of its entries a transaction finds without a search of the table.
const CAPACITY: usize = 8;

#[derive(Clone, Copy)]
struct OwnEntry {
    source: Source,
    place: usize,
    has_floor: bool,
}

/// The entries of this process's transaction, for speed alone: the table has them all.
#[derive(Clone, Copy)]
struct Own {
    /// The full transaction id, which never comes again.
    id: u64,
    entries: [Option<OwnEntry>; CAPACITY],
    count: usize,
}

static OWN: OneThread<Cell<Own>> = OneThread::new(Cell::new(Own { id: 0, entries: [None; CAPACITY], count: 0 }));

impl Own {
    fn known(&self) -> impl Iterator<Item = &OwnEntry> {
        self.entries.iter().take(self.count).flatten()
    }

    /// The place of the transaction's entry for a source.
    fn place_of(&self, floors: Floors, source: Source) -> Option<usize> {
        let known = self.known().find(|entry| entry.source == source).map(|entry| entry.place);
        known.or_else(|| if self.count > CAPACITY { floors.place_of(self.id, source) } else { None })
    }
}

/// The full id of the top-level transaction; `None` if it has none yet.
pub fn own_id() -> Option<u64> {
    // SAFETY: in a transaction.
    Some(unsafe { raw::GetTopFullTransactionIdIfAny() }.value).filter(|id| *id != 0)
}

/// The clock and the table of floors of this server, with those of transactions that were prepared before it started.
pub fn server() -> Result<(&'static Block, Process, Floors<'static>), Report> {
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
    report!(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "there is no shared memory for the floors of transactions")
        .hint("Add comb to \"shared_preload_libraries\" and restart the server.")
}

/// The database of this process.
pub fn database() -> u32 {
    // SAFETY: set when the process connected to its database.
    unsafe { pg_sys::MyDatabaseId }.to_u32()
}

/// Whether the transaction of this process has a floor for the source.
fn has_floor(source: Source) -> bool {
    let own = OWN.get();
    let has_floor = own.known().any(|entry| entry.source == source && entry.has_floor);
    has_floor && own_id() == Some(own.id) && !in_parallel_worker()
}

/// Ensures that the transaction has a floor below all UUIDs that it generates from now on.
pub fn track_clock() -> Result<(), Report> {
    // The floor does not cover UUIDs of a separate clock, to which the connection can have changed since.
    backend::server()?;
    let clock = Source::clock(database());
    if has_floor(clock) { Ok(()) } else { write_clock(clock) }
}

#[cold]
fn write_clock(clock: Source) -> Result<(), Report> {
    let (block, process, floors) = for_writing()?;
    let mut resets = block.resets();
    // An idle server's clock would hold readers at the time of its last UUID.
    block.now(&process)?;
    let place = write(floors, clock, || Ok(number_of_tick(block.floor())))?;
    // A reset that began meanwhile may not have found the entry.
    while resets != block.resets() {
        resets = block.resets();
        floors.lower_place(place, number_of_tick(block.floor()));
    }
    Ok(())
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

/// Ensures that the transaction has a floor below all numbers that it draws from a sequence from now on.
pub fn track_sequence(sequence: pg_sys::Oid) -> Result<(), Report> {
    let source = Source::sequence(database(), sequence.to_u32());
    if has_floor(source) {
        return Ok(());
    }
    let (_, _, floors) = for_writing()?;
    if find(floors, source).is_none() {
        write(floors, source, || last_number(sequence, Durability::Any))?;
    }
    Ok(())
}

/// [`server`], unless the process is a parallel worker, which cannot write a floor.
fn for_writing() -> Result<(&'static Block, Process, Floors<'static>), Report> {
    if in_parallel_worker() {
        // A function that calls one of ours can be PARALLEL SAFE.
        return Err(report!(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "cannot track a transaction in a parallel worker")
            .hint("A function that calls comb_tracked() or comb_track() must be PARALLEL UNSAFE."));
    }
    server()
}

/// The floor of this transaction for a source.
pub fn find(floors: Floors, source: Source) -> Option<i64> {
    let (id, own) = (own_id()?, OWN.get());
    let place = if id == own.id { own.place_of(floors, source)? } else { return None };
    floors.entry(place, id)?.floor
}

/// Writes an entry, and gives it the last number of the source as its floor. Returns its place. After an ERROR between the two,
/// the next statement gives the floor to the same entry: a second one would hide from readers that the first was overwritten.
fn write(floors: Floors, source: Source, last: impl FnOnce() -> Result<i64, Report>) -> Result<usize, Report> {
    register();
    // SAFETY: in a transaction, which is not that of a parallel worker.
    let id = unsafe { raw::GetTopFullTransactionId() }.value;
    let mut own = OWN.get();
    if own.id != id {
        own = Own { id, count: 0, ..own };
    }
    let place = match own.place_of(floors, source) {
        Some(place) => place,
        None => {
            let place = new_place(floors, id, source, own.count)?;
            if let Some(entry) = own.entries.get_mut(own.count) {
                *entry = Some(OwnEntry { source, place, has_floor: false });
            }
            own.count += 1;
            OWN.set(own);
            place
        }
    };
    floors.set_floor(place, id, last()?);
    let known = own.entries.iter_mut().take(own.count).flatten();
    known.filter(|entry| entry.source == source).for_each(|entry| entry.has_floor = true);
    OWN.set(own);
    Ok(place)
}

/// A place with an entry without a floor. `count`: how many entries the transaction has already.
fn new_place(floors: Floors, id: u64, source: Source, count: usize) -> Result<usize, Report> {
    if count >= floors.places() / 4 {
        return Err(report!(ERRCODE_PROGRAM_LIMIT_EXCEEDED, "transaction draws from too many tracked sequences")
            .detail(format_args!("A transaction can have {} floors.", floors.places() / 4))
            .hint("Insert into fewer tables in one transaction, or preload comb for more shared memory."));
    }
    let entry = Entry { id, source, floor: None, since: realtime().unwrap_or(0) };
    floors.place(entry, &Server).ok_or_else(|| table_is_full(floors))
}

#[cold]
fn table_is_full(floors: Floors) -> Report {
    report!(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED, "too many tracked transactions")
        .detail(format_args!("All {} places for floors of transactions in progress are in use.", floors.places()))
        .hint("SELECT * FROM comb_horizon_holders() shows them. There are more places if \"max_connections\" is higher.")
}

/// Has [`at_end`] called at the end of each transaction of this process.
fn register() {
    static REGISTERED: OneThread<Cell<bool>> = OneThread::new(Cell::new(false));
    if !REGISTERED.replace(true) {
        // SAFETY: the function stays for the life of the process.
        unsafe { raw::RegisterXactCallback(Some(at_end), std::ptr::null_mut()) };
    }
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn at_end(event: pg_sys::XactEvent::Type, _argument: *mut c_void) {
    use pg_sys::XactEvent::*;
    let own = OWN.get();
    let Some(floors) = shared_memory::floors().filter(|_| own.count > 0) else { return };
    match event {
        XACT_EVENT_PRE_PREPARE => prepared::keep(floors, own.id),
        // The entries stay, until a writer finds that the prepared transaction has ended.
        XACT_EVENT_PREPARE => OWN.set(Own { count: 0, id: 0, ..own }),
        // The transaction has become visible, or is gone.
        XACT_EVENT_COMMIT | XACT_EVENT_ABORT => {
            if own.count > CAPACITY {
                floors.end_all(own.id, &Server);
            } else {
                own.known().for_each(|entry| floors.end(entry.place, own.id, &Server));
            }
            OWN.set(Own { count: 0, id: 0, ..own });
        }
        _ => (),
    }
}

/// Returns an error in recovery, and in a session that a node of Citus opened to query shards: the transactions that write
/// them hold their floors where they began.
fn check_available() -> Result<(), Report> {
    // SAFETY: reads shared memory that every backend has.
    if unsafe { raw::RecoveryInProgress() } {
        return Err(in_recovery());
    }
    // SAFETY: a setting that is never null. Citus recognizes its sessions in the same way.
    if unsafe { CStr::from_ptr(pg_sys::application_name) }.to_bytes().starts_with(b"citus_internal gpid=") {
        return Err(report!(
            ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
            "tracked UUIDs and the horizon are not available in a query on shards of Citus"
        )
        .hint("Select comb_horizon() in a separate statement before the one that reads the shards."));
    }
    Ok(())
}

#[cold]
pub fn in_recovery() -> Report {
    report!(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "tracked UUIDs and the horizon are not available during recovery").hint(
        "Compute the horizon on the primary. A standby has all rows below it when it has replayed the WAL that \
         the primary had written by then.",
    )
}
