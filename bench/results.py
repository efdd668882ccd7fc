"""A run's folder: measurements.csv in long form, machine.csv with what it was measured on."""

import csv
import statistics
from collections import defaultdict
from pathlib import Path

COLUMNS = ["experiment", "contestant", "parameter", "round", "metric", "unit", "value"]


class Run:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.csv = self.folder / "measurements.csv"

    def begin(self, machine):
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.csv, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow(COLUMNS)
        with open(self.folder / "machine.csv", "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["what", "value"])
            writer.writerows(machine.items())

    def machine(self):
        with open(self.folder / "machine.csv", newline="") as file:
            return {row["what"]: row["value"] for row in csv.DictReader(file)}

    def append(self, rows):
        with open(self.csv, "a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)

    def publish(self, folder, cited):
        """The values of the cited measurements, a row for all rounds, and the machine."""
        published = Run(folder)
        columns = [column for column in COLUMNS if column not in ("round", "value")]
        values = defaultdict(list)
        for row in self.rows():
            if (row["experiment"], row["contestant"], row["parameter"], row["metric"]) in cited:
                values[tuple(row[column] for column in columns)].append(row["value"])
        published.begin(self.machine())
        with open(published.csv, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow([*columns, "values"])
            writer.writerows([*key, " ".join(spell(value) for value in found)] for key, found in values.items())
        return published

    def rows(self):
        """A row for each round, also of published measurements."""
        with open(self.csv, newline="") as file:
            for row in csv.DictReader(file):
                for number, value in enumerate(row.pop("values", "").split(), 1):
                    yield row | {"round": number, "value": value}
                if "value" in row:
                    yield row


def spell(value):
    """Six digits, and counts in full."""
    return value if value.isdecimal() else format(float(value), ".6g")


class Values:
    """The measured values of a run, for the tables; and which of them were asked for."""

    def __init__(self, run):
        self.cited = set()
        self.rounds = defaultdict(dict)
        for row in run.rows():
            key = (row["experiment"], row["contestant"], row["parameter"], row["metric"])
            self.rounds[key][int(row["round"])] = row["value"]

    def by_round(self, *key):
        """Of an experiment, a contestant, a parameter and a metric."""
        self.cited.add(key)
        return {number: float(value) for number, value in self.rounds.get(key, {}).items()}

    def parameters(self, experiment, metric):
        """In the order in which they were first measured."""
        return list(dict.fromkeys(key[2] for key in self.rounds if key[0] == experiment and key[3] == metric))

    def measured(self, experiment, contestant):
        return any(key[:2] == (experiment, contestant) for key in self.rounds)


def combine(function, *values):
    """A value a round from values a round, of the rounds that have all of them."""
    rounds = set.intersection(*(set(value) for value in values)) if values else set()
    return {number: function(*(value[number] for value in values)) for number in sorted(rounds)}


def ratio(above, below):
    return combine(lambda a, b: a / b, above, below)


def median(by_round):
    return statistics.median(by_round.values()) if by_round else None


def quartiles(by_round):
    """The middle half of the rounds; of fewer than four, all of them."""
    values = sorted(by_round.values())
    if len(values) < 4:
        return values[0], values[-1]
    lower, _, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, upper
