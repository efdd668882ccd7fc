//! Signals that are blocked during a change.

use std::mem::MaybeUninit;

/// Blocks the signals that PostgreSQL handles until it is dropped. Otherwise SIGTERM could end a background worker within
/// a change, and all other processes would wait for it. Do not raise an ERROR meanwhile: it would jump over the drop.
pub struct BlockedSignals {
    before: libc::sigset_t,
}

impl BlockedSignals {
    pub fn new() -> Self {
        let mut blocked = MaybeUninit::uninit();
        let mut before = MaybeUninit::uninit();
        // SAFETY: the calls fill the sets before they are read. The signals of faults in the code must not be blocked.
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
        // SAFETY: `before` is the previous mask.
        unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const self.before, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_blocked(signal: i32) -> bool {
        let mut mask = MaybeUninit::uninit();
        // SAFETY: the first call fills the mask.
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
