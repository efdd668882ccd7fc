"""What is measured, one file an experiment, in the order in which a round does it."""

import os

from experiments import concurrent, estimates, generation, horizon, insert, large, readers

ALL = [
    generation.Generation(),
    insert.Insert(),
    large.Large(),
    concurrent.Concurrent(),
    horizon.Horizon(),
    horizon.Writers(),
    readers.Readers(),
    estimates.Estimates(),
]


def chosen():
    """Those that EXPERIMENTS in the environment names; all by default."""
    names = os.environ.get("EXPERIMENTS", "").replace(",", " ").split()
    known = [experiment.name for experiment in ALL]
    if not set(names) <= set(known):
        raise ValueError(f"EXPERIMENTS has to be of: {' '.join(known)}")
    return [experiment for experiment in ALL if not names or experiment.name in names]
