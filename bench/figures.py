"""The figures of a run, and how they are written down."""

from dataclasses import dataclass

import experiments
from experiments.generation import EMPTY
from results import Values, combine, median, quartiles

MISSING = "–"


def number(value):
    """Three significant digits, thousands apart."""
    if value is None:
        return MISSING
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}"


def share(by_round):
    """A ratio with its spread over the rounds."""
    if not by_round:
        return MISSING
    middle, (lower, upper) = median(by_round), quartiles(by_round)
    digits = 3 if 0 < middle < 0.1 else 2
    return f"{middle:.{digits}f}" + (f" ({lower:.{digits}f}–{upper:.{digits}f})" if len(by_round) > 1 else "")


def figure(by_round):
    return number(median(by_round))


def table(heads, rows):
    if not rows:
        return "Not measured in this run."
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def difference(above, below):
    return combine(lambda a, b: a - b, above, below)


class Figures:
    """What the tables show, computed from what was measured, a value a round."""

    def __init__(self, run):
        self.run = run
        self.values = Values(run)
        self.size = {name: int(run.machine()[name]) for name in ("rows", "rounds")}

    def contestants(self, experiment):
        """Those measured, in the order of their places."""
        taking_part = next(known for known in experiments.ALL if known.name == experiment).contestants()
        return [contestant for contestant in taking_part if self.values.measured(experiment, contestant.name)]

    def get(self, *key):
        return self.values.by_round(*key)

    def generation(self, contestant, parameter):
        """ns of wall time per UUID, net of the empty loop."""
        return difference(*(self.get("generation", name, parameter, "time with the loop") for name in (contestant, EMPTY.name)))

    def millions(self, contestant):
        """Seconds for the first and for the second million."""
        return [self.get("insert", contestant, part, "time") for part in ("first", "second")]

    def bulk(self, contestant):
        """Seconds for both millions."""
        return combine(lambda a, b: a + b, *self.millions(contestant))


@dataclass
class Goal:
    text: str
    limit: float
    measured: dict
    at_least: bool = False

    @property
    def verdict(self):
        value = median(self.measured)
        return "met" if (value >= self.limit if self.at_least else value <= self.limit) else "missed"

    @property
    def bound(self):
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}"


def goals_table(goals):
    """How many were met, and those that were missed. Ratios are within the run."""
    measured = [goal for goal in goals if goal.measured]
    missed = [goal for goal in measured if goal.verdict != "met"]
    met = f"{len(measured) - len(missed)} of {len(measured)} goals are met."
    rows = [[goal.text, goal.bound, share(goal.measured)] for goal in missed]
    return f"{met} Missed:\n\n{table(['goal', 'limit', 'measured (spread)'], rows)}" if missed else met


def run_line(figures):
    """Which run it was."""
    machine = figures.run.machine()
    postgres = " ".join(machine["PostgreSQL"].split()[:2])
    return (
        f"Measured {machine['measured']} with comb {machine['comb']}, commit {machine['commit']}, on {postgres}, "
        f"{machine['processor']}, {machine['cores']} cores{', a virtual machine' if machine['virtual machine'] == 'yes' else ''}."
    )
