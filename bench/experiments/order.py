"""Sorting and index building in SQL Server's order beside uuid's own, on ids that are as sequential in it and
lie as shuffled. (Inserting in it: the experiment insert.)"""

from contestants import Contestant
from experiments.base import Experiment

# name: how it sorts, what is sorted, what is indexed.
ORDERS = {
    "uuid": ("uuid", "in_uuid ORDER BY id", "in_uuid (id)"),
    "uniqueidentifier": ("uniqueidentifier", "in_mssql ORDER BY guid", "in_mssql (guid)"),
    "uuid_mssql_ops": ("uuid, uuid_mssql_ops", "in_mssql ORDER BY id USING <#", "in_mssql (id uuid_mssql_ops)"),
}


class Order(Experiment):
    name = "order"

    def contestants(self, contestants):
        return [Contestant(name, label) for name, (label, _, _) in ORDERS.items()]

    def prepare(self, server, contestant, size):
        """Both tables come with the first."""
        if contestant.name != "uuid":
            return
        ids = f"FROM generate_series(1, {size.sorted_rows})"
        server.sql(
            f"CREATE TABLE in_uuid AS SELECT id FROM (SELECT comb_new() AS id {ids}) ids ORDER BY random()",
            f"""CREATE TABLE in_mssql AS SELECT id, id::uniqueidentifier AS guid
                FROM (SELECT comb_new_mssql() AS id {ids}) ids ORDER BY random()""",
            "VACUUM (FREEZE, ANALYZE) in_uuid, in_mssql",
        )

    def measure(self, server, contestant, case, size):
        _, rows, indexed = ORDERS[contestant.name]
        column = rows.split(" ORDER BY ")[1].split()[0]
        # OFFSET past the end: all is sorted and nothing sent.
        (sort,) = server.seconds(f"SELECT {column} FROM {rows} OFFSET {size.sorted_rows}")
        server.sql("CHECKPOINT")
        (index,) = server.seconds(f"CREATE INDEX built ON {indexed}")
        server.sql("DROP INDEX built")
        return [("", "sort", "s", sort), ("", "index", "s", index)]
