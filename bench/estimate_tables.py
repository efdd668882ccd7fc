"""The goals and the tables of the experiment estimates."""

from experiments.estimates import JOIN, MEAN, WORST
from figures import Goal, figure, goals_table, share, table
from results import combine, ratio


def of_column(figures, case, metric):
    """The figure of comb_between(), relative to that of the timestamptz column."""
    return ratio(*(figures.get("estimates", way, case, metric) for way in ("between", "timestamptz")))


def goals(figures):
    found = []
    for metric, limit in ((MEAN, 1.02), (WORST, 2)):
        by_case = [of_column(figures, case, metric) for case in figures.values.parameters("estimates", metric)]
        greatest = combine(lambda *ratios: max(ratios), *by_case)
        found.append(Goal(f"{metric}, relative to a timestamptz column, in the table where the ratio is greatest", limit, greatest))
    found.append(Goal(f"{JOIN}: time, relative to a timestamptz column", 1.5, of_column(figures, JOIN, "time")))
    return found


def estimates_table(figures):
    """The factor between the estimated and the actual rows, mean and worst, and the time of the join."""
    ways = figures.contestants("estimates")
    rows = []
    # Rows since the last ANALYZE change all tables alike.
    cases = figures.values.parameters("estimates", MEAN)
    for case in (case for case in cases if case.endswith("after ANALYZE") or case == cases[1]):
        rows.append([case, *(" / ".join(figure(figures.get("estimates", way.name, case, metric)) for metric in (MEAN, WORST)) for way in ways)])
    times = [combine(lambda seconds: 1000 * seconds, figures.get("estimates", way.name, JOIN, "time")) for way in ways]
    rows.append([f"{JOIN}, ms", *map(share, times)])
    return table(["table", *(way.label for way in ways)], rows)


TABLES = {
    "estimates_goals": lambda figures: goals_table(goals(figures)),
    "estimates": estimates_table,
}
