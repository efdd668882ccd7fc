#!/usr/bin/env python3
"""run.py disk: the GB that this size of a run needs.
run.py servers: the kinds of server, in the order in which they come.
run.py settings KIND: the settings of that server, SETTING=VALUE a line.
run.py begin: readies the server's database; prints the folder of the run that begins or goes on.
run.py measure FOLDER KIND: what is missing in that folder of what that server is for.

Called by bench.sh, which has the server running and its place in the environment (PGHOST, BENCH_*)."""

import os
import signal
import sys
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import contestants
import experiments
import machine
from contestants import Contestant
from experiments.base import Experiment
from results import DONE, Run
from server import Failed, Server
from size import SERVERS, Size

RESULTS = Path(__file__).parent / "results"
PREPARATION = "preparation"
# What has to be the same for an interrupted run to go on.
IDENTITY = ["quick", "rows", "connections", "rounds", "writers", "comb", "commit", "PostgreSQL", "processor", "contestants", "extension's checksum"]


@dataclass(frozen=True)
class Step:
    experiment: Experiment
    contestant: Contestant
    case: str  # or PREPARATION
    round: int  # 0 for a preparation

    @property
    def key(self):
        return (self.experiment.name, self.contestant.name, self.case, self.round)


def open_server():
    return Server(os.environ["BENCH_PROGRAMS"], os.environ["BENCH_WORK"])


def available(server):
    """The contestants that this server has what they need for."""
    installed = server.sql("SELECT name FROM pg_available_extensions").splitlines()
    return [contestant for contestant in contestants.load() if not contestant.extension or contestant.extension in installed]


def plan(found, size, kind):
    """Every measurement of that server, round by round, so that a drift of the machine meets all alike."""
    steps = []
    chosen = [experiment for experiment in experiments.chosen() if experiment.server == kind]
    for number in range(1, max((experiment.rounds(size) for experiment in chosen), default=0) + 1):
        for experiment in chosen:
            if number > experiment.rounds(size):
                continue
            taking_part = experiment.contestants(found)
            for place, case in enumerate(experiment.cases(size)):
                turn = contestants.in_turn(taking_part, number - 1 + place)
                steps += [Step(experiment, contestant, case, number) for contestant in turn]
    return steps


def missing(found, size, run, kinds):
    """The steps not taken yet, and where an experiment first comes, its preparations on this new server."""
    done = {(row["experiment"], row["contestant"], row["parameter"], int(row["round"])) for row in run.rows() if row["metric"] == DONE}
    steps, prepared = [], set()
    for step in [step for kind in kinds for step in plan(found, size, kind)]:
        if step.key in done:
            continue
        if step.experiment not in prepared:
            prepared.add(step.experiment)
            if type(step.experiment).prepare is not Experiment.prepare:
                steps += [Step(step.experiment, contestant, PREPARATION, 0) for contestant in step.experiment.contestants(found)]
        steps.append(step)
    return steps


def describe(rows):
    """A measurement's first value, as a word of what has been seen."""
    _, metric, unit, value = rows[0]
    return f"{metric} {value:,.0f} {unit}" if value >= 1000 else f"{metric} {value:.3g} {unit}"


def begin(size):
    server = open_server()
    found = available(server)
    server.sql("CREATE EXTENSION comb",)
    for contestant in found:
        if contestant.extension:
            server.sql(f"CREATE EXTENSION {contestant.extension}")
        if contestant.prepare:
            server.sql(contestant.prepare)
    for contestant in contestants.load():
        if contestant not in found:
            print(f"{contestant.label} is left out: the extension {contestant.extension} is not installed", file=sys.stderr)
    description = machine.describe(server, size, os.environ["BENCH_WORK"])
    description["contestants"] = " ".join(contestant.name for contestant in found)
    description["extension's checksum"] = os.environ["BENCH_CHECKSUM"]
    last = max(RESULTS.glob("*/machine.csv"), default=None)
    if last and not os.environ.get("FRESH"):
        run = Run(last.parent)
        before = run.machine()
        if all(before.get(name) == description[name] for name in IDENTITY):
            if not missing(found, size, run, SERVERS):
                print("The last run was just this one and is complete; FRESH=1 measures anew", file=sys.stderr)
            print(run.folder)
            return
    run = Run(RESULTS / datetime.now(timezone.utc).strftime("%Y-%m-%d-%H%M%S"))
    run.begin(description)
    print(run.folder)


def measure(size, run, kind):
    server = open_server()
    found = available(server)
    steps = missing(found, size, run, [kind])
    later = len(missing(found, size, run, SERVERS[SERVERS.index(kind) + 1 :]))
    if not steps:
        return
    run.describe(machine.settings(server, kind))
    if kind == "large":
        warm_up(server, size)
    for number, step in enumerate(steps):
        begun = time.monotonic()
        if step.case == PREPARATION:
            step.experiment.prepare(server, step.contestant, size)
            rows = []
        else:
            rows = step.experiment.measure(server, step.contestant, step.case, size)
        seconds = time.monotonic() - begun
        names = (step.experiment.name, step.contestant.name)
        run.append(
            [(*names, parameter, step.round, metric, unit, value) for parameter, metric, unit, value in rows]
            + [(*names, step.case, step.round, DONE, "s", round(seconds, 3))]
        )
        what = f"round {step.round} {step.case}" if step.round else PREPARATION
        left = len(steps) - number - 1 + later
        print(f"{left:5} to go  {names[0]:10} {names[1]:25} {what:42} {describe(rows) if rows else ''}", flush=True)


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
