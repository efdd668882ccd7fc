//! The block that all backends of the server share, and what happens without shared memory.

use std::ffi::c_void;
use std::fmt;
use std::sync::atomic::{AtomicPtr, Ordering};

use pgrx::pg_sys;

use super::host;
use crate::block::{BLOCK_VERSION, Block};

/// The block, once the postmaster has made it, which all its backends inherit.
static PRELOADED: AtomicPtr<Block> = AtomicPtr::new(std::ptr::null_mut());

/// Its size is that of the first who asked, and to ask for another is an ERROR: a name that nobody else
/// would take.
const NAME: &std::ffi::CStr = c"comb clock line";

/// Where the shared block lies.
#[derive(Clone, Copy)]
pub enum Place {
    /// In the memory that the server asked for when it started.
    Preloaded,
    /// In memory that the first backend to want it registered by name.
    Registered,
}

/// Why there is no block to share.
#[derive(Clone, Copy)]
pub enum Absent {
    /// The server did not preload the library and is too old to register memory later.
    #[cfg_attr(any(feature = "pg17", feature = "pg18"), expect(dead_code, reason = "these can"))]
    NotPreloaded,
    /// It is of a library whose blocks are of that version.
    OtherVersion(u64),
    /// What is registered under the name is not ours.
    Foreign,
}

impl fmt::Display for Place {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        to.write_str(match self {
            Self::Preloaded => "comb is in shared_preload_libraries",
            Self::Registered => "the first connection to make an id registered shared memory",
        })
    }
}

impl fmt::Display for Absent {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NotPreloaded => to.write_str(
                "without comb in shared_preload_libraries, shared memory takes PostgreSQL 17 or newer",
            ),
            Self::OtherVersion(version) => write!(
                to,
                "the server's shared memory is of version {version}, which another version of the library made, this one's of version {BLOCK_VERSION}"
            ),
            Self::Foreign => to.write_str("the server's shared memory of that name is not this extension's"),
        }
    }
}

/// The shared block of this server. An ERROR where PostgreSQL has no memory left to attach it; so only
/// behind pgrx's guard.
pub fn attach() -> Result<(&'static Block, Place), Absent> {
    let (block, place) = match PRELOADED.load(Ordering::Relaxed) {
        block if block.is_null() => (register()?, Place::Registered),
        block => (block, Place::Preloaded),
    };
    // SAFETY: memory of the size and alignment of a Block, whose words are atomic and valid whatever
    // they hold, and which lasts as long as the process runs SQL.
    let block = unsafe { &*block };
    match block.version() {
        Some(BLOCK_VERSION) => Ok((block, place)),
        Some(version) => Err(Absent::OtherVersion(version)),
        None => Err(Absent::Foreign),
    }
}

#[cfg(any(feature = "pg17", feature = "pg18"))]
fn register() -> Result<*mut Block, Absent> {
    let mut found = false;
    // SAFETY: a backend, not the postmaster, which runs no SQL. The memory begins at a page, or at a
    // cache line of the main shared memory.
    let block = unsafe {
        pg_sys::GetNamedDSMSegment(NAME.as_ptr(), size_of::<Block>(), Some(begin), &mut found)
    };
    Ok(block.cast())
}

#[cfg(not(any(feature = "pg17", feature = "pg18")))]
fn register() -> Result<*mut Block, Absent> {
    Err(Absent::NotPreloaded)
}

/// Fills new shared memory, under a lock of PostgreSQL's: no error and no allocation in here.
unsafe extern "C-unwind" fn begin(memory: *mut c_void) {
    let block = memory.cast::<Block>();
    // SAFETY: memory of the size of a block that nobody else sees yet.
    unsafe {
        block.write(Block::unused());
        (*block).claim();
    }
}

/// Asks the server that is about to start for memory. Does nothing when it runs already.
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

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn request() {
    // SAFETY: as in `prepare`; the hook that stood there before goes first.
    unsafe {
        if let Some(next) = NEXT_REQUEST {
            next();
        }
        pg_sys::RequestAddinShmemSpace(size_of::<Block>());
    }
}

/// Also after a crash, when all shared memory is made anew.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn start_up() {
    // SAFETY: as above. Shared structures begin at a cache line. The postmaster has no backends yet, so
    // no lock is needed.
    unsafe {
        if let Some(next) = NEXT_STARTUP {
            next();
        }
        let mut found = false;
        let memory = pg_sys::ShmemInitStruct(NAME.as_ptr(), size_of::<Block>(), &mut found);
        if !found {
            begin(memory);
            if let Some(kept) = (&raw mut KEPT).replace(None) {
                memory.cast::<Block>().write(kept);
            }
        }
        PRELOADED.store(memory.cast(), Ordering::Relaxed);
        pg_sys::on_shmem_exit(Some(keep), pg_sys::Datum::null());
    }
    host::remember_checkpoint();
}

/// The block of before, from the end of the shared memory to its new beginning.
static mut KEPT: Option<Block> = None;

/// When a backend crashes, the postmaster makes all shared memory anew; the clock line goes on, since its
/// monotonic clock does. Called by the postmaster before the memory is gone; backends forget the call when
/// they begin.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn keep(_code: i32, _argument: pg_sys::Datum) {
    // SAFETY: as above; the memory that PRELOADED points to is still there.
    unsafe {
        KEPT =
            PRELOADED.load(Ordering::Relaxed).as_ref().and_then(|block| block.left(&host::System))
    };
}
