"""What a run was measured on: the machine and the versions. Nothing that names the machine."""

import os
import platform
import re
import subprocess
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def describe(server, size, data_folder):
    rows = {"measured": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC")}
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    rows |= {"processor": processor(), "cores": str(os.cpu_count()), "memory": f"{memory / 2**30:.0f} GB"}
    rows |= {"virtual machine": "yes" if "hypervisor" in Path("/proc/cpuinfo").read_text() else "not known"}
    rows |= {"file system of the data": output("stat", "-f", "-c", "%T", str(data_folder))}
    rows |= {"system": platform.freedesktop_os_release()["PRETTY_NAME"], "kernel": re.match("[0-9.]*", platform.release())[0]}
    rows |= {"PostgreSQL": server.sql("SELECT version()"), "comb": server.sql("SELECT extversion FROM pg_extension WHERE extname = 'comb'")}
    rows |= {"commit": commit(), "Rust": output("rustc", "--version")}
    return rows | {name: str(value) for name, value in asdict(size).items()}


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def commit():
    """Of the sources; that the published numbers and their text changed since does not count as a change."""
    found = output("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    if not found:
        return "unknown"
    changed = output("git", "-C", str(ROOT), "status", "--porcelain", "--", ".", ":!README.md", ":!bench/README.md", ":!docs/existing-tables.md", ":!bench/published")
    return found + (" with changes" if changed else "")


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""
