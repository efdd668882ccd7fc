"""psycopg 3 with its pool."""

import os
import time
from datetime import datetime
from pathlib import Path
from uuid import UUID

import psycopg
from psycopg_pool import ConnectionPool

# comb: connect
from psycopg.types import TypeInfo
from psycopg.types.uuid import UUIDBinaryLoader, UUIDLoader
# end

from serve import serve


# comb: connect
def configure(connection):
    """Reads uniqueidentifier, and arrays of it, as uuid.UUID."""
    info = TypeInfo.fetch(connection, "uniqueidentifier")
    info.register(connection)
    connection.adapters.register_loader(info.oid, UUIDLoader)
    connection.adapters.register_loader(info.oid, UUIDBinaryLoader)
    connection.commit()
# end


def fetch(query, values=()):
    with pool.connection() as connection:
        return connection.execute(query, values).fetchall()


def numbers(query, values=()):
    return [n for (n,) in fetch(query, values)]


class Commands:
    def schema(self):
        with psycopg.connect() as connection:
            connection.execute(Path(os.environ["EXAMPLE_SCHEMA"]).read_text())

    def insert(self, table, n):
        [(id,)] = fetch(f"INSERT INTO {table} (n) VALUES (%s) RETURNING id", [int(n)])
        with pool.connection() as connection:
            [row] = connection.execute(f"SELECT array[id], id FROM {table} WHERE id = %s", [id], binary=True)
        assert type(id) is UUID and row == ([id], id), row
        return [id]

    def batch(self, table, count):
        # comb: batch
        with pool.connection() as connection, connection.cursor() as cursor:
            rows = [(n,) for n in range(int(count))]
            cursor.executemany("INSERT INTO " + table + " (n) VALUES (%s) RETURNING id", rows, returning=True)
            ids = [result.fetchone()[0] for result in cursor.results()]
        # end
        return ids

    def page(self, table, last):
        return numbers(f"SELECT n FROM {table} WHERE id > %s ORDER BY id LIMIT 10", [UUID(last)])

    def range(self, table, *times):
        begin, until = (datetime.fromisoformat(time) for time in times)
        # comb: range
        with pool.connection() as connection:
            rows = connection.execute(
                "SELECT n FROM " + table + " WHERE comb_between(id, %s, %s) ORDER BY id", (begin, until)
            ).fetchall()
        # end
        return [n for (n,) in rows]

    def timestamp(self, table, layout, n):
        [(timestamp,)] = fetch(f"SELECT comb_timestamp(id, %s) FROM {table} WHERE n = %s", [layout, int(n)])
        return [int(timestamp.timestamp() * 1000)]

    def newest(self, table):
        return numbers(f"SELECT n FROM {table} ORDER BY id DESC LIMIT 1")

    def error(self, time):
        try:
            fetch("SELECT comb_at(%s)", [datetime.fromisoformat(time)])
        except psycopg.Error as error:
            return [error.sqlstate, error.diag.message_primary, error.diag.message_hint]

    def write(self, milliseconds, end, *bodies):
        with pool.connection() as connection:
            for body in bodies:
                connection.execute("INSERT INTO events (body) VALUES (%s)", [body])
            time.sleep(int(milliseconds) / 1000)
            connection.commit() if end == "commit" else connection.rollback()

    def poll(self, cursor, horizon):
        # comb: reader
        query = """
            SELECT position, body FROM events
            WHERE position > %(cursor)s AND position <= comb_number_horizon('events', after => %(cursor)s)
            ORDER BY position LIMIT 1000
            """
        # end
        if horizon == "no":
            query = "SELECT position, body FROM events WHERE position > %(cursor)s ORDER BY position LIMIT 1000"
        return [value for row in fetch(query, {"cursor": int(cursor)}) for value in row]

    def call(self, query):
        fetch(query)


pool = ConnectionPool("", configure=configure, min_size=0, max_size=2, open=True)
serve("psycopg", psycopg.__version__, ["orders", "legacy"], Commands())
