"""The experiment of Jeremy Todd's article on sequential GUIDs: a million rows with a text of 100 characters, then a second
million; and the index of the key: its size, its page splits, how full its leaf pages are. Again with a text of 10 characters."""

import contestants
from experiments.base import Experiment

PAYLOAD = "repeat('x', 100)"
NARROW = "narrow rows"


def insert(table, rows, payload=PAYLOAD):
    return f"INSERT INTO {table} (payload) SELECT {payload} FROM generate_series(1, {rows})"


def wal_bytes(server, start):
    return int(server.sql(f"SELECT pg_current_wal_insert_lsn() - '{start}'::pg_lsn"))


def page_splits(server, start):
    """Those of all indexes, by the records in the write-ahead log."""
    records = f"pg_get_wal_stats('{start}', pg_current_wal_flush_lsn(), true)"
    return int(server.sql(f"""SELECT coalesce(sum(count), 0) FROM {records} WHERE "resource_manager/record_type" LIKE 'Btree/SPLIT%'"""))


class Insert(Experiment):
    name = "insert"

    def contestants(self):
        return contestants.ALL

    def cases(self, size):
        return ["", NARROW]

    def prepare(self, server, contestant, size):
        server.sql(*contestant.create_table(f"insert_{contestant.name}"))

    def measure(self, server, contestant, case, size):
        table = f"insert_{contestant.name}"
        payload = "repeat('x', 10)" if case == NARROW else PAYLOAD
        server.sql(f"TRUNCATE {table}")
        found, splits = [], 0
        for part in ("first", "second"):
            start = server.sql("CHECKPOINT", "SELECT pg_current_wal_insert_lsn()")
            parameter = f"{part} {case}".strip()
            found.append((parameter, "time", "s", *server.seconds(insert(table, size.rows, payload))))
            found.append((parameter, "write-ahead log", "bytes a row", wal_bytes(server, start) / size.rows))
            # The next checkpoint removes the log.
            splits += page_splits(server, start)
        rows = 2 * size.rows
        found.append((case, "index of the key", "bytes a row", int(server.sql(f"SELECT pg_indexes_size('{table}')")) / rows))
        found.append((case, "page splits", "a million rows", splits / rows * 1_000_000))
        leaves = f"FROM pg_index, pgstatindex(indexrelid::regclass) WHERE indrelid = '{table}'::regclass"
        for metric in ("avg_leaf_density", "leaf_fragmentation"):
            found.append((case, metric, "%", float(server.sql(f"SELECT {metric} {leaves}"))))
        # Nothing that the next contestant would have to write.
        server.sql(f"TRUNCATE {table}")
        return found
