"""The table of README.md: a few figures of the keys, each with its ratio to uuidv7()'s."""

from figures import MISSING, number, table
from results import combine, median, ratio

KEYS = {"bigint": "`bigint` identity", "comb_server": "`comb_new()`", "uuidv7": "`uuidv7()`", "random": "`gen_random_uuid()`"}


def summary_table(figures):
    millions = 2 * figures.size["rows"]

    def bulk(key):
        return combine(lambda seconds: seconds / millions * 1e6, figures.bulk(key))

    def rate(parameter):
        return lambda key: figures.get("concurrent", key, parameter, "rows a second")

    def index(key):
        return figures.get("insert", key, "", "index of the key")

    rows = [
        ("Generate a key, 1 connection", "ns", lambda key: figures.generation(key, "connections=1")),
        ("Bulk load: 2 statements of 1 million rows", "µs/row", bulk),
        ("Row by row, 1 connection", "rows/s", rate("connections=1 synchronous_commit=on")),
        ("Row by row, 8 connections", "rows/s", rate("connections=8 synchronous_commit=on")),
        ("Index of the key", "bytes/row", index),
    ]
    return table(["measured", "unit", *KEYS.values()], [[head, unit, *cells(of)] for head, unit, of in rows])


def cells(of):
    values = {key: of(key) for key in KEYS}
    for key, value in values.items():
        if not value:
            yield MISSING
        elif key == "uuidv7":
            yield f"{number(median(value))} (1)"
        else:
            yield f"{number(median(value))} ({median(ratio(value, values['uuidv7'])):.2f})"
