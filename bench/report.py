#!/usr/bin/env python3
"""report.py FOLDER: writes all tables of a run into FOLDER/report.md, and prints the goals.
report.py FOLDER --publish: copies the measurements into bench/published/, and writes the tables of bench/published/ into the
documents, between the lines <!-- table NAME --> and <!-- end -->."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import estimate_tables
import experiments
import reader_tables
from experiments.generation import EMPTY
from figures import Figures, Goal, difference, figure, goals_table, run_line, share, table
from results import Run, ratio
from summary import summary_table

ROOT = Path(__file__).resolve().parent.parent
# Of the insert experiment's two kinds of processor time, the one that the key decides.
IN_POSTGRES = "processor time in PostgreSQL"


# --- The goals of keys ------------------------------------------------------------------------------------

def goals(figures):
    get, generation = figures.get, figures.generation
    one, two, eight = ("connections=1", "connections=2", "connections=8")
    found = []
    for scope in ("server", "backend"):
        text = f"generation, scope {scope}: time, relative to uuidv7()"
        found.append(Goal(text, 0.1, ratio(generation(f"comb_{scope}", one), generation("uuidv7", one))))
    extra = difference(generation("comb_server", one), generation("comb_backend", one))
    found.append(Goal("generation: ns of scope server, minus scope backend", 10, extra))
    for name, label in (("comb_server", "scope server"), ("comb_backend", "scope backend")):
        twice = ratio(generation(name, one), generation(name, two))
        found.append(Goal(f"generation, {label}: UUIDs of two connections together, relative to one", 1.9, twice, at_least=True))
    for parameter, label in ((one, "1 connection"), (eight, "8 connections")):
        metric = "rows a second"
        rate = ratio(get("concurrent", "comb_server", parameter, metric), get("concurrent", "bigint", parameter, metric))
        found.append(Goal(f"single-row inserts, {label}: rows per second, relative to a bigint identity", 1, rate, at_least=True))
    for metric, label in (("time", "rows per second"), (IN_POSTGRES, f"rows per second of {IN_POSTGRES}")):
        rate = ratio(figures.bulk("uuidv7", metric), figures.bulk("comb_server", metric))
        found.append(Goal(f"bulk load: {label}, relative to uuidv7()", 1.8, rate, at_least=True))
    for metric in ("time", IN_POSTGRES):
        first, second = figures.millions("comb_server", metric)
        found.append(Goal(f"the second million: {metric}, relative to the first", 1.05, ratio(second, first)))
    index = ratio(*(get("insert", name, "", "index of the key") for name in ("comb_server", "random")))
    found.append(Goal("index: size, relative to gen_random_uuid()", 0.80, index))
    wal = ratio(*(get("insert", name, "first", "WAL") for name in ("comb_server", "random")))
    found.append(Goal("WAL of the first million: bytes, relative to gen_random_uuid()", 0.97, wal))
    for name, label in (("mssql", "uniqueidentifier"), ("mssql_ops", "uuid_mssql_ops")):
        found.append(Goal(f"SQL Server's order, {label}, insert: time, relative to uuid", 1.1, ratio(figures.bulk(name), figures.bulk("comb_server"))))
    return found


# --- The tables of keys -----------------------------------------------------------------------------------

def generation_table(figures):
    parameters = figures.connections("generation", "time with the loop")
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
        first, second = figures.millions(contestant.name, "time")
        bulk = figures.bulk(contestant.name)
        to_others = [share(ratio(bulk, figures.bulk(other))) for other in ("bigint", "random")]
        processor = figures.bulk(contestant.name, IN_POSTGRES)
        rows.append([contestant.label, *to_others, share(ratio(second, first)), *map(figure, (first, second, processor))])
    heads = ["time relative to bigint", "relative to gen_random_uuid()", "second relative to first", "first, s", "second, s"]
    return table(["contestant", *heads, "both, in PostgreSQL, s"], rows)


def rate_table(figures):
    metric = "rows a second"
    parameters = figures.values.parameters("concurrent", metric)
    rows = []
    for contestant in figures.contestants("concurrent"):
        rates = [(figures.get("concurrent", contestant.name, parameter, metric), figures.get("concurrent", "bigint", parameter, metric)) for parameter in parameters]
        rows.append([contestant.label, *(f"{share(ratio(rate, bigint))}<br>{figure(rate)}" for rate, bigint in rates)])
    return table(["relative to bigint, and rows per second", *map(connections_head, parameters)], rows)


def connections_head(parameter):
    connections, *more = parameter.split()
    return " ".join([connections.split("=")[1], "conn.", *more])


TABLES = {
    "goals": lambda figures: goals_table(goals(figures), "goal, as a ratio within the run"),
    "generation": generation_table,
    "insert": insert_table,
    "rate": rate_table,
    "summary": summary_table,
    "summary_run": run_line,
}


# --- What they are for --------------------------------------------------------------------------

@dataclass(frozen=True)
class Part:
    """What is shown in a place of its own."""

    name: str
    goals: callable
    tables: dict
    documents: tuple  # that show its tables

    @property
    def experiments(self):
        return [experiment.name for experiment in experiments.ALL if experiment.part == self.name]


PARTS = (
    Part("keys", goals, TABLES, ("README.md", "bench/README.md")),
    Part("readers", reader_tables.goals, reader_tables.TABLES, ("README.md", "bench/README.md")),
    Part("estimates", estimate_tables.goals, estimate_tables.TABLES, ("bench/README.md",)),
)


def fill(text, figures, tables):
    """The text with each of these tables put where it is marked."""
    for name in re.findall(r"<!-- table (\w+) -->", text):
        if name not in tables:
            continue
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
    for part in PARTS:
        for document in part.documents:
            file = ROOT / document
            file.write_text(fill(file.read_text(), figures, part.tables))


def report(run):
    figures = Figures(run)
    measured = {row["experiment"] for row in run.rows()}
    parts = [part for part in PARTS if measured & set(part.experiments)]
    tables = [f"## {name}\n\n{make(figures)}" for part in parts for name, make in part.tables.items()]
    (run.folder / "report.md").write_text("\n\n".join(tables) + "\n")
    print(f"The tables: {run.folder}/report.md")
    for goal in [goal for part in parts for goal in part.goals(figures) if goal.measured]:
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
