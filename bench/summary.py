"""The table of README.md: a few figures of the keys, each with its ratio to uuidv7()'s."""

from figures import MISSING, number, table
from results import combine, median, ratio

KEYS = {"bigint": "`bigint` identity", "comb_server": "`comb_new()`", "uuidv7": "`uuidv7()`", "random": "`gen_random_uuid()`"}


def summary_table(figures):
    millions, tenth = 2 * figures.size["rows"], len(figures.values.parameters("growth", "time of the step")) // 10

    def bulk(key):
        return combine(lambda seconds: seconds / millions * 1e6, figures.bulk(key))

    def last(key):
        return figures.growth(key, slice(-tenth, None))

    def rate(parameter):
        return lambda key: figures.get("concurrent", key, parameter, "rows a second")

    def size(parameter, metric):
        return lambda key: figures.get("insert", key, parameter, metric)

    rows = [
        ("Generate a key, 1 connection", "ns", lambda key: figures.generation(key, "connections=1")),
        ("Bulk load: 2 statements of 1 million rows", "µs/row", bulk),
        ("Bulk load: the last 300,000 of 3 million rows", "µs/row", last),
    ]
    for connections in (1, 8):
        for commit in ("on", "off"):
            parameter = f"connections={connections}" + (" synchronous_commit=on" if commit == "on" else "")
            head = f"Row by row, {connections} connection{'s' if connections > 1 else ''}, `synchronous_commit = {commit}`"
            rows.append((head, "rows/s", rate(parameter)))
    rows.append(("Index of the key", "bytes/row", size("", "index of the key")))
    rows.append(("Write-ahead log after a checkpoint", "bytes/row", size("after a checkpoint", "WAL")))
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
