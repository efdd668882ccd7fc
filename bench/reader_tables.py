"""The goals and the tables of readers: of the experiments horizon and readers."""

from experiments import horizon, readers
from figures import MISSING, Goal, difference, figure, goals_table, number, run_line, share, table
from results import combine, median

OURS = "horizon"


def of(figures, case, way, metric):
    """What a way to read came to in a case."""
    return figures.get("readers", readers.TOGETHER, f"{case}: {way}", metric)


def measured_cases(figures):
    return [case for case in readers.CASES if of(figures, case, OURS, "rows stored")]


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
    for metric in ("rows missed", "rows read twice"):
        found.append(Goal(f"comb_horizon(): {metric}", 0, all_rows(figures, OURS, metric)))
    for writers in horizon.SCRIPTS:
        case = horizon.with_writers(writers)
        found.append(Goal(f"comb_horizon(), {case}: µs of processor time", 25, processor_time(figures, OURS, case)))
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
    return [way for way in readers.WAYS if all_rows(figures, way.name, "rows stored")]


def readers_table(figures):
    """Rows missed in all rounds, and for each case the median and the 99th percentile of the delay."""
    rows = []
    for way in measured_ways(figures):
        counts = [f"{total(figures, way.name, metric):,.0f}" for metric in ("rows missed", "rows read twice")]
        delays = [
            " / ".join(spell(median(of(figures, case, way.name, f"delay {part}"))) for part in ("median", "p99")) for case in measured_cases(figures)
        ]
        rows.append([way.label, *counts, *delays])
    stored = f"{total(figures, OURS, 'rows stored'):,.0f}"
    return table(["reader", f"missed, of {stored}", "read twice", *case_heads(figures)], rows)


def missed_sentence(figures):
    """The same for README.md."""
    ways = [f"{way.label} {total(figures, way.name, 'rows missed'):,.0f}" for way in measured_ways(figures)]
    machine = figures.run.machine()
    return (
        f"Rows missed, of {total(figures, OURS, 'rows stored'):,.0f}:\n{' · '.join(ways)}.\n"
        f"Measured with comb {machine['comb']}, commit {machine['commit']}."
    )


def spell(milliseconds):
    if milliseconds is None:
        return MISSING
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def cost_table(figures):
    rows = []
    for case in horizon_cases(figures):
        ours = [figures.get("horizon", OURS, case, metric) for metric in ("time", "locks held", "floors held")]
        net = [processor_time(figures, call, case) for call in (OURS, "horizon_now")]
        rows.append([case, *(share(times) for times in net), *map(figure, ours)])
    heads = ["processor time of `comb_horizon()`, µs", "of `comb_horizon_now()`, µs", "wall time of `comb_horizon()`, µs", "locks held", "of them floors"]
    return table(["case", *heads], rows)


def readers_run(figures):
    machine = figures.run.machine()
    return (
        f"{run_line(figures)[:-1]}; {machine['writers']} writers, {number(readers.RATE)} transactions per second together, "
        f"a poll every {readers.POLL_SECONDS * 1000:.0f} ms."
    )


TABLES = {
    "readers_goals": lambda figures: goals_table(goals(figures), "goal"),
    "readers_run": readers_run,
    "readers": readers_table,
    "missed_sentence": missed_sentence,
    "cost": cost_table,
}
