"""What a call of comb_horizon() costs while others write.

A loop in PL/pgSQL calls it, which takes a new snapshot for each call, as each poll of a reader does; the same loop with
statement_timestamp() is measured in turn, and taken off. The processor's time is the calling backend's own
(log_statement_stats): with more writers than cores, the time by the clock is mostly spent waiting for a core."""

from contestants import Contestant
from experiments.base import Experiment

LOOP = "the loop"
CALLS = {"horizon": "comb_horizon()", "horizon_now": "comb_horizon_now()", "loop": "statement_timestamp()::text"}
WRITERS = 32
# One row a transaction; and the same with a pause before the commit, so that all writers hold a floor at nearly any time.
ROW = "INSERT INTO tracked (body) VALUES ('');"
SCRIPTS = {"at work": ROW, "in a transaction each": f"BEGIN;\n{ROW}\n\\sleep 5 ms\nCOMMIT;"}
# They end when the measurement does.
ENDLESS = ["-T", "3600"]


def with_writers(what):
    return f"{WRITERS} writers {what}"


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
        server.sql("DROP TABLE IF EXISTS tracked", "CREATE TABLE tracked (id uuid PRIMARY KEY DEFAULT comb_tracked(), body text)", "CHECKPOINT")
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
