//! The numbers of sequences that are settled for a statement: comb_clock::samples has the proof.

use std::cell::{Cell, UnsafeCell};
use std::ptr;
use std::sync::atomic::{Ordering, fence};

use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;
use pgrx::pg_sys::{self, Datum, Oid, SysCacheIdentifier};

use super::floors;
use super::horizon::{settled_and_floors, settled_before};
use crate::postgres::catalog;
use crate::postgres::compat::local_transaction_id;
use crate::postgres::one_thread::OneThread;
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use comb_clock::samples::Samples;

/// How many sequences a process keeps samples of.
const KEPT: usize = 64;

/// A sequence that this process has read.
#[derive(Clone, Copy)]
struct Sequence {
    id: Oid,
    /// Its file, which a restart of its numbers replaces.
    file: Oid,
    samples: Samples,
    /// The value of [`INVALIDATIONS`], and the transaction that had last altered the sequence, when the tables that use it
    /// were last checked.
    checked_at: Option<(u64, u32)>,
}

/// The sequences that this process read last, since the clock was last reset; the latest one first.
struct Sequences {
    resets: u64,
    sequences: [Sequence; KEPT],
}

static SEQUENCES: OneThread<UnsafeCell<Sequences>> =
    OneThread::new(UnsafeCell::new(Sequences { resets: 0, sequences: [Sequence::new(Oid::INVALID); KEPT] }));

/// The answer to a statement.
struct Answer {
    /// Who asked: another role may not have the privilege.
    role: Oid,
    sequence: Oid,
    settled: u64,
    number: Option<i64>,
}

/// The answers of a transaction, in its memory: a cursor may ask again after many other statements.
#[derive(Clone, Copy)]
struct Answers {
    transaction: u32,
    list: *mut pg_sys::List,
}

static ANSWERS: OneThread<Cell<Answers>> = OneThread::new(Cell::new(Answers { transaction: 0, list: ptr::null_mut() }));

/// The number of messages that the definition of a table has changed; `None` before they are counted.
static INVALIDATIONS: OneThread<Cell<Option<u64>>> = OneThread::new(Cell::new(None));

/// The number up to which all numbers of a sequence are settled for the calling statement; `None` if no number is known to
/// be settled.
///
/// A statement gets one answer for each sequence: its snapshot has the tick that is settled for it.
pub fn settled_number(id: Oid) -> Result<Option<i64>, Report> {
    let (block, process) = floors::server()?;
    if let Some(settled) = settled_before() {
        let Some(settled) = settled else { return Ok(None) };
        if let Some(answer) = known_answer(id, settled) {
            return Ok(answer);
        }
    }
    let resets = block.resets();
    // SAFETY: no call below uses the sequences.
    let sequences = unsafe { &mut *SEQUENCES.get() };
    if sequences.resets != resets {
        sequences.resets = resets;
        sequences.sequences.iter_mut().for_each(|sequence| sequence.samples = Samples::EMPTY);
    }
    let sequence = sequences.find(id);
    sequence.check()?;
    let last = last_number(id)?;
    // The sequence is locked since its number was read.
    let file = catalog::relation_file(id)?;
    if file != sequence.file || last.is_none() {
        (sequence.file, sequence.samples) = (file, Samples::EMPTY);
    }
    // The sequence is read before the clock, and the clock before the floors.
    fence(Ordering::SeqCst);
    let at = block.follow(&process)?.tick;
    let (settled, floors) = settled_and_floors()?;
    // Floors of another clock are not below the numbers of their transactions: before a reset, or before a start, over which
    // only prepared transactions keep theirs.
    let of_other_clock = if block.resets() > 0 { floors.highest } else { floors.highest_prepared };
    if let Some(last) = last.filter(|_| of_other_clock < Some(at)) {
        sequence.samples.add(last, at, settled);
    }
    let Some(settled) = settled else { return Ok(None) };
    let number = sequence.samples.settled(settled);
    // SAFETY: reads a variable of the process.
    remember_answer(Answer { role: unsafe { raw::GetUserId() }, sequence: id, settled, number });
    Ok(number)
}

impl Sequences {
    /// The sequence, which becomes the first one. A new sequence replaces the last one.
    fn find(&mut self, id: Oid) -> &mut Sequence {
        let place = self.sequences.iter().position(|sequence| sequence.id == id);
        let [others @ .., last] = &mut self.sequences;
        match place.and_then(|place| others.get_mut(..=place)) {
            Some(until) => until.rotate_right(1),
            None => {
                if place.is_none() {
                    *last = Sequence::new(id);
                }
                self.sequences.rotate_right(1);
            }
        }
        let [first, ..] = &mut self.sequences;
        first
    }
}

fn known_answer(sequence: Oid, settled: u64) -> Option<Option<i64>> {
    let answers = ANSWERS.get();
    if answers.transaction != local_transaction_id() {
        return None;
    }
    // SAFETY: the list and its elements live as long as the transaction.
    let answers = unsafe { catalog::cells(answers.list) };
    // SAFETY: as above. The latest answer is the most frequent one.
    let mut answers = answers.iter().rev().map(|cell| unsafe { &*cell.ptr_value.cast::<Answer>() });
    // SAFETY: reads a variable of the process.
    let role = unsafe { raw::GetUserId() };
    let is_it = |answer: &&Answer| answer.sequence == sequence && answer.settled == settled && answer.role == role;
    answers.find(is_it).map(|answer| answer.number)
}

fn remember_answer(answer: Answer) {
    let transaction = local_transaction_id();
    let mut answers = ANSWERS.get();
    if answers.transaction != transaction {
        answers = Answers { transaction, list: ptr::null_mut() };
    }
    // SAFETY: the memory lives as long as the transaction. An ERROR leaves the list unchanged.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        pg_sys::CurrentMemoryContext = pg_sys::TopTransactionContext;
        let place = raw::palloc(size_of::<Answer>()).cast::<Answer>();
        place.write(answer);
        answers.list = raw::lappend(answers.list, place.cast());
        pg_sys::CurrentMemoryContext = context;
    }
    ANSWERS.set(answers);
}

impl Sequence {
    const fn new(id: Oid) -> Self {
        Self { id, file: Oid::INVALID, samples: Samples::EMPTY, checked_at: None }
    }

    /// Returns an error if numbers of the sequence can be stored in another order than that of the floors.
    fn check(&mut self) -> Result<(), Report> {
        // SAFETY: in a transaction.
        unsafe { raw::AcceptInvalidationMessages() };
        let checked_at = Some((invalidations(), check_definition(self.id)?));
        if self.checked_at != checked_at {
            check_tables(self.id)?;
            self.checked_at = checked_at;
        }
        Ok(())
    }
}

/// The number of messages so far that the definition of a table has changed.
fn invalidations() -> u64 {
    unsafe extern "C-unwind" fn count(_: Datum, _: Oid) {
        INVALIDATIONS.set(INVALIDATIONS.get().map(|count| count + 1));
    }
    if let Some(count) = INVALIDATIONS.get() {
        return count;
    }
    // SAFETY: the function stays for the life of the process.
    unsafe { raw::CacheRegisterRelcacheCallback(Some(count), Datum::null()) };
    INVALIDATIONS.set(Some(0));
    0
}

fn not_a_sequence(id: Oid) -> Report {
    match catalog::relation_name(id) {
        Ok(name) => report!(ERRCODE_WRONG_OBJECT_TYPE, "").quote(name).and(" is not a sequence"),
        Err(error) => error,
    }
}

/// Numbers must be drawn in ascending order, and must not repeat. Returns the transaction that last altered the sequence:
/// OWNED BY changes which tables use it, and sends no message about a table.
fn check_definition(id: Oid) -> Result<u32, Report> {
    // SAFETY: reads the catalogs. Columns 4, 7 and 8 of pg_sequence (catalog/pg_sequence.h) are seqincrement, seqcache and
    // seqcycle, which are never NULL.
    let ((increment, cache, cycles, altered_by), may_read) = unsafe {
        let syscache = SysCacheIdentifier::SEQRELID as i32;
        let row = raw::SearchSysCache1(syscache, id.into());
        if row.is_null() {
            return Err(not_a_sequence(id));
        }
        let column = |number| raw::SysCacheGetAttr(syscache, row, number, &mut false).value() as i64;
        let definition = (column(4), column(7), column(8) as u8 != 0, (*(*row).t_data).t_choice.t_heap.t_xmin.into());
        raw::ReleaseSysCache(row);
        let privileges = (pg_sys::ACL_SELECT | pg_sys::ACL_USAGE) as pg_sys::AclMode;
        let granted = raw::pg_class_aclcheck(id, raw::GetUserId(), privileges);
        (definition, granted == pg_sys::AclResult::ACLCHECK_OK)
    };
    let name = catalog::relation_name(id)?;
    if !may_read {
        return Err(report!(ERRCODE_INSUFFICIENT_PRIVILEGE, "permission denied for sequence ").quote(name));
    }
    let refused = |problem: &str, hint: &str| {
        let state = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
        Err(report!(state, "the horizon does not support sequence ").quote(name).and(problem).hint(hint))
    };
    if cache != 1 {
        return refused(
            ", which has a cache",
            "Each session would draw numbers before others, and store them later. Use ALTER SEQUENCE ... CACHE 1.",
        );
    }
    if increment != 1 {
        return refused(
            ", whose increment is not 1",
            "Programs that draw several numbers at once store them later. Use ALTER SEQUENCE ... INCREMENT BY 1.",
        );
    }
    if cycles {
        return refused(", which cycles", "Old numbers would come again. Use ALTER SEQUENCE ... NO CYCLE.");
    }
    Ok(altered_by)
}

/// Each table whose column uses the sequence must have a trigger that calls comb_track().
fn check_tables(id: Oid) -> Result<(), Report> {
    let tables = catalog::tables_of_sequence(id);
    let state = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE;
    if tables.is_empty() {
        return Err(report!(state, "no table uses sequence ")
            .quote(catalog::relation_name(id)?)
            .hint("If a function draws its numbers, use ALTER SEQUENCE ... OWNED BY the column that stores them."));
    }
    for cell in tables {
        // SAFETY: the elements of the list are OIDs.
        let table = unsafe { cell.oid_value };
        if catalog::is_of_citus(table) {
            return Err(report!(state, "the horizon does not support sequence ")
                .quote(catalog::relation_name(id)?)
                .and(", which a table of Citus uses")
                .detail("Citus draws the numbers before a trigger on a shard is called, and on each node others.")
                .hint("Use a key with DEFAULT comb_tracked(), and comb_horizon()."));
        }
        // SAFETY: reads the catalogs. Other sessions cannot read a temporary table.
        let is_temporary = |relation| unsafe { raw::get_rel_persistence(relation) } as u8 == pg_sys::RELPERSISTENCE_TEMP;
        if !is_tracked(table) && (!is_temporary(table) || is_temporary(id)) {
            let name = catalog::relation_name(table)?;
            return Err(report!(state, "table ")
                .quote(name)
                .and(" has no enabled trigger that calls comb_track()")
                .detail("Rows that are inserted into it do not hold the horizon back.")
                .hint("Use CREATE TRIGGER tracked BEFORE INSERT ON ... FOR EACH STATEMENT EXECUTE FUNCTION comb_track()."));
        }
    }
    Ok(())
}

/// Whether an INSERT into a table calls comb_track(). Statements that insert into a partition through the partitioned
/// table call the triggers of the partitioned table.
fn is_tracked(table: Oid) -> bool {
    const KIND: u32 = pg_sys::TRIGGER_TYPE_BEFORE | pg_sys::TRIGGER_TYPE_INSERT;
    const OF_ROW: u32 = pg_sys::TRIGGER_TYPE_ROW;
    let tracks = |trigger: &pg_sys::Trigger| {
        trigger.tgtype as u32 & (KIND | OF_ROW) == KIND
            && matches!(trigger.tgenabled as u8, b'O' | b'A')
            && trigger.tgnattr == 0
            && trigger.tgqual.is_null()
            // SAFETY: a function, in a transaction.
            && unsafe { raw::symbol(trigger.tgfoid) } == c"comb_track"
    };
    // A view without an INSTEAD OF INSERT trigger calls no BEFORE INSERT trigger.
    const INSTEAD: u32 = pg_sys::TRIGGER_TYPE_INSTEAD | pg_sys::TRIGGER_TYPE_INSERT;
    let is_instead = |trigger: &pg_sys::Trigger| trigger.tgtype as u32 & INSTEAD == INSTEAD;
    // SAFETY: reads the catalogs.
    let is_view = unsafe { raw::get_rel_relkind(table) } as u8 == pg_sys::RELKIND_VIEW;
    if is_view && catalog::has_trigger(table, is_instead) == Some(false) {
        return false;
    }
    // The partitioned table first: PostgreSQL then reads the definition of none of its partitions.
    // SAFETY: reads the catalogs.
    let is_partition = unsafe { raw::get_rel_relispartition(table) };
    is_partition && is_tracked_above(table) || catalog::has_trigger(table, tracks) != Some(false)
}

fn is_tracked_above(partition: Oid) -> bool {
    // SAFETY: reads the catalogs.
    is_tracked(unsafe { raw::get_partition_parent(partition, true) })
}

/// The last number that was drawn from a sequence; `None` if none was.
fn last_number(id: Oid) -> Result<Option<i64>, Report> {
    /// A call of a function with one argument.
    #[repr(C)]
    struct Call {
        info: pg_sys::FunctionCallInfoBaseData,
        argument: pg_sys::NullableDatum,
    }
    // SAFETY: the argument of the function is an OID. Unlike a SELECT from the sequence, it reads the page under a lock, so
    // that it sees all numbers that were drawn.
    unsafe {
        let mut call: Call = std::mem::zeroed();
        call.info.nargs = 1;
        call.argument.value = id.into();
        let number = raw::pg_sequence_last_value((&raw mut call).cast());
        Ok((!call.info.isnull).then_some(number.value() as i64))
    }
}
