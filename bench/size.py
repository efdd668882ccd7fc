"""How large a run is: everything that its parameters decide."""

import os
from dataclasses import dataclass

# Two servers over the same data, one after the other: one that holds its tables in memory; one that programs read from while
# others write.
SERVERS = ("large", "outbox")


def numbers(name, default, least=1, one=True):
    """Those in a variable of the environment."""
    words = (os.environ.get(name) or default).replace(",", " ").split()
    if not all(word.isdecimal() and int(word) >= least for word in words) or (one and len(words) != 1) or not words:
        raise ValueError(f"{name} has to be {'a number' if one else 'numbers'} of {least} or more")
    return tuple(int(word) for word in words)


@dataclass(frozen=True)
class Size:
    quick: bool
    rows: int  # "a million", of which every other number of rows is a multiple
    connections: tuple
    rounds: int
    writers: int  # of the outbox that is read

    @classmethod
    def from_environment(cls):
        quick = os.environ.get("QUICK", "") not in ("", "0")
        (rows,) = numbers("ROWS", "100000" if quick else "1000000", least=10_000)
        (rounds,) = numbers("ROUNDS", "2" if quick else "5")
        connections = numbers("CONNECTIONS", "1 2 8" if quick else "1 2 8 16", one=False)
        (writers,) = numbers("WRITERS", "8")
        return cls(quick, rows, connections, rounds, writers)

    @property
    def twice_rounds(self):
        """For what differs most from one time to the next."""
        return self.rounds if self.quick else 2 * self.rounds

    @property
    def large_rows(self):
        return 10 * self.rows

    @property
    def disk_gigabytes(self):
        """All tables of both servers at once, and the write-ahead log that is kept: of a million rows 6 were seen before there were
        large tables, which need 4, and as much for their log."""
        return 2 + 16 * self.rows // 1_000_000

    @property
    def warm_up_megabytes(self):
        return self.rows * 2048 // 1_000_000

    def settings(self, kind):
        """What the server of that kind is started with, beyond what bench.sh gives all."""
        if kind == "large":
            # No checkpoint but those that are asked for, and sorts in memory: what is measured is the key. What warm_up() has
            # written stays to be used again.
            return {"max_wal_size": "16GB", "checkpoint_timeout": "1h", "work_mem": "1GB", "maintenance_work_mem": "1GB"} | {
                "min_wal_size": f"{max(80, self.warm_up_megabytes)}MB"
            }
        # PostgreSQL's own, as a table that grows in production meets them. Logical decoding is one of the ways to read, and each
        # commit's time is what a reader's delay counts from.
        return {"max_wal_size": "1GB", "checkpoint_timeout": "5min", "work_mem": "4MB", "maintenance_work_mem": "64MB"} | {
            "min_wal_size": "80MB", "wal_level": "logical", "track_commit_timestamp": "on", "max_connections": "650"
        }
