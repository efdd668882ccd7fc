"""Singer's tap-postgres with a replication key, without and with the horizon in its query."""

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import tool

TAP = Path(sys.executable).with_name("tap-postgres")

without_horizon = {"sqlalchemy_url": os.environ["DATABASE_URL"], "filter_schemas": ["public"]}
# comb: config
options = {"public-events": {"custom_where_clauses": ["position <= comb_number_horizon('events')"]}}
# end
config = {**without_horizon, "stream_options": options}


def catalog(directory):
    discovered = subprocess.run([TAP, "--config", directory / "config", "--discover"], check=True, capture_output=True)
    [stream] = [it for it in json.loads(discovered.stdout)["streams"] if it["tap_stream_id"] == "public-events"]
    stream.update(replication_method="INCREMENTAL", replication_key="position")
    for entry in stream["metadata"]:
        entry["metadata"]["selected"] = True
        if entry["breadcrumb"] == []:
            entry["metadata"].update({"replication-method": "INCREMENTAL", "replication-key": "position"})
    (directory / "catalog").write_text(json.dumps({"streams": [stream]}))


def program(config):
    directory = Path(tempfile.mkdtemp())
    (directory / "config").write_text(json.dumps(config))

    def run():
        if not (directory / "catalog").exists():
            catalog(directory)
        arguments = [TAP, "--config", directory / "config", "--catalog", directory / "catalog"]
        if (directory / "state").exists():
            arguments += ["--state", directory / "state"]
        said = subprocess.run(arguments, check=True, stdout=subprocess.PIPE).stdout
        messages = [json.loads(line) for line in said.splitlines() if line.strip()]
        states = [message["value"] for message in messages if message["type"] == "STATE"]
        if states:
            (directory / "state").write_text(json.dumps(states[-1]))
        return [message["record"]["position"] for message in messages if message["type"] == "RECORD"]

    return run


sys.exit(not tool.check("tap-postgres", version("meltanolabs-tap-postgres"), [program(without_horizon), program(config)]))
