"""What one UUID costs, for 1 to 16 connections that all generate UUIDs at once.

Each connection's query generates many; the time of one is the wall time over the UUIDs of all connections
together. A loop that calls nothing is measured in turn with the others, and taken off."""

import contestants
from contestants import Contestant
from experiments.base import Experiment

EMPTY = Contestant("empty_loop", "the empty loop", call="1")
CLOCK = Contestant("clock", "clock_timestamp()", call="clock_timestamp()")
IDS = 50_000  # of a query


class Generation(Experiment):
    name = "generation"

    def contestants(self):
        return [EMPTY, *(contestant for contestant in contestants.ALL if contestant.call), CLOCK]

    def cases(self, size):
        return [f"connections={number}" for number in size.connections]

    def measure(self, server, contestant, case, size):
        connections = int(case.split("=")[1])
        query = f"SELECT count({contestant.call}) FROM (SELECT generate_series(1, {IDS})) ids;"
        rate = server.pgbench(query, connections)
        return [(case, "time with the loop", "ns", 1e9 / (rate * IDS))]
