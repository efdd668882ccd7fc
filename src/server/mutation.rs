//! Mistakes that the tests in pg_test/tests/faults/ turn on, to show that they would notice them.
//!
//! A process makes a mistake while a file of that name is in the data directory. Without the feature `mutants` it makes none, and
//! the compiler removes the points: a test looks for the names in the library that is installed.

use std::ffi::c_void;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use pgrx::pg_sys::{self, Datum};

use crate::postgres::raw;

#[cfg(all(feature = "mutants", not(debug_assertions)))]
compile_error!("the feature mutants is for the tests: build without --release");

/// Whether this process is to make the mistake. Allocates nothing.
#[inline(always)]
pub fn is(mistake: &str) -> bool {
    // The data directory is the working directory of all processes of a server.
    cfg!(feature = "mutants") && Path::new(mistake).exists()
}

/// A pause between two steps, in which other processes may take theirs.
#[inline(always)]
pub fn pause() {
    if is("pauses between steps") {
        std::thread::sleep(Duration::from_micros(300));
    }
}

/// The result of a step that is taken too early, where that is the mistake. The others follow after longer than a pause.
#[inline(always)]
pub fn early<T>(mistake: &str, step: impl FnOnce() -> T) -> Option<T> {
    is(mistake).then(|| {
        let result = step();
        std::thread::sleep(Duration::from_millis(2));
        result
    })
}

/// Stops the process that finds the file first.
#[inline(always)]
pub fn stop() {
    if cfg!(feature = "mutants") && std::fs::rename("stop in a change", "stopped in a change").is_ok() {
        // SAFETY: a signal to this process.
        unsafe { libc::raise(libc::SIGSTOP) };
    }
}

/// Whether the mistake is that a transaction releases its floor before it commits. The lock has to be one of the session.
#[inline(always)]
pub fn releases_before_commit(lock: &pg_sys::LOCKTAG) -> bool {
    static mut LOCK: Option<pg_sys::LOCKTAG> = None;
    static mut IS_REGISTERED: bool = false;

    unsafe extern "C-unwind" fn before_commit(event: pg_sys::XactEvent::Type, _: *mut c_void) {
        // SAFETY: a backend runs SQL on one thread.
        unsafe {
            let lock = LOCK.filter(|_| event == pg_sys::XactEvent::XACT_EVENT_PRE_COMMIT);
            if let Some(lock) = lock {
                LOCK = None;
                pg_sys::LockRelease(&raw const lock, pg_sys::ShareLock as i32, true);
            }
        }
    }

    if !is("released before commit") {
        return false;
    }
    // SAFETY: as above; the function stays for the life of the process.
    unsafe {
        LOCK = Some(*lock);
        if !IS_REGISTERED {
            IS_REGISTERED = true;
            pg_sys::RegisterXactCallback(Some(before_commit), std::ptr::null_mut());
        }
    }
    true
}

/// Called when the library is loaded.
#[inline(always)]
pub fn loaded() {
    #[cfg(feature = "mutants")]
    allocator::IS_LOADED.store(true, std::sync::atomic::Ordering::Relaxed);
}

/// The allocator of the system, or one that serves nothing.
#[cfg(feature = "mutants")]
mod allocator {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Whether the library is loaded. Loading takes 16 bytes, for the panic hook that pgrx sets and _PG_init() removes.
    pub static IS_LOADED: AtomicBool = AtomicBool::new(false);

    #[global_allocator]
    static ALLOCATOR: Allocator = Allocator;

    struct Allocator;

    // SAFETY: the allocator of the system, or the null pointer, by which an allocator says that it has no memory.
    unsafe impl GlobalAlloc for Allocator {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            if IS_LOADED.load(Ordering::Relaxed) && super::is("no allocation is served") {
                return std::ptr::null_mut();
            }
            // SAFETY: the caller's word.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
            // SAFETY: the caller's word; the place is of alloc().
            unsafe { System.dealloc(place, layout) }
        }
    }
}

/// Takes memory of Rust's allocator.
#[inline(always)]
pub fn allocate() {
    if is("an allocation") {
        std::hint::black_box(vec![1_u8; 65536]);
    }
}

/// jsonb_in() by the bindings of pgrx, whose guard puts a backtrace into the DETAIL of an error.
///
/// # Safety
/// A C string.
#[inline(always)]
pub unsafe fn jsonb_by_pgrx(text: Datum) -> Option<Datum> {
    static HOOK: Once = Once::new();
    if !is("bindings of pgrx") {
        return None;
    }
    HOOK.call_once(pg_sys::panic::register_pg_guard_panic_hook);
    // SAFETY: the caller's word.
    let jsonb = move || unsafe { pg_sys::DirectFunctionCall1Coll(Some(raw::jsonb_in), pg_sys::Oid::INVALID, text) };
    // SAFETY: called by PostgreSQL, which an ERROR goes back to.
    Some(unsafe { pg_sys::panic::pgrx_extern_c_guard(jsonb) })
}
