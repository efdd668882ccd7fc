#!/usr/bin/env python3
"""chart.py: draws docs/chart-light.svg and docs/chart-dark.svg of README.md from published/: a row in a bulk load, in the index of the
key, and in the write-ahead log after a checkpoint. Needs matplotlib."""

from pathlib import Path

import matplotlib
from figures import Figures
from results import Run, median

matplotlib.use("svg")
# Text stays text, and two runs write the same file.
matplotlib.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "comb", "font.family": "sans-serif", "font.size": 9}
from matplotlib import pyplot

ROOT = Path(__file__).resolve().parent.parent
KEYS = {
    "bigint": "bigint identity",
    "comb": "comb_new()",
    "uuidv7": "uuidv7()",
    "client": "version 7 of a client",
    "random": "gen_random_uuid()",
}
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
    panels = [
        ("Bulk load: µs for each row", ".2f", figures.bulk),
        ("Index: bytes for each row", ".1f", figures.index),
        (f"WAL: bytes for each row, {figures.large_text().replace(' into', chr(10) + 'into')} after a checkpoint", ",.0f", figures.large),
    ]
    measured = [(title, form, {label: median(of(key)) for key, label in KEYS.items() if of(key)}) for title, form, of in panels]
    measured = [panel for panel in measured if panel[2]]
    for theme, colors in COLORS.items():
        picture, axes = pyplot.subplots(1, len(measured), figsize=(4.5 * len(measured), 1.7), layout="constrained")
        for place, (title, form, values) in zip(axes, measured):
            bars(place, title, values, form, *colors)
        picture.savefig(ROOT / f"docs/chart-{theme}.svg", transparent=True, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
