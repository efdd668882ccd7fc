"""asyncpg with its pool."""

import asyncio
import os
from datetime import datetime
from pathlib import Path
from uuid import UUID

import asyncpg

NAME, VERSION, TABLES = "asyncpg", asyncpg.__version__, ["orders", "legacy"]
loop = asyncio.new_event_loop()
pool = None


def command(work):
    return staticmethod(lambda *words: loop.run_until_complete(work(*words)))


async def connect():
    global pool
    pool = pool or await asyncpg.create_pool(init=init, min_size=1, max_size=2)
    return pool


async def fetch(query, *values):
    return await (await connect()).fetch(query, *values)


async def numbers(query, *values):
    return [row["n"] for row in await fetch(query, *values)]


# comb: connect
async def init(connection):  # asyncpg.create_pool(init=init)
    """Reads and sends uniqueidentifier, and arrays of it, as uuid.UUID."""
    await connection.set_builtin_type_codec("uniqueidentifier", schema="public", codec_name="uuid")
# end


class Commands:
    @command
    async def schema():
        connection = await asyncpg.connect()
        await connection.execute(Path(os.environ["EXAMPLE_SCHEMA"]).read_text())
        await connection.close()

    @command
    async def insert(table, n):
        [row] = await fetch(f"INSERT INTO {table} (n) VALUES ($1) RETURNING id", int(n))
        return [row["id"]]

    @command
    async def batch(table, count):
        query = f"INSERT INTO {table} (n) VALUES ($1) RETURNING id"
        rows = await pool.fetchmany(query, [(n,) for n in range(int(count))])
        return [row["id"] for row in rows]

    @command
    async def page(table, last):
        return await numbers(f"SELECT n FROM {table} WHERE id > $1 ORDER BY id LIMIT 10", UUID(last))

    @command
    async def range(table, begin, until):
        times = [datetime.fromisoformat(time) for time in (begin, until)]
        return await numbers(f"SELECT n FROM {table} WHERE comb_between(id, $1, $2) ORDER BY id", *times)

    @command
    async def timestamp(table, layout, n):
        [row] = await fetch(f"SELECT comb_timestamp(id, $1) AS time FROM {table} WHERE n = $2", layout, int(n))
        return [int(row["time"].timestamp() * 1000)]

    @command
    async def newest(table):
        return await numbers(f"SELECT n FROM {table} ORDER BY id DESC LIMIT 1")

    @command
    async def error(time):
        try:
            await fetch("SELECT comb_at($1)", datetime.fromisoformat(time))
        except asyncpg.PostgresError as error:
            return [error.sqlstate, error.message, error.hint]

    @command
    async def write(milliseconds, end, *bodies):
        async with (await connect()).acquire() as connection:
            transaction = connection.transaction()
            await transaction.start()
            await connection.executemany("INSERT INTO events (body) VALUES ($1)", [(body,) for body in bodies])
            await asyncio.sleep(int(milliseconds) / 1000)
            await (transaction.commit() if end == "commit" else transaction.rollback())

    @command
    async def poll(cursor, horizon):
        query = """
            SELECT position, body FROM events
            WHERE position > $1 AND position <= comb_number_horizon('events', after => $1)
            ORDER BY position LIMIT 1000
            """
        if horizon == "no":
            query = "SELECT position, body FROM events WHERE position > $1 ORDER BY position LIMIT 1000"
        return [value for row in await fetch(query, int(cursor)) for value in row]

    @command
    async def unzoned(begin, until):
        times = [datetime.fromisoformat(time).replace(tzinfo=None) for time in (begin, until)]
        return await numbers("SELECT n FROM orders WHERE comb_between(id, $1, $2) ORDER BY id", *times)

    @command
    async def call(query):
        await fetch(query)
