"""The classical experiment of this field: a million rows with a text of 100 characters, then a second million;
the size and the shape of the index they leave; and what rows cost right after a checkpoint, where the first
change of a page puts all of it into the write-ahead log."""

from experiments.base import Experiment

PAYLOAD = "repeat('x', 100)"


def insert(table, rows):
    return f"INSERT INTO {table} (payload) SELECT {PAYLOAD} FROM generate_series(1, {rows})"


def timed_insert(server, table, rows, settings=""):
    """[(metric, unit, value)...] of so many rows after a checkpoint."""
    server.sql("CHECKPOINT")
    before = server.sql("SELECT pg_current_wal_insert_lsn()")
    seconds, in_postgres, in_system = server.usage(insert(table, rows), settings=settings)
    wal_bytes = int(server.sql(f"SELECT pg_current_wal_insert_lsn() - '{before}'::pg_lsn"))
    return [
        ("time", "s", seconds),
        ("processor time in PostgreSQL", "s", in_postgres),
        ("processor time in the system", "s", in_system),
        ("WAL", "bytes a row", wal_bytes / rows),
    ]


def figures_of_index(server, table, rows):
    all_indexes, of_key, density, fragmentation = server.sql(
        f"""SELECT pg_indexes_size('{table}'), index_size, avg_leaf_density, leaf_fragmentation
            FROM pg_index, pgstatindex(indexrelid::regclass)
            WHERE indrelid = '{table}'::regclass AND indisunique"""
    ).split("|")
    return [
        ("", "all indexes", "bytes a row", int(all_indexes) / rows),
        ("", "index of the key", "bytes a row", int(of_key) / rows),
        ("", "leaf density", "%", float(density)),
        ("", "leaf fragmentation", "%", float(fragmentation)),
    ]


class Insert(Experiment):
    name = "insert"

    def prepare(self, server, contestant, size):
        server.sql(*contestant.create_table(f"insert_{contestant.name}"))

    def measure(self, server, contestant, case, size):
        table = f"insert_{contestant.name}"
        server.sql(f"TRUNCATE {table}")
        found = []
        for part in ("first", "second"):
            found += [(part, *figure) for figure in timed_insert(server, table, size.rows, contestant.settings)]
        found += figures_of_index(server, table, 2 * size.rows)
        found += [("after a checkpoint", *figure) for figure in timed_insert(server, table, size.checkpoint_rows, contestant.settings)]
        # Nothing that the next contestant would have to write.
        server.sql(f"TRUNCATE {table}")
        return found
