#!/usr/bin/env python3
"""run.py disk: the GB that this size of a run needs.
run.py servers: the kinds of server, in the order in which they come.
run.py settings KIND: the settings of that server, SETTING=VALUE a line.
run.py begin: readies the server's database; prints the folder of the run.
run.py measure FOLDER KIND: what that server is for, into that folder.

Called by bench.sh, which has the server running and its place in the environment (PGHOST, BENCH_*)."""

import os
import signal
import sys
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import contestants
import experiments
import machine
from contestants import Contestant
from experiments.base import Experiment
from results import Run
from server import Failed, Server
from size import SERVERS, Size

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Step:
    experiment: Experiment
    contestant: Contestant
    case: str
    round: int


def open_server():
    return Server(os.environ["BENCH_PROGRAMS"], os.environ["BENCH_WORK"])


def of_server(kind):
    return [experiment for experiment in experiments.chosen() if experiment.server == kind]


def plan(size, kind):
    """Every measurement of that server, round by round, so that a drift of the machine meets all alike."""
    steps = []
    chosen = of_server(kind)
    for number in range(1, max((experiment.rounds(size) for experiment in chosen), default=0) + 1):
        for experiment in chosen:
            if number > experiment.rounds(size):
                continue
            for place, case in enumerate(experiment.cases(size)):
                turn = contestants.in_turn(experiment.contestants(), number - 1 + place)
                steps += [Step(experiment, contestant, case, number) for contestant in turn]
    return steps


def describe(rows):
    """A measurement's first value, as a word of what has been seen."""
    _, metric, unit, value = rows[0]
    return f"{metric} {value:,.0f} {unit}" if value >= 1000 else f"{metric} {value:.3g} {unit}"


def begin(size):
    server = open_server()
    extensions = [f"CREATE EXTENSION {name}" for name in ("comb", "pgstattuple", "pg_walinspect")]
    server.sql(*extensions, "CREATE SEQUENCE bench_sequence")
    run = Run(RESULTS / datetime.now(timezone.utc).strftime("%Y-%m-%d-%H%M%S"))
    run.begin(machine.describe(server, size, os.environ["BENCH_WORK"]))
    print(run.folder)


def measure(size, run, kind):
    server = open_server()
    steps = plan(size, kind)
    if not steps:
        return
    if kind == "large":
        warm_up(server, size)
    for experiment in of_server(kind):
        for contestant in experiment.contestants():
            experiment.prepare(server, contestant, size)
    for number, step in enumerate(steps, 1):
        rows = step.experiment.measure(server, step.contestant, step.case, size)
        names = (step.experiment.name, step.contestant.name)
        run.append([(*names, parameter, step.round, metric, unit, value) for parameter, metric, unit, value in rows])
        print(f"{number:5} of {len(steps)}  {names[0]:10} {names[1]:12} round {step.round} {step.case:42} {describe(rows)}", flush=True)


def warm_up(server, size):
    """Writes files of the write-ahead log, which would else be made anew by whoever comes first."""
    server.sql(f"SELECT count(pg_logical_emit_message(false, '', repeat('x', 1000000))) FROM generate_series(1, {size.warm_up_megabytes})")
    server.sql("CHECKPOINT", "CHECKPOINT")


def main():
    # In the background of a script, Ctrl-C would else be ignored.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        size = Size.from_environment()
        match sys.argv[1:]:
            case ["disk"]:
                print(size.disk_gigabytes)
            case ["servers"]:
                print(*SERVERS)
            case ["settings", kind]:
                print(*(f"{name}={value}" for name, value in size.settings(kind).items()), sep="\n")
            case ["begin"]:
                begin(size)
            case ["measure", folder, kind]:
                measure(size, Run(folder), kind)
            case _:
                sys.exit(__doc__)
    except (Failed, ValueError) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
