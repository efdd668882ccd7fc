"""A run's folder: measurements.csv in long form, machine.csv with what it was measured on. A figure is a value for each round."""

import csv
import statistics
from collections import defaultdict
from pathlib import Path

COLUMNS = ["experiment", "contestant", "parameter", "round", "metric", "unit", "value"]
KEY = ["experiment", "contestant", "parameter", "metric"]


def write(path, header, rows, mode="w"):
    with open(path, mode, newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows] if header else rows)


class Run:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.csv = self.folder / "measurements.csv"

    def begin(self, machine):
        self.folder.mkdir(parents=True, exist_ok=True)
        write(self.csv, COLUMNS, [])
        write(self.folder / "machine.csv", ["what", "value"], machine.items())

    def machine(self):
        with open(self.folder / "machine.csv", newline="") as file:
            return {row["what"]: row["value"] for row in csv.DictReader(file)}

    def append(self, rows):
        write(self.csv, None, rows, "a")

    def publish(self, folder, cited):
        """The values of the cited measurements, a row for all rounds, and the machine."""
        published = Run(folder)
        published.begin(self.machine())
        columns = [column for column in COLUMNS if column not in ("round", "value")]
        values = defaultdict(list)
        for row in self.rows():
            if tuple(row[column] for column in KEY) in cited:
                values[tuple(row[column] for column in columns)].append(row["value"])
        # Six digits, and counts in full.
        spelled = {key: " ".join(value if value.isdecimal() else format(float(value), ".6g") for value in found) for key, found in values.items()}
        write(published.csv, [*columns, "values"], [[*key, found] for key, found in spelled.items()])
        return published

    def rows(self):
        """A row for each round, also of published measurements."""
        with open(self.csv, newline="") as file:
            for row in csv.DictReader(file):
                for number, value in enumerate(row.pop("values", "").split(), 1):
                    yield row | {"round": number, "value": value}
                if "value" in row:
                    yield row


def combine(function, *figures):
    """A value a round from values a round, of the rounds that have all of them."""
    rounds = set.intersection(*(set(figure) for figure in figures)) if figures else set()
    return {number: function(*(figure[number] for figure in figures)) for number in sorted(rounds)}


def ratio(above, below):
    return combine(lambda a, b: a / b, above, below)


def difference(above, below):
    return combine(lambda a, b: a - b, above, below)


def median(figure):
    return statistics.median(figure.values()) if figure else None


def quartiles(figure):
    """The middle half of the rounds; of fewer than four, all of them."""
    values = sorted(figure.values())
    if len(values) < 4:
        return values[0], values[-1]
    lower, _, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, upper
