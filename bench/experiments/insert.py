"""The experiment of Jeremy Todd's article on sequential GUIDs: a million rows with a text of 100 characters, then a second
million; and the size of the index of the key."""

import contestants
from experiments.base import Experiment

PAYLOAD = "repeat('x', 100)"


def insert(table, rows):
    return f"INSERT INTO {table} (payload) SELECT {PAYLOAD} FROM generate_series(1, {rows})"


class Insert(Experiment):
    name = "insert"

    def contestants(self):
        return contestants.ALL

    def prepare(self, server, contestant, size):
        server.sql(*contestant.create_table(f"insert_{contestant.name}"))

    def measure(self, server, contestant, case, size):
        table = f"insert_{contestant.name}"
        server.sql(f"TRUNCATE {table}")
        found = []
        for part in ("first", "second"):
            server.sql("CHECKPOINT")
            found.append((part, "time", "s", *server.seconds(insert(table, size.rows))))
        index = int(server.sql(f"SELECT pg_indexes_size('{table}')"))
        found.append(("", "index of the key", "bytes a row", index / (2 * size.rows)))
        # Nothing that the next contestant would have to write.
        server.sql(f"TRUNCATE {table}")
        return found
