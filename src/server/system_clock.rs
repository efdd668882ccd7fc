//! The clock of the operating system.

use std::mem::MaybeUninit;

use comb_clock::source::{ClockSource, tick_of_seconds};

pub struct SystemClock;

impl ClockSource for SystemClock {
    #[inline(always)]
    fn realtime(&self) -> Option<u64> {
        let mut time = MaybeUninit::<libc::timespec>::uninit();
        // SAFETY: the clock exists on all platforms of PostgreSQL, so the call fills the structure. It is libc's, which
        // libfaketime can replace.
        let time = unsafe {
            libc::clock_gettime(libc::CLOCK_REALTIME, time.as_mut_ptr());
            time.assume_init()
        };
        tick_of_seconds(time.tv_sec, time.tv_nsec as u32)
    }
}
