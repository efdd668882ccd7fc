"""How large a run is: everything that its parameters decide."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    quick: bool
    rows: int  # "a million", of which every other number of rows is a multiple
    connections: tuple  # of the concurrent inserts; generation takes those up to 16
    rounds: int

    @classmethod
    def from_environment(cls):
        quick = os.environ.get("QUICK", "") not in ("", "0")
        rows = int(os.environ.get("ROWS") or (100_000 if quick else 1_000_000))
        connections = os.environ.get("CONNECTIONS") or ("1 2 8" if quick else "1 2 4 8 16 32")
        rounds = int(os.environ.get("ROUNDS") or (2 if quick else 5))
        size = cls(quick, rows, tuple(int(number) for number in connections.replace(",", " ").split()), rounds)
        if size.rows < 1000 or size.rounds < 1 or not size.connections or min(size.connections) < 1:
            raise ValueError("ROWS must be 1000 or more, ROUNDS and CONNECTIONS 1 or more")
        return size

    @property
    def generation_connections(self):
        return [number for number in self.connections if number <= 16]

    @property
    def half_rounds(self):
        """For the measurements that take long and vary little."""
        return (self.rounds + 1) // 2

    @property
    def ids_per_query(self):
        return 50_000

    @property
    def generation_seconds(self):
        return 1

    @property
    def concurrent_seconds(self):
        return 1 if self.quick else 2

    @property
    def growth_step(self):
        return self.rows // 10

    @property
    def growth_steps(self):
        return 30

    @property
    def checkpoint_rows(self):
        return self.rows // 10

    @property
    def lookup_rows(self):
        return 2 * self.rows

    @property
    def lookups(self):
        return self.rows // 20

    @property
    def sorted_rows(self):
        return 3 * self.rows

    @property
    def read_rows(self):
        return 3 * self.rows

    def shared_buffers(self, memory):
        """In kB. `large` holds the tables that are measured with it; `small` is several times smaller than those
        of growth and lookup, as production's memory is beside its tables."""
        return 2 * 1024 * 1024 if memory == "large" else max(1024, self.rows * 64 // 1000)

    def settings(self, memory):
        """What the server of these experiments is started with, beyond what bench.sh gives both."""
        values = {"shared_buffers": f"{self.shared_buffers(memory)}kB"}
        if memory == "large":
            # No checkpoint but those that are asked for, and sorts in memory: what is measured is the key.
            values |= {"max_wal_size": "16GB", "checkpoint_timeout": "1h", "work_mem": "1GB", "maintenance_work_mem": "1GB"}
            # What warm_up() has written stays to be used again.
            values |= {"min_wal_size": f"{max(80, self.warm_up_megabytes)}MB"}
        else:
            # PostgreSQL's own, as a table that grows in production meets them.
            values |= {"max_wal_size": "1GB", "checkpoint_timeout": "5min", "work_mem": "4MB", "maintenance_work_mem": "64MB"}
            values |= {"min_wal_size": "80MB"}
        return values

    @property
    def warm_up_megabytes(self):
        return self.rows * 2048 // 1_000_000

    def as_rows(self):
        return {
            "quick": str(int(self.quick)),
            "rows": str(self.rows),
            "connections": " ".join(map(str, self.connections)),
            "rounds": str(self.rounds),
        }
