"""The figures of a run, and how they are written down."""

from collections import defaultdict
from dataclasses import dataclass

import experiments
from experiments.generation import EMPTY
from results import combine, difference, median, quartiles

MISSING = "–"


def number(value):
    """Three significant digits, thousands apart."""
    if value is None:
        return MISSING
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}"


def share(figure):
    """A ratio with its spread over the rounds."""
    if not figure:
        return MISSING
    middle, (lower, upper) = median(figure), quartiles(figure)
    digits = 3 if 0 < middle < 0.1 else 2
    return f"{middle:.{digits}f}" + (f" ({lower:.{digits}f}–{upper:.{digits}f})" if len(figure) > 1 else "")


def middle(figure):
    return number(median(figure))


def table(heads, rows):
    if not rows:
        return "Not measured in this run."
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


class Figures:
    """What was measured and what is computed from it; and which measurements were asked for."""

    def __init__(self, run):
        self.machine = run.machine()
        self.size = int(self.machine["rows"])
        self.cited = set()
        self.rounds = defaultdict(dict)
        for row in run.rows():
            self.rounds[row["experiment"], row["contestant"], row["parameter"], row["metric"]][int(row["round"])] = float(row["value"])

    def get(self, *key):
        """Of an experiment, a contestant, a parameter and a metric."""
        self.cited.add(key)
        return self.rounds.get(key, {})

    def parameters(self, experiment, metric):
        """In the order in which they were first measured."""
        return list(dict.fromkeys(key[2] for key in self.rounds if key[0] == experiment and key[3] == metric))

    def contestants(self, experiment):
        """Those measured, in the order of their places."""
        measured = {key[1] for key in self.rounds if key[0] == experiment}
        taking_part = next(known for known in experiments.ALL if known.name == experiment).contestants()
        return [contestant for contestant in taking_part if contestant.name in measured]

    def rows(self, experiment, cells):
        """A row for each contestant whose first cell was measured."""
        rows = [[contestant.label, *cells(contestant.name)] for contestant in self.contestants(experiment) if contestant != EMPTY]
        return [row for row in rows if row[1] != MISSING]

    def generation(self, key, parameter="connections=1"):
        """ns of wall time per UUID, net of the empty loop."""
        return difference(*(self.get("generation", name, parameter, "time with the loop") for name in (key, EMPTY.name)))

    def load(self, key, part):
        """Seconds for the first or for the second million."""
        return self.get("insert", key, part, "time")

    def bulk(self, key):
        """µs per row of both millions."""
        return combine(lambda a, b: (a + b) / (2 * self.size) * 1e6, self.load(key, "first"), self.load(key, "second"))

    def index(self, key, metric="index of the key"):
        return self.get("insert", key, "", metric)

    def log(self, key, part="second"):
        return self.get("insert", key, part, "write-ahead log")

    def large(self, key, metric="write-ahead log"):
        """Of a tenth of the rows, into ten times as many, after a checkpoint."""
        return self.get("large", key, "", metric)

    def large_text(self):
        return f"{self.size // 10:,} rows into {10 * self.size:,}"

    def rate(self, key, parameter):
        return self.get("concurrent", key, parameter, "rows a second")

    def run_line(self):
        """Which run it was."""
        machine = self.machine
        postgres = " ".join(machine["PostgreSQL"].split()[:2])
        return (
            f"Measured {machine['measured']} with comb {machine['comb']}, commit {machine['commit']}, on {postgres}, "
            f"{machine['processor']}, {machine['cores']} cores{', a virtual machine' if machine['virtual machine'] == 'yes' else ''}."
        )


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
