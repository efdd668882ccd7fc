//! Variables of a process that runs SQL.

use std::ops::Deref;

/// A variable that only the thread which runs SQL uses: PostgreSQL calls no function of ours on another one.
pub struct OneThread<T>(T);

// SAFETY: only the thread that runs SQL uses the variable, so that two threads never do.
unsafe impl<T> Sync for OneThread<T> {}

impl<T> OneThread<T> {
    pub const fn new(value: T) -> Self {
        Self(value)
    }
}

impl<T> Deref for OneThread<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
