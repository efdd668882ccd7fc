#!/usr/bin/env python3
"""chart.py: draws docs/chart-light.svg and docs/chart-dark.svg of README.md from published/: the time of a row in a bulk load, and the
rows that readers missed. Needs matplotlib."""

from pathlib import Path

import matplotlib
import reader_tables
from figures import Figures
from results import Run, median

matplotlib.use("svg")
# Text stays text, and two runs write the same file.
matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "comb", "font.family": "sans-serif", "font.size": 9}
from matplotlib import pyplot

ROOT = Path(__file__).resolve().parent.parent
KEYS = {"bigint": "bigint identity", "comb": "comb_new()", "uuidv7": "uuidv7()", "random": "gen_random_uuid()"}
READERS = {"cursor": "id > cursor", "waiting": "waiting five seconds", "horizon": "comb_horizon()"}
COLORS = {"light": ("#1f2328", "#8c959f", "#0969da"), "dark": ("#e6edf3", "#6e7681", "#4493f8")}


def bars(axes, title, values, form, color, other, own):
    axes.barh(list(values), list(values.values()), color=[own if name.startswith("comb") else other for name in values])
    axes.set_title(title, loc="left", color=color, fontsize=10)
    axes.invert_yaxis()
    axes.bar_label(axes.containers[0], labels=[format(value, form) for value in values.values()], padding=3, color=color)
    axes.tick_params(length=0, colors=color, labelbottom=False)
    axes.margins(x=0.15)
    for spine in axes.spines.values():
        spine.set_visible(False)


def main():
    figures = Figures(Run(ROOT / "bench/published"))
    load = {label: median(figures.bulk(key)) / (2 * figures.size["rows"]) * 1e6 for key, label in KEYS.items()}
    missed = {label: reader_tables.total(figures, way, "rows missed") for way, label in READERS.items()}
    for theme, colors in COLORS.items():
        picture, (left, right) = pyplot.subplots(1, 2, figsize=(9, 1.7), layout="constrained")
        bars(left, "Bulk load: µs for each row", load, ".2f", *colors)
        bars(right, f"Rows missed, of {reader_tables.stored(figures)}", missed, ",.0f", *colors)
        picture.savefig(ROOT / f"docs/chart-{theme}.svg", transparent=True, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
