//! Signals that are held back for the time of a change.

use std::mem::MaybeUninit;

/// Signals that PostgreSQL handles, blocked until this is dropped. Without that, a background worker that handles
/// SIGTERM in the usual way would end within a change, and all other processes would wait for it. Do not raise an
/// ERROR meanwhile: it would jump over the drop.
pub struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    pub fn new() -> Self {
        let mut blocked = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: sets of signals that the calls fill before they are read. Those that a process raises
        // by a fault in its code cannot be blocked.
        unsafe {
            libc::sigfillset(blocked.as_mut_ptr());
            for fault in [libc::SIGTRAP, libc::SIGABRT, libc::SIGILL, libc::SIGFPE, libc::SIGSEGV, libc::SIGBUS] {
                libc::sigdelset(blocked.as_mut_ptr(), fault);
            }
            libc::sigprocmask(libc::SIG_SETMASK, blocked.as_ptr(), before.as_mut_ptr());
            Self { before: before.assume_init() }
        }
    }
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        // SAFETY: the mask that was in force.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_blocked(signal: i32) -> bool {
        let mut mask = MaybeUninit::uninit();
        // SAFETY: fills the mask with the one in force, and reads it.
        unsafe {
            libc::sigprocmask(libc::SIG_SETMASK, std::ptr::null(), mask.as_mut_ptr());
            libc::sigismember(mask.as_ptr(), signal) == 1
        }
    }

    #[test]
    fn signals_are_blocked_until_it_is_dropped() {
        let blocked = BlockedSignals::new();
        assert!(is_blocked(libc::SIGTERM) && !is_blocked(libc::SIGSEGV));
        drop(blocked);
        assert!(!is_blocked(libc::SIGTERM));
    }
}
