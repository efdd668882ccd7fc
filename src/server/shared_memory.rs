//! The block that all backends of the server share.

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
const OTHER_VERSION: Unavailable =
    Unavailable { reason: "the shared memory belongs to another version of the library", remedy: "Restart the server." };

/// The shared block of this server, and the reason why there is one. Allocates it if no process has.
pub fn attach() -> Result<(&'static Block, &'static str), Unavailable> {
    let (block, reason) = match PRELOADED.load(Ordering::Relaxed) {
        block if block.is_null() => (allocate().ok_or(NO_ROOM)?, "the first session that used the clock allocated shared memory"),
        block => (block, "comb is in shared_preload_libraries"),
    };
    // SAFETY: the memory has the size and alignment of a Block, and lasts as long as the process runs SQL. The words of a
    // Block are atomic, and every value of them is valid.
    let block = unsafe { &*block };
    if block.is_usable() { Ok((block, reason)) } else { Err(OTHER_VERSION) }
}

/// The block in the shared memory that PostgreSQL reserves for libraries that are not preloaded (100 kB);
/// `None` if that is used up.
fn allocate() -> Option<*mut Block> {
    let mut block: *mut Block = std::ptr::null_mut();
    // SAFETY: this is a backend, which acquires the lock that ShmemInitStruct() requires.
    unsafe {
        let lock = compat::addin_shmem_init_lock();
        let allocated = raw::succeeds(|| {
            raw::LWLockAcquire(lock, pg_sys::LWLockMode::LW_EXCLUSIVE);
            block = find_or_begin();
            raw::LWLockRelease(lock);
        });
        if !allocated {
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
        allocated.then_some(block)
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
        let block: *mut Block = raw::ShmemInitStruct(NAME.as_ptr(), size_of::<Block>(), &raw mut found).cast();
        if !found {
            block.write(Block::unused());
            (*block).claim();
        }
        block
    }
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

unsafe extern "C-unwind" fn request() {
    // SAFETY: as in `prepare`. The previous hook is called first.
    unsafe {
        if let Some(next) = NEXT_REQUEST {
            next();
        }
        raw::RequestAddinShmemSpace(size_of::<Block>());
    }
}

/// This also runs after a crash, when all shared memory is initialized again.
unsafe extern "C-unwind" fn start_up() {
    // SAFETY: as in `request`.
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
/// monotonic clock does. The postmaster calls this while the memory exists; a new backend removes the
/// callback.
unsafe extern "C-unwind" fn keep_tick(_code: i32, _argument: pg_sys::Datum) {
    // SAFETY: the memory that PRELOADED points to still exists.
    if let Some(block) = unsafe { PRELOADED.load(Ordering::Relaxed).as_ref() } {
        seed::remember_crash(block);
    }
}
