#!/usr/bin/env python3
"""report.py FOLDER: writes all tables of a run into FOLDER/report.md, and prints the goals.
report.py FOLDER --publish: copies the measurements into bench/published/, and writes the tables of bench/published/ into the
documents, between the lines <!-- table NAME --> and <!-- end -->."""

import re
import sys
from pathlib import Path

import estimate_tables
import reader_tables
from experiments.generation import EMPTY
from experiments.insert import NARROW
from figures import Figures, Goal, figure, goals_table, run_line, share, table
from results import Run, combine, ratio
from summary import summary_table

ROOT = Path(__file__).resolve().parent.parent


# --- The goals of keys ------------------------------------------------------------------------------------

def goals(figures):
    get, generation = figures.get, figures.generation
    one, eight = ("connections=1", "connections=8")
    found = [Goal("generation: time, relative to uuidv7()", 0.05, ratio(generation("comb", one), generation("uuidv7", one)))]
    for parameter, label in ((one, "1 connection"), (eight, "8 connections")):
        metric = "rows a second"
        rate = ratio(get("concurrent", "comb", parameter, metric), get("concurrent", "bigint", parameter, metric))
        found.append(Goal(f"single-row inserts, {label}: rows per second, relative to a bigint identity", 0.97, rate, at_least=True))
    for name, label, goal in (("uuidv7", "uuidv7()", 1.8), ("bigint", "a bigint identity", 0.97)):
        rate = ratio(figures.bulk(name), figures.bulk("comb"))
        found.append(Goal(f"bulk load: rows per second, relative to {label}", goal, rate, at_least=True))
    return found


# --- The tables of keys -----------------------------------------------------------------------------------

def generation_table(figures):
    parameters = figures.values.parameters("generation", "time with the loop")
    rows = []
    for contestant in figures.contestants("generation"):
        if contestant == EMPTY:
            continue
        net = [figures.generation(contestant.name, parameter) for parameter in parameters]
        to_uuidv7 = ratio(net[0], figures.generation("uuidv7", parameters[0]))
        rows.append([contestant.label, share(to_uuidv7), *map(figure, net)])
    heads = [f"ns per UUID, {parameter.split('=')[1]} conn." for parameter in parameters]
    return table(["contestant", "relative to uuidv7()", *heads], rows)


def insert_table(figures):
    """Both millions, the second relative to the first."""
    rows = []
    for contestant in figures.contestants("insert"):
        first, second = figures.millions(contestant.name)
        to_bigint = ratio(figures.bulk(contestant.name), figures.bulk("bigint"))
        rows.append([contestant.label, share(to_bigint), share(ratio(second, first)), figure(first), figure(second)])
    return table(["contestant", "time relative to bigint", "second relative to first", "first, s", "second, s"], rows)


def index_table(figures):
    """The index of the key, and the write-ahead log, after both millions."""
    rows = []
    for contestant in figures.contestants("insert"):
        if not figures.get("insert", contestant.name, "", "page splits"):
            continue
        of_index = [figures.get("insert", contestant.name, "", metric) for metric in ("page splits", "avg_leaf_density", "leaf_fragmentation", "index of the key")]
        logs = [figures.get("insert", contestant.name, part, "write-ahead log") for part in ("first", "second", f"second {NARROW}")]
        rows.append([contestant.label, *map(figure, [*of_index, *logs])])
    heads = ["page splits in a million rows", "leaf density, %", "leaf fragmentation, %", "index, bytes per row"]
    return table(["contestant", *heads, *(f"WAL, bytes per row: {part}" for part in ("first", "second", "second, text of 10 characters"))], rows)


def large_table(figures):
    rows = [[contestant.label, figure(figures.get("large", contestant.name, "", "write-ahead log")), figure(figures.get("large", contestant.name, "", "time"))] for contestant in figures.contestants("large")]
    size = figures.size["rows"]
    return table([f"{size // 10:,} rows into {10 * size:,}, after a checkpoint", "WAL, bytes per row", "s"], rows)


def narrow_table(figures):
    rows = []
    for contestant in figures.contestants("insert"):
        parts = [figures.get("insert", contestant.name, f"{part} {NARROW}", "time") for part in ("first", "second")]
        if not all(parts):
            continue
        to_bigint = [ratio(part, figures.get("insert", "bigint", f"{name} {NARROW}", "time")) for name, part in zip(("first", "second"), parts)]
        rows.append([contestant.label, *map(share, to_bigint), *map(figure, parts)])
    return table(["contestant", "first, relative to bigint", "second, relative to bigint", "first, s", "second, s"], rows)


def why_table(figures):
    """Random keys beside keys that increase; without what the run has not measured."""
    keys = {"random": "`gen_random_uuid()`", "client": "version 7 of a client", "comb": "`comb_new()`"}
    size = figures.size["rows"]
    figures_of = {
        "load, µs per row": lambda key: combine(lambda seconds: seconds / (2 * size) * 1e6, figures.bulk(key)),
        "index, bytes per row": lambda key: figures.get("insert", key, "", "index of the key"),
        "page splits in a million rows": lambda key: figures.get("insert", key, "", "page splits"),
        "leaf density, %": lambda key: figures.get("insert", key, "", "avg_leaf_density"),
        "write-ahead log, bytes per row": lambda key: figures.get("insert", key, "second", "write-ahead log"),
        f"the same, {size // 10:,} rows into {10 * size:,} after a checkpoint": lambda key: figures.get("large", key, "", "write-ahead log"),
    }
    keys = {key: label for key, label in keys.items() if figures.bulk(key)}
    values = {head: [of(key) for key in keys] for head, of in figures_of.items()}
    return table(["measured", *keys.values()], [[head, *map(figure, found)] for head, found in values.items() if any(found)])


def rate_table(figures):
    metric = "rows a second"
    parameters = [parameter for parameter in figures.values.parameters("concurrent", metric) if " " not in parameter]
    rows = []
    for contestant in figures.contestants("concurrent"):
        rates = [(figures.get("concurrent", contestant.name, parameter, metric), figures.get("concurrent", "bigint", parameter, metric)) for parameter in parameters]
        rows.append([contestant.label, *(f"{share(ratio(rate, bigint))}<br>{figure(rate)}" for rate, bigint in rates)])
    return table(["relative to bigint, and rows per second", *(f"{parameter.split('=')[1]} conn." for parameter in parameters)], rows)


TABLES = {
    "goals": lambda figures: goals_table(goals(figures)),
    "generation": generation_table,
    "insert": insert_table,
    "narrow": narrow_table,
    "index": index_table,
    "large": large_table,
    "why": why_table,
    "rate": rate_table,
    "summary": summary_table,
    "summary_run": run_line,
}


# Goals, and tables.
PARTS = [(goals, TABLES), (reader_tables.goals, reader_tables.TABLES), (estimate_tables.goals, estimate_tables.TABLES)]


def fill(text, figures):
    """The text with each table put where it is marked."""
    tables = {name: make for _, part in PARTS for name, make in part.items()}
    for name in re.findall(r"<!-- table (\w+) -->", text):
        block = rf"(<!-- table {name} -->\n).*?(<!-- end -->)"
        new = tables[name](figures)
        text, count = re.subn(block, lambda found: f"{found[1]}{new}\n{found[2]}", text, flags=re.DOTALL)
        if count != 1:
            sys.exit(f"error: the table {name} is marked {count} times, or has no end")
    return text


def publish(run):
    """The measurements that the documents cite into bench/published/, and the tables of these into the documents."""
    figures = Figures(run)
    fill_documents(figures)
    fill_documents(Figures(run.publish(ROOT / "bench/published", figures.values.cited)))


def fill_documents(figures):
    for file in (ROOT / "README.md", ROOT / "bench/README.md", ROOT / "docs/existing-tables.md"):
        file.write_text(fill(file.read_text(), figures))


def report(run):
    figures = Figures(run)
    measured = [(found, tables) for goals, tables in PARTS if (found := [goal for goal in goals(figures) if goal.measured])]
    tables = [f"## {name}\n\n{make(figures)}" for _, part in measured for name, make in part.items()]
    (run.folder / "report.md").write_text("\n\n".join(tables) + "\n")
    print(f"The tables: {run.folder}/report.md")
    for goal in [goal for found, _ in measured for goal in found]:
        print(f"{goal.verdict:13} {goal.bound:7} {share(goal.measured):20} {goal.text}")


def main():
    match sys.argv[1:]:
        case [folder]:
            report(Run(folder))
        case [folder, "--publish"]:
            publish(Run(folder))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
