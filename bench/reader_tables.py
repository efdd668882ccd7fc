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


def by_case(figures, cell):
    rows = [[way.label, *(cell(case, way.name) for case in measured_cases(figures))] for way in readers.WAYS]
    return table(["reader", *case_heads(figures)], rows)


def missed_table(figures):
    def cell(case, way):
        missed, stored = (of(figures, case, way, metric) for metric in ("rows missed", "rows stored"))
        return f"{count(missed)} of {count(stored)}"

    return by_case(figures, cell)


def count(by_round):
    return f"{sum(by_round.values()):,.0f}" if by_round else MISSING


def missed_sentence(figures):
    """The same of all cases together."""
    ways = [f"{way.label} {total(figures, way.name, 'rows missed'):,.0f}" for way in readers.WAYS]
    machine = figures.run.machine()
    return (
        f"Rows missed, of {total(figures, OURS, 'rows stored'):,.0f}:\n{' · '.join(ways)}.\n"
        f"Measured with comb {machine['comb']}, commit {machine['commit']}."
    )


def delay_table(figures):
    def cell(case, way):
        return " / ".join(spell(median(of(figures, case, way, f"delay {what}"))) for what in ("median", "p99"))

    return by_case(figures, cell)


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
    "missed": missed_table,
    "missed_sentence": missed_sentence,
    "delay": delay_table,
    "cost": cost_table,
}
