"""Reading from a table larger than shared_buffers: rows by key, the rows of a range of time, a join on the key.

Each table also has created_at with an index, the usual way to find rows by time; where the key tells the time
the same ranges are asked of it. What shared_buffers does not hold is read from the operating system's cache,
which on most machines holds all of it: a disk would put the contestants further apart."""

import json

from experiments.base import Experiment
from experiments.insert import insert

RANGES = 20
# One row by one through the index, as an application asks for them, without its round trips.
ONE_BY_ONE = ["SET enable_hashjoin = off", "SET enable_mergejoin = off", "SET enable_memoize = off", "SET enable_material = off"]


class Lookup(Experiment):
    name = "lookup"
    server = "small"

    def prepare(self, server, contestant, size):
        table, rows = f"lookup_{contestant.name}", size.lookup_rows
        created = "created_at timestamptz NOT NULL DEFAULT clock_timestamp(), "
        keys = f"CREATE TABLE {table}_%s AS SELECT id FROM (%s) keys ORDER BY random() LIMIT {size.lookups}"
        newest = f"SELECT id FROM {table} ORDER BY created_at DESC LIMIT {size.lookups}"
        server.sql(
            *contestant.create_table(table, created),
            f"CREATE INDEX {table}_created ON {table} (created_at)",
            insert(table, rows),
            f"VACUUM (FREEZE, ANALYZE) {table}",
            keys % ("any", f"SELECT id FROM {table}"),
            keys % ("newest", newest),
            # Every fourth row has a child, in the order of the parents, as applications write them.
            f"""CREATE TABLE {table}_child AS SELECT id AS parent, number
                FROM (SELECT id, row_number() OVER (ORDER BY created_at) AS number FROM {table}) numbered
                WHERE number % 4 = 0 ORDER BY number""",
            f"CREATE INDEX ON {table}_child (parent)",
            f"VACUUM (FREEZE, ANALYZE) {table}_any, {table}_newest, {table}_child",
            settings=contestant.settings,
        )

    def measure(self, server, contestant, case, size):
        table = f"lookup_{contestant.name}"
        any_key, newest = server.seconds(
            *(f"SELECT count(payload) FROM {table}_{keys} JOIN {table} USING (id)" for keys in ("any", "newest")),
            before=ONE_BY_ONE,
        )
        found = [
            ("any key", "time", "us a row", any_key * 1e6 / size.lookups),
            ("newest keys", "time", "us a row", newest * 1e6 / size.lookups),
        ]
        ranges = self._ranges(server, table, size)
        found += self._measure_ranges(server, table, "range of created_at", "created_at >= {from} AND created_at < {to}", ranges)
        if contestant.range:
            found += self._measure_ranges(server, table, "range of the key", contestant.range, ranges)
        join = f"SELECT count(p.payload), count(c.number) FROM {table}_child c JOIN {table} p ON p.id = c.parent"
        (seconds,) = server.seconds(join)
        plan = json.loads(server.sql(f"EXPLAIN (FORMAT JSON) {join}"))[0]["Plan"]
        found += [("join", "time", "s", seconds), ("join", "plan", "", join_kind(plan))]
        found += [("created_at", "index", "bytes a row", int(server.sql(f"SELECT pg_relation_size('{table}_created')")) / size.lookup_rows)]
        return found

    def _ranges(self, server, table, size):
        """RANGES spans of time with a hundredth of the rows each, spread over the table."""
        moments = server.sql(
            f"""SELECT created_at FROM (SELECT created_at, row_number() OVER (ORDER BY created_at) - 1 AS number FROM {table}) numbered
                WHERE number % {size.lookup_rows // RANGES} IN (0, {size.lookup_rows // 100}) ORDER BY created_at"""
        ).splitlines()
        return list(zip(moments[::2], moments[1::2]))

    def _measure_ranges(self, server, table, parameter, predicate, ranges):
        statements = [
            f"SELECT count(payload) FROM {table} WHERE " + predicate.replace("{from}", f"timestamptz '{first}'").replace("{to}", f"timestamptz '{end}'")
            for first, end in ranges
        ]
        # Once untimed: which pages a range finds in memory should not depend on what was asked before.
        rows = sum(map(int, server.sql(*statements).split()))
        return [(parameter, "time", "us a row", sum(server.seconds(*statements)) * 1e6 / rows)]


def join_kind(plan):
    """The plan's join, by the name that EXPLAIN gives it."""
    if "Join Type" in plan:
        return plan["Node Type"]
    return next((kind for kind in map(join_kind, plan.get("Plans", [])) if kind), "")
