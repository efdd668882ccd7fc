"""What readers of an outbox miss, and how long its rows wait for them.

Connections write rows, some of them with a pause between the key and the commit, so that rows appear out of the order of
their keys. Beside them one reader for each way to read polls, all of them at the same intervals, and all read the same rows: they
meet the same commits at the same moments. A row's delay is from its commit, by the server's own account
(pg_xact_commit_timestamp), until the reader's client has it."""

import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from contestants import Contestant
from experiments.base import Experiment

POLL_SECONDS = 0.02
PAGE = 1000
# Transactions a second, by which the writers leave the readers a processor.
RATE = 500
TOGETHER = "side_by_side"
SLOT = "bench_readers"
BEFORE_SECONDS = AFTER_SECONDS = 2
# Of a full run, and with QUICK=1. A slow writer takes longer than the reader that waits five seconds.
QUIET_SECONDS, OPEN_SECONDS, SLOW_SECONDS = (20, 5), (60, 10), (10, 7)

PORTABLE = Path(__file__).resolve().parents[2] / "portable"

TABLES = """CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_new(), position bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
        xid xid8 NOT NULL DEFAULT pg_current_xact_id(), body text);
    CREATE INDEX ON outbox (xid, id);
    CALL comb_enable_polls('outbox', 'id');
    CALL comb_enable_polls('outbox', 'position');
    CREATE TABLE unrelated (n int);
    CREATE TABLE seen (reader text, id uuid, at timestamptz)"""

ROW = "INSERT INTO outbox (body) VALUES (repeat('x', 100));"
PAUSE = "\\set pause random(0, {})\n"
# (script, weight): at once; with a pause of up to 3 ms; of up to 20 ms; rolled back after a pause.
SCRIPTS = [
    (ROW, 8),
    (PAUSE.format(3000) + f"BEGIN;\n{ROW}\n\\sleep :pause us\nCOMMIT;", 8),
    (PAUSE.format(20_000) + f"BEGIN;\n{ROW}\n{ROW}\n\\sleep :pause us\nCOMMIT;", 2),
    (PAUSE.format(3000) + f"BEGIN;\n{ROW}\n\\sleep :pause us\nROLLBACK;", 2),
]


@dataclass(frozen=True)
class Way:
    """A way to read. Its poll returns lines that begin with a row's id. The last line is the cursor, which can be without an id."""

    name: str
    label: str
    poll: str
    start: str = "00000000-0000-0000-0000-000000000000"
    lag: float = 0.5  # seconds until the last rows can be read
    connects: bool = False  # for each poll


def page(condition):
    return f"SELECT id FROM outbox WHERE id > '{{0}}'{condition} ORDER BY id LIMIT {PAGE}"


def page_by_position(limit):
    return f"SELECT id, position FROM outbox WHERE position > {{1}} AND position <= {limit} ORDER BY position LIMIT {PAGE}"


SEQUENCE = "'outbox_position_seq'"
# docs/readers.md, "Whole transactions".
NO_WAIT = f"""SELECT id, floor, snapshot
    FROM (SELECT comb_number_horizon('outbox') AS floor, pg_current_snapshot() AS snapshot) next
    LEFT JOIN outbox ON position > {{1}} AND NOT pg_visible_in_snapshot(xid, '{{2}}')"""

WAYS = [
    Way("cursor", "`id > cursor`", page("")),
    Way("waiting", "waiting five seconds", page(" AND id < comb_lower_bound(now() - interval '5 s')"), lag=5.5),
    Way(
        "xmin",
        "`pg_snapshot_xmin()`",
        f"SELECT id, xid FROM outbox WHERE (xid, id) > ('{{1}}', '{{0}}') AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid, id LIMIT {PAGE}",
        "00000000-0000-0000-0000-000000000000|0",
    ),
    Way(
        "decoding",
        "logical decoding",
        f"SELECT substring(data, 'id.uuid.:''([^'']*)') FROM pg_logical_slot_get_changes('{SLOT}', NULL, {PAGE}) WHERE data LIKE 'table public.outbox: INSERT:%'",
    ),
    Way("horizon", "`comb_uuid_horizon()`", page(" AND id <= comb_uuid_horizon('outbox', after => '{0}')")),
    Way("number", "`comb_number_horizon()`", page_by_position("comb_number_horizon('outbox', after => {1})"), "|0"),
    Way("new_connection", "`comb_number_horizon()`, a new connection for each poll", page_by_position("comb_number_horizon('outbox', after => {1})"), "|0", connects=True),
    Way("no_wait", "whole transactions", NO_WAIT, "|0|1:1:"),
    Way(
        "gapless",
        "`gapless_upto()`",
        f"SELECT coalesce(gapless_upto('outbox', {SEQUENCE}), 0) AS upto \\gset\n{page_by_position(':upto')}",
        "|0",
    ),
]


class Reader:
    """Polls in a thread and a session of its own until it is told to end, and after that until all that it can read is read."""

    def __init__(self, way, session):
        self.way = way
        self.session = session
        self.cursor = way.start
        self.found = []  # (id, when the client had it)
        self.ends = None  # the moment from which on an empty poll is the last
        self.failure = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            while self._poll():
                pass
        except Exception as failure:
            self.failure = failure

    def _poll(self):
        begun = time.monotonic()
        last = self.ends is not None and begun > self.ends
        connect = "\\connect\n" if self.way.connects else ""
        lines = self.session.ask(connect + self.way.poll.format(*self.cursor.split("|")))
        at = time.time()
        rows = [line.split("|")[0] for line in lines if not line.startswith("|")]
        if lines:
            self.cursor = lines[-1]
        self.found += [(row, at) for row in rows]
        if last and not rows:
            return False
        # After a full page the next at once, as every client does.
        if len(lines) < PAGE:
            time.sleep(max(0, begun + POLL_SECONDS - time.monotonic()))
        return True

    def end(self):
        self.ends = time.monotonic() + self.way.lag

    def join(self):
        self.thread.join()
        if self.failure:
            raise self.failure


# A transaction that stays open beside the readers, and holds a transaction id: its statement, and for how long.
CASES = {
    "quiet": None,
    "beside an unrelated transaction": ("INSERT INTO unrelated VALUES (1)", OPEN_SECONDS),
    "beside a slow writer": ("INSERT INTO outbox (body) SELECT 'slow' FROM generate_series(1, 100)", SLOW_SECONDS),
}


class Readers(Experiment):
    name = "readers"
    server = "outbox"

    def rounds(self, size):
        # It waits minutes each time, and differs little.
        return (size.rounds + 2) // 3

    def contestants(self):
        return [Contestant(TOGETHER, "all ways to read, side by side")]

    def cases(self, size):
        return list(CASES)

    def prepare(self, server, contestant, size):
        server.sql(rf"\i {PORTABLE}/gapless.sql")

    def measure(self, server, contestant, case, size):
        beside = CASES[case]
        server.sql("DROP TABLE IF EXISTS outbox, unrelated, seen", TABLES, "CHECKPOINT")
        server.sql(f"SELECT pg_create_logical_replication_slot('{SLOT}', 'test_decoding')")
        statement, seconds = beside or (None, (0, 0))
        opened = seconds[size.quick]
        seconds = BEFORE_SECONDS + opened + AFTER_SECONDS if beside else QUIET_SECONDS[size.quick]
        with ExitStack() as open_now:
            # A measurement that was interrupted leaves no slot either: it would keep the write-ahead log.
            open_now.callback(server.sql, f"SELECT pg_drop_replication_slot('{SLOT}')")
            readers = [Reader(way, open_now.enter_context(server.session())) for way in WAYS]
            writers = open_now.enter_context(server.writers(SCRIPTS, size.writers, seconds, f"--rate={RATE}"))
            span = self._stay_open(server, statement, opened) if beside else ("-infinity", "infinity")
            writers.wait()
            for reader in readers:
                reader.end()
            for reader in readers:
                reader.join()
        return [*self._count(server, case, readers, *span), (case, "transaction open", "s", opened)]

    def _stay_open(self, server, statement, seconds):
        """Has the transaction open; answers the moments between which it was."""
        time.sleep(BEFORE_SECONDS)
        with server.session() as session:
            session.ask("BEGIN")
            session.ask(statement)
            (begun,) = session.ask("SELECT clock_timestamp()")
            time.sleep(seconds)
            (ended,) = session.ask("SELECT clock_timestamp()")
            session.ask("COMMIT")
        return begun, ended

    def _count(self, server, case, readers, begun, ended):
        """What was missed, of all rows; and the delay of those that were committed in that span of time."""
        with tempfile.NamedTemporaryFile("w", dir=server.work) as file:
            for reader in readers:
                file.writelines(f"{reader.way.name}\t{row}\t{datetime.fromtimestamp(at, timezone.utc)}\n" for row, at in reader.found)
            file.flush()
            server.sql(f"\\copy seen FROM '{file.name}'")
        server.sql("ANALYZE")
        found = []
        for reader in readers:
            name = reader.way.name
            stored, missed, twice, delays = server.sql(
                f"""WITH way AS (SELECT id, min(at) AS at, count(*) AS times FROM seen WHERE reader = '{name}' GROUP BY id),
                    stored AS (SELECT id, pg_xact_commit_timestamp(xmin) AS committed FROM outbox),
                    delay AS (SELECT 1000 * extract(epoch FROM at - committed) AS ms FROM way JOIN stored USING (id)
                        WHERE committed BETWEEN '{begun}' AND '{ended}')
                    SELECT (SELECT count(*) FROM stored), (SELECT count(*) FROM stored WHERE id NOT IN (SELECT id FROM way)),
                        (SELECT count(*) FROM way WHERE times > 1),
                        (SELECT array_to_string(percentile_cont(ARRAY[0.5, 0.99]) WITHIN GROUP (ORDER BY ms), ' ') FROM delay)"""
            ).split("|")
            parameter = f"{case}: {name}"
            found += [(parameter, metric, "rows", int(value)) for metric, value in (("rows missed", missed), ("rows stored", stored), ("rows read twice", twice))]
            found += [(parameter, f"delay {what}", "ms", float(ms)) for what, ms in zip(("median", "p99"), delays.split())]
        return found
