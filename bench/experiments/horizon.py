"""What a call of comb_horizon() costs while others write; what the trigger of a tracked table costs; and updates of rows with a version.

A loop in PL/pgSQL calls it, which takes a new snapshot for each call, as each poll of a reader does; the same loop with
statement_timestamp() is measured in turn, and taken off. The processor's time is the calling backend's own
(log_statement_stats): with more writers than cores, the time by the clock is mostly spent waiting for a core."""

from contestants import Contestant
from experiments.base import Experiment

LOOP = "the loop"
CALLS = {"horizon": "comb_horizon()", "sequence": "comb_sequence_horizon('tracked_position_seq')", "loop": "statement_timestamp()::text"}
WRITERS = 32
# One row a transaction; and the same with a pause before the commit, so that all writers hold a floor at nearly any time.
ROW = "INSERT INTO tracked (body) VALUES ('');"
SCRIPTS = {"at work": ROW, "in a transaction each": f"BEGIN;\n{ROW}\n\\sleep 5 ms\nCOMMIT;"}
# After a statement of the loop; and connections.
STATEMENTS = {"statements of one transaction": "", "a transaction for each statement": " COMMIT;"}
RATES = {"1 connection": 1, "8 connections": 8}
# They end when the measurement does.
ENDLESS = ["-T", "3600"]


def with_writers(what):
    return f"{WRITERS} writers {what}"


def create_table(table, trigger):
    statements = [f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text)"]
    if trigger:
        statements.append(f"CREATE TRIGGER tracked BEFORE INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION comb_track()")
    return [*statements, "CHECKPOINT"]


class Horizon(Experiment):
    name = "horizon"
    server = "outbox"
    part = "readers"

    def rounds(self, size):
        return size.half_rounds

    def contestants(self, contestants):
        return [Contestant(name, LOOP if name == "loop" else call, call=call) for name, call in CALLS.items()]

    def cases(self, size):
        return ["no writers", *map(with_writers, SCRIPTS)]

    def measure(self, server, contestant, case, size):
        server.sql(*create_table("tracked", True))
        loop = f"""DO $$DECLARE answer text; BEGIN
                   FOR number IN 1..{size.horizon_calls} LOOP answer := {contestant.call}; END LOOP; END$$"""
        script = {with_writers(what): script for what, script in SCRIPTS.items()}.get(case)
        if not script:
            return self._measure(server, case, loop, size)
        with server.writers([(script, 1)], WRITERS, ENDLESS) as writers:
            # Until all have connected.
            while int(server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'")) < WRITERS:
                writers.check()
            found = self._measure(server, case, loop, size)
            writers.check()
        return found

    def _measure(self, server, case, loop, size):
        before = self._locks(server)
        elapsed, in_postgres, in_system = server.usage(loop)
        locks, floors = (sum(pair) / 2 for pair in zip(before, self._locks(server)))
        return [
            (case, "processor time", "us a call", (in_postgres + in_system) * 1e6 / size.horizon_calls),
            (case, "time", "us a call", elapsed * 1e6 / size.horizon_calls),
            (case, "locks held", "locks", locks),
            (case, "floors held", "locks", floors),
        ]

    def _locks(self, server):
        """How many locks are held, and how many of them are floors; on average over some looks."""
        looks = [server.sql("SELECT count(*), count(*) FILTER (WHERE objsubid = 3083) FROM pg_locks").split("|") for _ in range(10)]
        return [sum(map(int, numbers)) / len(looks) for numbers in zip(*looks)]


class Track(Experiment):
    """The trigger comb_track(): processor time of a statement, and the rate of single-row inserts."""

    name = "track"
    server = "outbox"
    part = "readers"

    def rounds(self, size):
        # The goal is within the difference of two rounds.
        return size.rounds if size.quick else 6 * size.rounds

    def contestants(self, contestants):
        return [Contestant("plain", "no trigger"), Contestant("tracked", "`comb_track()`")]

    def cases(self, size):
        return [*STATEMENTS, *RATES]

    def measure(self, server, contestant, case, size):
        server.sql(*create_table("single", contestant.name == "tracked"))
        row = "INSERT INTO single (body) VALUES (repeat('x', 100));"
        if case in RATES:
            return [(case, "rows a second", "rows/s", server.pgbench(row, RATES[case], 2 * size.pgbench_seconds, "synchronous_commit=off"))]
        loop = f"DO $$BEGIN FOR number IN 1..{size.horizon_calls} LOOP {row}{STATEMENTS[case]} END LOOP; END$$"
        _, in_postgres, in_system = server.usage(loop, "synchronous_commit=off")
        return [(case, "processor time", "us a statement", (in_postgres + in_system) * 1e6 / size.horizon_calls)]


class Versions(Experiment):
    """Updates of random rows with a version (docs/outbox.md), by the index on it. An update that changes an indexed column is not HOT."""

    name = "versions"
    server = "outbox"
    part = "readers"

    def contestants(self, contestants):
        return [Contestant("none", "none"), Contestant("btree", "B-tree", index="btree"), Contestant("brin", "BRIN", index="brin")]

    def measure(self, server, contestant, case, size):
        rows = size.rows // 10
        server.sql(
            "DROP TABLE IF EXISTS items",
            # Room for the new versions of a page's rows.
            """CREATE TABLE items (n int PRIMARY KEY, value int, body text, version uuid NOT NULL DEFAULT comb_tracked())
                WITH (fillfactor = 70)""",
            *([f"CREATE INDEX ON items USING {contestant.index} (version)"] if contestant.index else []),
            "CREATE TRIGGER version BEFORE UPDATE ON items FOR EACH ROW EXECUTE FUNCTION comb_version()",
            f"INSERT INTO items SELECT n, 0, repeat('x', 100) FROM generate_series(1, {rows}) n",
            "VACUUM ANALYZE items",
            "CHECKPOINT",
        )
        script = f"\\set n random(1, {rows})\nUPDATE items SET value = value + 1 WHERE n = :n;"
        rate = server.pgbench(script, 2, 4 * size.pgbench_seconds, "synchronous_commit=off")
        # A connection reports its last statistics when it ends.
        while server.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'") != "0":
            pass
        hot = server.sql("SELECT 100.0 * n_tup_hot_upd / n_tup_upd FROM pg_stat_user_tables WHERE relname = 'items'")
        return [("", "updates a second", "/s", rate), ("", "HOT updates", "%", float(hot))]
