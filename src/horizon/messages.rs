//! Messages that relations have changed, from the load of the library on.
//!
//! PostgreSQL calls a callback after it has rebuilt the entry of an open relation, during which other messages come. If the rebuild
//! fails, the message is lost, also for PostgreSQL's plans: at the end of a transaction or subtransaction that fails, all is
//! forgotten.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;

use pgrx::pg_sys::libpq::be::Port;
use pgrx::pg_sys::libpq::{ClientAuthentication_hook, ClientAuthentication_hook_type};
use pgrx::pg_sys::{self, Datum, Oid, SubTransactionId, SysCacheIdentifier};

use super::changes;
use super::definition;
use super::stored;
use super::tree;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;

/// Has PostgreSQL read and plan all again if a statement loads the library: a plan or a partition descriptor of an earlier one can be
/// older than a message, which nothing has noted.
pub fn forget_earlier_plans() {
    // SAFETY: both read variables of the process.
    if unsafe { raw::IsTransactionState() && pg_sys::ParallelWorkerNumber < 0 } {
        stored::forget();
    }
}

pub fn register() {
    // SAFETY: the functions stay for the life of the process, and of those that a postmaster forks.
    unsafe {
        if pg_sys::process_shared_preload_libraries_in_progress {
            NEXT_AUTHENTICATION.set(ClientAuthentication_hook);
            ClientAuthentication_hook = Some(authenticated);
        }
        raw::CacheRegisterRelcacheCallback(Some(relation_changed), Datum::null());
        raw::CacheRegisterSyscacheCallback(SysCacheIdentifier::NAMESPACEOID as i32, Some(schema_changed), Datum::null());
        for cache in [SysCacheIdentifier::SUBSCRIPTIONOID, SysCacheIdentifier::PROCOID] {
            raw::CacheRegisterSyscacheCallback(cache as i32, Some(other_changed), Datum::null());
        }
        raw::RegisterXactCallback(Some(at_end), ptr::null_mut());
        raw::RegisterSubXactCallback(Some(at_end_of_subtransaction), ptr::null_mut());
    }
}

static NEXT_AUTHENTICATION: OneThread<Cell<ClientAuthentication_hook_type>> = OneThread::new(Cell::new(None));

/// A connection begins. PostgreSQL calls it in the transaction that connects, before it reads tables, schemas and settings.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn authenticated(port: *mut Port, status: i32) {
    if let Some(next) = NEXT_AUTHENTICATION.get() {
        // SAFETY: the hook that was there before gets the same arguments.
        unsafe { next(port, status) };
    }
    stored::note_nothing_stored();
}

/// Whether a callback about this, of 0 for all, is that of a message. With debug_discard_caches, PostgreSQL calls those of all at each
/// look for messages.
fn is_message(about: u32) -> bool {
    // SAFETY: reads a variable of the process.
    about != 0 || unsafe { pg_sys::debug_discard_caches } == 0
}

/// A relation has changed; INVALID: any can have.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn relation_changed(_argument: Datum, relation: Oid) {
    if is_message(relation.to_u32()) {
        changes::note_relation(relation);
    }
    tree::forget(relation);
    definition::forget(relation);
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn schema_changed(_argument: Datum, _cache: i32, hash: u32) {
    if is_message(hash) {
        changes::note_schema(hash);
    }
}

/// No message about a table says that the database gets a subscription, or that the function of a trigger changes.
#[pgrx::pg_guard]
unsafe extern "C-unwind" fn other_changed(_argument: Datum, _cache: i32, hash: u32) {
    if is_message(hash) {
        changes::note_any();
    }
    tree::forget(Oid::INVALID);
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn at_end(event: pg_sys::XactEvent::Type, _argument: *mut c_void) {
    if event == pg_sys::XactEvent::XACT_EVENT_PREPARE {
        stored::forget_own();
    }
    after(event == pg_sys::XactEvent::XACT_EVENT_ABORT);
}

#[pgrx::pg_guard]
unsafe extern "C-unwind" fn at_end_of_subtransaction(
    event: pg_sys::SubXactEvent::Type,
    _id: SubTransactionId,
    _parent: SubTransactionId,
    _argument: *mut c_void,
) {
    after(event == pg_sys::SubXactEvent::SUBXACT_EVENT_ABORT_SUB);
}

/// Forgets all if the transaction or subtransaction has failed, and a message has come since another began or ended.
fn after(has_failed: bool) {
    static SEEN: OneThread<Cell<u64>> = OneThread::new(Cell::new(0));
    // SAFETY: reads a variable of the process.
    let received = unsafe { pg_sys::SharedInvalidMessageCounter };
    if SEEN.replace(received) != received && has_failed {
        changes::note_all();
        tree::forget(Oid::INVALID);
        definition::forget(Oid::INVALID);
        // SAFETY: marks plans in memory, as the message would have done.
        unsafe { raw::ResetPlanCache() };
    }
}
