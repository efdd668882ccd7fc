/*
 * bench_counter_uuid(): a version 7 UUID whose order over all connections comes from one shared counter,
 * advanced by compare-and-swap to max(last + 1, now). It is what a server-wide order costs when every id
 * touches the same cache line. Its random bits are drawn as cheaply as PostgreSQL can, from a generator of
 * each connection's own, so that nothing but the counter can be slow.
 */
#include "postgres.h"

#include <time.h>

#include "common/pg_prng.h"
#include "fmgr.h"
#include "port/atomics.h"
#include "port/pg_bswap.h"
#include "storage/dsm_registry.h"
#include "utils/uuid.h"

PG_MODULE_MAGIC;
PG_FUNCTION_INFO_V1(bench_counter_uuid);

static void
start_counter(void *counter)
{
	pg_atomic_init_u64(counter, 0);
}

/* The clock in units of 2^-16 ms, as comb counts. */
static uint64
clock_ticks(void)
{
	struct timespec now;
	uint64		nanoseconds;

	clock_gettime(CLOCK_REALTIME, &now);
	nanoseconds = (uint64) now.tv_sec * 1000000000 + now.tv_nsec;
	return ((nanoseconds / 1000000) << 16) + ((nanoseconds % 1000000) << 16) / 1000000;
}

Datum
bench_counter_uuid(PG_FUNCTION_ARGS)
{
	static pg_atomic_uint64 *last = NULL;
	uint64		now = clock_ticks();
	uint64		before;
	uint64		tick;
	uint64		high;
	uint64		low;
	pg_uuid_t  *id = palloc(sizeof(pg_uuid_t));

	if (last == NULL)
	{
		bool		found;

		last = GetNamedDSMSegment("bench_counter", sizeof(pg_atomic_uint64), start_counter, &found);
	}
	before = pg_atomic_read_u64(last);
	do
		tick = Max(before + 1, now);
	while (!pg_atomic_compare_exchange_u64(last, &before, tick));

	/* 48 bits of milliseconds, the version, 12 bits of their fraction; the variant, the last 4 bits of it. */
	high = pg_hton64((tick & ~UINT64CONST(0xFFFF)) | 0x7000 | ((tick >> 4) & 0x0FFF));
	low = pg_hton64((UINT64CONST(2) << 62) | ((tick & 0xF) << 58) |
					(pg_prng_uint64(&pg_global_prng_state) >> 6));
	memcpy(id->data, &high, sizeof(high));
	memcpy(id->data + sizeof(high), &low, sizeof(low));
	PG_RETURN_UUID_P(id);
}
