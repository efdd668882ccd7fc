#!/usr/bin/env python3
"""plots.py FOLDER: draws the pictures of a run from its CSV, each for a light and for a dark page, into the folder."""

import re
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.ticker import MaxNLocator

import reader_tables
from experiments.estimates import MEAN, WORST
from figures import Figures
from results import Run, combine, median, quartiles

# The same run gives the same files.
matplotlib.rcParams.update({"svg.hashsalt": "comb", "font.family": "DejaVu Sans", "font.size": 11})

# comb in the one strong colour; the rivals muted, and told apart by lightness and by their lines as well as by
# hue (blue, orange and grey, which no common colour blindness takes for each other).
THEMES = {
    "light": {
        "text": "#1f2328", "faint": "#d1d9e0",
        "comb": "#d1480a", "comb_other": "#cf7f48", "random": "#4d555f", "uuidv7": "#2f74b5", "bigint": "#7b8591", "counter": "#7a68a6",
    },
    "dark": {
        "text": "#e6edf3", "faint": "#3d444d",
        "comb": "#ff8c42", "comb_other": "#c4763f", "random": "#aab4c0", "uuidv7": "#6cb0f2", "bigint": "#7d8896", "counter": "#a899d6",
    },
}
# contestant: colour, line, what it is called in a picture.
LOOKS = {
    "comb_server": ("comb", "-", "comb_new()"),
    "comb_backend": ("comb_other", "--", "comb_new(), backend"),
    "mssql": ("comb_other", "-", "comb_new_mssql(), in order"),
    "mssql_plain": ("random", "-", "comb_new_mssql(), not in order"),
    "uuidv7": ("uuidv7", "-", "uuidv7()"),
    "pg_uuidv7": ("uuidv7", ":", "pg_uuidv7"),
    "random": ("random", "-.", "gen_random_uuid()"),
    "random_created": ("random", "-", "gen_random_uuid() + created_at"),
    "bigint": ("bigint", (0, (1, 1)), "bigint identity"),
    "counter": ("counter", "-", "shared counter"),
}


class Picture:
    def __init__(self, theme, panels, height, widths=None):
        self.theme = THEMES[theme]
        self.figure, axes = plt.subplots(1, panels, figsize=(9.6, height), gridspec_kw={"width_ratios": widths}, squeeze=False)
        self.axes = list(axes[0])
        for axis in self.axes:
            axis.set_facecolor("none")
            axis.spines[["top", "right"]].set_visible(False)
            for spine in axis.spines.values():
                spine.set_color(self.theme["faint"])
            axis.tick_params(colors=self.theme["text"], length=0, pad=7)
            axis.set_axisbelow(True)

    def colour(self, contestant):
        return self.theme[LOOKS[contestant][0]]

    def title(self, axis, text):
        axis.set_title(text, loc="left", color=self.theme["text"], fontsize=11.5, pad=12)

    def line(self, axis, contestant, xs, by_round):
        """The medians, with the middle half of the rounds behind them. Where the line ends, for its name: a list
        of one, or of none where an interrupted run has not been."""
        front = contestant == "comb_server"
        points = [(x, values) for x, values in zip(xs, by_round) if values]
        if not points:
            return []
        xs, by_round = zip(*points)
        spreads = [quartiles(values) for values in by_round]
        axis.fill_between(xs, *zip(*spreads), color=self.colour(contestant), alpha=0.15, linewidth=0)
        axis.plot(
            xs, [median(values) for values in by_round], color=self.colour(contestant), linestyle=LOOKS[contestant][1],
            linewidth=2.6 if front else 1.8, zorder=4 if front else 3,
        )
        # The end of a jagged line says little: the mean of its last steps does.
        tail = by_round[-4:] if len(by_round) > 20 else by_round[-1:]
        return [(contestant, xs[-1], sum(map(median, tail)) / len(tail))]

    def label_ends(self, axis, ends):
        """Names next to the ends of the lines, pushed apart where they would lie on each other."""
        low, high = axis.get_ylim()
        least = (high - low) * 15 / (axis.get_window_extent().height * 72 / self.figure.dpi)
        places = []
        for contestant, x, y in sorted(ends, key=lambda end: end[2]):
            places.append([contestant, x, y, max(y, places[-1][3] + least) if places else y])
        # Back down where the topmost has been pushed out of the picture.
        highest = high
        for place in reversed(places):
            place[3] = min(place[3], highest)
            highest = place[3] - least
        for contestant, x, y, place in places:
            axis.annotate(
                LOOKS[contestant][2], (x, y), xytext=(10, place), textcoords=("offset points", "data"), va="center",
                color=self.colour(contestant), fontsize=10.5, fontweight="bold" if contestant == "comb_server" else "normal", annotation_clip=False,
            )

    def bars(self, axis, contestants, by_round, names):
        places = range(len(contestants))
        values = [median(rounds) for rounds in by_round]
        axis.barh(places, values, color=[self.colour(name) for name in contestants], height=0.64)
        axis.invert_yaxis()
        axis.set_yticks(list(places), [LOOKS[name][2] if names else "" for name in contestants])
        for label, name in zip(axis.get_yticklabels(), contestants):
            label.set_fontweight("bold" if name == "comb_server" else "normal")
        axis.set_xticks([])
        axis.spines["bottom"].set_visible(False)
        for place, value in zip(places, values):
            axis.annotate(f"{value:,.0f}", (value, place), xytext=(5, 0), textcoords="offset points", va="center", color=self.theme["text"], fontsize=10.5)
        axis.set_xlim(0, max(values) * 1.22)

    def scale(self, axis, x_name, y_name=""):
        axis.set_ylim(bottom=0)
        axis.grid(axis="y", color=self.theme["faint"], linewidth=0.7)
        axis.set_xlabel(x_name, color=self.theme["text"])
        axis.set_ylabel(y_name, color=self.theme["text"])
        axis.yaxis.set_major_locator(MaxNLocator(6))

    def connections(self, axis, counts):
        """Each doubling as far from the last: a place for each count, by its name."""
        axis.set_xticks(range(len(counts)), [str(count) for count in counts])

    def save(self, path):
        self.figure.savefig(path, format="svg", transparent=True, metadata={"Date": None})
        plt.close(self.figure)


# --- The pictures -----------------------------------------------------------------------------
#
# Each shows the contestants that an interrupted run has got to, and is None where there is none.

def present(names, values):
    """Those that have some."""
    return [name for name in names if values(name)]


def growth(figures, theme):
    """The cost of a row as the table grows."""
    parameters = figures.values.parameters("growth", "time of the step")
    names = present(["random", "uuidv7", "bigint", "comb_server"], lambda name: figures.growth(name, slice(None)))
    if not names:
        return None
    rows = [int(parameter.split("=")[1]) for parameter in parameters]
    picture = Picture(theme, 1, 4.6)
    (axis,) = picture.axes
    ends = []
    for name in names:
        cost = [figures.growth(name, slice(step, step + 1)) for step in range(len(rows))]
        ends += picture.line(axis, name, [count / 1e6 for count in rows], cost)
    picture.scale(axis, "million rows in the table", "microseconds a row")
    axis.set_xlim(0, rows[-1] / 1e6)
    picture.title(axis, f"Time of an inserted row as the table grows, shared_buffers {shared_buffers(figures)}")
    picture.figure.subplots_adjust(left=0.08, right=0.79, top=0.9, bottom=0.13)
    picture.label_ends(axis, ends)
    return picture


def shared_buffers(figures):
    """As machine.csv has it, in MB."""
    number, unit = re.fullmatch(r"([0-9]+)(kB|MB)", figures.run.machine()["shared_buffers (small server)"]).groups()
    return f"{round(int(number) / (1024 if unit == 'kB' else 1))} MB"


def concurrent(figures, theme):
    """Rows a second over connections."""
    metric = "rows a second"
    parameters = figures.connections("concurrent", metric)
    names = present(["random", "uuidv7", "bigint", "comb_server"], lambda name: any(figures.get("concurrent", name, parameter, metric) for parameter in parameters))
    if not names:
        return None
    counts = [int(parameter.split("=")[1]) for parameter in parameters]
    picture = Picture(theme, 1, 4.6)
    (axis,) = picture.axes
    ends = []
    for name in names:
        rates = [combine(lambda rate: rate / 1e3, figures.get("concurrent", name, parameter, metric)) for parameter in parameters]
        ends += picture.line(axis, name, range(len(counts)), rates)
    picture.scale(axis, "connections with single-row inserts (synchronous_commit off)", "thousand rows per second")
    picture.connections(axis, counts)
    axis.set_xlim(0, max(len(counts) - 1, 1))
    picture.title(axis, f"Rows per second, all connections, {figures.run.machine()['cores']} cores")
    picture.figure.subplots_adjust(left=0.08, right=0.79, top=0.9, bottom=0.13)
    picture.label_ends(axis, ends)
    return picture


def size(figures, theme):
    """The index and the write-ahead log."""
    names = ["bigint", "comb_server", "mssql", "uuidv7", "random", "mssql_plain", "random_created"]
    names = present(names, lambda name: figures.get("insert", name, "", "all indexes"))
    if not names:
        return None
    panels = [
        ("all indexes, bytes per row", "", "all indexes"),
        ("WAL, bytes per row", "first", "WAL"),
        ("WAL after a checkpoint", "after a checkpoint", "WAL"),
    ]
    picture = Picture(theme, len(panels), 0.5 * len(names) + 0.9)
    for number, (axis, (title, parameter, metric)) in enumerate(zip(picture.axes, panels)):
        picture.bars(axis, names, [figures.get("insert", name, parameter, metric) for name in names], names=number == 0)
        picture.title(axis, title)
    picture.figure.subplots_adjust(left=0.3, right=0.985, top=0.86, bottom=0.03, wspace=0.12)
    return picture


def generation(figures, theme):
    """The time of a UUID, and how far it falls with connections."""
    parameters = figures.connections("generation", "time with the loop")
    counts = [int(parameter.split("=")[1]) for parameter in parameters]
    names = ["comb_server", "comb_backend", "mssql", "counter", "bigint", "uuidv7", "pg_uuidv7", "random"]
    names = present(names, lambda name: any(figures.generation(name, parameter) for parameter in parameters[:1]))
    if not names:
        return None
    picture = Picture(theme, 2, 4.4, widths=[1, 1.15])
    bars, lines = picture.axes
    picture.bars(bars, names, [figures.generation(name, parameters[0]) for name in names], names=True)
    picture.title(bars, f"ns per UUID, {counts[0]} connection{'s' if counts[0] > 1 else ''}")
    ends = []
    for name in ["comb_backend", "counter", "uuidv7", "comb_server"]:
        rates = [combine(lambda ns: 1e3 / ns, figures.generation(name, parameter)) for parameter in parameters]
        ends += picture.line(lines, name, range(len(counts)), rates)
    picture.scale(lines, "connections")
    picture.connections(lines, counts)
    lines.set_xlim(0, max(len(counts) - 1, 1))
    picture.title(lines, f"Million UUIDs per second, all connections, {figures.run.machine()['cores']} cores")
    picture.figure.subplots_adjust(left=0.265, right=0.805, top=0.88, bottom=0.14, wspace=0.16)
    picture.label_ends(lines, ends)
    return picture


# way to read: colour, what it is called in a picture.
WAYS = {
    "cursor": ("random", "id > cursor"),
    "waiting": ("bigint", "waiting five seconds"),
    "xmin": ("uuidv7", "pg_snapshot_xmin()"),
    "decoding": ("counter", "logical decoding"),
    "horizon": ("comb", "comb_horizon()"),
}
# case: its mark.
MARKS = {"quiet": "o", "beside an unrelated transaction": "D", "beside a slow writer": "s"}


def readers(figures, theme):
    """What each way to read misses, and the delay of what it reads."""
    cases = [case for case in MARKS if case in reader_tables.measured_cases(figures)]
    if not cases:
        return None
    picture = Picture(theme, 2, 4.6, widths=[1, 2.2])
    missed, delays = picture.axes
    places = range(len(WAYS))
    counts = [reader_tables.total(figures, way, "rows missed") for way in WAYS]
    colours = [picture.theme[colour] for colour, _ in WAYS.values()]
    missed.barh(places, counts, color=colours, height=0.5)
    missed.set_yticks(list(places), [label for _, label in WAYS.values()])
    missed.set_xticks([])
    missed.spines["bottom"].set_visible(False)
    missed.set_xlim(0, max(*counts, 1) * 1.35)
    for place, count in zip(places, counts):
        missed.annotate(f"{count:,.0f}", (count, place), xytext=(5, 0), textcoords="offset points", va="center", color=picture.theme["text"], fontsize=10.5)
    picture.title(missed, f"rows missed of {reader_tables.total(figures, 'horizon', 'rows stored'):,.0f}")
    for place, (way, (colour, _)) in enumerate(WAYS.items()):
        for number, case in enumerate(cases):
            ends = [median(reader_tables.of(figures, case, way, f"delay {what}")) for what in ("median", "p99")]
            y = place + 0.24 * (number - (len(cases) - 1) / 2)
            delays.plot(ends, [y, y], color=picture.theme[colour], linewidth=2, alpha=0.6)
            delays.plot(ends[:1], [y], MARKS[case], color=picture.theme[colour], markersize=6.5)
            delays.plot(ends[1:], [y], "|", color=picture.theme[colour], markersize=9, markeredgewidth=2)
    for case, head in zip(reader_tables.measured_cases(figures), reader_tables.case_heads(figures)):
        if case in cases:
            delays.plot([], [], MARKS[case], color=picture.theme["text"], label=head, markersize=6.5)
    delays.set_xscale("log")
    delays.set_xticks([10, 100, 1000, 10_000, 60_000], ["10 ms", "100 ms", "1 s", "10 s", "60 s"])
    delays.set_xticks([], minor=True)
    delays.grid(axis="x", color=picture.theme["faint"], linewidth=0.7)
    delays.set_yticks([])
    for axis in picture.axes:
        axis.set_ylim(len(WAYS) - 0.5, -0.5)
        axis.spines["left"].set_visible(False)
    for label, way in zip(missed.get_yticklabels(), WAYS):
        label.set_fontweight("bold" if way == "horizon" else "normal")
    picture.title(delays, "delay from commit to read: median, and a bar to 99%")
    picture.figure.legend(loc="lower right", bbox_to_anchor=(0.985, 0.0), ncol=len(cases), frameon=False, fontsize=10, labelcolor=picture.theme["text"], handletextpad=0.3)
    picture.figure.subplots_adjust(left=0.185, right=0.975, top=0.9, bottom=0.17, wspace=0.06)
    return picture


# way to ask for a range: colour, what it is called in a picture.
ESTIMATES = {"between": ("comb", "comb_between()"), "plain": ("random", "comparisons of keys"), "timestamptz": ("uuidv7", "timestamptz column")}


def estimates(figures, theme):
    """The factor between the estimated and the actual rows: the mean, and a bar to the worst."""
    cases = figures.values.parameters("estimates", WORST)
    if not cases:
        return None
    picture = Picture(theme, 1, 0.5 * len(cases) + 1.2)
    (axis,) = picture.axes
    for number, (way, (colour, label)) in enumerate(ESTIMATES.items()):
        for place, case in enumerate(cases):
            values = [figures.get("estimates", way, case, metric) for metric in (MEAN, WORST)]
            if not all(values):
                continue
            ends, y = [median(rounds) for rounds in values], place + 0.24 * (number - 1)
            axis.plot(ends, [y, y], color=picture.theme[colour], linewidth=2, alpha=0.6)
            axis.plot(ends[:1], [y], "o", color=picture.theme[colour], markersize=6.5, label=label if place == 0 else None)
            axis.plot(ends[1:], [y], "|", color=picture.theme[colour], markersize=9, markeredgewidth=2)
    axis.set_xscale("log")
    axis.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1,000"])
    axis.set_yticks(range(len(cases)), cases)
    axis.set_ylim(len(cases) - 0.5, -0.5)
    axis.grid(axis="x", color=picture.theme["faint"], linewidth=0.7)
    picture.title(axis, "estimated over actual rows, or the other way round: mean, and a bar to the worst")
    picture.figure.legend(loc="lower right", ncol=len(ESTIMATES), frameon=False, fontsize=10, labelcolor=picture.theme["text"])
    picture.figure.subplots_adjust(left=0.28, right=0.975, top=0.92, bottom=0.12)
    return picture


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    figures = Figures(Run(sys.argv[1]))
    for draw in (growth, concurrent, size, generation, readers, estimates):
        for theme in THEMES:
            picture = draw(figures, theme)
            if picture:
                picture.save(figures.run.folder / f"{draw.__name__}-{theme}.svg")


if __name__ == "__main__":
    main()
