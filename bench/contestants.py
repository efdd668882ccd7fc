"""The contestants, in the order of the tables."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Contestant:
    name: str
    label: str
    call: str = ""  # the expression that generates one id
    columns: str = ""  # of a table that has it as its key
    index: str = ""  # what such a table needs besides, {table} being its name

    def create_table(self, table):
        statements = [f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({self.columns}, payload text)"]
        return statements + ([self.index.replace("{table}", table)] if self.index else [])


def uuid(name, label, call, default=""):
    """As a plain uuid. Without a call, it is only inserted."""
    return Contestant(name, label, call, f"id uuid PRIMARY KEY DEFAULT {call or default}")


ALL = [
    # The key that needs no extension and is the smallest.
    Contestant("bigint", "bigint identity", "nextval('bench_sequence')", "id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    uuid("random", "gen_random_uuid()", "gen_random_uuid()"),
    # What Guid.CreateVersion7() and others generate in a client: 48 bits of milliseconds, the rest random.
    uuid("client", "version 7 of a client", "comb_set_timestamp(gen_random_uuid(), clock_timestamp())"),
    uuid("uuidv7", "uuidv7()", "uuidv7()"),
    uuid("comb", "comb_new()", "comb_new()"),
    # SQL Server's COMB: in SQL Server's order by its type and by its index; and what happens without that order.
    Contestant(
        "mssql",
        "comb_new_mssql(), uniqueidentifier",
        "comb_new_mssql()",
        "id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql()",
    ),
    Contestant(
        "mssql_ops",
        "comb_new_mssql(), uuid_mssql_ops",
        columns="id uuid NOT NULL DEFAULT comb_new_mssql()",
        index="CREATE UNIQUE INDEX ON {table} (id uuid_mssql_ops)",
    ),
    uuid("mssql_plain", "comb_new_mssql(), plain uuid", "", "comb_new_mssql()"),
    # The kinds of jhtodd's SequentialGuid. The first one is in order; the last one only in SQL Server's order.
    uuid("as_string", "SequentialAsString", "", "comb_new('sequential_as_string')"),
    uuid("as_binary", "SequentialAsBinary", "", "comb_new('sequential_as_binary')"),
    uuid("at_end", "SequentialAtEnd", "", "comb_new('sequential_at_end')"),
]


def in_turn(contestants, turn):
    """Their order in that turn. Over as many turns as there are contestants each comes at each place once and,
    where their number is even, after each of the others once: 0 1 n-1 2 n-2 ..., all moved on by the turn."""
    count = len(contestants)
    order = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(count)]
    return [contestants[(number + turn) % count] for number in order]
