#!/usr/bin/env python3
"""report.py FOLDER [FILE]: the goals and every table of a run, from its CSV, in Markdown: into FOLDER/report.md,
or into FILE between the lines <!-- table NAME --> and <!-- end -->. Prints the goals."""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import contestants
import experiments
from experiments.generation import EMPTY
from results import Run, Values, combine, median, quartiles, ratio

MISSING = "–"
# Of the insert experiment's two kinds of processor time, the one that the key decides.
IN_POSTGRES = "processor time in PostgreSQL"


# --- Figures ----------------------------------------------------------------------------------

def number(value):
    """Three significant digits, thousands apart."""
    if value is None:
        return MISSING
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:.{digits}f}"


def share(by_round):
    """A ratio with its spread over the rounds."""
    if not by_round:
        return MISSING
    lower, upper = quartiles(by_round)
    return f"{median(by_round):.2f} ({lower:.2f}–{upper:.2f})" if len(by_round) > 1 else f"{median(by_round):.2f}"


def figure(by_round):
    return number(median(by_round))


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def difference(above, below):
    return combine(lambda a, b: a - b, above, below)


class Figures:
    """What the tables and the pictures show, computed from what was measured, a value a round."""

    def __init__(self, run):
        self.run = run
        self.values = Values(run)
        self.size = {name: int(run.machine()[name]) for name in ("rows", "rounds")}

    def contestants(self, experiment):
        """Those measured, in the order of their places."""
        taking_part = next(known for known in experiments.ALL if known.name == experiment).contestants(contestants.load())
        return [contestant for contestant in taking_part if self.values.measured(experiment, contestant.name)]

    def get(self, *key):
        return self.values.by_round(*key)

    def connections(self, experiment, metric):
        """The connection counts measured with default settings."""
        return [parameter for parameter in self.values.parameters(experiment, metric) if " " not in parameter]

    def generation(self, contestant, parameter, experiment="generation"):
        """ns of wall time an id, net of the empty loop."""
        metric = "time with the loop"
        return difference(self.get(experiment, contestant, parameter, metric), self.get(experiment, EMPTY.name, parameter, metric))

    def millions(self, contestant, metric):
        """Seconds for the first and for the second million, by the clock or the processor."""
        return [self.get("insert", contestant, part, metric) for part in ("first", "second")]

    def bulk(self, contestant, metric="time"):
        """Seconds for both millions."""
        return combine(lambda a, b: a + b, *self.millions(contestant, metric))

    def growth(self, contestant, steps):
        """us a row over these steps."""
        rows = self.values.parameters("growth", "time of the step")
        if not rows:
            return {}
        step = int(rows[0].split("=")[1])
        chosen = [self.get("growth", contestant, parameter, "time of the step") for parameter in rows[steps]]
        return combine(lambda *seconds: sum(seconds) / len(seconds) / step * 1e6, *chosen)

    def reading(self, expression):
        """ns a row, net of the query over the column alone."""
        metric = "time with the query"
        return difference(self.get("reading", expression, "", metric), self.get("reading", "column", "", metric))


# --- Goals ------------------------------------------------------------------------------------

@dataclass
class Goal:
    text: str
    limit: float
    measured: dict
    at_least: bool = False

    @property
    def verdict(self):
        if not self.measured:
            return "not measured"
        value = median(self.measured)
        return "met" if (value >= self.limit if self.at_least else value <= self.limit) else "**missed**"

    @property
    def bound(self):
        return f"{'≥' if self.at_least else '≤'} {self.limit:g}"


def goals(figures):
    get, generation = figures.get, figures.generation
    one, two, eight = ("connections=1", "connections=2", "connections=8")
    found = []
    for scope in ("server", "backend"):
        text = f"generation, scope {scope}: time of uuidv7()"
        found.append(Goal(text, 0.1, ratio(generation(f"comb_{scope}", one), generation("uuidv7", one))))
    extra = difference(generation("comb_server", one), generation("comb_backend", one))
    found.append(Goal("generation: ns that scope server costs beyond backend", 10, extra))
    for name, label in (("comb_server", "scope server"), ("comb_backend", "scope backend")):
        twice = ratio(generation(name, one), generation(name, two))
        found.append(Goal(f"generation, {label}: ids of two connections together, of one's", 1.9, twice, at_least=True))
    for parameter, label in ((one, "1 connection"), (eight, "8 connections")):
        metric = "rows a second"
        rate = ratio(get("concurrent", "comb_server", parameter, metric), get("concurrent", "bigint", parameter, metric))
        found.append(Goal(f"row by row, {label}: rows a second of bigint identity's", 1, rate, at_least=True))
    for metric, label in (("time", "rows a second"), (IN_POSTGRES, f"rows a second of {IN_POSTGRES}")):
        rate = ratio(figures.bulk("uuidv7", metric), figures.bulk("comb_server", metric))
        found.append(Goal(f"in bulk: {label}, of uuidv7()'s", 1.8, rate, at_least=True))
    for metric in ("time", IN_POSTGRES):
        first, second = figures.millions("comb_server", metric)
        found.append(Goal(f"the second million: {metric}, of the first's", 1.05, ratio(second, first)))
    index = ratio(*(get("insert", name, "", "index of the key") for name in ("comb_server", "random")))
    found.append(Goal("index: size of gen_random_uuid()'s", 0.80, index))
    wal = ratio(*(get("insert", name, "first", "WAL") for name in ("comb_server", "random")))
    found.append(Goal("WAL of the first million: bytes of gen_random_uuid()'s", 0.97, wal))
    for name, label in (("uniqueidentifier", "uniqueidentifier"), ("uuid_mssql_ops", "uuid_mssql_ops")):
        for metric in ("sort", "index"):
            of_uuid = ratio(get("order", name, "", metric), get("order", "uuid", "", metric))
            found.append(Goal(f"SQL Server's order, {label}, {metric}: time of uuid's", 1.1, of_uuid))
    for name, label in (("mssql", "uniqueidentifier"), ("mssql_ops", "uuid_mssql_ops")):
        found.append(Goal(f"SQL Server's order, {label}, insert: time of uuid's", 1.1, ratio(figures.bulk(name), figures.bulk("comb_server"))))
    return found


def goals_table(figures):
    return table(
        ["goal, as a ratio within the run", "goal", "measured (spread)", ""],
        [[goal.text, goal.bound, share(goal.measured), goal.verdict] for goal in goals(figures)],
    )


# --- Tables -----------------------------------------------------------------------------------

def machine_table(figures):
    hidden = {"contestants", "extension's checksum", "quick"}
    return table(["", ""], [[what, value] for what, value in figures.run.machine().items() if what not in hidden]).replace("---:", "---")


def generation_table(figures):
    parameters = figures.connections("generation", "time with the loop")
    rows = []
    for contestant in figures.contestants("generation"):
        if contestant == EMPTY:
            continue
        net = [figures.generation(contestant.name, parameter) for parameter in parameters]
        to_uuidv7 = ratio(net[0], figures.generation("uuidv7", parameters[0]))
        rows.append([contestant.label, share(to_uuidv7), *map(figure, net)])
    heads = [f"ns an id, {parameter.split('=')[1]} conn." for parameter in parameters]
    return table(["", "of uuidv7()", *heads], rows)


def scaling_table(figures):
    parameters = figures.connections("generation", "time with the loop")
    rows = []
    for contestant in figures.contestants("generation"):
        if contestant == EMPTY:
            continue
        one, *more = (figures.generation(contestant.name, parameter) for parameter in parameters)
        rows.append([contestant.label, figure(combine(lambda ns: 1e3 / ns, one)), *(share(ratio(one, net)) for net in more)])
    heads = [f"{parameter.split('=')[1]} conn." for parameter in parameters[1:]]
    return table(["", "million ids a second, 1 conn.", *heads], rows)


def layouts_table(figures):
    parameter = "connections=1"
    rows = []
    for contestant in figures.contestants("layouts"):
        if contestant == EMPTY:
            continue
        net = figures.generation(contestant.name, parameter, "layouts")
        to_uuidv7 = ratio(net, figures.generation("uuidv7", parameter, "layouts"))
        rows.append([f"`{contestant.label}`", share(to_uuidv7), figure(net)])
    return table(["", "of `comb_new()`", "ns an id"], rows)


def millions_table(figures, heads, metric, *more):
    """Both millions by a metric, beside two others' and in seconds; in seconds by more of them."""
    rows = []
    for contestant in figures.contestants("insert"):
        first, second = figures.millions(contestant.name, metric)
        bulk = figures.bulk(contestant.name, metric)
        to_others = [share(ratio(bulk, figures.bulk(other, metric))) for other in ("bigint", "random")]
        others = [seconds for name in more for seconds in figures.millions(contestant.name, name)]
        rows.append([contestant.label, *to_others, share(ratio(second, first)), *map(figure, (first, second, *others))])
    return table([*heads[:2], "of gen_random_uuid()'s", "second of first", "first, s", "second, s", *heads[2:]], rows)


def insert_table(figures):
    return millions_table(figures, ["", "time of bigint's"], "time")


def processor_table(figures):
    heads = ["in PostgreSQL", "of bigint's", "in the system, first, s", "in the system, second, s"]
    return millions_table(figures, heads, IN_POSTGRES, "processor time in the system")


def index_table(figures):
    rows = []
    for contestant in figures.contestants("insert"):
        def of(parameter, metric, name=contestant.name):
            return figures.get("insert", name, parameter, metric)

        size, all_indexes = of("", "index of the key"), of("", "all indexes")
        rows.append([
            contestant.label,
            share(ratio(all_indexes, of("", "all indexes", "random"))),
            figure(size),
            figure(all_indexes),
            figure(of("", "leaf density")),
            figure(of("", "leaf fragmentation")),
        ])
    return table(["", "indexes of gen_random_uuid()'s", "key's index, bytes a row", "all indexes, bytes a row", "leaf density, %", "fragmentation, %"], rows)


def wal_table(figures):
    rows = []
    for contestant in figures.contestants("insert"):
        def of(parameter, metric, name=contestant.name):
            return figures.get("insert", name, parameter, metric)

        after = "after a checkpoint"
        rows.append([
            contestant.label,
            share(ratio(of("first", "WAL"), of("first", "WAL", "random"))),
            share(ratio(of(after, "WAL"), of(after, "WAL", "random"))),
            *(figure(of(part, "WAL")) for part in ("first", "second", after)),
            figure(of(after, "full-page images")),
            figure(of(after, "buffers dirtied")),
        ])
    heads = ["first million of gen_random_uuid()'s", "after a checkpoint of its", "first, bytes a row", "second", "after a checkpoint"]
    return table(["", *heads, "full-page images a 1000 rows", "buffers dirtied a 1000 rows"], rows)


def growth_table(figures):
    steps = len(figures.values.parameters("growth", "time of the step"))
    if not steps:
        return ""
    tenth = steps // 10
    rows = []
    for contestant in figures.contestants("growth"):
        first, last = figures.growth(contestant.name, slice(0, tenth)), figures.growth(contestant.name, slice(-tenth, None))
        to_bigint = ratio(last, figures.growth("bigint", slice(-tenth, None)))
        table_bytes = combine(lambda size: size / 2**20, figures.get("growth", contestant.name, "", "table at the end"))
        rows.append([contestant.label, share(ratio(last, first)), share(to_bigint), figure(first), figure(last), figure(table_bytes)])
    return table(["", "last tenth of first", "last tenth of bigint's", "first tenth, us a row", "last tenth, us a row", "table at the end, MB"], rows)


def rate_table(figures):
    metric = "rows a second"
    parameters = figures.values.parameters("concurrent", metric)
    rows = []
    for contestant in figures.contestants("concurrent"):
        rates = [(figures.get("concurrent", contestant.name, parameter, metric), figures.get("concurrent", "bigint", parameter, metric)) for parameter in parameters]
        rows.append([contestant.label, *(f"{share(ratio(rate, bigint))}<br>{figure(rate)}" for rate, bigint in rates)])
    return table(["of bigint's, and rows a second", *map(connections_head, parameters)], rows)


def latency_table(figures):
    parameters = figures.values.parameters("concurrent", "latency p50")
    rows = []
    for contestant in figures.contestants("concurrent"):
        cells = [
            " / ".join(figure(figures.get("concurrent", contestant.name, parameter, f"latency p{percent}")) for percent in (50, 95, 99))
            for parameter in parameters
        ]
        rows.append([contestant.label, *cells])
    return table(["us, median / p95 / p99", *map(connections_head, parameters)], rows)


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
    return table(["of gen_random_uuid()'s, and us a row", "any key", "newest keys", "range of time by `created_at`", "range of time by the key", "join on the key"], rows)


def order_table(figures):
    rows = []
    for contestant in figures.contestants("order"):
        cells = []
        for metric in ("sort", "index"):
            time = figures.get("order", contestant.name, "", metric)
            cells += [share(ratio(time, figures.get("order", "uuid", "", metric))), figure(time)]
        rows.append([contestant.label, *cells])
    return table(["", "sort of uuid's", "sort, s", "index build of uuid's", "index build, s"], rows)


def reading_table(figures):
    rows = []
    for contestant in figures.contestants("reading"):
        whole = figures.get("reading", contestant.name, "", "time with the query")
        net = figures.reading(contestant.name)
        theirs = figures.get("reading", "uuid_extract_timestamp", "", "time with the query")
        rows.append([f"`{contestant.label}`", share(ratio(whole, theirs)), figure(whole), figure(net)])
    return table(["", "query of `uuid_extract_timestamp()`'s", "query, ns a row", "net, ns a row"], rows)


TABLES = {
    "goals": goals_table,
    "machine": machine_table,
    "generation": generation_table,
    "scaling": scaling_table,
    "layouts": layouts_table,
    "insert": insert_table,
    "processor": processor_table,
    "index": index_table,
    "wal": wal_table,
    "growth": growth_table,
    "rate": rate_table,
    "latency": latency_table,
    "lookup": lookup_table,
    "order": order_table,
    "reading": reading_table,
}


def fill(text, figures):
    """The text with each table put where it is marked."""
    for name in re.findall(r"<!-- table (\w+) -->", text):
        block = rf"(<!-- table {name} -->\n).*?(<!-- end -->)"
        made = TABLES[name](figures)
        text, count = re.subn(block, lambda found: f"{found[1]}{made}\n{found[2]}", text, flags=re.DOTALL)
        if count != 1:
            sys.exit(f"error: the table {name} is marked {count} times, or has no end")
    return text


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    figures = Figures(Run(sys.argv[1]))
    if len(sys.argv) == 3:
        file = Path(sys.argv[2])
        file.write_text(fill(file.read_text(), figures))
    else:
        file = figures.run.folder / "report.md"
        file.write_text("\n\n".join(f"## {name}\n\n{make(figures)}" for name, make in TABLES.items()) + "\n")
    for goal in goals(figures):
        print(f"{goal.verdict.strip('*'):13} {goal.bound:7} {share(goal.measured):20} {goal.text}")


if __name__ == "__main__":
    main()
