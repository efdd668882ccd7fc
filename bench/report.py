#!/usr/bin/env python3
"""report.py FOLDER: writes all tables of a run into FOLDER/report.md, and prints the goals.
report.py FOLDER --publish: copies the measurements into bench/published/, and writes the tables of bench/published/ into the
documents, between the lines <!-- table NAME --> and <!-- end -->."""

import re
import sys
from pathlib import Path

from figures import Figures, share
from results import Run
from tables import PARTS

ROOT = Path(__file__).resolve().parent.parent


def fill(figures):
    """Puts each table into the documents where it is marked."""
    tables = {name: make for _, part in PARTS for name, make in part.items()}
    for path in ("README.md", "bench/README.md", "docs/existing-tables.md"):
        text = (ROOT / path).read_text()
        for name in re.findall(r"<!-- table (\w+) -->", text):
            block = rf"(<!-- table {name} -->\n).*?(<!-- end -->)"
            new = tables[name](figures)
            text, count = re.subn(block, lambda found: f"{found[1]}{new}\n{found[2]}", text, flags=re.DOTALL)
            if count != 1:
                sys.exit(f"error: {path}: the table {name} is marked {count} times, or has no end")
        (ROOT / path).write_text(text)


def publish(run):
    """The measurements that the documents cite into bench/published/, and the tables of these into the documents."""
    figures = Figures(run)
    fill(figures)
    fill(Figures(run.publish(ROOT / "bench/published", figures.cited)))


def report(run):
    figures = Figures(run)
    measured = [(found, tables) for goals, tables in PARTS if (found := [goal for goal in goals(figures) if goal.measured])]
    tables = [f"## {name}\n\n{make(figures)}" for _, part in measured for name, make in part.items()]
    (run.folder / "report.md").write_text("\n\n".join(tables) + "\n")
    print(f"The tables: {run.folder}/report.md")
    for goal in [goal for found, _ in measured for goal in found]:
        print(f"{goal.verdict:13} {goal.bound:7} {share(goal.measured):20} {goal.text}")


def main():
    match sys.argv[1:]:
        case [folder]:
            report(Run(folder))
        case [folder, "--publish"]:
            publish(Run(folder))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
