//! The interface of the clock to its process.

/// A process and its server. The tests implement it with clocks that stop, step back and jump.
pub trait Host {
    /// The Unix time of the system clock, in ticks; `None` before 1970 and after [`LAST_TICK`](super::system_clock::LAST_TICK). It can
    /// be set back.
    fn realtime(&self) -> Option<u64>;

    /// The time that UUIDs had reached before the clock started, if it is known.
    fn earlier_time(&self) -> Option<EarlierTime>;

    /// Whether the server is in recovery.
    fn in_recovery(&self) -> bool;
}

/// A time that UUIDs had reached before the clock started.
#[derive(Clone, Copy, Debug)]
pub struct EarlierTime {
    /// The tick that UUIDs had reached.
    pub reached: u64,
    /// The end of the unit in which `reached` is known. The clock starts there if the system clock is before `reached`.
    pub end: u64,
    /// How it is known.
    pub known_by: SeedTime,
}

/// The time at which a clock started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedTime {
    /// That of the system clock.
    SystemClock = 1,
    /// That of the last checkpoint, since the system clock was before it.
    Checkpoint = 2,
    /// That of the last replayed transaction, since the system clock was before it.
    Replay = 3,
    /// The last tick before a backend crashed, since the system clock was before it.
    Crash = 4,
}

impl SeedTime {
    pub(super) fn of_word(word: u64) -> Option<Self> {
        [Self::SystemClock, Self::Checkpoint, Self::Replay, Self::Crash].into_iter().find(|&time| time as u64 == word)
    }
}
