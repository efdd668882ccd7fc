//! The block that all backends of the server share, and what to say where there is none.

use std::ffi::CStr;
use std::sync::atomic::{AtomicPtr, Ordering};

use pgrx::pg_sys;

use super::seed;
use crate::postgres::compat;
use crate::postgres::raw;
use comb_clock::block::Block;

/// The block of a preloaded library. The postmaster allocates it, and its backends inherit the pointer
/// (a platform where they do not, EXEC_BACKEND, is not supported).
static PRELOADED: AtomicPtr<Block> = AtomicPtr::new(std::ptr::null_mut());

/// The name of the block in PostgreSQL's index of shared memory.
const NAME: &CStr = c"comb clock line";

/// Why there is no block to share, in words.
#[derive(Clone, Copy)]
pub struct Unavailable {
    pub reason: &'static str,
    pub remedy: &'static str,
}

const NO_ROOM: Unavailable = Unavailable {
    reason: "shared memory could not be allocated",
    remedy: "Add comb to \"shared_preload_libraries\" and restart the server.",
};
const OTHER_VERSION: Unavailable =
    Unavailable { reason: "the shared memory belongs to another version of the library", remedy: "Restart the server." };

/// The shared block of this server, and why there is one, in words. Allocates it if no process has.
pub fn attach() -> Result<(&'static Block, &'static str), Unavailable> {
    let (block, reason) = match PRELOADED.load(Ordering::Relaxed) {
        block if block.is_null() => (allocate().ok_or(NO_ROOM)?, "the first session that used the clock allocated shared memory"),
        block => (block, "comb is in shared_preload_libraries"),
    };
    // SAFETY: memory of the size and alignment of a Block, whose words are atomic and valid whatever
    // they hold, and which lasts as long as the process runs SQL.
    let block = unsafe { &*block };
    if block.is_usable() { Ok((block, reason)) } else { Err(OTHER_VERSION) }
}

/// The block in the shared memory that PostgreSQL reserves for libraries that are not preloaded (100 kB);
/// `None` where that is used up. As pgvector allocates its tranche of locks.
fn allocate() -> Option<*mut Block> {
    let mut block: *mut Block = std::ptr::null_mut();
    // SAFETY: a backend, under the lock for this purpose.
    unsafe {
        let lock = compat::addin_shmem_init_lock();
        let allocated = raw::succeeds(|| {
            raw::LWLockAcquire(lock, pg_sys::LWLockMode::LW_EXCLUSIVE);
            block = find_or_begin();
            raw::LWLockRelease(lock);
        });
        if !allocated {
            if cfg!(feature = "pg19") {
                // In PostgreSQL 19, ShmemInitStruct() keeps its own lock as well, which has no name here. This releases all
                // locks. No caller of a function holds another: until 18, index methods do, for their buffers.
                raw::LWLockReleaseAll();
            } else if raw::LWLockHeldByMe(lock) {
                // As LWLockReleaseAll() does it: the release counts it down.
                pg_sys::InterruptHoldoffCount += 1;
                raw::LWLockRelease(lock);
            }
        }
        allocated.then_some(block)
    }
}

/// The block of that name, allocated if there is none. May raise an ERROR.
///
/// # Safety
/// Under AddinShmemInitLock, or in the postmaster before it has backends. Shared structures begin at a
/// cache line.
unsafe fn find_or_begin() -> *mut Block {
    let mut found = false;
    // SAFETY: the caller's word. No other process sees new memory yet.
    unsafe {
        let block: *mut Block = raw::ShmemInitStruct(NAME.as_ptr(), size_of::<Block>(), &raw mut found).cast();
        if !found {
            block.write(Block::unused());
            (*block).claim();
        }
        block
    }
}

/// Requests memory of the server that is about to start. Does nothing if it runs already.
pub fn prepare() {
    // SAFETY: the postmaster, or a server of one process, which run one thread.
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

unsafe extern "C-unwind" fn request() {
    // SAFETY: as in `prepare`; the hook that stood there before goes first.
    unsafe {
        if let Some(next) = NEXT_REQUEST {
            next();
        }
        raw::RequestAddinShmemSpace(size_of::<Block>());
    }
}

/// This also runs after a crash, when all shared memory is initialized again.
unsafe extern "C-unwind" fn start_up() {
    // SAFETY: as above.
    unsafe {
        if let Some(next) = NEXT_STARTUP {
            next();
        }
        PRELOADED.store(find_or_begin(), Ordering::Relaxed);
        raw::on_shmem_exit(Some(keep_tick), pg_sys::Datum::null());
    }
    seed::remember_checkpoint();
}

/// When a backend crashes, the postmaster initializes all shared memory again; the logical clock continues, since its
/// monotonic clock does. Called by the postmaster before the memory is gone; backends forget the call when
/// they begin.
unsafe extern "C-unwind" fn keep_tick(_code: i32, _argument: pg_sys::Datum) {
    // SAFETY: the memory that PRELOADED points to is still there.
    if let Some(block) = unsafe { PRELOADED.load(Ordering::Relaxed).as_ref() } {
        seed::remember_crash(block);
    }
}
