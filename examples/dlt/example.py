"""dlt: sql_table with a cursor, without and with the horizon in its query."""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import dlt
from dlt.sources.sql_database import sql_table
from sqlalchemy import text

import tool

URL = os.environ["DATABASE_URL"]


# comb: callback
def settled(query, table):
    return query.where(text("position <= comb_number_horizon('events')"))
# end


def without_horizon():
    return sql_table(URL, table="events", incremental=dlt.sources.incremental("position"))


def with_horizon():
    return sql_table(
        URL, table="events", incremental=dlt.sources.incremental("position"), query_adapter_callback=settled
    )


def run(source):
    found = []

    @dlt.destination(name="collect", batch_size=1000)
    def collect(items, table):
        found.extend(item["position"] for item in items)

    # It stores the cursor.
    directory = os.environ["EXAMPLE_CACHE"] + "/pipelines"
    dlt.pipeline(source.__name__, destination=collect, pipelines_dir=directory).run(source())
    return found


if __name__ == "__main__":
    # Each pipeline has a process: two cannot run in the threads of one.
    with ProcessPoolExecutor(1, get_context("spawn")) as one, ProcessPoolExecutor(1, get_context("spawn")) as other:
        copies = [lambda: one.submit(run, without_horizon).result(), lambda: other.submit(run, with_horizon).result()]
        right = tool.check("dlt", dlt.__version__, copies)
    sys.exit(not right)
