"""What an example prints: its client, and a line for each job."""

import sys
import traceback
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

failed = False


def client(name, version):
    print(f"client {name} {version}", flush=True)


@contextmanager
def job(name):
    """ok, or not ok and why, for what stands in the block. What comes after it runs in either case."""
    global failed
    try:
        yield
    except (Exception, SystemExit) as error:
        failed = True
        traceback.print_exc()
        print(f"not ok {name}: {type(error).__name__}: {' '.join(str(error).split())[:200]}", flush=True)
    else:
        print(f"ok {name}", flush=True)


def check(seen, expected):
    if seen != expected:
        raise AssertionError(f"{seen!r} instead of {expected!r}")


def check_recent(timestamp):
    """A date-time that has a zone and is within a minute of now."""
    check(timestamp.utcoffset() is not None, True)
    check(abs(datetime.now(timezone.utc) - timestamp) < timedelta(minutes=1), True)


def end():
    sys.exit(failed)
