#!/usr/bin/env bash
# plots.sh: the tables and the pictures of a run from its CSV, into its folder. RUN in the environment is the folder,
# by default the newest run's.
# plots.sh --publish: that run as the one this repository shows: its CSV and pictures into bench/published/, its
# tables into bench/README.md.
set -euo pipefail
. "$(dirname "$0")/../tools/common.sh"

runs=("$ROOT"/bench/results/*/)
RUN=${RUN:-${runs[-1]}}
RUN=${RUN%/}
[ -f "$RUN/measurements.csv" ] || die "there is no run in $RUN" "make bench measures one."
export PYTHONDONTWRITEBYTECODE=1

# The distribution's matplotlib is for the distribution's python3, which need not be the first on the PATH.
plotting_python() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import matplotlib' 2>/dev/null; then
            echo "$python"
            return 0
        fi
    done
    return 1
}

if [ "${1:-}" = --publish ]; then
    mkdir -p "$ROOT/bench/published"
    cp "$RUN/measurements.csv" "$RUN/machine.csv" "$ROOT/bench/published/"
    RUN=$ROOT/bench/published
    tables=$ROOT/bench/README.md
    python3 "$ROOT/bench/report.py" "$RUN" "$tables"
else
    tables=$RUN/report.md
    python3 "$ROOT/bench/report.py" "$RUN"
fi
say "The tables: $tables"

if ! plotting_python >/dev/null; then "$ROOT/tools/setup.sh" --packages python3-matplotlib || true; fi
if python=$(plotting_python); then
    "$python" "$ROOT/bench/plots.py" "$RUN"
    say "The pictures: $RUN/*.svg"
else
    say "No pictures: matplotlib is missing and could not be installed. The measurements are in $RUN/measurements.csv;" \
        "with python3-matplotlib installed, make plots draws them."
fi
