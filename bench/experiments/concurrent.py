"""Connections that insert row by row, each row a transaction, into a table that has rows already.

With synchronous_commit off, so that the key shows: with it on, each commit waits for the disk, which is
nearly all there is to see; both are measured, with 1 and 8 connections."""

import contestants
from experiments.base import Experiment
from experiments.insert import PAYLOAD, insert


class Concurrent(Experiment):
    name = "concurrent"

    def rounds(self, size):
        return size.twice_rounds

    def contestants(self):
        return [contestant for contestant in contestants.ALL if contestant.call]

    def cases(self, size):
        numbers = [number for number in size.connections if number in (1, 8)]
        return [f"connections={number}{more}" for more in ("", " synchronous_commit=on") for number in numbers]

    def prepare(self, server, contestant, size):
        table = f"concurrent_{contestant.name}"
        server.sql(*contestant.create_table(table), insert(table, size.rows))

    def measure(self, server, contestant, case, size):
        connections = int(case.split()[0].split("=")[1])
        settings = "" if "synchronous_commit" in case else "synchronous_commit=off"
        server.sql("CHECKPOINT")
        query = f"INSERT INTO concurrent_{contestant.name} (payload) VALUES ({PAYLOAD});"
        return [(case, "rows a second", "rows/s", server.pgbench(query, connections, settings=settings))]
