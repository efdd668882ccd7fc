//! The memory that all backends of the server share: one block, and one table of floors.

use std::cell::Cell;
use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pgrx::pg_sys;

use super::seed;
use crate::postgres::compat;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use comb_clock::block::Block;
use comb_horizon::{Floors, Header, Place};

/// The block of a preloaded library. The postmaster allocates it, and its backends inherit the pointer
/// (a platform where they do not, EXEC_BACKEND, is not supported).
static PRELOADED: AtomicPtr<Block> = AtomicPtr::new(std::ptr::null_mut());

/// The names of the block and of the table in PostgreSQL's index of shared memory.
const BLOCK: &CStr = c"comb clock line";
const TABLE: &CStr = c"comb floors";

/// The table, once this process has found it. A forked process inherits it.
static FLOORS: OneThread<Cell<Option<Floors<'static>>>> = OneThread::new(Cell::new(None));

/// The table of floors; `None` if there was no room for it, or if the process uses no shared clock.
pub fn floors() -> Option<Floors<'static>> {
    FLOORS.get()
}

/// The least number of places of a table with room enough, and the least one that is of use.
const PLACES: usize = 1024;
const MIN_PLACES: usize = 16;

/// Four places for each possible transaction.
fn wanted_places() -> usize {
    // SAFETY: PostgreSQL sets both before it allocates shared memory.
    let transactions = unsafe { pg_sys::MaxBackends + raw::max_prepared_xacts };
    usize::try_from(4 * transactions).unwrap_or(0).max(PLACES)
}

fn size_of_table(places: usize) -> usize {
    size_of::<Header>() + places * size_of::<Place>()
}

/// Why there is no shared block, for messages.
#[derive(Clone, Copy)]
pub struct Unavailable {
    pub reason: &'static str,
    pub remedy: &'static str,
}

const NO_ROOM: Unavailable = Unavailable {
    reason: "shared memory could not be allocated",
    remedy: "Add comb to \"shared_preload_libraries\" and restart the server.",
};
const OTHER_VERSION: Unavailable = Unavailable {
    reason: "the shared memory belongs to another version of the library",
    remedy: "Restart the server to finish the update.",
};

/// The shared block of this server, and the reason why there is one. Allocates it if no process has.
pub fn attach() -> Result<(&'static Block, &'static str), Unavailable> {
    let (block, reason) = match PRELOADED.load(Ordering::Relaxed) {
        block if block.is_null() => (allocate().ok_or(NO_ROOM)?, "the first session that used the clock allocated shared memory"),
        block => (block, "comb is in shared_preload_libraries"),
    };
    // SAFETY: the memory has the size and alignment of a Block, and lasts as long as the process runs SQL. The words of a
    // Block are atomic, and every value of them is valid.
    let block = unsafe { &*block };
    if !block.is_usable() {
        return Err(OTHER_VERSION);
    }
    if floors().is_none() {
        allocate_table(block);
    }
    Ok((block, reason))
}

/// Finds the table, or allocates as much of it as there is room for: half, a quarter, and so on.
fn allocate_table(block: &Block) {
    let mut places = wanted_places();
    while places >= MIN_PLACES && !locked(|| find_or_begin_table(block, places)) {
        places /= 2;
    }
}

/// The block in the shared memory that PostgreSQL reserves for libraries that are not preloaded (100 kB);
/// `None` if that is used up.
fn allocate() -> Option<*mut Block> {
    let mut block: *mut Block = std::ptr::null_mut();
    // SAFETY: the lock is held.
    locked(|| block = unsafe { find_or_begin() }).then_some(block)
}

/// Runs a call that may raise an ERROR, with the lock that ShmemInitStruct() requires. False if it raised one.
fn locked(call: impl FnOnce()) -> bool {
    // SAFETY: this is a backend.
    unsafe {
        let lock = compat::addin_shmem_init_lock();
        let succeeds = raw::succeeds(|| {
            raw::LWLockAcquire(lock, pg_sys::LWLockMode::LW_EXCLUSIVE);
            call();
            raw::LWLockRelease(lock);
        });
        if !succeeds {
            if cfg!(feature = "pg19") {
                // In PostgreSQL 19, ShmemInitStruct() keeps another lock as well, which has no name here. This releases all
                // locks, and no caller of a function holds one. In older versions, index methods do, for their buffers.
                raw::LWLockReleaseAll();
            } else if raw::LWLockHeldByMe(lock) {
                // The release decrements it. LWLockReleaseAll() does the same.
                pg_sys::InterruptHoldoffCount += 1;
                raw::LWLockRelease(lock);
            }
        }
        succeeds
    }
}

/// The block of that name, allocated if there is none. May raise an ERROR.
///
/// # Safety
/// The caller holds AddinShmemInitLock, or is the postmaster before it has backends.
unsafe fn find_or_begin() -> *mut Block {
    let mut found = false;
    // SAFETY: guaranteed by the caller. Shared structures begin at a cache line. No other process sees new memory yet.
    unsafe {
        let block: *mut Block = raw::ShmemInitStruct(BLOCK.as_ptr(), size_of::<Block>(), &raw mut found).cast();
        if !found {
            block.write(Block::unused());
            (*block).claim();
        }
        block
    }
}

/// Finds the table, or allocates one with that number of places. May raise an ERROR.
fn find_or_begin_table(block: &Block, places: usize) {
    let mut found = false;
    let places = if block.places() > 0 { block.places() } else { places };
    // SAFETY: as in `find_or_begin`. All zeros are valid words of an unused table.
    unsafe {
        let table: *mut u8 = raw::ShmemInitStruct(TABLE.as_ptr(), size_of_table(places), &raw mut found).cast();
        if !found {
            table.write_bytes(0, size_of_table(places));
        }
        let first = table.add(size_of::<Header>()).cast::<Place>();
        FLOORS.set(Some(Floors::new(&*table.cast::<Header>(), std::slice::from_raw_parts(first, places))));
    }
    block.set_places(places);
}

/// Requests memory of the server that is about to start; does nothing if it has started.
pub fn prepare() {
    // SAFETY: this is the postmaster or a server of one process, with one thread.
    unsafe {
        if pg_sys::process_shared_preload_libraries_in_progress {
            NEXT_REQUEST = pg_sys::shmem_request_hook;
            pg_sys::shmem_request_hook = Some(request);
            NEXT_STARTUP = pg_sys::shmem_startup_hook;
            pg_sys::shmem_startup_hook = Some(start_up);
        }
    }
}

static mut NEXT_REQUEST: pg_sys::shmem_request_hook_type = None;
static mut NEXT_STARTUP: pg_sys::shmem_startup_hook_type = None;

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn request() {
    // SAFETY: as in `prepare`. The previous hook is called first.
    unsafe {
        if let Some(next) = NEXT_REQUEST {
            next();
        }
        raw::RequestAddinShmemSpace(size_of::<Block>());
        raw::RequestAddinShmemSpace(size_of_table(wanted_places()));
    }
}

/// This also runs after a crash, when all shared memory is initialized again.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn start_up() {
    // SAFETY: as in `request`.
    unsafe {
        if let Some(next) = NEXT_STARTUP {
            next();
        }
        let block = find_or_begin();
        find_or_begin_table(&*block, wanted_places());
        PRELOADED.store(block, Ordering::Relaxed);
        raw::on_shmem_exit(Some(keep_tick), pg_sys::Datum::null());
    }
    seed::remember_checkpoint();
}

/// When a backend crashes, the postmaster initializes all shared memory again; the clock continues from its
/// last tick. The postmaster calls this while the memory exists; a new backend removes the
/// callback.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn keep_tick(_code: i32, _argument: pg_sys::Datum) {
    // SAFETY: the memory that PRELOADED points to still exists.
    if let Some(block) = unsafe { PRELOADED.load(Ordering::Relaxed).as_ref() } {
        seed::remember_crash(block);
    }
}
