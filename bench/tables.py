"""The goals and the tables: of keys, of readers (the experiments horizon, writers and readers), and of estimates."""

from experiments import horizon, readers
from experiments.estimates import JOIN, MEAN, WORST
from experiments.insert import NARROW
from figures import MISSING, Goal, middle, number, share, table
from results import combine, difference, median, ratio


def goals_table(goals):
    """How many were met, and those that were missed. Ratios are within the run."""
    measured = [goal for goal in goals if goal.measured]
    missed = [[goal.text, goal.bound, share(goal.measured)] for goal in measured if goal.verdict != "met"]
    met = f"{len(measured) - len(missed)} of {len(measured)} goals are met."
    return f"{met} Missed:\n\n{table(['goal', 'limit', 'measured (spread)'], missed)}" if missed else met


def connections(parameters):
    return [f"{parameter.split('=')[1]} conn." for parameter in parameters]


# --- Keys -------------------------------------------------------------------------------------------------

def key_goals(run):
    yield Goal("generation: time, relative to uuidv7()", 0.05, ratio(run.generation("comb"), run.generation("uuidv7")))
    for parameter, label in (("connections=1", "1 connection"), ("connections=8", "8 connections")):
        rate = ratio(run.rate("comb", parameter), run.rate("bigint", parameter))
        yield Goal(f"single-row inserts, {label}: rows per second, relative to a bigint identity", 0.97, rate, at_least=True)
    for name, label, limit in (("uuidv7", "uuidv7()", 1.8), ("bigint", "a bigint identity", 0.97)):
        yield Goal(f"bulk load: rows per second, relative to {label}", limit, ratio(run.bulk(name), run.bulk("comb")), at_least=True)


def generation(run):
    parameters = run.parameters("generation", "time with the loop")

    def cells(key):
        net = [run.generation(key, parameter) for parameter in parameters]
        return [share(ratio(net[0], run.generation("uuidv7", parameters[0]))), *map(middle, net)]

    heads = [f"ns per UUID, {head}" for head in connections(parameters)]
    return table(["contestant", "relative to uuidv7()", *heads], run.rows("generation", cells))


def insert(run):
    def cells(key):
        first, second = run.load(key, "first"), run.load(key, "second")
        return [share(ratio(run.bulk(key), run.bulk("bigint"))), share(ratio(second, first)), middle(first), middle(second)]

    return table(["contestant", "time relative to bigint", "second relative to first", "first, s", "second, s"], run.rows("insert", cells))


def narrow(run):
    parts = [f"{part} {NARROW}" for part in ("first", "second")]

    def cells(key):
        to_bigint = [share(ratio(run.load(key, part), run.load("bigint", part))) for part in parts]
        return to_bigint + [middle(run.load(key, part)) for part in parts]

    return table(["contestant", "first, relative to bigint", "second, relative to bigint", "first, s", "second, s"], run.rows("insert", cells))


def index(run):
    """The index of the key, and the write-ahead log, after both millions."""
    of_index = {
        "page splits in a million rows": "page splits",
        "leaf density, %": "avg_leaf_density",
        "leaf fragmentation, %": "leaf_fragmentation",
        "index, bytes per row": "index of the key",
    }
    logs = {"first": "first", "second": "second", "second, text of 10 characters": f"second {NARROW}"}

    def cells(key):
        return [*(middle(run.index(key, metric)) for metric in of_index.values()), *(middle(run.log(key, part)) for part in logs.values())]

    heads = ["contestant", *of_index, *(f"WAL, bytes per row: {part}" for part in logs)]
    return table(heads, run.rows("insert", cells))


def large(run):
    rows = run.rows("large", lambda key: [middle(run.large(key)), middle(run.large(key, "time"))])
    return table([f"{run.large_text()}, after a checkpoint", "WAL, bytes per row", "s"], rows)


def rate(run):
    parameters = [parameter for parameter in run.parameters("concurrent", "rows a second") if " " not in parameter]

    def cell(key, parameter):
        found = run.rate(key, parameter)
        return f"{share(ratio(found, run.rate('bigint', parameter)))}<br>{middle(found)}"

    rows = run.rows("concurrent", lambda key: [cell(key, parameter) for parameter in parameters])
    return table(["relative to bigint, and rows per second", *connections(parameters)], rows)


def why(run):
    """Random keys beside keys that increase; without what the run has not measured."""
    keys = {"random": "`gen_random_uuid()`", "client": "version 7 of a client", "comb": "`comb_new()`"}
    measured = {
        "load, µs per row": run.bulk,
        "index, bytes per row": run.index,
        "page splits in a million rows": lambda key: run.index(key, "page splits"),
        "leaf density, %": lambda key: run.index(key, "avg_leaf_density"),
        "write-ahead log, bytes per row": run.log,
        f"the same, {run.large_text()} after a checkpoint": run.large,
    }
    keys = {key: label for key, label in keys.items() if run.bulk(key)}
    rows = [[head, *(middle(of(key)) for key in keys)] for head, of in measured.items()]
    return table(["measured", *keys.values()], [row for row in rows if any(cell != MISSING for cell in row[1:])])


def summary(run):
    """The table of README.md: a few figures of the keys, each as how many times better than uuidv7() it is."""
    keys = {
        "comb": "`comb_new()`",
        "uuidv7": "`uuidv7()`",
        "client": "version 7 of a client",
        "bigint": "`bigint` identity",
        "random": "`gen_random_uuid()`",
    }
    measured = {
        "Generate a key": ("ns", run.generation),
        "Load a million rows, per row": ("µs", run.bulk),
        "Single-row inserts, 1 connection": ("/s", lambda key: run.rate(key, "connections=1 synchronous_commit=on")),
        "Single-row inserts, 8 connections": ("/s", lambda key: run.rate(key, "connections=8 synchronous_commit=on")),
        "Index, per row": ("bytes", run.index),
        "Write-ahead log, per row": ("bytes", run.log),
        f"the same, {run.large_text()} after a checkpoint": ("bytes", run.large),
    }

    def cell(unit, value, of_uuidv7, key):
        if not value:
            return MISSING
        absolute = f"{middle(value)} {unit}"
        if not of_uuidv7:
            return absolute
        better = ratio(value, of_uuidv7) if unit == "/s" else ratio(of_uuidv7, value)
        return f"{'1' if key == 'uuidv7' else middle(better)} ({absolute})"

    rows = [[head, *(cell(unit, of(key), of("uuidv7"), key) for key in keys)] for head, (unit, of) in measured.items()]
    return table(["measured", *keys.values()], [row for row in rows if any(cell != MISSING for cell in row[1:])])


# --- Readers ----------------------------------------------------------------------------------------------

def of_way(run, case, way, metric):
    """What a way to read came to in a case."""
    return run.get("readers", readers.TOGETHER, f"{case}: {way}", metric)


def reader_cases(run):
    return [case for case in readers.CASES if of_way(run, case, "horizon", "rows stored")]


def total(run, way, metric):
    """Of all cases and rounds together: a median could hide a miss."""
    counts = [of_way(run, case, way, metric) for case in reader_cases(run)]
    return sum(combine(lambda *rows: sum(rows), *counts).values())


def reader_ways(run):
    return [way for way in readers.WAYS if all(of_way(run, case, way.name, "rows missed") for case in reader_cases(run) or [""])]


def stored(run):
    return f"{sum(sum(of_way(run, case, 'horizon', 'rows stored').values()) for case in reader_cases(run)):,.0f}"


def poll_time(run, call, case):
    """µs of processor time per call, net of the loop."""
    return difference(*(run.get("horizon", name, case, "processor time") for name in (call, "loop")))


def write_time(run, contestant, kind, write):
    return run.get("writers", contestant, f"{kind}, {write}", "processor time")


def reader_goals(run):
    # The ways that promise to miss no row and to read none twice.
    for way in (way for way in reader_ways(run) if way.name in ("horizon", "number", "new_connection", "no_wait", "gapless")):
        for metric in ("rows missed", "rows read twice"):
            yield Goal(f"{way.label.replace('`', '')}: {metric}", 0, {0: total(run, way.name, metric)})
    delays = [of_way(run, case, "no_wait", "delay median") for case in ("beside a slow writer", "quiet")]
    yield Goal("without waiting for slow writers: delay with one, relative to a quiet table", 2, ratio(*delays))
    quiet = poll_time(run, "number", horizon.QUIET)
    yield Goal("comb_number_horizon(): µs of processor time", 2, quiet)
    for case in horizon.OTHERS:
        beside = ratio(poll_time(run, "number", case), quiet)
        yield Goal(f"comb_number_horizon(), {case}: time, relative to {horizon.QUIET}", 1.1, beside)
    for write, limit in zip(horizon.WRITES, (1.5, 1.15, 1.03)):
        for kind in horizon.TYPES:
            slower = ratio(write_time(run, "polled", kind, write), write_time(run, "plain", kind, write))
            yield Goal(f"{write}, {kind}: processor time, relative to no triggers", limit, slower)


def readers_table(run):
    """Rows missed in all rounds, and for each case the median and the 99th percentile of the delay."""
    def head(case):
        seconds = median(run.get("readers", readers.TOGETHER, case, "transaction open"))
        return case.replace("beside", "with") + (f", {seconds:.0f} s" if seconds else "")

    def time(ms):
        return MISSING if ms is None else f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"

    def delay(case, way):
        return " / ".join(time(median(of_way(run, case, way.name, f"delay {part}"))) for part in ("median", "p99"))

    cases = reader_cases(run)
    rows = [[way.label, f"{total(run, way.name, 'rows missed'):,.0f}", *(delay(case, way) for case in cases)] for way in reader_ways(run)]
    return table(["reader", f"missed, of {stored(run)}", *map(head, cases)], rows)


def missed_sentence(run):
    """The same for README.md, which has five of them."""
    ways = [f"{way.label} {total(run, way.name, 'rows missed'):,.0f}" for way in readers.WAYS[:5]]
    measured = f"Measured with comb {run.machine['comb']}, commit {run.machine['commit']}."
    return f"Rows missed, of {stored(run)}:\n{' · '.join(ways)}.\n{measured}"


def cost(run):
    def cell(found):
        # The loop itself can take so long that a poll makes no difference.
        return share(found) if not found or min(found.values()) > 0 else "less than the spread"

    cases = run.parameters("horizon", "processor time")
    rows = [[case, *(cell(poll_time(run, call, case)) for call in ("horizon", "number"))] for case in cases]
    return table(["during the poll", "`comb_uuid_horizon()`, µs", "`comb_number_horizon()`, µs"], rows)


def writers(run):
    rows = [
        [contestant.label, kind, *(middle(write_time(run, contestant.name, kind, write)) for write in horizon.WRITES)]
        for contestant in run.contestants("writers")
        for kind in horizon.TYPES
    ]
    return table(["triggers", "key", *(f"{write}, µs per row" for write in horizon.WRITES)], rows)


def readers_run(run):
    each = f"{number(readers.RATE)} transactions per second together, a poll every {readers.POLL_SECONDS * 1000:.0f} ms"
    return f"{run.run_line()[:-1]}; {run.machine['writers']} writers, {each}."


# --- Estimates --------------------------------------------------------------------------------------------

def estimate_goals(run):
    """The figure of comb_between(), relative to that of the timestamptz column."""
    def of_column(case, metric):
        return ratio(*(run.get("estimates", way, case, metric) for way in ("between", "timestamptz")))

    for metric, limit in ((MEAN, 1.02), (WORST, 2)):
        by_case = [of_column(case, metric) for case in run.parameters("estimates", metric)]
        greatest = combine(lambda *ratios: max(ratios), *by_case)
        yield Goal(f"{metric}, relative to a timestamptz column, in the table where the ratio is greatest", limit, greatest)
    yield Goal(f"{JOIN}: time, relative to a timestamptz column", 1.5, of_column(JOIN, "time"))


def estimates(run):
    """The factor between the estimated and the actual rows, mean and worst, and the time of the join."""
    ways = run.contestants("estimates")
    # Rows since the last ANALYZE change all tables alike.
    cases = run.parameters("estimates", MEAN)
    cases = [case for case in cases if case.endswith("after ANALYZE") or case == cases[1]]
    factors = [[case, *(" / ".join(middle(run.get("estimates", way.name, case, metric)) for metric in (MEAN, WORST)) for way in ways)] for case in cases]
    times = [combine(lambda seconds: 1000 * seconds, run.get("estimates", way.name, JOIN, "time")) for way in ways]
    return table(["table", *(way.label for way in ways)], [*factors, [f"{JOIN}, ms", *map(share, times)]])


# Goals, and the tables with them, by the names by which the documents mark them.
PARTS = [
    (key_goals, {"goals": lambda run: goals_table(key_goals(run)), "generation": generation, "insert": insert, "narrow": narrow, "index": index,
                 "large": large, "why": why, "rate": rate, "summary": summary, "summary_run": lambda run: run.run_line()}),
    (reader_goals, {"readers_goals": lambda run: goals_table(reader_goals(run)), "readers_run": readers_run, "readers": readers_table,
                    "missed_sentence": missed_sentence, "cost": cost, "writers": writers}),
    (estimate_goals, {"estimates_goals": lambda run: goals_table(estimate_goals(run)), "estimates": estimates}),
]
