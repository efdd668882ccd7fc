//! The clocks of the operating system.

use std::mem::MaybeUninit;

use comb_clock::source::{ClockSource, tick_of_seconds, ticks_of_seconds};

pub struct SystemClock;

impl ClockSource for SystemClock {
    #[inline(always)]
    fn monotonic(&self) -> u64 {
        let time = read(libc::CLOCK_MONOTONIC);
        ticks_of_seconds(time.tv_sec as u64, time.tv_nsec as u32)
    }

    fn realtime(&self) -> Option<u64> {
        let time = read(libc::CLOCK_REALTIME);
        tick_of_seconds(time.tv_sec, time.tv_nsec as u32)
    }
}

/// Reads a clock through libc, which libfaketime can replace.
#[inline(always)]
fn read(clock: libc::clockid_t) -> libc::timespec {
    let mut time = MaybeUninit::uninit();
    // SAFETY: both clocks exist on all platforms of PostgreSQL, so the call fills the structure.
    unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    }
}
