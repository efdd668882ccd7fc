"""The loop of an example in Python: a command in each line, its result in each line. examples/README.md lists the commands."""

import os
import sys
import traceback


def serve(name, version, tables, commands):
    # Whatever a library prints is no result.
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print("client", name, version, *tables, sep="\t", file=results, flush=True)
    for line in sys.stdin:
        command, *words = line.rstrip("\n").split("\t")
        try:
            result = getattr(commands, command)(*words) if hasattr(commands, command) else ["none"]
        except (Exception, SystemExit) as error:
            traceback.print_exc()
            result = ["error", f"{type(error).__name__}: {error}"]
        print(*(" ".join(str(value).split()) for value in result or ()), sep="\t", file=results, flush=True)
