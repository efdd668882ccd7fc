"""The private PostgreSQL of the run, which bench.sh has started, by its psql and pgbench."""

import os
import re
import subprocess
import tempfile
from pathlib import Path


class Failed(Exception):
    pass


class Server:
    def __init__(self, programs, work):
        self.programs = Path(programs)
        self.work = Path(work)  # a folder for scripts and logs, gone with the server

    def sql(self, *statements, settings=""):
        """What the last of the statements returned, as text."""
        return self._psql(statements, settings).strip()

    def seconds(self, *statements, settings=""):
        """How long the server took for each of the statements, by psql's \\timing."""
        output = self._psql([r"\timing on", *statements], settings)
        times = [float(ms) / 1000 for ms in re.findall(r"^Time: ([0-9.]+) ms", output, re.MULTILINE)]
        if len(times) != len(statements):
            raise Failed(f"psql timed {len(times)} of {len(statements)} statements:\n{output}")
        return times

    def processor_seconds(self, statement, settings=""):
        """The processor time of the statement, in PostgreSQL and in the operating system."""
        output = self._psql([statement], f"{settings} log_statement_stats=on client_min_messages=log", log=True)
        processor = re.search(r"^!\s+([0-9.]+) s user, ([0-9.]+) s system", output, re.MULTILINE)
        if not processor:
            raise Failed(f"the server did not log the processor time of the statement:\n{output}")
        return float(processor[1]) + float(processor[2])

    def pgbench(self, script, connections, seconds=1, settings=""):
        """Transactions a second of the script from so many connections."""
        with self.writers([(script, 1)], connections, seconds, settings=settings) as writers:
            output = writers.wait()
        rate = re.search(r"^tps = ([0-9.]+) \(without initial connection time\)", output, re.MULTILINE)
        failed = re.search(r"^number of failed transactions: ([0-9]+)", output, re.MULTILINE)
        if not rate or not failed or int(failed[1]):
            raise Failed(f"pgbench failed:\n{output}")
        return float(rate[1])

    def session(self):
        return Session(self.programs / "psql", self.work)

    def writers(self, scripts, connections, seconds, *more, settings=""):
        """pgbench at work in the background, with scripts (SQL, weight)."""
        command = [self.programs / "pgbench", "-n", "-M", "prepared", "-T", str(seconds), *more]
        command += ["-c", str(connections), "-j", str(min(connections, os.cpu_count()))]
        return Writers(command, self.work, scripts, environment(settings))

    def _psql(self, statements, settings, log=False):
        """What psql printed; with what the server logged of it, if asked for."""
        command = [self.programs / "psql", "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1"]
        for statement in statements:
            command += ["-c", statement]
        done = subprocess.run(command, env=environment(settings), cwd=self.work, capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"psql failed:\n{done.stderr.strip()}")
        return done.stdout + done.stderr if log else done.stdout


def environment(settings):
    return dict(os.environ, PGOPTIONS=" ".join(f"-c {setting}" for setting in settings.split()))


class Session:
    """A connection that stays open: for one statement after the other, as a client that polls has."""

    END = "end of the answer"

    def __init__(self, psql, folder):
        command = [psql, "-X", "-q", "-At", "-v", "ON_ERROR_STOP=1"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, cwd=folder, stdin=pipe, stdout=pipe, stderr=pipe, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Ends it as a client does that goes away."""
        self.process.kill()
        self.process.communicate()

    def ask(self, statement):
        """The statement's rows, as lines of text. It is one line itself."""
        self.process.stdin.write(f"{statement};\n\\echo {self.END}\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            line = line.rstrip("\n")
            if line == self.END:
                return lines
            lines.append(line)
        raise Failed(f"psql failed:\n{self.process.stderr.read().strip()}")


class Writers:
    """A pgbench that runs until it has done what its options say, or until the block ends."""

    def __init__(self, command, work, scripts, variables):
        self.folder = tempfile.TemporaryDirectory(dir=work)
        for number, (script, weight) in enumerate(scripts):
            (Path(self.folder.name) / f"{number}.sql").write_text(script)
            command += ["-f", f"{number}.sql@{weight}"]
        self.log = open(Path(self.folder.name) / "log", "w+")
        self.process = subprocess.Popen(command, env=variables, cwd=self.folder.name, stdout=self.log, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def wait(self):
        """What it printed."""
        status = self.process.wait()
        self.log.seek(0)
        output = self.log.read()
        if status:
            raise Failed(f"pgbench failed:\n{output}")
        return output
