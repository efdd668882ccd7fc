//! PostgreSQL's functions, declared without pgrx's barrier.
//!
//! Rationale: pgrx's binding of a function catches its ERROR (sigsetjmp at every call) and turns it into a
//! Rust panic, to run the destructors of the frames in between. Our frames hold nothing to be dropped:
//! PostgreSQL may jump over them. So an error stays PostgreSQL's own, without a Rust backtrace in its
//! DETAIL, bytes that are not UTF-8 stay as they are, and nothing allocates by Rust's allocator, which
//! ends the server where memory runs out.

use std::ffi::{c_char, c_int, c_long, c_void};

use pgrx::pg_sys;
use pgrx::pg_sys::Datum;

/// A SQL function that PostgreSQL brings.
pub type BuiltIn = unsafe extern "C-unwind" fn(pg_sys::FunctionCallInfo) -> Datum;

unsafe extern "C-unwind" {
    // Memory
    pub fn palloc(size: usize) -> *mut c_void;
    pub fn pfree(pointer: *mut c_void);
    pub fn MemoryContextAlloc(context: pg_sys::MemoryContext, size: usize) -> *mut c_void;
    pub fn MemoryContextRegisterResetCallback(
        context: pg_sys::MemoryContext,
        callback: *mut pg_sys::MemoryContextCallback,
    );

    // Errors
    pub fn errstart(level: c_int, domain: *const c_char) -> bool;
    pub fn errcode(sqlstate: c_int) -> c_int;
    pub fn errmsg(format: *const c_char, ...) -> c_int;
    pub fn errdetail(format: *const c_char, ...) -> c_int;
    pub fn errhint(format: *const c_char, ...) -> c_int;
    pub fn errfinish(file: *const c_char, line: c_int, function: *const c_char);
    pub fn FlushErrorState();

    // Calls
    pub fn DirectFunctionCall1Coll(f: BuiltIn, collation: pg_sys::Oid, a: Datum) -> Datum;
    pub fn DirectFunctionCall2Coll(f: BuiltIn, collation: pg_sys::Oid, a: Datum, b: Datum)
    -> Datum;
    pub fn jsonb_in(call: pg_sys::FunctionCallInfo) -> Datum;
    pub fn timestamp_zone(call: pg_sys::FunctionCallInfo) -> Datum;
    pub fn timestamptz_pl_interval(call: pg_sys::FunctionCallInfo) -> Datum;

    // Values
    pub fn cstring_to_text_with_len(text: *const c_char, length: c_int) -> *mut pg_sys::text;
    pub fn pg_detoast_datum_packed(datum: *mut pg_sys::varlena) -> *mut pg_sys::varlena;
    pub fn pg_mbcliplen(text: *const c_char, length: c_int, limit: c_int) -> c_int;
    pub fn JsonEncodeDateTime(
        buffer: *mut c_char,
        value: Datum,
        type_id: pg_sys::Oid,
        zone: *const c_int,
    ) -> *mut c_char;

    // Rows
    pub fn get_call_result_type(
        call: pg_sys::FunctionCallInfo,
        type_id: *mut pg_sys::Oid,
        description: *mut pg_sys::TupleDesc,
    ) -> pg_sys::TypeFuncClass::Type;
    pub fn heap_form_tuple(
        description: pg_sys::TupleDesc,
        values: *const Datum,
        nulls: *const bool,
    ) -> pg_sys::HeapTuple;
    pub fn HeapTupleHeaderGetDatum(tuple: pg_sys::HeapTupleHeader) -> Datum;
    pub fn InitMaterializedSRF(call: pg_sys::FunctionCallInfo, flags: u32);
    pub fn tuplestore_putvalues(
        store: *mut pg_sys::Tuplestorestate,
        description: pg_sys::TupleDesc,
        values: *const Datum,
        nulls: *const bool,
    );

    // SPI
    pub fn SPI_connect() -> c_int;
    pub fn SPI_execute(command: *const c_char, read_only: bool, count: c_long) -> c_int;
    pub fn SPI_getvalue(
        tuple: pg_sys::HeapTuple,
        description: pg_sys::TupleDesc,
        column: c_int,
    ) -> *mut c_char;
    pub fn SPI_finish() -> c_int;
    pub fn SPI_fnumber(description: pg_sys::TupleDesc, name: *const c_char) -> c_int;
    pub fn SPI_gettypeid(description: pg_sys::TupleDesc, column: c_int) -> pg_sys::Oid;
    pub fn get_typlenbyval(type_id: pg_sys::Oid, length: *mut i16, by_value: *mut bool);
    pub fn SPI_gettype(description: pg_sys::TupleDesc, column: c_int) -> *mut c_char;
    pub fn SPI_getbinval(
        tuple: pg_sys::HeapTuple,
        description: pg_sys::TupleDesc,
        column: c_int,
        is_null: *mut bool,
    ) -> Datum;

    // Processes
    pub fn superuser() -> bool;
    pub fn RecoveryInProgress() -> bool;
    pub fn GetLatestXTime() -> pg_sys::TimestampTz;
    pub fn get_controlfile(
        data_directory: *const c_char,
        is_valid: *mut bool,
    ) -> *mut pg_sys::ControlFileData;
    pub fn ProcessInterrupts();
    pub fn WaitLatch(
        latch: *mut pg_sys::Latch,
        events: c_int,
        timeout: c_long,
        wait_event: u32,
    ) -> c_int;
    pub fn ResetLatch(latch: *mut pg_sys::Latch);
    #[cfg(any(feature = "pg17", feature = "pg18"))]
    pub fn WaitEventExtensionNew(name: *const c_char) -> u32;

    // Transactions
    pub fn LockAcquire(
        tag: *const pg_sys::LOCKTAG,
        mode: pg_sys::LOCKMODE,
        session: bool,
        dont_wait: bool,
    ) -> pg_sys::LockAcquireResult::Type;
    pub fn GetLockStatusData() -> *mut pg_sys::LockData;
    pub fn GetSnapshotData(snapshot: *mut pg_sys::SnapshotData) -> pg_sys::Snapshot;
    pub fn ActiveSnapshotSet() -> bool;
    pub fn GetActiveSnapshot() -> pg_sys::Snapshot;

    // Shared memory
    pub fn ShmemInitStruct(name: *const c_char, size: usize, found: *mut bool) -> *mut c_void;
    pub fn LWLockAcquire(lock: *mut pg_sys::LWLock, mode: pg_sys::LWLockMode::Type) -> bool;
    pub fn LWLockRelease(lock: *mut pg_sys::LWLock);
    pub fn LWLockHeldByMe(lock: *mut pg_sys::LWLock) -> bool;

    pub fn RequestAddinShmemSpace(size: usize);
    pub fn on_shmem_exit(function: pg_sys::pg_on_exit_callback, argument: Datum);

    // Settings
    pub fn DefineCustomEnumVariable(
        name: *const c_char,
        short: *const c_char,
        long: *const c_char,
        value: *mut c_int,
        boot_value: c_int,
        options: *const pg_sys::config_enum_entry,
        context: pg_sys::GucContext::Type,
        flags: c_int,
        check: pg_sys::GucEnumCheckHook,
        assign: pg_sys::GucEnumAssignHook,
        show: pg_sys::GucShowHook,
    );
    pub fn DefineCustomIntVariable(
        name: *const c_char,
        short: *const c_char,
        long: *const c_char,
        value: *mut c_int,
        boot_value: c_int,
        least: c_int,
        most: c_int,
        context: pg_sys::GucContext::Type,
        flags: c_int,
        check: pg_sys::GucIntCheckHook,
        assign: pg_sys::GucIntAssignHook,
        show: pg_sys::GucShowHook,
    );
    pub fn MarkGUCPrefixReserved(class: *const c_char);

    // Expressions
    pub fn exprType(expression: *const pg_sys::Node) -> pg_sys::Oid;
    pub fn contain_var_clause(expression: *mut pg_sys::Node) -> bool;
    pub fn lookup_type_cache(type_id: pg_sys::Oid, flags: c_int) -> *mut pg_sys::TypeCacheEntry;
    pub fn copyObjectImpl(from: *const c_void) -> *mut c_void;
    pub fn makeRelabelType(
        argument: *mut pg_sys::Expr,
        type_id: pg_sys::Oid,
        modifier: i32,
        collation: pg_sys::Oid,
        form: pg_sys::CoercionForm::Type,
    ) -> *mut pg_sys::RelabelType;
    pub fn make_opclause(
        operator: pg_sys::Oid,
        result: pg_sys::Oid,
        returns_set: bool,
        left: *mut pg_sys::Expr,
        right: *mut pg_sys::Expr,
        collation: pg_sys::Oid,
        input_collation: pg_sys::Oid,
    ) -> *mut pg_sys::Expr;
    pub fn set_opfuncid(operator: *mut pg_sys::OpExpr);

    // Planner support of ranges of time
    pub fn get_func_name(function: pg_sys::Oid) -> *mut c_char;
    pub fn get_func_namespace(function: pg_sys::Oid) -> pg_sys::Oid;
    pub fn get_func_support(function: pg_sys::Oid) -> pg_sys::Oid;
    pub fn equal(a: *const c_void, b: *const c_void) -> bool;
    pub fn GetSysCacheOid(
        cache: c_int,
        column: pg_sys::AttrNumber,
        key1: Datum,
        key2: Datum,
        key3: Datum,
        key4: Datum,
    ) -> pg_sys::Oid;
    pub fn SearchSysCache1(cache: c_int, key: Datum) -> pg_sys::HeapTuple;
    pub fn SysCacheGetAttr(
        cache: c_int,
        tuple: pg_sys::HeapTuple,
        attribute: pg_sys::AttrNumber,
        is_null: *mut bool,
    ) -> Datum;
    pub fn ReleaseSysCache(tuple: pg_sys::HeapTuple);
    pub fn buildoidvector(oids: *const pg_sys::Oid, count: c_int) -> *mut pg_sys::oidvector;
    pub fn lappend(list: *mut pg_sys::List, element: *mut c_void) -> *mut pg_sys::List;
    pub fn makeBoolConst(value: bool, is_null: bool) -> *mut pg_sys::Node;
    pub fn makeConst(
        type_id: pg_sys::Oid,
        modifier: i32,
        collation: pg_sys::Oid,
        length: c_int,
        value: Datum,
        is_null: bool,
        by_value: bool,
    ) -> *mut pg_sys::Const;
    pub fn makeFuncExpr(
        function: pg_sys::Oid,
        result: pg_sys::Oid,
        arguments: *mut pg_sys::List,
        collation: pg_sys::Oid,
        input_collation: pg_sys::Oid,
        form: pg_sys::CoercionForm::Type,
    ) -> *mut pg_sys::FuncExpr;
    pub fn make_andclause(terms: *mut pg_sys::List) -> *mut pg_sys::Expr;
    pub fn contain_subplans(expression: *mut pg_sys::Node) -> bool;
    pub fn contain_volatile_functions(expression: *mut pg_sys::Node) -> bool;
    pub fn pull_varattnos(
        expression: *mut pg_sys::Node,
        table: pg_sys::Index,
        columns: *mut *mut pg_sys::Bitmapset,
    );
    pub fn bms_is_member(member: c_int, set: *const pg_sys::Bitmapset) -> bool;
    pub fn stringToNode(text: *const c_char) -> *mut c_void;
    pub fn text_to_cstring(text: *const pg_sys::text) -> *mut c_char;
    pub fn op_in_opfamily(operator: pg_sys::Oid, family: pg_sys::Oid) -> bool;
    pub fn is_pseudo_constant_for_index(
        root: *mut pg_sys::PlannerInfo,
        expression: *mut pg_sys::Node,
        index: *mut pg_sys::IndexOptInfo,
    ) -> bool;
    pub fn has_subclass(table: pg_sys::Oid) -> bool;
    pub fn RelationIdGetRelation(table: pg_sys::Oid) -> pg_sys::Relation;
    pub fn RelationGetIndexList(relation: pg_sys::Relation) -> *mut pg_sys::List;
    pub fn RelationClose(relation: pg_sys::Relation);
    pub fn estimate_expression_value(
        root: *mut pg_sys::PlannerInfo,
        expression: *mut pg_sys::Node,
    ) -> *mut pg_sys::Node;
    pub fn examine_variable(
        root: *mut pg_sys::PlannerInfo,
        expression: *mut pg_sys::Node,
        table: c_int,
        variable: *mut pg_sys::VariableStatData,
    );
    pub fn get_attstatsslot(
        slot: *mut pg_sys::AttStatsSlot,
        statistics: pg_sys::HeapTuple,
        kind: c_int,
        operator: pg_sys::Oid,
        flags: c_int,
    ) -> bool;
    pub fn free_attstatsslot(slot: *mut pg_sys::AttStatsSlot);
    pub fn pgstat_fetch_stat_tabentry(table: pg_sys::Oid) -> *mut pg_sys::PgStat_StatTabEntry;
    pub fn GetCurrentTimestamp() -> pg_sys::TimestampTz;

    // Sorting: a sort recognises it by its address, which that of pgrx's binding is not, and then compares
    // abbreviated keys without calling it.
    pub fn ssup_datum_unsigned_cmp(x: Datum, y: Datum, ssup: pg_sys::SortSupport) -> c_int;
}

/// Runs a call of PostgreSQL, as PG_TRY does. False if it raised an ERROR, which is discarded: the
/// caller puts right what the call left half done.
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
