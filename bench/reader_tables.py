"""The goals and the tables of readers: of the experiments horizon and readers."""

from experiments import horizon, readers
from figures import MISSING, Goal, difference, figure, goals_table, number, run_line, share, table
from results import combine, median, ratio

OURS = "horizon"
# The ways that promise to miss no row and to read none twice.
NO_MISS = ("horizon", "number", "new_connection", "no_wait", "gapless")


def of(figures, case, way, metric):
    """What a way to read came to in a case."""
    return figures.get("readers", readers.TOGETHER, f"{case}: {way}", metric)


def measured_cases(figures):
    return [case for case in readers.CASES if stored_in(figures, case)]


def stored_in(figures, case):
    return of(figures, case, OURS, "rows stored")


def stored(figures):
    """Of all cases and rounds together."""
    return f"{sum(sum(stored_in(figures, case).values()) for case in measured_cases(figures)):,.0f}"


def all_rows(figures, way, metric):
    """Of all cases together."""
    counts = [of(figures, case, way, metric) for case in measured_cases(figures)]
    return combine(lambda *rows: sum(rows), *counts)


def total(figures, way, metric):
    """Of all rounds together: a median could hide a miss."""
    return sum(all_rows(figures, way, metric).values())


def processor_time(figures, call, case):
    """µs per call, net of the loop."""
    return difference(*(figures.get("horizon", name, case, "processor time") for name in (call, "loop")))


def horizon_cases(figures):
    return figures.values.parameters("horizon", "processor time")


def goals(figures):
    found = []
    for way in (way for way in measured_ways(figures) if way.name in NO_MISS):
        for metric in ("rows missed", "rows read twice"):
            found.append(Goal(f"{way.label.replace('`', '')}: {metric}", 0, {0: total(figures, way.name, metric)}))
    delays = [of(figures, case, "no_wait", "delay median") for case in ("beside a slow writer", "quiet")]
    found.append(Goal("without waiting for slow writers: delay with one, relative to a quiet table", 2, ratio(*delays)))
    quiet = processor_time(figures, "number", horizon.QUIET)
    found.append(Goal("comb_number_horizon(): µs of processor time", 2, quiet))
    for case in horizon.OTHERS:
        beside = ratio(processor_time(figures, "number", case), quiet)
        found.append(Goal(f"comb_number_horizon(), {case}: time, relative to {horizon.QUIET}", 1.1, beside))
    for write, limit in zip(horizon.WRITES, (1.5, 1.15, 1.03)):
        for kind in horizon.TYPES:
            found.append(Goal(f"{write}, {kind}: processor time, relative to no triggers", limit, writers_ratio(figures, f"{kind}, {write}")))
    return found


def case_heads(figures):
    """The cases, with how long the other transaction was open."""
    heads = []
    for case in measured_cases(figures):
        seconds = median(figures.get("readers", readers.TOGETHER, case, "transaction open"))
        head = case.replace("beside", "with")
        heads.append(f"{head}, {seconds:.0f} s" if seconds else head)
    return heads


def measured_ways(figures):
    return [way for way in readers.WAYS if all_rows(figures, way.name, "rows missed")]


def readers_table(figures):
    """Rows missed in all rounds, and for each case the median and the 99th percentile of the delay."""
    rows = []
    for way in measured_ways(figures):
        delays = [
            " / ".join(spell(median(of(figures, case, way.name, f"delay {part}"))) for part in ("median", "p99")) for case in measured_cases(figures)
        ]
        rows.append([way.label, f"{total(figures, way.name, 'rows missed'):,.0f}", *delays])
    return table(["reader", f"missed, of {stored(figures)}", *case_heads(figures)], rows)


def missed_sentence(figures):
    """The same for README.md, which has five of them."""
    ways = [f"{way.label} {total(figures, way.name, 'rows missed'):,.0f}" for way in readers.WAYS[:5]]
    machine = figures.run.machine()
    return (
        f"Rows missed, of {stored(figures)}:\n{' · '.join(ways)}.\n"
        f"Measured with comb {machine['comb']}, commit {machine['commit']}."
    )


def spell(milliseconds):
    if milliseconds is None:
        return MISSING
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def writers_ratio(figures, case):
    return ratio(*(figures.get("writers", name, case, "processor time") for name in ("polled", "plain")))


def writers_table(figures):
    rows = []
    for contestant in figures.contestants("writers"):
        for kind in horizon.TYPES:
            times = [figure(figures.get("writers", contestant.name, f"{kind}, {write}", "processor time")) for write in horizon.WRITES]
            rows.append([contestant.label, kind, *times])
    return table(["triggers", "key", *(f"{write}, µs per row" for write in horizon.WRITES)], rows)


def cost_table(figures):
    # The loop itself can take so long that a poll makes no difference.
    cell = lambda found: share(found) if min(found.values()) > 0 else "less than the spread"
    rows = [[case, *(cell(processor_time(figures, call, case)) for call in (OURS, "number"))] for case in horizon_cases(figures)]
    return table(["during the poll", "`comb_uuid_horizon()`, µs", "`comb_number_horizon()`, µs"], rows)


def readers_run(figures):
    machine = figures.run.machine()
    return (
        f"{run_line(figures)[:-1]}; {machine['writers']} writers, {number(readers.RATE)} transactions per second together, "
        f"a poll every {readers.POLL_SECONDS * 1000:.0f} ms."
    )


TABLES = {
    "readers_goals": lambda figures: goals_table(goals(figures)),
    "readers_run": readers_run,
    "readers": readers_table,
    "missed_sentence": missed_sentence,
    "cost": cost_table,
    "writers": writers_table,
}
