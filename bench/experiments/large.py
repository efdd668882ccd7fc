"""The write-ahead log of rows that are inserted into a large table after a checkpoint: the first change of each page then writes the
whole page. A hundred thousand rows into ten million."""

import contestants
from experiments.base import Experiment
from experiments.insert import insert, wal_bytes


class Large(Experiment):
    name = "large"

    def contestants(self):
        return [contestant for contestant in contestants.ALL if contestant.name in ("random", "comb")]

    def prepare(self, server, contestant, size):
        table = f"large_{contestant.name}"
        server.sql(*contestant.create_table(table), insert(table, size.large_rows))

    def measure(self, server, contestant, case, size):
        start = server.sql("CHECKPOINT", "SELECT pg_current_wal_insert_lsn()")
        rows = size.rows // 10
        seconds = server.seconds(insert(f"large_{contestant.name}", rows))
        return [("", "time", "s", *seconds), ("", "write-ahead log", "bytes a row", wal_bytes(server, start) / rows)]
