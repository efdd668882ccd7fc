"""asyncpg with its pool."""

import asyncio
import os
import uuid
from datetime import datetime, timedelta, timezone

import asyncpg

from report import check, check_recent, client, end, job

TABLES = {"orders": "uuidv7", "legacy": "mssql"}
# A pooler in transaction mode does not keep prepared statements.
OPTIONS = {"statement_cache_size": 0} if os.environ["POOLED"] else {}

SCHEMA = """
CREATE EXTENSION IF NOT EXISTS comb;
CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer);
CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer);
"""


# comb: connect
async def init(connection):
    """Reads uniqueidentifier as uuid.UUID. Without it, asyncpg expects and returns strings."""
    await connection.set_builtin_type_codec("uniqueidentifier", schema="public", codec_name="uuid")
# end


async def main():
    client("asyncpg", asyncpg.__version__)

    connection = await asyncpg.connect(**OPTIONS)
    for name in ("schema", "schema_again"):
        with job(name):
            await connection.execute(SCHEMA)
    await connection.close()

    async with asyncpg.create_pool(init=init, min_size=1, max_size=2, **OPTIONS) as pool:
        with job("insert"):
            for table in TABLES:
                # comb: insert
                id = await pool.fetchval(f"INSERT INTO {table} (n) VALUES ($1) RETURNING id", -1)
                # end
                check(isinstance(id, uuid.UUID), True)
                check(await pool.fetchval(f"SELECT n FROM {table} WHERE id = $1", id), -1)

        made = {}
        with job("batch"):
            for table in TABLES:
                # comb: batch
                rows = [(n,) for n in range(1000)]
                async with pool.acquire() as connection:
                    returned = await connection.fetchmany(f"INSERT INTO {table} (n) VALUES ($1) RETURNING id", rows)
                ids = [row["id"] for row in returned]
                # end
                made[table] = ids
                stored = await pool.fetch(f"SELECT id, n FROM {table} WHERE n >= 0 ORDER BY id")
                check([tuple(row) for row in stored], list(zip(ids, range(1000))))

        with job("page"):
            for table in TABLES:
                last = made[table][499]
                # comb: page
                page = await pool.fetch(f"SELECT id, n FROM {table} WHERE id > $1 ORDER BY id LIMIT 10", last)
                # end
                check([row["n"] for row in page], list(range(500, 510)))

        with job("range"):
            noon = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
            for table, layout in TABLES.items():
                for day in range(5):
                    old = (noon + timedelta(days=day), layout, -100 - day)
                    await pool.execute(f"INSERT INTO {table} (id, n) VALUES (comb_at($1, $2), $3)", *old)
                begin, until = noon + timedelta(days=1), noon + timedelta(days=3)
                # comb: range
                rows = await pool.fetch(
                    f"SELECT n FROM {table} WHERE comb_between(id, $1, $2) ORDER BY id", begin, until
                )
                # end
                check([row["n"] for row in rows], [-101, -102])

        with job("timestamp"):
            # comb: timestamp
            timestamp = await pool.fetchval("SELECT comb_timestamp($1)", made["orders"][0])
            timestamp_of_legacy = await pool.fetchval("SELECT comb_timestamp($1, 'mssql')", made["legacy"][0])
            # end
            check_recent(timestamp)
            check_recent(timestamp_of_legacy)

        with job("error"):
            # comb: error
            try:
                await pool.execute("SELECT comb_at($1)", datetime(1969, 7, 20, 20, 17, tzinfo=timezone.utc))
            except asyncpg.DatetimeFieldOverflowError as error:
                sqlstate, message, detail = error.sqlstate, error.message, error.detail
            # end
            check(sqlstate, "22008")
            check(message, 'timestamp out of range for UUID layout "uuidv7"')
            check(detail.startswith("The layout can represent times from 1970-01-01T00:00:00+00:00 to "), True)

        with job("newest"):
            for table in TABLES:
                # comb: newest
                newest = await pool.fetchrow(f"SELECT id, n FROM {table} ORDER BY id DESC LIMIT 1")
                # end
                check(tuple(newest), (made[table][-1], 999))
            check(await pool.fetchval("SELECT max(id) FROM legacy"), made["legacy"][-1])


asyncio.run(main())
end()
