//! The memory that the processes of a server share: the clock line, and what is known of it.
//!
//! One block of a fixed size: who attaches it first gives it its size for the life of the server, and
//! libraries of several versions may use it at once. What every id reads stands apart from what is
//! written. All zeros is a block that nobody has used yet, which is how memory begins, also after a
//! crash.
//!
//! A process that shares with no other has a block of its own.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::clock::{Clocks, LAST_TICK, Reading};
use crate::comb::TICKS_PER_MS;
use crate::field::Clock;
use crate::line::Line;
use crate::publication::Published;

/// "comb" and a line break, so that foreign memory is told from ours.
const MAGIC: u64 = u64::from_be_bytes(*b"comb\r\n\x1a\n");

/// What the words of the block mean. Counted up when a library could no longer share the block with
/// those before it, which it then leaves alone.
pub const BLOCK_VERSION: u64 = 1;

/// The real clock was set when it differs by more than this from what the monotonic clock makes of it,
/// 1 ms. Both keep the same pace, by which NTP slews them; reading them is exact to a microsecond.
const TOLERANCE: u64 = TICKS_PER_MS;

/// The shared block: words that are each other's neighbours for good.
#[repr(C, align(64))]
pub struct Block {
    magic: AtomicU64,
    version: AtomicU64,
    published: Published,
    /// How often the clock line was set back on purpose.
    resets: AtomicU64,
    /// What the real clock was ahead of the monotonic one when last seen; wraps around.
    clock_offset: AtomicU64,

    record: Record,
    /// The lead that the clock or a superuser made, which the limit for others leaves out.
    excused: AtomicU64,
    reserve: [AtomicU64; 15],
}

/// What is written while the line is changed, and seldom read.
#[repr(C)]
struct Record {
    /// The greatest tick of an id that was to keep a distance.
    last_apart: AtomicU64,
    /// Not 0 from a start in recovery to the end of the recovery.
    in_recovery: AtomicU64,
    steps_back: AtomicU64,
    stepped_back: AtomicU64,
    largest_step_back: AtomicU64,
    seeded_at: AtomicU64,
    seeded_from: AtomicU64,
    seed_source: AtomicU64,
}

const _: () = assert!(size_of::<Block>() == 256);

/// Where a line began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedSource {
    SystemClock = 1,
    /// The time of the last checkpoint, which the clock stood before.
    Checkpoint = 2,
    /// The time of the last transaction that was replayed, which the clock stood before.
    Replay = 3,
}

impl SeedSource {
    fn of_word(word: u64) -> Option<Self> {
        [Self::SystemClock, Self::Checkpoint, Self::Replay]
            .into_iter()
            .find(|&source| source as u64 == word)
    }
}

/// Up to when ids were made in an earlier life of the database, and how that is known.
#[derive(Clone, Copy, Debug)]
pub struct Floor {
    /// A tick that the clock had reached then.
    pub reached: u64,
    /// The end of the unit that this is known to. Ids begin there when the clock stands before
    /// `reached`; when it does not, nothing says that it was set back, and ids are of now.
    pub end: u64,
    pub source: SeedSource,
}

/// What a block learns from the process that uses it.
pub trait Host: Clocks {
    /// What ids were made before this server started, as far as that is known.
    fn floor(&self) -> Option<Floor>;

    /// Whether the server replays what another one did, or what it did itself before a crash.
    fn in_recovery(&self) -> bool;

    /// Runs what changes the block, which nothing may interrupt for good: all others wait for it.
    fn undisturbed(&self, change: &mut dyn FnMut());
}

/// What is wanted of a tick.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// It is not before `last + apart`, unless the line was reset more than `resets` times.
    pub last: u64,
    pub apart: u64,
    pub resets: u64,
    /// Nor is it so near to any other of which this was wanted.
    pub is_kept: bool,
    /// How far ahead of the real clock it may lie; `None` for any.
    pub max_ahead: Option<u64>,
}

/// Why the line cannot do what is asked of it. It is then as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineError {
    /// The clock, or the tick that is asked for, is out of range.
    OutOfRange,
    /// The tick lies further ahead of the clock than is permitted.
    TooFarAhead,
}

/// What is to be known of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Where the line is.
    pub latest: u64,
    /// How far that is ahead of the real clock.
    pub ahead: u64,
    /// In how many ticks the lead will be worked off; `None` where it will not be.
    pub level_in: Option<u64>,
    pub steps_back: u64,
    /// All of them together.
    pub stepped_back: u64,
    pub largest_step_back: u64,
    /// When the line began, by the real clock.
    pub seeded_at: u64,
    /// Where it began.
    pub seeded_from: u64,
    pub seed_source: Option<SeedSource>,
}

impl Block {
    /// All zeros.
    pub const fn unused() -> Self {
        Self {
            magic: AtomicU64::new(0),
            version: AtomicU64::new(0),
            published: Published::unpublished(),
            resets: AtomicU64::new(0),
            clock_offset: AtomicU64::new(0),
            record: Record {
                last_apart: AtomicU64::new(0),
                in_recovery: AtomicU64::new(0),
                steps_back: AtomicU64::new(0),
                stepped_back: AtomicU64::new(0),
                largest_step_back: AtomicU64::new(0),
                seeded_at: AtomicU64::new(0),
                seeded_from: AtomicU64::new(0),
                seed_source: AtomicU64::new(0),
            },
            excused: AtomicU64::new(0),
            reserve: [const { AtomicU64::new(0) }; 15],
        }
    }

    /// The block as it is, for memory that takes its place, when all who used it are gone. `None` if
    /// nobody had used it yet, if it is of another version, or if it makes no sense: one of them may have
    /// damaged it.
    pub fn left(&self, clocks: &impl Clocks) -> Option<Self> {
        (self.version() == Some(BLOCK_VERSION)).then_some(())?;
        let at = Reading::take(clocks)?;
        let line = self.published.left(at)?;
        let word = |word: &AtomicU64| AtomicU64::new(word.load(Ordering::Relaxed));
        let record = &self.record;
        let left = Self {
            magic: word(&self.magic),
            version: word(&self.version),
            published: Published::with(line),
            resets: word(&self.resets),
            clock_offset: word(&self.clock_offset),
            record: Record {
                last_apart: word(&record.last_apart),
                in_recovery: word(&record.in_recovery),
                steps_back: word(&record.steps_back),
                stepped_back: word(&record.stepped_back),
                largest_step_back: word(&record.largest_step_back),
                seeded_at: word(&record.seeded_at),
                seeded_from: word(&record.seeded_from),
                seed_source: word(&record.seed_source),
            },
            excused: word(&self.excused),
            reserve: self.reserve.each_ref().map(word),
        };
        left.makes_sense(line.tick(at.monotonic)).then_some(left)
    }

    /// Whether the record goes with where the line is.
    fn makes_sense(&self, tick: u64) -> bool {
        let word = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let record = &self.record;
        SeedSource::of_word(word(&record.seed_source)).is_some()
            && (word(&record.seeded_from)..=LAST_TICK).contains(&tick)
            && word(&record.last_apart) <= LAST_TICK
    }

    /// Marks a block of zeros as one of this version.
    pub fn claim(&self) {
        self.version.store(BLOCK_VERSION, Ordering::Relaxed);
        self.magic.store(MAGIC, Ordering::Release);
    }

    /// The version of the block, if it is one.
    pub fn version(&self) -> Option<u64> {
        (self.magic.load(Ordering::Acquire) == MAGIC).then(|| self.version.load(Ordering::Relaxed))
    }

    /// The line's tick and the monotonic clock at one moment.
    #[inline(always)]
    pub fn now(&self, clocks: &impl Clocks) -> (u64, u64) {
        let (line, monotonic) = self.published.read(|| clocks.monotonic());
        (line.tick(monotonic), monotonic)
    }

    /// How often the line was set back on purpose.
    pub fn resets(&self) -> u64 {
        self.resets.load(Ordering::Acquire)
    }

    /// Whether the line may have to be raised at any moment, since the server may be promoted.
    pub fn awaits_promotion(&self) -> bool {
        self.record.in_recovery.load(Ordering::Relaxed) != 0
    }

    /// Compares the line with the real clock, begins it if there is none yet, and lets it follow.
    /// Answers what it is then ahead.
    ///
    /// # Errors
    /// The clock is out of range.
    pub fn check(&self, host: &impl Host) -> Result<u64, LineError> {
        if !self.published.is_published() {
            self.seed(host)?;
        } else if !self.awaits_promotion() {
            // A server that crashes may have become a standby before it is up again.
            if host.in_recovery() {
                self.record.in_recovery.store(1, Ordering::Relaxed);
            }
        } else if !host.in_recovery() {
            self.end_recovery(host)?;
        }
        let seen = Reading::take(host).ok_or(LineError::OutOfRange)?;
        if self.was_set(seen) {
            self.change(host, |line, at| {
                // Somebody else may have seen it first.
                if !self.was_set(at) {
                    return Ok((line, ()));
                }
                let tick = line.tick(at.monotonic).max(at.realtime);
                // Not more than the clock did: the rest of the lead is somebody's.
                let excused = self.excused.load(Ordering::Relaxed);
                let excused = excused.saturating_add_signed(self.moved_back(at));
                self.excused.store(excused.min(lead(tick, at)), Ordering::Relaxed);
                self.note_step(at);
                Ok((Line::through(tick, at), ()))
            })?;
        }
        self.lead(host)
    }

    /// A tick as it is wanted. The line is raised to it where it is not there yet.
    ///
    /// # Errors
    /// The clock or the tick are out of range, the tick does not `fit`, or it lies further ahead of
    /// the clock than is permitted.
    pub fn take(
        &self,
        host: &impl Host,
        wanted: &Wanted,
        fits: impl Fn(u64) -> bool,
    ) -> Result<u64, LineError> {
        let Wanted { last, apart, is_kept, max_ahead, resets } = *wanted;
        self.change(host, |line, at| {
            let now = line.tick(at.monotonic);
            // Somebody may have set the line back since `last`.
            let own = if resets == self.resets() { last + apart } else { 0 };
            let others =
                if is_kept { self.record.last_apart.load(Ordering::Relaxed) + apart } else { 0 };
            let tick = now.max(own).max(others);
            if !fits(tick) {
                return Err(LineError::OutOfRange);
            }
            let line = self.raised(line, tick, at, max_ahead)?;
            if is_kept {
                self.record.last_apart.store(tick, Ordering::Relaxed);
            }
            Ok((line, tick))
        })
    }

    /// Sees to it that ids made from now on have a tick greater than that one. Answers what they were
    /// ahead before, and what they are now.
    ///
    /// # Errors
    /// As [`Self::take`].
    pub fn observe(
        &self,
        host: &impl Host,
        tick: u64,
        max_ahead: Option<u64>,
    ) -> Result<(u64, u64), LineError> {
        let before = self.check(host)?;
        self.change(host, |line, at| {
            // Beyond the coarsest unit that has no fraction.
            let beyond = tick.saturating_add(Clock::DotnetTicks.step(0));
            Ok((self.raised(line, beyond, at, max_ahead)?, ()))
        })?;
        Ok((before, self.lead(host)?))
    }

    /// Sets the line to the real clock, whatever ids were made before.
    ///
    /// # Errors
    /// The clock is out of range.
    pub fn reset(&self, host: &impl Host) -> Result<(), LineError> {
        self.check(host)?;
        self.change(host, |_, at| {
            self.resets.fetch_add(1, Ordering::Release);
            self.excused.store(0, Ordering::Relaxed);
            self.clock_offset.store(at.offset(), Ordering::Relaxed);
            self.record.last_apart.store(0, Ordering::Relaxed);
            self.note_seed(at, at.realtime, SeedSource::SystemClock);
            Ok((Line::through(at.realtime, at), ()))
        })
    }

    /// # Errors
    /// The clock is out of range.
    pub fn status(&self, host: &impl Host) -> Result<Status, LineError> {
        self.check(host)?;
        let (line, (at, mut status)) = self.published.read(|| {
            let word = |word: &AtomicU64| word.load(Ordering::Relaxed);
            let record = &self.record;
            let status = Status {
                latest: 0,
                ahead: 0,
                level_in: None,
                steps_back: word(&record.steps_back),
                stepped_back: word(&record.stepped_back),
                largest_step_back: word(&record.largest_step_back),
                seeded_at: word(&record.seeded_at),
                seeded_from: word(&record.seeded_from),
                seed_source: SeedSource::of_word(word(&record.seed_source)),
            };
            (Reading::take(host), status)
        });
        let at = at.ok_or(LineError::OutOfRange)?;
        status.latest = line.tick(at.monotonic);
        status.ahead = lead(status.latest, at);
        status.level_in = line.level_in(at.monotonic);
        Ok(status)
    }

    /// Begins the line: at the real clock, or at what is known of ids from before.
    fn seed(&self, host: &impl Host) -> Result<(), LineError> {
        // Before others have to wait: it reads a file.
        let (in_recovery, floor) = (host.in_recovery(), host.floor());
        self.change(host, |line, at| {
            if self.record.seed_source.load(Ordering::Relaxed) != 0 {
                return Ok((line, ()));
            }
            let (tick, source) = match floor {
                Some(floor) if floor.reached > at.realtime => (floor.end, floor.source),
                _ => (at.realtime, SeedSource::SystemClock),
            };
            if tick > LAST_TICK {
                return Err(LineError::OutOfRange);
            }
            self.record.in_recovery.store(in_recovery.into(), Ordering::Relaxed);
            self.clock_offset.store(at.offset(), Ordering::Relaxed);
            self.note_seed(at, tick, source);
            self.excuse(tick, at);
            Ok((Line::through(tick, at), ()))
        })
    }

    /// What was replayed was made by another server's clock.
    fn end_recovery(&self, host: &impl Host) -> Result<(), LineError> {
        let floor = host.floor();
        self.change(host, |line, at| {
            let mut line = line;
            if let Some(floor) = floor.filter(|floor| floor.reached > line.tick(at.monotonic)) {
                line = self.raised(line, floor.end, at, None)?;
                self.note_seed(at, floor.end, floor.source);
            }
            self.record.in_recovery.store(0, Ordering::Relaxed);
            Ok((line, ()))
        })
    }

    fn change<T>(
        &self,
        host: &impl Host,
        decide: impl FnOnce(Line, Reading) -> Result<(Line, T), LineError>,
    ) -> Result<T, LineError> {
        self.published.change(
            |change| host.undisturbed(change),
            |line| {
                let at = Reading::take(host).ok_or(LineError::OutOfRange)?;
                decide(line, at)
            },
        )
    }

    fn lead(&self, host: &impl Host) -> Result<u64, LineError> {
        let (line, at) = self.published.read(|| Reading::take(host));
        let at = at.ok_or(LineError::OutOfRange)?;
        Ok(lead(line.tick(at.monotonic), at))
    }

    /// Whether the real clock was set since the line last followed it.
    fn was_set(&self, at: Reading) -> bool {
        self.moved_back(at).unsigned_abs() > TOLERANCE
    }

    /// By how many ticks the real clock was set back since; negative where it was set forward.
    fn moved_back(&self, at: Reading) -> i64 {
        self.clock_offset.load(Ordering::Relaxed).wrapping_sub(at.offset()) as i64
    }

    fn note_step(&self, at: Reading) {
        if let Ok(back @ 1..) = u64::try_from(self.moved_back(at)) {
            let record = &self.record;
            record.steps_back.fetch_add(1, Ordering::Relaxed);
            record.stepped_back.fetch_add(back, Ordering::Relaxed);
            record.largest_step_back.fetch_max(back, Ordering::Relaxed);
        }
        self.clock_offset.store(at.offset(), Ordering::Relaxed);
    }

    /// The line raised to a tick, unless it is there already.
    fn raised(
        &self,
        line: Line,
        tick: u64,
        at: Reading,
        max_ahead: Option<u64>,
    ) -> Result<Line, LineError> {
        if tick <= line.tick(at.monotonic) {
            return Ok(line);
        }
        if tick > LAST_TICK {
            return Err(LineError::OutOfRange);
        }
        match max_ahead {
            Some(most) => {
                // What has been worked off is excused no more.
                let ahead = lead(line.tick(at.monotonic), at);
                let excused = self.excused.load(Ordering::Relaxed).min(ahead);
                self.excused.store(excused, Ordering::Relaxed);
                let most = most.saturating_add(excused);
                if lead(tick, at) > most {
                    return Err(LineError::TooFarAhead);
                }
            }
            None => self.excuse(tick, at),
        }
        Ok(Line::through(tick, at))
    }

    fn excuse(&self, tick: u64, at: Reading) {
        self.excused.store(lead(tick, at), Ordering::Relaxed);
    }

    fn note_seed(&self, at: Reading, tick: u64, source: SeedSource) {
        self.record.seeded_at.store(at.realtime, Ordering::Relaxed);
        self.record.seeded_from.store(tick, Ordering::Relaxed);
        self.record.seed_source.store(source as u64, Ordering::Relaxed);
    }
}

fn lead(tick: u64, at: Reading) -> u64 {
    // What is less than the tolerance is how exactly the clock is read.
    Some(tick.saturating_sub(at.realtime)).filter(|&lead| lead > TOLERANCE).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::generator::{Generator, Wishes};
    use crate::layout::UUIDV7;
    use crate::simulation::{BEGIN, SECOND, SimulatedHost, next_tick, unused_block};

    const HOUR: u64 = 3600 * SECOND;

    fn status(block: &Block, host: &SimulatedHost) -> Status {
        block.status(host).unwrap()
    }

    #[test]
    fn a_block_of_zeros_is_unused_and_claimed_by_its_version() {
        let block = unused_block();
        assert_eq!(block.version(), None);
        block.claim();
        assert_eq!(block.version(), Some(BLOCK_VERSION));
        assert!(!block.published.is_published());
    }

    #[test]
    fn a_block_goes_on_where_it_was_left() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        block.claim();
        assert!(block.left(&host).is_none(), "nothing to go on from");
        let before = status(block, &host);
        host.set_back(HOUR);
        host.pass(SECOND);
        let latest = status(block, &host).latest;
        let left = block.left(&host).unwrap();
        host.set_back(HOUR);
        let after = status(&left, &host);
        assert!(after.latest > latest && after.latest < latest + SECOND);
        assert_eq!(after.steps_back, 2);
        assert_eq!(after.seeded_at, before.seeded_at);
    }

    #[test]
    fn a_block_that_somebody_died_changing_goes_on_above() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        block.claim();
        status(block, &host);
        host.set_back(HOUR);
        status(block, &host);
        host.pass(HOUR);
        let latest = status(block, &host).latest;
        let left = block.change(&host, |line, _| Ok((line, block.left(&host).unwrap()))).unwrap();
        // An hour of it worked off a sixteenth.
        let after = status(&left, &host).latest;
        assert!(after > latest && after < latest + HOUR / 16 + SECOND);
        host.pass(17 * HOUR);
        assert_eq!(status(&left, &host).ahead, 0);
    }

    #[test]
    fn a_block_that_makes_no_sense_is_left_alone() {
        let line = |offset| Published::with(Line { offset, slow_from: 0, slow_until: 0 });
        let damages: [&dyn Fn(&mut Block); 6] = [
            &|block| block.magic = AtomicU64::new(0),
            &|block| block.version = AtomicU64::new(BLOCK_VERSION + 1),
            &|block| block.published = line(LAST_TICK),
            &|block| block.published = line(0),
            &|block| block.record.seed_source = AtomicU64::new(9),
            &|block| block.record.last_apart = AtomicU64::new(u64::MAX),
        ];
        for (number, damage) in damages.iter().enumerate() {
            let (block, host) = (unused_block(), SimulatedHost::new());
            block.claim();
            status(block, &host);
            let mut left = block.left(&host).unwrap();
            damage(&mut left);
            assert!(left.left(&host).is_none(), "{number}");
        }
    }

    #[test]
    fn a_server_that_becomes_a_standby_awaits_its_promotion() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        status(block, &host);
        assert!(!block.awaits_promotion());
        host.in_recovery.set(true);
        status(block, &host);
        assert!(block.awaits_promotion());
    }

    #[test]
    fn steps_of_the_clock_do_not_raise_the_limit_for_a_distance() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        let mut generator = Generator::new(block);
        let wishes = Wishes { apart_ms: 1000, max_ahead_ms: Some(60_000) };
        let mut tick = || next_tick(&mut generator, &UUIDV7, &host, wishes);
        while tick().is_ok() {}
        for _ in 0..10 {
            host.set_back(10 * TICKS_PER_MS);
            host.pass(20 * TICKS_PER_MS);
            assert!(tick().is_err());
        }
        assert!(status(block, &host).ahead < 61 * SECOND);
    }

    #[test]
    fn a_lead_that_was_worked_off_is_excused_no_more() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        let mut generator = Generator::new(block);
        let wishes = Wishes { apart_ms: 60_000, max_ahead_ms: Some(90_000) };
        let mut tick = || next_tick(&mut generator, &UUIDV7, &host, wishes);
        tick().unwrap();
        host.set_back(HOUR);
        assert!(status(block, &host).ahead > HOUR - SECOND);
        host.pass(20 * HOUR);
        assert_eq!((0..10).filter(|_| tick().is_ok()).count(), 2);
    }

    #[test]
    fn a_line_begins_at_the_clock_or_at_what_is_known_from_before() {
        let floor = |end, source| Some(Floor { reached: end - SECOND / 2, end, source });
        let cases = [
            (None, BEGIN, SeedSource::SystemClock),
            (floor(BEGIN - SECOND, SeedSource::Checkpoint), BEGIN, SeedSource::SystemClock),
            (floor(BEGIN + SECOND / 2, SeedSource::Checkpoint), BEGIN, SeedSource::SystemClock),
            (floor(BEGIN + HOUR, SeedSource::Checkpoint), BEGIN + HOUR, SeedSource::Checkpoint),
            (floor(BEGIN + SECOND, SeedSource::Replay), BEGIN + SECOND, SeedSource::Replay),
        ];
        for (floor, begin, source) in cases {
            let (block, host) = (unused_block(), SimulatedHost::new());
            host.floor.set(floor);
            let status = status(block, &host);
            assert!(status.latest >= begin && status.latest < begin + TICKS_PER_MS);
            assert_eq!(status.seed_source, Some(source));
            assert!(status.seeded_from >= begin && status.seeded_from < begin + TICKS_PER_MS);
            assert!(status.seeded_at.abs_diff(BEGIN) < TICKS_PER_MS);
            assert_eq!(status.steps_back, 0);
        }
    }

    #[test]
    fn a_promotion_raises_the_line_to_what_was_replayed() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        let mut generator = Generator::new(block);
        host.in_recovery.set(true);
        let mut tick = || next_tick(&mut generator, &UUIDV7, &host, Wishes::default()).unwrap();
        assert!(tick() < BEGIN + SECOND);
        let (reached, end) = (BEGIN + HOUR, BEGIN + HOUR + 1);
        host.floor.set(Some(Floor { reached, end, source: SeedSource::Replay }));
        assert!(tick() < BEGIN + SECOND);
        host.in_recovery.set(false);
        // At the very next id, not 10 ms later.
        assert!(tick() >= end);
        assert!(!block.awaits_promotion());
        assert_eq!(status(block, &host).seed_source, Some(SeedSource::Replay));
    }

    #[test]
    fn a_reset_in_recovery_still_awaits_the_promotion() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        host.in_recovery.set(true);
        block.reset(&host).unwrap();
        assert!(block.awaits_promotion());
    }

    #[test]
    fn a_lead_that_the_clock_made_does_not_count_against_a_distance() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        let mut generator = Generator::new(block);
        let wishes = Wishes { apart_ms: 300, max_ahead_ms: Some(1000) };
        let mut tick = || next_tick(&mut generator, &UUIDV7, &host, wishes);
        tick().unwrap();
        host.set_back(HOUR);
        host.pass(SECOND);
        assert!((0..4).all(|_| tick().is_ok()));
        assert!(tick().is_err());
    }

    #[test]
    fn steps_back_are_counted_once_and_measured() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        status(block, &host);
        for back in [SECOND, 2 * HOUR, 3 * SECOND] {
            host.set_back(back);
            for _ in 0..3 {
                host.pass(SECOND);
                status(block, &host);
            }
        }
        let status = status(block, &host);
        assert_eq!(status.steps_back, 3);
        assert!(status.stepped_back.abs_diff(2 * HOUR + 4 * SECOND) < TICKS_PER_MS);
        assert!(status.largest_step_back.abs_diff(2 * HOUR) < TICKS_PER_MS);
    }

    #[test]
    fn observing_raises_but_not_beyond_the_limit() {
        let (block, host) = (unused_block(), SimulatedHost::new());
        let limit = Some(60 * SECOND);
        block.observe(&host, BEGIN - HOUR, limit).unwrap();
        assert_eq!(status(block, &host).ahead, 0);
        block.observe(&host, BEGIN + 59 * SECOND, limit).unwrap();
        assert!(block.now(&host).0 > BEGIN + 59 * SECOND);
        let error = block.observe(&host, BEGIN + 61 * SECOND, limit);
        assert_eq!(error, Err(LineError::TooFarAhead));
        assert!(block.now(&host).0 < BEGIN + 60 * SECOND);
        block.observe(&host, BEGIN + 500 * HOUR, None).unwrap();
        assert!(block.now(&host).0 > BEGIN + 500 * HOUR);
        assert_eq!(status(block, &host).level_in, None);
        for beyond in [LAST_TICK, u64::MAX - 10, u64::MAX] {
            assert_eq!(block.observe(&host, beyond, None), Err(LineError::OutOfRange));
        }
    }

    /// What the world does between two ids.
    #[derive(Clone, Debug)]
    enum Event {
        Pass(u64),
        Suspend(u64),
        SetBack(u64),
        SetForward(u64),
        Observe(u64),
        Reset,
        /// The next id keeps a distance, which leads ahead by at most a minute.
        KeepDistance(u64),
    }

    impl Event {
        fn happen(&self, host: &SimulatedHost, block: &Block) {
            match *self {
                Self::Pass(ticks) => host.pass(ticks),
                Self::Suspend(ticks) | Self::SetForward(ticks) => host.suspend(ticks),
                Self::SetBack(ticks) => host.set_back(ticks),
                Self::Observe(ahead) => {
                    block.observe(host, host.real() + ahead, None).unwrap();
                }
                Self::Reset => block.reset(host).unwrap(),
                Self::KeepDistance(_) => {}
            }
        }
    }

    fn time_or_a_step_back() -> impl Strategy<Value = Event> {
        prop_oneof![
            8 => (0..100 * TICKS_PER_MS).prop_map(Event::Pass),
            2 => (0..HOUR).prop_map(Event::Pass),
            2 => (0..30 * HOUR).prop_map(Event::SetBack),
        ]
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![
            12 => time_or_a_step_back(),
            1 => (0..10 * HOUR).prop_map(Event::Suspend),
            2 => (0..HOUR).prop_map(Event::SetForward),
            1 => (0..HOUR).prop_map(Event::Observe),
            1 => Just(Event::Reset),
            3 => (1..10u64).prop_map(Event::KeepDistance),
        ]
    }

    fn events(event: impl Strategy<Value = Event>) -> impl Strategy<Value = Vec<(Event, usize)>> {
        prop::collection::vec((event, 0..3usize), 1..100)
    }

    /// A process that shares the line.
    struct Process {
        generator: Generator,
    }

    impl Process {
        fn three(block: &'static Block) -> [Self; 3] {
            [(); 3].map(|()| Self { generator: Generator::new(block) })
        }

        fn tick(&mut self, host: &SimulatedHost) -> u64 {
            self.tick_as(host, Wishes::default())
        }

        fn tick_as(&mut self, host: &SimulatedHost, wishes: Wishes) -> u64 {
            let tick = next_tick(&mut self.generator, &UUIDV7, host, wishes).unwrap();
            self.generator.id(&UUIDV7, tick, 1).unwrap();
            tick
        }
    }

    proptest! {
        /// One of three processes makes an id after each event. They increase but for a reset.
        #[test]
        fn ticks_of_all_processes_increase_and_follow_the_clock(events in events(event())) {
            let (block, host) = (unused_block(), SimulatedHost::new());
            let mut processes = Process::three(block);
            let (mut last, mut last_apart) = (0, 0);
            let mut went_forward_at = 0;
            for (event, index) in events {
                event.happen(&host, block);
                let asked_at = host.mono();
                if let Event::Suspend(_) | Event::SetForward(_) = event {
                    went_forward_at = asked_at;
                }
                let apart_ms = match event {
                    Event::Reset => {
                        (last, last_apart) = (0, 0);
                        0
                    }
                    Event::KeepDistance(ms) => ms,
                    _ => 0,
                };
                let wishes = Wishes { apart_ms, max_ahead_ms: Some(60_000) };
                let tick = processes[index].tick_as(&host, wishes);
                prop_assert!(tick > last, "{tick} after {last}");
                last = tick;
                if apart_ms > 0 {
                    prop_assert!(tick >= last_apart + apart_ms * TICKS_PER_MS);
                    last_apart = tick;
                }
                if asked_at >= went_forward_at + 10 * TICKS_PER_MS {
                    prop_assert!(tick + 2 * TOLERANCE >= host.real(), "behind the clock");
                }
            }
        }

        /// However often the clock is set back, the line goes no faster than time, nor slower than
        /// 15/16 of it.
        #[test]
        fn a_lead_is_worked_off_without_a_jump(events in events(time_or_a_step_back())) {
            let (block, host) = (unused_block(), SimulatedHost::new());
            let mut processes = Process::three(block);
            let mut last = processes[0].tick(&host);
            let mut last_mono = host.mono();
            for (event, index) in events {
                event.happen(&host, block);
                let tick = processes[index].tick(&host);
                let (went, by) = (tick - last, host.mono() - last_mono);
                // 1000 ticks are 15 us, what all readings of the clocks take here.
                prop_assert!(went <= by + 1000, "{went} ticks in {by}");
                prop_assert!(went + 1000 >= by * 15 / 16, "{went} ticks in {by}");
                (last, last_mono) = (tick, host.mono());
            }
        }

        /// By nobody's doing: the line knows when it is done.
        #[test]
        fn a_lead_of_up_to_an_hour_is_worked_off(back in TOLERANCE + 100..=HOUR, steps in 1..5u64) {
            let (block, host) = (unused_block(), SimulatedHost::new());
            let mut generator = Generator::new(block);
            let mut tick = || {
                let tick = next_tick(&mut generator, &UUIDV7, &host, Wishes::default()).unwrap();
                (tick, host.mono(), host.real())
            };
            tick();
            // In several steps, the later ones while the lead is being worked off.
            for _ in 0..steps {
                host.set_back(back / steps);
                host.pass(20 * TICKS_PER_MS);
                tick();
            }
            let (mut last, mut last_mono, _) = tick();
            for sixteenth in 1..=16 {
                host.pass(back);
                let (now, mono, real) = tick();
                let (went, by) = (now - last, mono - last_mono);
                prop_assert!(went <= by && went >= by * 15 / 16 - 1);
                let left = back - back / 16 * sixteenth;
                prop_assert!((now - real).abs_diff(left) <= 200 * TICKS_PER_MS, "{sixteenth}");
                (last, last_mono) = (now, mono);
            }
            host.pass(SECOND);
            let (now, _, real) = tick();
            prop_assert!(now.abs_diff(real) <= TOLERANCE);
        }
    }
}
