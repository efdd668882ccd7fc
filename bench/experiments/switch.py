"""A table that has a million random keys, and goes on with a million of version 7: with the plain index, with one in
time order, and into a separate table; and with random keys, for comparison. Each index has been there since the
first random key."""

from contestants import Contestant
from experiments.base import Experiment
from experiments.insert import figures_of_index, insert, timed_insert

# name: label, operator class of the index, the call that makes the new keys, whether they go to random ones.
WAYS = {
    "random": ("random keys continue", "uuid_ops", "gen_random_uuid()", True),
    "plain": ("comb_new(), the plain index", "uuid_ops", "comb_new()", True),
    "time_order": ("comb_new(), uuid_time_ops", "uuid_time_ops", "comb_new()", True),
    "own_table": ("comb_new(), a separate table", "uuid_ops", "comb_new()", False),
}


class Switch(Experiment):
    name = "switch"
    part = "switch"

    def rounds(self, size):
        return size.half_rounds

    def contestants(self, contestants):
        return [Contestant(name, way[0]) for name, way in WAYS.items()]

    def measure(self, server, contestant, case, size):
        _, operator_class, call, after_random = WAYS[contestant.name]
        table = f"switch_{contestant.name}"
        server.sql(
            f"DROP TABLE IF EXISTS {table}",
            f"CREATE TABLE {table} (id uuid NOT NULL DEFAULT gen_random_uuid(), payload text)",
            f"CREATE UNIQUE INDEX ON {table} (id {operator_class})",
        )
        if after_random:
            server.sql(insert(table, size.rows))
        server.sql(f"ALTER TABLE {table} ALTER id SET DEFAULT {call}")
        found = [("new keys", *figure) for figure in timed_insert(server, table, size.rows)]
        found += figures_of_index(server, table, size.rows * (1 + after_random))
        server.sql(f"DROP TABLE {table}")
        return found
