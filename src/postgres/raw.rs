//! PostgreSQL's functions, declared without pgrx's guard.
//!
//! Rationale: pgrx's binding of a function calls sigsetjmp() each time and turns an ERROR into a Rust panic, to run
//! the destructors of the frames in between. That costs 10 ns a call. The panic and its texts allocate memory from
//! Rust's allocator, which ends the process when memory runs out; the texts are converted to UTF-8, which damages
//! those in another encoding; and with RUST_BACKTRACE set the error has a backtrace in its DETAIL.
//!
//! So an ERROR of a function that is called by these declarations jumps over our frames as it jumps over those of C.
//! What is alive in a frame then is not dropped: it has to be a type that needs no drop, or something whose loss
//! does no harm, which is said there.

use std::ffi::{c_char, c_int, c_long, c_void};

use pgrx::pg_sys;
use pgrx::pg_sys::Datum;

use super::compat::{Bytes, Const, HyperLogLog};

/// Declares functions, and compares the type of each with pgrx's binding of the same name, which bindgen generated from the
/// headers of the major version: another type does not compile.
macro_rules! functions {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        unsafe extern "C-unwind" {
            $($(#[$attribute])* pub fn $name($($argument: $type),*) $(-> $result)?;)*
        }
        $($(#[$attribute])* const _: unsafe fn($($type),*) $(-> $result)? = pg_sys::$name;)*
    };
}

functions! {
    // Memory
    fn palloc(size: usize) -> *mut c_void;
    fn pfree(pointer: *mut c_void);
    fn MemoryContextAlloc(context: pg_sys::MemoryContext, size: usize) -> *mut c_void;

    // Text
    fn initStringInfo(text: *mut pg_sys::StringInfoData);
    fn appendBinaryStringInfo(
        text: *mut pg_sys::StringInfoData,
        bytes: *const Bytes,
        length: c_int,
    );

    // Errors
    fn FlushErrorState();

    // Calls
    fn DirectFunctionCall1Coll(f: pg_sys::PGFunction, collation: pg_sys::Oid, a: Datum) -> Datum;
    fn DirectFunctionCall2Coll(f: pg_sys::PGFunction, collation: pg_sys::Oid, a: Datum, b: Datum)
    -> Datum;
    fn jsonb_in(call: pg_sys::FunctionCallInfo) -> Datum;
    fn timestamp_zone(call: pg_sys::FunctionCallInfo) -> Datum;
    fn timestamptz_pl_interval(call: pg_sys::FunctionCallInfo) -> Datum;

    // Values
    fn cstring_to_text_with_len(text: *const c_char, length: c_int) -> *mut pg_sys::text;
    fn pg_detoast_datum_packed(datum: *mut pg_sys::varlena) -> *mut pg_sys::varlena;
    fn pg_mbcliplen(text: *const c_char, length: c_int, limit: c_int) -> c_int;
    fn JsonEncodeDateTime(
        buffer: *mut c_char,
        value: Datum,
        type_id: pg_sys::Oid,
        zone: *const c_int,
    ) -> *mut c_char;

    // Catalogs
    fn get_attgenerated(table: pg_sys::Oid, column: pg_sys::AttrNumber) -> c_char;
    fn getBaseType(type_id: pg_sys::Oid) -> pg_sys::Oid;
    fn get_rel_name(relation: pg_sys::Oid) -> *mut c_char;
    fn get_rel_relispartition(relation: pg_sys::Oid) -> bool;
    fn SearchSysCache1(cache: c_int, key: Datum) -> pg_sys::HeapTuple;
    fn SysCacheGetAttr(
        cache: c_int,
        row: pg_sys::HeapTuple,
        column: pg_sys::AttrNumber,
        is_null: *mut bool,
    ) -> Datum;
    fn ReleaseSysCache(row: pg_sys::HeapTuple);
    fn get_opclass_family(class: pg_sys::Oid) -> pg_sys::Oid;
    fn get_opclass_input_type(class: pg_sys::Oid) -> pg_sys::Oid;
    fn get_opfamily_proc(
        family: pg_sys::Oid,
        left: pg_sys::Oid,
        right: pg_sys::Oid,
        number: i16,
    ) -> pg_sys::Oid;
    fn get_func_name(function: pg_sys::Oid) -> *mut c_char;
    fn text_to_cstring(text: *const pg_sys::text) -> *mut c_char;
    fn stringToNode(text: *const c_char) -> *mut c_void;

    // Rows
    fn get_call_result_type(
        call: pg_sys::FunctionCallInfo,
        type_id: *mut pg_sys::Oid,
        description: *mut pg_sys::TupleDesc,
    ) -> pg_sys::TypeFuncClass::Type;
    fn heap_form_tuple(
        description: pg_sys::TupleDesc,
        values: Const<Datum>,
        nulls: Const<bool>,
    ) -> pg_sys::HeapTuple;
    fn HeapTupleHeaderGetDatum(tuple: pg_sys::HeapTupleHeader) -> Datum;
    fn InitMaterializedSRF(call: pg_sys::FunctionCallInfo, flags: u32);
    fn tuplestore_putvalues(
        store: *mut pg_sys::Tuplestorestate,
        description: pg_sys::TupleDesc,
        values: Const<Datum>,
        nulls: Const<bool>,
    );

    // Columns of a row
    fn SPI_fnumber(description: pg_sys::TupleDesc, name: *const c_char) -> c_int;
    fn SPI_gettypeid(description: pg_sys::TupleDesc, column: c_int) -> pg_sys::Oid;
    fn SPI_getbinval(
        tuple: pg_sys::HeapTuple,
        description: pg_sys::TupleDesc,
        column: c_int,
        is_null: *mut bool,
    ) -> Datum;

    // Privileges
    fn superuser() -> bool;
    fn GetUserId() -> pg_sys::Oid;
    #[cfg(not(feature = "pg15"))]
    fn object_aclcheck(
        catalog: pg_sys::Oid,
        object: pg_sys::Oid,
        role: pg_sys::Oid,
        mode: pg_sys::AclMode,
    ) -> pg_sys::AclResult::Type;
    #[cfg(feature = "pg15")]
    fn pg_proc_aclcheck(
        function: pg_sys::Oid,
        role: pg_sys::Oid,
        mode: pg_sys::AclMode,
    ) -> pg_sys::AclResult::Type;

    // Processes
    fn check_stack_depth();
    fn RecoveryInProgress() -> bool;
    fn GetLatestXTime() -> pg_sys::TimestampTz;
    fn get_controlfile(
        data_directory: *const c_char,
        is_valid: *mut bool,
    ) -> *mut pg_sys::ControlFileData;
    fn ProcessInterrupts();
    fn WaitLatch(
        latch: *mut pg_sys::Latch,
        events: c_int,
        timeout: c_long,
        wait_event: u32,
    ) -> c_int;
    fn ResetLatch(latch: *mut pg_sys::Latch);

    // Transactions
    fn LockAcquire(
        tag: *const pg_sys::LOCKTAG,
        mode: pg_sys::LOCKMODE,
        session: bool,
        dont_wait: bool,
    ) -> pg_sys::LockAcquireResult::Type;
    fn GetLockStatusData() -> *mut pg_sys::LockData;
    fn GetSnapshotData(snapshot: *mut pg_sys::SnapshotData) -> pg_sys::Snapshot;
    fn ActiveSnapshotSet() -> bool;
    fn GetActiveSnapshot() -> pg_sys::Snapshot;

    // Shared memory
    fn ShmemInitStruct(name: *const c_char, size: usize, found: *mut bool) -> *mut c_void;
    fn LWLockAcquire(lock: *mut pg_sys::LWLock, mode: pg_sys::LWLockMode::Type) -> bool;
    fn LWLockRelease(lock: *mut pg_sys::LWLock);
    fn LWLockHeldByMe(lock: *mut pg_sys::LWLock) -> bool;

    fn RequestAddinShmemSpace(size: usize);
    fn on_shmem_exit(function: pg_sys::pg_on_exit_callback, argument: Datum);

    // Expressions
    fn exprType(expression: *const pg_sys::Node) -> pg_sys::Oid;
    fn contain_var_clause(expression: *mut pg_sys::Node) -> bool;
    fn lookup_type_cache(type_id: pg_sys::Oid, flags: c_int) -> *mut pg_sys::TypeCacheEntry;
    fn copyObjectImpl(from: *const c_void) -> *mut c_void;
    fn makeRelabelType(
        argument: *mut pg_sys::Expr,
        type_id: pg_sys::Oid,
        modifier: i32,
        collation: pg_sys::Oid,
        form: pg_sys::CoercionForm::Type,
    ) -> *mut pg_sys::RelabelType;
    fn make_opclause(
        operator: pg_sys::Oid,
        result: pg_sys::Oid,
        returns_set: bool,
        left: *mut pg_sys::Expr,
        right: *mut pg_sys::Expr,
        collation: pg_sys::Oid,
        input_collation: pg_sys::Oid,
    ) -> *mut pg_sys::Expr;
    fn set_opfuncid(operator: *mut pg_sys::OpExpr);

    // Planner support of ranges of time
    fn get_func_namespace(function: pg_sys::Oid) -> pg_sys::Oid;
    fn get_func_support(function: pg_sys::Oid) -> pg_sys::Oid;
    fn record_plan_function_dependency(root: *mut pg_sys::PlannerInfo, function: pg_sys::Oid);
    fn equal(a: *const c_void, b: *const c_void) -> bool;
    fn GetSysCacheOid(
        cache: c_int,
        column: pg_sys::AttrNumber,
        key1: Datum,
        key2: Datum,
        key3: Datum,
        key4: Datum,
    ) -> pg_sys::Oid;
    fn buildoidvector(oids: *const pg_sys::Oid, count: c_int) -> *mut pg_sys::oidvector;
    fn lappend(list: *mut pg_sys::List, element: *mut c_void) -> *mut pg_sys::List;
    fn makeBoolConst(value: bool, is_null: bool) -> *mut pg_sys::Node;
    fn makeConst(
        type_id: pg_sys::Oid,
        modifier: i32,
        collation: pg_sys::Oid,
        length: c_int,
        value: Datum,
        is_null: bool,
        by_value: bool,
    ) -> *mut pg_sys::Const;
    fn makeFuncExpr(
        function: pg_sys::Oid,
        result: pg_sys::Oid,
        arguments: *mut pg_sys::List,
        collation: pg_sys::Oid,
        input_collation: pg_sys::Oid,
        form: pg_sys::CoercionForm::Type,
    ) -> *mut pg_sys::FuncExpr;
    fn make_andclause(terms: *mut pg_sys::List) -> *mut pg_sys::Expr;
    fn contain_subplans(expression: *mut pg_sys::Node) -> bool;
    fn contain_volatile_functions(expression: *mut pg_sys::Node) -> bool;
    fn pull_varattnos(
        expression: *mut pg_sys::Node,
        table: pg_sys::Index,
        columns: *mut *mut pg_sys::Bitmapset,
    );
    fn bms_is_member(member: c_int, set: *const pg_sys::Bitmapset) -> bool;
    fn op_in_opfamily(operator: pg_sys::Oid, family: pg_sys::Oid) -> bool;
    fn is_pseudo_constant_for_index(
        root: *mut pg_sys::PlannerInfo,
        expression: *mut pg_sys::Node,
        index: *mut pg_sys::IndexOptInfo,
    ) -> bool;
    fn RelationIdGetRelation(table: pg_sys::Oid) -> pg_sys::Relation;
    fn RelationGetIndexList(relation: pg_sys::Relation) -> *mut pg_sys::List;
    fn RelationClose(relation: pg_sys::Relation);
    fn estimate_expression_value(
        root: *mut pg_sys::PlannerInfo,
        expression: *mut pg_sys::Node,
    ) -> *mut pg_sys::Node;
    fn examine_variable(
        root: *mut pg_sys::PlannerInfo,
        expression: *mut pg_sys::Node,
        table: c_int,
        variable: *mut pg_sys::VariableStatData,
    );
    fn get_attstatsslot(
        slot: *mut pg_sys::AttStatsSlot,
        statistics: pg_sys::HeapTuple,
        kind: c_int,
        operator: pg_sys::Oid,
        flags: c_int,
    ) -> bool;
    fn free_attstatsslot(slot: *mut pg_sys::AttStatsSlot);
    fn pgstat_fetch_stat_tabentry(table: pg_sys::Oid) -> *mut pg_sys::PgStat_StatTabEntry;
    fn GetCurrentTimestamp() -> pg_sys::TimestampTz;

    // Sorting: a sort knows this function by its address, which is not that of pgrx's binding, and then compares
    // abbreviated keys without a call.
    fn ssup_datum_unsigned_cmp(x: Datum, y: Datum, ssup: pg_sys::SortSupport) -> c_int;
}

// What pgrx does not bind. tools/unbound.c compares these declarations with the headers.
unsafe extern "C-unwind" {
    // utils/elog.h
    pub fn errstart(level: c_int, domain: *const c_char) -> bool;
    pub fn errcode(sqlstate: c_int) -> c_int;
    pub fn errmsg(format: *const c_char, ...) -> c_int;
    pub fn errdetail(format: *const c_char, ...) -> c_int;
    pub fn errhint(format: *const c_char, ...) -> c_int;
    pub fn errfinish(file: *const c_char, line: c_int, function: *const c_char);

    // catalog/partition.h
    pub fn get_partition_parent(partition: pg_sys::Oid, even_if_detached: bool) -> pg_sys::Oid;

    // catalog/pg_inherits.h
    pub fn has_subclass(table: pg_sys::Oid) -> bool;

    // lib/hyperloglog.h, common/hashfn.h
    pub fn initHyperLogLog(state: *mut HyperLogLog, register_bits: u8);
    pub fn addHyperLogLog(state: *mut HyperLogLog, hash: u32);
    pub fn estimateHyperLogLog(state: *mut HyperLogLog) -> f64;
    pub fn hash_bytes_uint32(key: u32) -> u32;
}

/// Runs a call of PostgreSQL, as PG_TRY does. False if it raised an ERROR, which is discarded: the
/// caller repairs the state that the call left incomplete.
///
/// # Safety
/// Nothing within `call` waits to be dropped.
pub unsafe fn succeeds(call: impl FnOnce()) -> bool {
    // SAFETY: a backend runs one thread. What PostgreSQL's own PG_TRY saves is saved, and restored after
    // an error. errfinish() leaves the holdoff counts at 0.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        let exception_stack = pg_sys::PG_exception_stack;
        let error_context_stack = pg_sys::error_context_stack;
        let holdoff = (pg_sys::InterruptHoldoffCount, pg_sys::QueryCancelHoldoffCount);
        let jumped = cee_scape::call_with_sigsetjmp(false, |buffer| {
            pg_sys::PG_exception_stack = std::ptr::from_ref(buffer).cast_mut().cast();
            call();
            0
        });
        pg_sys::PG_exception_stack = exception_stack;
        pg_sys::error_context_stack = error_context_stack;
        if jumped != 0 {
            pg_sys::CurrentMemoryContext = context;
            FlushErrorState();
            (pg_sys::InterruptHoldoffCount, pg_sys::QueryCancelHoldoffCount) = holdoff;
        }
        jumped == 0
    }
}
