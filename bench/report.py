#!/usr/bin/env python3
"""report.py FOLDER: writes all tables of a run into FOLDER/report.md, and prints the goals.
report.py FOLDER --publish PART...: copies the measurements of these parts (PARTS) into bench/published/, and writes their tables
into the documents, between the lines <!-- table NAME --> and <!-- end -->."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import estimate_tables
import experiments
import reader_tables
from experiments.generation import EMPTY
from figures import MISSING, Figures, Goal, difference, figure, goals_table, run_line, share, table
from results import Run, combine, ratio
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
    for name, label in (("uniqueidentifier", "uniqueidentifier"), ("uuid_mssql_ops", "uuid_mssql_ops")):
        for metric in ("sort", "index"):
            of_uuid = ratio(get("order", name, "", metric), get("order", "uuid", "", metric))
            found.append(Goal(f"SQL Server's order, {label}, {metric}: time, relative to uuid", 1.1, of_uuid))
    for name, label in (("mssql", "uniqueidentifier"), ("mssql_ops", "uuid_mssql_ops")):
        found.append(Goal(f"SQL Server's order, {label}, insert: time, relative to uuid", 1.1, ratio(figures.bulk(name), figures.bulk("comb_server"))))
    return found


# --- The tables of keys -----------------------------------------------------------------------------------

def machine_table(figures):
    hidden = {"contestants", "extension's checksum", "quick"}
    rows = [[what, value] for what, value in figures.run.machine().items() if what not in hidden and not what.endswith("server)")]
    return table(["property", "value"], rows).replace("---:", "---")


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


def index_table(figures):
    rows = []
    for contestant in figures.contestants("insert"):
        def of(parameter, metric, name=contestant.name):
            return figures.get("insert", name, parameter, metric)

        after = "after a checkpoint"
        rows.append([
            contestant.label,
            share(ratio(of("", "all indexes"), of("", "all indexes", "random"))),
            *(figure(of("", metric)) for metric in ("index of the key", "all indexes", "leaf density")),
            share(ratio(of(after, "WAL"), of(after, "WAL", "random"))),
            *(figure(of(part, "WAL")) for part in ("first", "second", after)),
        ])
    heads = ["indexes relative to gen_random_uuid()", "key's index, bytes per row", "all indexes", "leaf density, %"]
    wal = ["WAL after a checkpoint relative to gen_random_uuid()", "first million, bytes per row", "second", "after a checkpoint"]
    return table(["contestant", *heads, *wal], rows)


def switch_goals(figures):
    index = ratio(*(figures.get("switch", name, "", "index of the key") for name in ("time_order", "plain")))
    found = [Goal("new keys after random ones, uuid_time_ops: index, relative to the plain one", 0.78, index)]
    for metric in ("time", IN_POSTGRES):
        time = ratio(*(figures.get("switch", name, "new keys", metric) for name in ("time_order", "own_table")))
        found.append(Goal(f"new keys after random ones, uuid_time_ops: {metric}, relative to a separate table", 1.1, time))
    return found


def switch_table(figures):
    rows = []
    for contestant in figures.contestants("switch"):
        def of(parameter, metric, name=contestant.name):
            return figures.get("switch", name, parameter, metric)

        key, seconds = "index of the key", of("new keys", "time")
        rows.append([
            contestant.label,
            share(ratio(seconds, of("new keys", "time", "own_table"))),
            figure(seconds),
            figure(of("new keys", IN_POSTGRES)),
            # That of the separate table has half of the rows.
            share(ratio(of("", key), of("", key, "plain"))) if contestant.name != "own_table" else MISSING,
            figure(of("", key)),
            figure(of("", "leaf density")),
            figure(of("new keys", "WAL")),
        ])
    heads = ["time relative to a separate table", "time, s", "in PostgreSQL, s", "index relative to the plain one", "index, bytes per row", "leaf density, %"]
    return table(["new keys", *heads, "WAL, bytes per row"], rows)


def growth_table(figures):
    steps = len(figures.values.parameters("growth", "time of the step"))
    tenth = steps // 10
    rows = []
    for contestant in figures.contestants("growth"):
        first, last = figures.growth(contestant.name, slice(0, tenth)), figures.growth(contestant.name, slice(-tenth, None))
        to_bigint = ratio(last, figures.growth("bigint", slice(-tenth, None)))
        table_bytes = combine(lambda size: size / 2**20, figures.get("growth", contestant.name, "", "table at the end"))
        rows.append([contestant.label, share(ratio(last, first)), share(to_bigint), figure(first), figure(last), figure(table_bytes)])
    return table(["contestant", "last tenth relative to first", "last tenth relative to bigint", "first tenth, µs per row", "last tenth, µs per row", "table at the end, MB"], rows)


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


def lookup_table(figures):
    columns = ["any key", "newest keys", "range of created_at", "range of the key"]
    rows = []
    for contestant in figures.contestants("lookup"):
        cells = []
        for parameter in columns:
            time = figures.get("lookup", contestant.name, parameter, "time")
            of_random = "range of created_at" if parameter.startswith("range") else parameter
            to_random = ratio(time, figures.get("lookup", "random", of_random, "time"))
            cells.append(f"{share(to_random)}<br>{figure(time)}" if time else MISSING)
        join = figures.get("lookup", contestant.name, "join", "time")
        to_random = ratio(join, figures.get("lookup", "random", "join", "time"))
        cells.append(f"{share(to_random)}<br>{figure(join)} s, {figures.values.text('lookup', contestant.name, 'join', 'plan')}")
        rows.append([contestant.label, *cells])
    return table(["relative to gen_random_uuid(), and µs per row", "any key", "newest keys", "range of time by `created_at`", "range of time by the key", "join on the key"], rows)


def order_table(figures):
    rows = []
    for contestant in figures.contestants("order"):
        cells = []
        for metric in ("sort", "index"):
            time = figures.get("order", contestant.name, "", metric)
            cells += [share(ratio(time, figures.get("order", "uuid", "", metric))), figure(time)]
        rows.append([contestant.label, *cells])
    return table(["order", "sort relative to uuid", "sort, s", "index build relative to uuid", "index build, s"], rows)


TABLES = {
    "goals": lambda figures: goals_table(goals(figures), "goal, as a ratio within the run"),
    "machine": machine_table,
    "generation": generation_table,
    "insert": insert_table,
    "index": index_table,
    "growth": growth_table,
    "rate": rate_table,
    "lookup": lookup_table,
    "order": order_table,
    "summary": summary_table,
    "summary_run": run_line,
}


SWITCH_TABLES = {
    "switch_goals": lambda figures: goals_table(switch_goals(figures), "goal, as a ratio within the run"),
    "switch_run": run_line,
    "switch": switch_table,
}


# --- What they are for --------------------------------------------------------------------------

@dataclass(frozen=True)
class Part:
    """What is shown in a place of its own."""

    name: str
    goals: callable
    tables: dict
    folder: str  # where its CSV is published
    documents: tuple  # that show its tables

    @property
    def experiments(self):
        return [experiment.name for experiment in experiments.ALL if experiment.part == self.name]

    @property
    def servers(self):
        return {experiment.server for experiment in experiments.ALL if experiment.part == self.name}


PARTS = {
    part.name: part
    for part in (
        Part("keys", goals, TABLES, "bench/published", ("README.md", "bench/README.md")),
        Part("switch", switch_goals, SWITCH_TABLES, "bench/published/switch", ("bench/README.md",)),
        Part("readers", reader_tables.goals, reader_tables.TABLES, "bench/published/readers", ("README.md", "bench/README.md")),
        Part("estimates", estimate_tables.goals, estimate_tables.TABLES, "bench/published/estimates", ("bench/README.md",)),
    )
}


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


def publish(run, part):
    folder = ROOT / part.folder
    if not run.copy(folder, part.experiments, part.servers):
        sys.exit(f"error: {run.folder} has no measurement of {', '.join(part.experiments)}")
    figures = Figures(Run(folder))
    for document in part.documents:
        file = ROOT / document
        file.write_text(fill(file.read_text(), figures, part.tables))


def report(run):
    figures = Figures(run)
    measured = {row["experiment"] for row in run.rows()}
    parts = [part for part in PARTS.values() if measured & set(part.experiments)]
    tables = [f"## {name}\n\n{make(figures)}" for part in parts for name, make in part.tables.items()]
    (run.folder / "report.md").write_text("\n\n".join(tables) + "\n")
    print(f"The tables: {run.folder}/report.md")
    for goal in [goal for part in parts for goal in part.goals(figures) if goal.measured]:
        print(f"{goal.verdict.strip('*'):13} {goal.bound:7} {share(goal.measured):20} {goal.text}")


def main():
    match sys.argv[1:]:
        case [folder]:
            report(Run(folder))
        case [folder, "--publish", *parts] if parts and set(parts) <= set(PARTS):
            for part in parts:
                publish(Run(folder), PARTS[part])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
