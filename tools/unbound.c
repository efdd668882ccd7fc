/*
 * What src/postgres/compat.rs and raw.rs assume of PostgreSQL's headers and pgrx does not bind. lint.sh compiles this
 * file, with warnings as errors: it is never linked.
 */
#include "postgres.h"

#include "catalog/pg_attrdef.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_sequence.h"
#include "catalog/pg_subscription.h"
#include "catalog/pg_trigger.h"
#include "commands/sequence.h"
#include "access/twophase.h"
#include "common/hashfn.h"
#include "lib/hyperloglog.h"
#include "storage/lwlock.h"
#include "utils/guc.h"
#if PG_VERSION_NUM >= 180000
#include "utils/injection_point.h"
#include "utils/skipsupport.h"
#endif

#define NAME_OF(macro) #macro
#define EXPANSION_OF(macro) NAME_OF(macro)

_Static_assert(__builtin_strcmp(EXPANSION_OF(AddinShmemInitLock), "(&MainLWLockArray[21].lock)") == 0, "AddinShmemInitLock");

#ifdef GUC_ALLOW_IN_PARALLEL
_Static_assert(GUC_ALLOW_IN_PARALLEL == (PG_VERSION_NUM >= 160000 ? 0x8000 : 0x400000), "GUC_ALLOW_IN_PARALLEL");
#endif

_Static_assert(AttrDefaultRelationId == 2604 && DependRelationId == 2608 && InheritsRelationId == 2611, "catalogs");
_Static_assert(TriggerRelationId == 2620, "catalogs");
_Static_assert(AttributeRelationId == 1249 && AttributeRelidNumIndexId == 2659, "pg_attribute");
_Static_assert(ConstraintRelationId == 2606 && ConstraintRelidTypidNameIndexId == 2665, "pg_constraint");
_Static_assert(DependReferenceIndexId == 2674, "the index of pg_depend");
_Static_assert(AttrDefaultIndexId == 2656, "the index of pg_attrdef");
_Static_assert(InheritsRelidSeqnoIndexId == 2680 && InheritsParentIndexId == 2187 && TriggerRelidNameIndexId == 2701, "indexes");
_Static_assert(SubscriptionRelationId == 6100 && SubscriptionNameIndexId == 6115, "pg_subscription");
_Static_assert(Anum_pg_subscription_subdbid == 2, "pg_subscription");
_Static_assert(Anum_pg_attrdef_oid == 1 && Anum_pg_attrdef_adrelid == 2 && Anum_pg_attrdef_adbin == 4, "pg_attrdef");
_Static_assert(offsetof(FormData_pg_attrdef, adrelid) == 4 && offsetof(FormData_pg_attrdef, adnum) == 8, "pg_attrdef");
_Static_assert(Anum_pg_inherits_inhrelid == 1 && offsetof(FormData_pg_inherits, inhparent) == 4, "pg_inherits");
_Static_assert(offsetof(FormData_pg_inherits, inhdetachpending) == 12, "pg_inherits");
_Static_assert(TopSubTransactionId == 1, "subtransactions");
_Static_assert(Anum_pg_trigger_tgrelid == 2 && Anum_pg_trigger_tgargs == 16 && Anum_pg_trigger_tgqual == 17, "pg_trigger");
_Static_assert(offsetof(FormData_pg_sequence_data, last_value) == 0, "a sequence");
_Static_assert(offsetof(FormData_pg_sequence_data, is_called) == 16, "a sequence");
_Static_assert(Anum_pg_depend_classid == 1 && Anum_pg_depend_objid == 2, "pg_depend");
_Static_assert(Anum_pg_depend_refclassid == 4 && Anum_pg_depend_refobjid == 5, "pg_depend");
_Static_assert(Anum_pg_sequence_seqincrement == 4, "pg_sequence");
_Static_assert(Anum_pg_sequence_seqcycle == 8, "pg_sequence");

/* A pointer of the type that raw.rs declares. */
#define DECLARES(result, function, arguments) static result (*const is_##function) arguments __attribute__((unused)) = function

DECLARES(bool, errstart, (int, const char *));
DECLARES(int, errcode, (int));
DECLARES(int, errmsg, (const char *, ...));
DECLARES(int, errdetail, (const char *, ...));
DECLARES(int, errhint, (const char *, ...));
DECLARES(void, errfinish, (const char *, int, const char *));
#if PG_VERSION_NUM >= 160000
DECLARES(bool, errsave_start, (struct Node *, const char *));
DECLARES(void, errsave_finish, (struct Node *, const char *, int, const char *));
#endif
static int *const is_max_prepared_xacts __attribute__((unused)) = &max_prepared_xacts;
DECLARES(bool, has_subclass, (Oid));
DECLARES(void, initHyperLogLog, (hyperLogLogState *, uint8));
DECLARES(void, addHyperLogLog, (hyperLogLogState *, uint32));
DECLARES(double, estimateHyperLogLog, (hyperLogLogState *));
DECLARES(uint32, hash_bytes_uint32, (uint32));
#if PG_VERSION_NUM >= 180000
DECLARES(void, InjectionPointRun, (const char *, void *));
#endif

/* The fields that compat.rs declares, in its order; an initializer of another type or number does not compile. */
static struct {
	uint8		register_width;
	Size		registers;
	double		alpha_mm;
	uint8	   *hashes;
	Size		size;
} hyper_log_log __attribute__((unused));

#define SAME_PLACE(type, field, ours, our_field) \
	_Static_assert(offsetof(type, field) == offsetof(__typeof__(ours), our_field) && \
				   __builtin_types_compatible_p(__typeof__(((type *) 0)->field), __typeof__(ours.our_field)), #field)

SAME_PLACE(hyperLogLogState, registerWidth, hyper_log_log, register_width);
SAME_PLACE(hyperLogLogState, nRegisters, hyper_log_log, registers);
SAME_PLACE(hyperLogLogState, alphaMM, hyper_log_log, alpha_mm);
SAME_PLACE(hyperLogLogState, hashesArr, hyper_log_log, hashes);
SAME_PLACE(hyperLogLogState, arrSize, hyper_log_log, size);
_Static_assert(sizeof(hyperLogLogState) == sizeof(hyper_log_log), "hyperLogLogState");

#if PG_VERSION_NUM >= 180000
static struct {
	Datum		low_elem;
	Datum		high_elem;
	Datum		(*decrement) (Relation, Datum, bool *);
	Datum		(*increment) (Relation, Datum, bool *);
} skip_support __attribute__((unused));

SAME_PLACE(SkipSupportData, low_elem, skip_support, low_elem);
SAME_PLACE(SkipSupportData, high_elem, skip_support, high_elem);
SAME_PLACE(SkipSupportData, decrement, skip_support, decrement);
SAME_PLACE(SkipSupportData, increment, skip_support, increment);
_Static_assert(sizeof(SkipSupportData) == sizeof(skip_support), "SkipSupportData");
#endif

static struct {
	Oid			classid;
	Oid			objid;
	int32		objsubid;
	Oid			refclassid;
	Oid			refobjid;
	int32		refobjsubid;
	char		deptype;
} depend __attribute__((unused));

SAME_PLACE(FormData_pg_depend, objid, depend, objid);
SAME_PLACE(FormData_pg_depend, refclassid, depend, refclassid);
SAME_PLACE(FormData_pg_depend, refobjid, depend, refobjid);
SAME_PLACE(FormData_pg_depend, deptype, depend, deptype);
