"""The table of README.md: a few figures of the keys, each as how many times better than uuidv7() it is."""

from figures import MISSING, number, table
from results import combine, median, ratio

KEYS = {
    "comb": "`comb_new()`",
    "uuidv7": "`uuidv7()`",
    "client": "version 7 of a client",
    "bigint": "`bigint` identity",
    "random": "`gen_random_uuid()`",
}


def summary_table(figures):
    millions = 2 * figures.size["rows"]

    def bulk(key):
        return combine(lambda seconds: seconds / millions * 1e6, figures.bulk(key))

    def rate(parameter):
        return lambda key: figures.get("concurrent", key, parameter, "rows a second")

    def index(key):
        return figures.get("insert", key, "", "index of the key")

    def log(key):
        return figures.get("insert", key, "second", "write-ahead log")

    def log_after_checkpoint(key):
        return figures.get("large", key, "", "write-ahead log")

    rows = [
        ("Generate a key", "ns", lambda key: figures.generation(key, "connections=1"), False),
        ("Load a million rows, per row", "µs", bulk, False),
        ("Single-row inserts, 1 connection", "/s", rate("connections=1 synchronous_commit=on"), True),
        ("Single-row inserts, 8 connections", "/s", rate("connections=8 synchronous_commit=on"), True),
        ("Index, per row", "bytes", index, False),
        ("Write-ahead log, per row", "bytes", log, False),
        (f"the same, {figures.size['rows'] // 10:,} rows into {figures.size['rows'] * 10:,} after a checkpoint", "bytes", log_after_checkpoint, False),
    ]
    rows = [row for row in rows if any(row[2](key) for key in KEYS)]
    return table(["measured", *KEYS.values()], [[head, *cells(unit, of, more)] for head, unit, of, more in rows])


def cells(unit, of, more):
    values = {key: of(key) for key in KEYS}
    for key, value in values.items():
        if not value:
            yield MISSING
        elif not values["uuidv7"]:
            yield f"{number(median(value))} {unit}"
        elif key == "uuidv7":
            yield f"1 ({number(median(value))} {unit})"
        else:
            better = ratio(value, values["uuidv7"]) if more else ratio(values["uuidv7"], value)
            yield f"{number(median(better))} ({number(median(value))} {unit})"
