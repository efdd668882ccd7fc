"""How the cost of a row grows with the table: step by step up to several times shared_buffers. Where the next
row goes to a random page, that page is less and less likely to be in memory, or in the write-ahead log
since the last checkpoint."""

from experiments.base import Experiment
from experiments.insert import insert


class Growth(Experiment):
    name = "growth"
    server = "small"

    def rounds(self, size):
        return size.half_rounds

    def measure(self, server, contestant, case, size):
        table = f"growth_{contestant.name}"
        server.sql(*contestant.create_table(table), "CHECKPOINT")
        step = insert(table, size.growth_step)
        seconds = server.seconds(*[step] * size.growth_steps, settings=contestant.settings)
        table_bytes = int(server.sql(f"SELECT pg_total_relation_size('{table}')"))
        server.sql(f"DROP TABLE {table}")
        found = [(f"rows={(number + 1) * size.growth_step}", "time of the step", "s", time) for number, time in enumerate(seconds)]
        return found + [("", "table at the end", "bytes", table_bytes)]
