//! A SQL timestamptz as a plain number.

use std::fmt;

use pgrx::pg_sys;
use serde::{Serialize, Serializer};

use super::raw;

/// Microseconds from 1970-01-01 to 2000-01-01, where PostgreSQL's time begins.
const POSTGRES_EPOCH_UNIX_US: i64 = 946_684_800_000_000;

/// Microseconds since 2000-01-01 00:00:00 UTC; the infinities are the ends of i64.
#[derive(Clone, Copy)]
pub struct TimestampTz(pub pg_sys::TimestampTz);

impl TimestampTz {
    /// Microseconds since the Unix epoch; `-infinity` and `infinity` are the ends of i64, which no
    /// layout reaches.
    #[inline(always)]
    pub fn unix_micros(self) -> i64 {
        match self.0 {
            i64::MIN => i64::MIN,
            micros => micros.saturating_add(POSTGRES_EPOCH_UNIX_US),
        }
    }

    /// The timestamptz of microseconds since the Unix epoch. The range of a timestamptz contains that of each layout.
    #[inline(always)]
    pub fn from_unix_micros(micros: i64) -> Self {
        Self(micros - POSTGRES_EPOCH_UNIX_US)
    }
}

impl Serialize for TimestampTz {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// ISO 8601, in UTC, whatever the session's DateStyle and TimeZone.
impl fmt::Display for TimestampTz {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        // JsonEncodeDateTime() requires MAXDATELEN and the final zero.
        let mut text = [0; pg_sys::MAXDATELEN as usize + 1];
        let utc = 0;
        // SAFETY: the datum has the type of the third argument. The buffer has the size that the function requires, and ends
        // with a zero then.
        let text = unsafe {
            let zone = &raw const utc;
            raw::JsonEncodeDateTime(text.as_mut_ptr(), self.0.into(), pg_sys::TIMESTAMPTZOID, zone);
            std::ffi::CStr::from_ptr(text.as_ptr())
        };
        to.write_str(text.to_str().map_err(|_| fmt::Error)?)
    }
}
