//! PostgreSQL's functions, declared without pgrx's guard.
//!
//! Rationale: pgrx's binding of a function calls sigsetjmp() each time and turns an ERROR into a Rust panic, to run
//! the destructors of the frames in between. That costs 10 ns a call. The panic and its texts allocate memory from
//! Rust's allocator, which ends the process when memory runs out; the texts are converted to UTF-8, which damages
//! those in another encoding; and with RUST_BACKTRACE set the error has a backtrace in its DETAIL.
//!
//! Therefore an ERROR of a function that is declared here jumps over our frames, as it jumps over frames of C. Values in
//! these frames are not dropped: they have types that need no drop, or a comment says why the loss does no harm.

use std::ffi::{c_char, c_int, c_long, c_void};

// The types. A function that is declared below shadows pgrx's binding of the same name.
use pgrx::pg_sys::{self, *};

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
    fn MemoryContextAlloc(context: MemoryContext, size: usize) -> *mut c_void;
    fn MemoryContextRegisterResetCallback(context: MemoryContext, callback: *mut MemoryContextCallback);

    // Text
    fn initStringInfo(text: *mut StringInfoData);
    fn appendBinaryStringInfo(text: *mut StringInfoData, bytes: *const Bytes, length: c_int);

    // Errors
    fn FlushErrorState();

    // Calls
    fn DirectFunctionCall1Coll(f: PGFunction, collation: Oid, a: Datum) -> Datum;
    fn DirectFunctionCall2Coll(f: PGFunction, collation: Oid, a: Datum, b: Datum) -> Datum;
    fn jsonb_in(call: FunctionCallInfo) -> Datum;
    fn timestamp_zone(call: FunctionCallInfo) -> Datum;

    // Values
    fn cstring_to_text_with_len(text: *const c_char, length: c_int) -> *mut pg_sys::text;
    fn pg_detoast_datum_packed(datum: *mut varlena) -> *mut varlena;
    fn pg_detoast_datum_slice(datum: *mut varlena, first: i32, count: i32) -> *mut varlena;
    fn pg_mbcliplen(text: *const c_char, length: c_int, limit: c_int) -> c_int;
    fn JsonEncodeDateTime(
        buffer: *mut c_char, value: Datum, type_id: Oid, zone: *const c_int,
    ) -> *mut c_char;

    // Catalogs
    fn get_attgenerated(table: Oid, column: AttrNumber) -> c_char;
    fn getBaseType(type_id: Oid) -> Oid;
    fn get_rel_name(relation: Oid) -> *mut c_char;
    fn SearchSysCache1(cache: c_int, key: Datum) -> HeapTuple;
    fn SysCacheGetAttr(
        cache: c_int, row: HeapTuple, column: AttrNumber, is_null: *mut bool,
    ) -> Datum;
    fn ReleaseSysCache(row: HeapTuple);
    fn text_to_cstring(text: *const pg_sys::text) -> *mut c_char;
    fn stringToNode(text: *const c_char) -> *mut c_void;

    fn table_open(table: Oid, lock: LOCKMODE) -> Relation;
    fn table_close(table: Relation, lock: LOCKMODE);
    fn ScanKeyInit(key: ScanKey, column: AttrNumber, strategy: StrategyNumber, function: RegProcedure, argument: Datum);
    fn systable_beginscan(
        catalog: Relation, index: Oid, by_index: bool, snapshot: Snapshot, count: c_int, keys: ScanKey,
    ) -> SysScanDesc;
    fn systable_getnext(scan: SysScanDesc) -> HeapTuple;
    fn systable_endscan(scan: SysScanDesc);
    fn AcceptInvalidationMessages();
    fn IsTransactionState() -> bool;
    fn GetCurrentTransactionNestLevel() -> c_int;
    fn GetCurrentTransactionIdIfAny() -> TransactionId;
    fn ResetPlanCache();
    fn InvalidateSystemCaches();
    fn CacheRegisterRelcacheCallback(function: RelcacheCallbackFunction, argument: Datum);
    fn CacheRegisterSyscacheCallback(cache: c_int, function: SyscacheCallbackFunction, argument: Datum);
    fn get_attname(relation: Oid, column: AttrNumber, missing_ok: bool) -> *mut c_char;
    fn get_attnum(relation: Oid, name: *const c_char) -> AttrNumber;
    fn GetSysCacheHashValue(cache: c_int, key1: Datum, key2: Datum, key3: Datum, key4: Datum) -> u32;
    fn SearchSysCacheAttName(relation: Oid, name: *const c_char) -> HeapTuple;
    fn InvalidateCatalogSnapshot();
    fn quote_identifier(name: *const c_char) -> *const c_char;
    fn quote_literal_cstr(text: *const c_char) -> *mut c_char;
    fn quote_qualified_identifier(schema: *const c_char, name: *const c_char) -> *mut c_char;
    fn get_namespace_name(schema: Oid) -> *mut c_char;
    fn get_extension_oid(name: *const c_char, missing_ok: bool) -> Oid;
    fn get_rel_namespace(relation: Oid) -> Oid;
    fn isTempNamespace(schema: Oid) -> bool;

    // Statements
    fn SPI_connect() -> c_int;
    fn SPI_execute(statement: *const c_char, read_only: bool, count: c_long) -> c_int;
    fn SPI_finish() -> c_int;

    // Relations
    fn LockRelationOid(relation: Oid, lock: LOCKMODE);
    fn UnlockRelationOid(relation: Oid, lock: LOCKMODE);
    fn pg_attribute_aclcheck_all(table: Oid, role: Oid, mode: AclMode, how: AclMaskHow::Type) -> AclResult::Type;
    fn pg_class_aclcheck_ext(relation: Oid, role: Oid, mode: AclMode, is_missing: *mut bool) -> AclResult::Type;
    fn ConditionalLockRelationOid(relation: Oid, lock: LOCKMODE) -> bool;
    fn relation_open(relation: Oid, lock: LOCKMODE) -> Relation;
    fn try_relation_open(relation: Oid, lock: LOCKMODE) -> Relation;
    fn relation_close(relation: Relation, lock: LOCKMODE);
    fn ReadBuffer(relation: Relation, page: BlockNumber) -> Buffer;
    #[cfg(not(feature = "pg19"))]
    fn LockBuffer(buffer: Buffer, mode: c_int);
    #[cfg(feature = "pg19")]
    fn LockBufferInternal(buffer: Buffer, mode: BufferLockMode::Type);
    fn BufferGetLSNAtomic(buffer: Buffer) -> XLogRecPtr;
    fn UnlockReleaseBuffer(buffer: Buffer);
    fn XLogNeedsFlush(until: XLogRecPtr) -> bool;
    fn XLogFlush(until: XLogRecPtr);

    // Rows
    fn get_call_result_type(
        call: FunctionCallInfo, type_id: *mut Oid, description: *mut TupleDesc,
    ) -> TypeFuncClass::Type;
    fn heap_form_tuple(
        description: TupleDesc, values: Const<Datum>, nulls: Const<bool>,
    ) -> HeapTuple;
    fn HeapTupleHeaderGetDatum(tuple: HeapTupleHeader) -> Datum;
    fn InitMaterializedSRF(call: FunctionCallInfo, flags: u32);
    fn tuplestore_putvalues(
        store: *mut Tuplestorestate, description: TupleDesc, values: Const<Datum>,
        nulls: Const<bool>,
    );

    // Columns of a row
    fn SPI_fnumber(description: TupleDesc, name: *const c_char) -> c_int;
    fn SPI_gettypeid(description: TupleDesc, column: c_int) -> Oid;
    fn heap_modify_tuple_by_cols(
        tuple: HeapTuple, description: TupleDesc, count: c_int, columns: Const<c_int>, values: Const<Datum>, nulls: Const<bool>,
    ) -> HeapTuple;
    fn SPI_getbinval(
        tuple: HeapTuple, description: TupleDesc, column: c_int, is_null: *mut bool,
    ) -> Datum;

    // Privileges
    fn GetUserId() -> Oid;
    fn GetUserIdAndSecContext(role: *mut Oid, context: *mut c_int);
    fn SetUserIdAndSecContext(role: Oid, context: c_int);
    fn NewGUCNestLevel() -> c_int;
    fn AtEOXact_GUC(is_commit: bool, level: c_int);
    #[cfg(not(feature = "pg15"))]
    fn object_ownercheck(catalog: Oid, object: Oid, role: Oid) -> bool;
    #[cfg(feature = "pg15")]
    fn pg_class_ownercheck(relation: Oid, role: Oid) -> bool;
    #[cfg(not(feature = "pg15"))]
    fn object_aclcheck(catalog: Oid, object: Oid, role: Oid, mode: AclMode) -> AclResult::Type;
    #[cfg(feature = "pg15")]
    fn pg_namespace_aclcheck(schema: Oid, role: Oid, mode: AclMode) -> AclResult::Type;
    #[cfg(feature = "pg15")]
    fn pg_proc_aclcheck(function: Oid, role: Oid, mode: AclMode) -> AclResult::Type;

    // Processes
    fn check_stack_depth();
    fn RecoveryInProgress() -> bool;
    fn GetLatestXTime() -> TimestampTz;
    fn get_controlfile(data_directory: *const c_char, is_valid: *mut bool) -> *mut ControlFileData;

    // Transactions
    fn LockAcquire(
        tag: *const LOCKTAG, mode: LOCKMODE, session: bool, dont_wait: bool,
    ) -> LockAcquireResult::Type;
    fn LockWaiterCount(tag: *const LOCKTAG) -> c_int;
    fn GetLockStatusData() -> *mut LockData;
    fn GetTopFullTransactionId() -> FullTransactionId;
    fn GetTopFullTransactionIdIfAny() -> FullTransactionId;
    fn TransactionIdIsCurrentTransactionId(id: TransactionId) -> bool;
    fn TransactionIdIsInProgress(id: TransactionId) -> bool;
    fn SubTransGetTopmostTransaction(id: TransactionId) -> TransactionId;
    fn RegisterXactCallback(callback: XactCallback, argument: *mut c_void);
    fn RegisterSubXactCallback(callback: SubXactCallback, argument: *mut c_void);
    fn ActiveSnapshotSet() -> bool;
    fn GetActiveSnapshot() -> Snapshot;
    fn GetLatestSnapshot() -> Snapshot;
    fn TransactionIdDidCommit(id: TransactionId) -> bool;
    fn XidInMVCCSnapshot(id: TransactionId, snapshot: Snapshot) -> bool;

    // Shared memory
    fn ShmemInitStruct(name: *const c_char, size: usize, found: *mut bool) -> *mut c_void;
    fn LWLockAcquire(lock: *mut LWLock, mode: LWLockMode::Type) -> bool;
    fn LWLockRelease(lock: *mut LWLock);
    fn LWLockHeldByMe(lock: *mut LWLock) -> bool;
    fn LWLockReleaseAll();

    fn RequestAddinShmemSpace(size: usize);
    fn on_shmem_exit(function: pg_on_exit_callback, argument: Datum);

    // Expressions
    fn exprType(expression: *const Node) -> Oid;
    fn contain_var_clause(expression: *mut Node) -> bool;
    fn lookup_type_cache(type_id: Oid, flags: c_int) -> *mut TypeCacheEntry;
    fn copyObjectImpl(from: *const c_void) -> *mut c_void;
    fn applyRelabelType(
        argument: *mut Node, type_id: Oid, modifier: i32, collation: Oid,
        form: CoercionForm::Type, location: c_int, overwrites: bool,
    ) -> *mut Node;
    fn make_opclause(
        operator: Oid, result: Oid, returns_set: bool, left: *mut Expr, right: *mut Expr,
        collation: Oid, input_collation: Oid,
    ) -> *mut Expr;
    fn set_opfuncid(operator: *mut OpExpr);

    // Planner support of ranges of time
    fn get_func_namespace(function: Oid) -> Oid;
    fn get_func_support(function: Oid) -> Oid;
    fn record_plan_function_dependency(root: *mut PlannerInfo, function: Oid);
    fn equal(a: *const c_void, b: *const c_void) -> bool;
    fn GetSysCacheOid(
        cache: c_int, column: AttrNumber, key1: Datum, key2: Datum, key3: Datum, key4: Datum,
    ) -> Oid;
    fn buildoidvector(oids: *const Oid, count: c_int) -> *mut oidvector;
    fn lappend(list: *mut List, element: *mut c_void) -> *mut List;
    fn lappend_oid(list: *mut List, value: Oid) -> *mut List;
    fn makeBoolConst(value: bool, is_null: bool) -> *mut Node;
    fn makeConst(
        type_id: Oid, modifier: i32, collation: Oid, length: c_int, value: Datum, is_null: bool,
        by_value: bool,
    ) -> *mut pg_sys::Const;
    fn makeFuncExpr(
        function: Oid, result: Oid, arguments: *mut List, collation: Oid, input_collation: Oid,
        form: CoercionForm::Type,
    ) -> *mut FuncExpr;
    fn make_andclause(terms: *mut List) -> *mut Expr;
    fn contain_subplans(expression: *mut Node) -> bool;
    fn contain_volatile_functions(expression: *mut Node) -> bool;
    fn pull_varattnos(expression: *mut Node, table: Index, columns: *mut *mut Bitmapset);
    fn bms_is_member(member: c_int, set: *const Bitmapset) -> bool;
    fn op_in_opfamily(operator: Oid, family: Oid) -> bool;
    fn is_pseudo_constant_for_index(
        root: *mut PlannerInfo, expression: *mut Node, index: *mut IndexOptInfo,
    ) -> bool;
    fn RelationIdGetRelation(table: Oid) -> Relation;
    fn RelationGetIndexList(relation: Relation) -> *mut List;
    fn RelationGetIndexPredicate(index: Relation) -> *mut List;
    fn RelationGetIndexExpressions(index: Relation) -> *mut List;
    fn RelationClose(relation: Relation);
    fn estimate_expression_value(root: *mut PlannerInfo, expression: *mut Node) -> *mut Node;
    fn get_opcode(operator: Oid) -> RegProcedure;
    fn get_restriction_variable(
        root: *mut PlannerInfo, arguments: *mut List, table: c_int, variable: *mut VariableStatData, other: *mut *mut Node,
        is_left: *mut bool,
    ) -> bool;
    fn examine_variable(
        root: *mut PlannerInfo, expression: *mut Node, table: c_int,
        variable: *mut VariableStatData,
    );
    fn get_attstatsslot(
        slot: *mut AttStatsSlot, statistics: HeapTuple, kind: c_int, operator: Oid, flags: c_int,
    ) -> bool;
    fn free_attstatsslot(slot: *mut AttStatsSlot);
    fn statistic_proc_security_check(variable: *mut VariableStatData, function: Oid) -> bool;
    fn pgstat_fetch_stat_tabentry(table: Oid) -> *mut PgStat_StatTabEntry;
    fn GetCurrentTimestamp() -> TimestampTz;

    // Sorting: a sort knows this function by its address, which is not that of pgrx's binding, and then compares
    // abbreviated keys without a call.
    fn ssup_datum_unsigned_cmp(x: Datum, y: Datum, ssup: SortSupport) -> c_int;
}

// What pgrx does not bind. tools/unbound.c compares these declarations with the headers.
unsafe extern "C-unwind" {
    // access/twophase.h
    pub static max_prepared_xacts: c_int;

    // utils/elog.h
    pub fn errstart(level: c_int, domain: *const c_char) -> bool;
    pub fn errcode(sqlstate: c_int) -> c_int;
    pub fn errmsg(format: *const c_char, ...) -> c_int;
    pub fn errdetail(format: *const c_char, ...) -> c_int;
    pub fn errhint(format: *const c_char, ...) -> c_int;
    pub fn errfinish(file: *const c_char, line: c_int, function: *const c_char);
    #[cfg(not(feature = "pg15"))]
    pub fn errsave_start(context: *mut Node, domain: *const c_char) -> bool;
    #[cfg(not(feature = "pg15"))]
    pub fn errsave_finish(context: *mut Node, file: *const c_char, line: c_int, function: *const c_char);

    // catalog/pg_inherits.h
    pub fn has_subclass(table: Oid) -> bool;

    // lib/hyperloglog.h, common/hashfn.h
    pub fn initHyperLogLog(state: *mut HyperLogLog, register_bits: u8);
    pub fn addHyperLogLog(state: *mut HyperLogLog, hash: u32);
    pub fn estimateHyperLogLog(state: *mut HyperLogLog) -> f64;
    pub fn hash_bytes_uint32(key: u32) -> u32;

    // utils/injection_point.h
    #[cfg(feature = "injection_points")]
    pub fn InjectionPointRun(name: *const c_char, argument: *mut c_void);
}

/// Runs a call of PostgreSQL, as PG_TRY does. False if it raised an ERROR, which is discarded: the
/// caller repairs the state that the call left incomplete.
///
/// # Safety
/// No value within `call` needs a drop.
pub unsafe fn succeeds(call: impl FnOnce()) -> bool {
    // SAFETY: a backend runs one thread. The same state is saved and restored as by PG_TRY. errfinish() leaves the
    // holdoff counts at 0.
    unsafe {
        let context = pg_sys::CurrentMemoryContext;
        let exception_stack = pg_sys::PG_exception_stack;
        let context_stack = pg_sys::error_context_stack;
        let holdoff = (pg_sys::InterruptHoldoffCount, pg_sys::QueryCancelHoldoffCount);
        let jumped = cee_scape::call_with_sigsetjmp(false, |buffer| {
            pg_sys::PG_exception_stack = std::ptr::from_ref(buffer).cast_mut().cast();
            call();
            0
        });
        pg_sys::PG_exception_stack = exception_stack;
        pg_sys::error_context_stack = context_stack;
        if jumped != 0 {
            pg_sys::CurrentMemoryContext = context;
            FlushErrorState();
            (pg_sys::InterruptHoldoffCount, pg_sys::QueryCancelHoldoffCount) = holdoff;
        }
        jumped == 0
    }
}
