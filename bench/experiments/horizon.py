"""What a poll costs, whatever others do, and what the trigger of a tracked table costs.

A loop in PL/pgSQL asks for the horizon in a transaction each, so that each call has a new snapshot. The same loop with
statement_timestamp() is measured in turn, and subtracted. The time is the processor's (log_statement_stats)."""

from contextlib import ExitStack

from contestants import Contestant
from experiments.base import Experiment

CALLS_OF_LOOP = 100_000
LOOP = "the loop"
CALLS = {"horizon": "comb_horizon()::text", "sequence": "comb_sequence_horizon('tracked_position_seq')::text", "loop": "statement_timestamp()::text"}
QUIET, PARTITIONS = "nothing else", "1,000 partitions"
TEMPORARY = f"{PARTITIONS}, a temporary table before each poll"
# What the sessions of others do: how many there are, and their statements.
OTHERS = {
    "6,000 locks of others": (1, ["SELECT count(pg_advisory_lock(n)) FROM generate_series(1, 6000) n"]),
    "500 idle connections": (500, ["SELECT 1"]),
    "100 open tracked transactions": (100, ["BEGIN", "INSERT INTO tracked (body) VALUES ('')"]),
}
# After a statement of the loop; and connections.
STATEMENTS = {"statements of one transaction": "", "a transaction for each statement": " COMMIT;"}
RATES = {"1 connection": 1, "8 connections": 8}
TRIGGER = "CREATE TRIGGER tracked BEFORE INSERT ON {} FOR EACH STATEMENT EXECUTE FUNCTION comb_track()"


def create_table(table, trigger, partitions=0):
    key = "position bigint GENERATED ALWAYS AS IDENTITY"
    statements = [f"DROP TABLE IF EXISTS {table}"]
    if partitions:
        # Each partition has the default.
        statements += [
            f"CREATE TABLE {table} (position bigserial, body text) PARTITION BY RANGE (position)",
            f"""DO $$BEGIN FOR n IN 0..{partitions - 1} LOOP
                    EXECUTE format('CREATE TABLE {table}_%s PARTITION OF {table} FOR VALUES FROM (%s) TO (%s)', n, n * 1000, (n + 1) * 1000);
                END LOOP; END$$""",
        ]
    else:
        statements.append(f"CREATE TABLE {table} ({key} PRIMARY KEY, body text)")
    if trigger:
        statements.append(TRIGGER.format(table))
    return [*statements, "CHECKPOINT"]


class Horizon(Experiment):
    name = "horizon"
    server = "outbox"

    def contestants(self):
        return [Contestant(name, LOOP if name == "loop" else call, call=call) for name, call in CALLS.items()]

    def cases(self, size):
        return [QUIET, *OTHERS, PARTITIONS, TEMPORARY]

    def measure(self, server, contestant, case, size):
        server.sql(*create_table("tracked", True, 1000 if case.startswith(PARTITIONS) else 0))
        server.sql("INSERT INTO tracked (body) VALUES ('')")
        calls = CALLS_OF_LOOP // (20 if case == TEMPORARY else 1)
        before = "CREATE TEMP TABLE other (); DROP TABLE other;" if case == TEMPORARY else ""
        loop = f"""DO $$DECLARE answer text; BEGIN
                   FOR number IN 1..{calls} LOOP {before} answer := {contestant.call}; COMMIT; END LOOP; END$$"""
        count, statements = OTHERS.get(case, (0, []))
        with ExitStack() as open_now:
            others = [open_now.enter_context(server.session()) for _ in range(count)]
            for other in others:
                for statement in statements:
                    other.ask(statement)
            seconds = server.processor_seconds(loop)
        return [(case, "processor time", "us a call", seconds * 1e6 / calls)]


class Track(Experiment):
    """The trigger comb_track(): processor time of a statement, and the rate of single-row inserts."""

    name = "track"
    server = "outbox"

    def rounds(self, size):
        return size.twice_rounds

    def contestants(self):
        return [Contestant("plain", "no trigger"), Contestant("tracked", "`comb_track()`")]

    def cases(self, size):
        return [*STATEMENTS, *RATES]

    def measure(self, server, contestant, case, size):
        server.sql(*create_table("single", contestant.name == "tracked"))
        row = "INSERT INTO single (body) VALUES (repeat('x', 100));"
        if case in RATES:
            return [(case, "rows a second", "rows/s", server.pgbench(row, RATES[case], 2, "synchronous_commit=off"))]
        loop = f"DO $$BEGIN FOR number IN 1..{CALLS_OF_LOOP} LOOP {row}{STATEMENTS[case]} END LOOP; END$$"
        seconds = server.processor_seconds(loop, "synchronous_commit=off")
        return [(case, "processor time", "us a statement", seconds * 1e6 / CALLS_OF_LOOP)]
