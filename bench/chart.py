#!/usr/bin/env python3
"""chart.py: draws docs/chart-light.svg and docs/chart-dark.svg of README.md from published/: the time of a row in a bulk load, and the
rows that readers missed. Needs matplotlib."""

import csv
import statistics
from pathlib import Path

import matplotlib

matplotlib.use("svg")
# Text stays text, and two runs write the same file.
matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "comb", "font.family": "sans-serif", "font.size": 9}
from matplotlib import pyplot

ROOT = Path(__file__).resolve().parent.parent
KEYS = {"bigint": "bigint identity", "comb_server": "comb_new()", "uuidv7": "uuidv7()", "random": "gen_random_uuid()"}
READERS = {"cursor": "id > cursor", "waiting": "waiting five seconds", "horizon": "comb_horizon()"}
COLORS = {"light": ("#1f2328", "#8c959f", "#0969da"), "dark": ("#e6edf3", "#6e7681", "#4493f8")}


def measured():
    with open(ROOT / "bench/published/measurements.csv", newline="") as file:
        for row in csv.DictReader(file):
            yield row["experiment"], row["contestant"], row["parameter"], row["metric"], [float(value) for value in row["values"].split()]


def bars(axes, title, values, text, color, other):
    names = list(values)
    axes.barh(names, list(values.values()), color=[color if name.startswith("comb") else other for name in names])
    axes.set_title(title, loc="left", color=text, fontsize=10)
    axes.invert_yaxis()
    axes.bar_label(axes.containers[0], labels=[f"{value:,.3g}" if value < 1000 else f"{value:,.0f}" for value in values.values()], padding=3, color=text)
    axes.tick_params(length=0, colors=text, labelbottom=False)
    axes.margins(x=0.15)
    for spine in axes.spines.values():
        spine.set_visible(False)


def main():
    seconds, missed, rows = {}, {}, 0
    for experiment, contestant, parameter, metric, values in measured():
        if experiment == "insert" and metric == "time" and parameter in ("first", "second") and contestant in KEYS:
            seconds.setdefault(KEYS[contestant], []).append(statistics.median(values))
        if experiment == "readers" and (reader := READERS.get(parameter.rsplit(": ", 1)[-1])):
            if metric == "rows missed":
                missed[reader] = missed.get(reader, 0) + sum(values)
            elif metric == "rows stored" and reader == "id > cursor":
                rows += sum(values)
    load = {name: sum(seconds[name]) / 2 for name in KEYS.values()}
    for theme, (text, other, color) in COLORS.items():
        figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 1.7), layout="constrained")
        bars(left, "Bulk load: µs for each row", load, text, color, other)
        bars(right, f"Rows missed, of {rows:,.0f}", missed, text, color, other)
        figure.savefig(ROOT / f"docs/chart-{theme}.svg", transparent=True, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
