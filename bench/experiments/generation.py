"""What one id costs, for 1 to 16 connections that all make ids at once.

Each connection's query makes many ids; the time of an id is the wall time over the ids of all connections
together. A loop that calls nothing is measured in turn with the others, and taken off."""

from contestants import Contestant
from experiments.base import Experiment

EMPTY = Contestant("empty_loop", "the empty loop", call="1")


class Generation(Experiment):
    name = "generation"

    def contestants(self, contestants):
        return [EMPTY, *super().contestants(contestants)]

    def cases(self, size):
        return [f"connections={number}" for number in size.generation_connections]

    def measure(self, server, contestant, case, size):
        connections = int(case.split("=")[1])
        query = f"SELECT count({contestant.call}) FROM (SELECT generate_series(1, {size.ids_per_query})) ids;"
        rate = server.pgbench(query, connections, size.pgbench_seconds, contestant.settings)
        return [(case, "time with the loop", "ns", 1e9 / (rate * size.ids_per_query))]
