"""psycopg 3 with its pool."""

import uuid
from datetime import datetime, timedelta, timezone

import psycopg
from psycopg_pool import ConnectionPool

# comb: connect
from psycopg.types import TypeInfo
from psycopg.types.uuid import UUIDBinaryLoader, UUIDLoader
# end

from report import check, check_recent, client, end, job

TABLES = {"orders": "uuidv7", "legacy": "mssql"}

SCHEMA = """
CREATE EXTENSION IF NOT EXISTS comb;
CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer);
CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer);
"""


# comb: connect
def configure(connection):
    """Reads uniqueidentifier, and arrays of it, as uuid.UUID."""
    info = TypeInfo.fetch(connection, "uniqueidentifier")
    info.register(connection)
    connection.adapters.register_loader(info.oid, UUIDLoader)
    connection.adapters.register_loader(info.oid, UUIDBinaryLoader)
    connection.commit()
# end


client("psycopg", psycopg.__version__)

with psycopg.connect("") as connection:
    for name in ("schema", "schema_again"):
        with job(name):
            connection.execute(SCHEMA)
            connection.commit()

with ConnectionPool("", configure=configure, min_size=1, max_size=2) as pool:
    with job("insert"):
        for table in TABLES:
            with pool.connection() as connection:
                (id,) = connection.execute(f"INSERT INTO {table} (n) VALUES (%s) RETURNING id", [-1]).fetchone()
            check(type(id), uuid.UUID)
            with pool.connection() as connection:
                check(connection.execute(f"SELECT n FROM {table} WHERE id = %s", [id]).fetchall(), [(-1,)])
                check(connection.execute(f"SELECT array[id], id FROM {table}", binary=True).fetchall(), [([id], id)])

    made = {}
    with job("batch"):
        for table in TABLES:
            # comb: batch
            with pool.connection() as connection, connection.cursor() as cursor:
                rows = [(n,) for n in range(1000)]
                cursor.executemany("INSERT INTO " + table + " (n) VALUES (%s) RETURNING id", rows, returning=True)
                ids = [result.fetchone()[0] for result in cursor.results()]
            # end
            made[table] = ids
            with pool.connection() as connection:
                stored = connection.execute(f"SELECT id, n FROM {table} WHERE n >= 0 ORDER BY id").fetchall()
            check(stored, list(zip(ids, range(1000))))

    with job("page"):
        for table in TABLES:
            last = made[table][499]
            with pool.connection() as connection:
                page = connection.execute(
                    f"SELECT id, n FROM {table} WHERE id > %s ORDER BY id LIMIT 10", [last]
                ).fetchall()
            check([n for id, n in page], list(range(500, 510)))

    with job("range"):
        noon = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
        for table, layout in TABLES.items():
            with pool.connection() as connection:
                for day in range(5):
                    old = (noon + timedelta(days=day), layout, -100 - day)
                    connection.execute(f"INSERT INTO {table} (id, n) VALUES (comb_at(%s, %s), %s)", old)
            begin, until = noon + timedelta(days=1), noon + timedelta(days=3)
            # comb: range
            with pool.connection() as connection:
                rows = connection.execute(
                    "SELECT n FROM " + table + " WHERE comb_between(id, %s, %s) ORDER BY id", (begin, until)
                ).fetchall()
            # end
            check(rows, [(-101,), (-102,)])

    with job("timestamp"):
        with pool.connection() as connection:
            (timestamp,) = connection.execute(
                "SELECT comb_timestamp(id) FROM orders WHERE id = %s", [made["orders"][0]]
            ).fetchone()
            (timestamp_of_legacy,) = connection.execute(
                "SELECT comb_timestamp(id, 'mssql') FROM legacy WHERE id = %s", [made["legacy"][0]]
            ).fetchone()
            check_recent(timestamp)
            check_recent(timestamp_of_legacy)

    with job("error"):
        try:
            with pool.connection() as connection:
                connection.execute("SELECT comb_at(%s)", [datetime(1969, 7, 20, 20, 17, tzinfo=timezone.utc)])
        except psycopg.errors.DatetimeFieldOverflow as error:
            sqlstate, message, detail = error.sqlstate, error.diag.message_primary, error.diag.message_detail
        check(sqlstate, "22008")
        check(message, 'timestamp out of range for UUID layout "uuidv7"')
        check(detail.startswith("The layout can represent times from 1970-01-01T00:00:00+00:00 to "), True)

    with job("newest"):
        for table in TABLES:
            with pool.connection() as connection:
                newest = connection.execute(f"SELECT id, n FROM {table} ORDER BY id DESC LIMIT 1").fetchone()
            check(newest, (made[table][-1], 999))
        with pool.connection() as connection:
            check(connection.execute("SELECT max(id) FROM legacy").fetchone(), (made["legacy"][-1],))

end()
