"""The contestants: one small file each in contestants/, in the order of their numbers."""

import configparser
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "contestants"


@dataclass(frozen=True)
class Contestant:
    name: str
    label: str
    call: str = ""  # the expression that makes one id
    columns: str = ""  # of a table that has it as its key
    index: str = ""  # what such a table needs besides, {table} being its name
    settings: str = ""  # SETTING=VALUE of every connection
    extension: str = ""  # without which it is left out
    prepare: str = ""  # SQL to run once
    experiments: tuple = field(default=())

    def create_table(self, table, more_columns=""):
        statements = [f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({self.columns}, {more_columns}payload text)"]
        if self.index:
            statements.append(self.index.replace("{table}", table))
        return statements


def load():
    found = []
    for path in sorted(FOLDER.glob("*.ini")):
        parser = configparser.ConfigParser(interpolation=None)
        parser.read(path)
        values = dict(parser["contestant"])
        values["experiments"] = tuple(values["experiments"].split())
        found.append(Contestant(name=path.stem.split("_", 1)[1], **values))
    return found


def in_turn(contestants, turn):
    """Their order in that turn. Over as many turns as there are contestants each comes at each place once and,
    where their number is even, after each of the others once: 0 1 n-1 2 n-2 ..., all moved on by the turn."""
    count = len(contestants)
    order = [(place + 1) // 2 if place % 2 else -(place // 2) for place in range(count)]
    return [contestants[(number + turn) % count] for number in order]
