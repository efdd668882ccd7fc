"""Reading the moments of 3 million stored ids; net of the same query over the column alone."""

from contestants import Contestant
from experiments.base import Experiment

EXPRESSIONS = {
    "column": "v7",
    "uuid_extract_timestamp": "uuid_extract_timestamp(v7)",
    "comb_timestamp": "comb_timestamp(v7)",
    "comb_timestamp_by_label": "comb_timestamp(v7, 'uuidv7')",
    "comb_timestamp_micros": "comb_timestamp_micros(v7)",
    "comb_timestamp_mssql": "comb_timestamp_mssql(mssql)",
    "comb_timestamp_mssql_by_label": "comb_timestamp(mssql, 'mssql')",
}


class Reading(Experiment):
    name = "reading"

    def contestants(self, contestants):
        return [Contestant(name, call, call=call) for name, call in EXPRESSIONS.items()]

    def prepare(self, server, contestant, size):
        """The table comes with the first, and into memory."""
        if contestant.name != "column":
            return
        server.sql(
            f"CREATE TABLE ids AS SELECT comb_new() AS v7, comb_new_mssql() AS mssql FROM generate_series(1, {size.read_rows})",
            "VACUUM (FREEZE, ANALYZE) ids",
            "SELECT pg_prewarm('ids')",
        )

    def measure(self, server, contestant, case, size):
        (seconds,) = server.seconds(f"SELECT count({contestant.call}) FROM ids")
        return [("", "time with the query", "ns a row", seconds * 1e9 / size.read_rows)]
