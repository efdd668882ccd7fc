#!/usr/bin/env bash
# plots.sh: the tables and the pictures of a run from its CSV, into its folder. RUN in the environment is the folder,
# by default the newest run's.
# plots.sh --publish [PART...]: that run as the one this repository shows: its CSV and pictures into bench/published/, its
# tables into the documents. PART: keys, switch, readers or estimates, in a folder of bench/published/ each; all by default.
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

pictures() {
    local python
    if ! plotting_python >/dev/null; then "$ROOT/tools/setup.sh" --packages python3-matplotlib || true; fi
    if python=$(plotting_python); then
        "$python" "$ROOT/bench/plots.py" "$1"
        say "The pictures: $1/*.svg"
    else
        say "No pictures: matplotlib is missing and could not be installed. The measurements are in $1/measurements.csv;" \
            "with python3-matplotlib installed, make plots draws them."
    fi
}

if [ "${1:-}" = --publish ]; then
    shift
    [ $# -gt 0 ] || set -- keys switch readers estimates
    for part; do
        folder=$(python3 "$ROOT/bench/report.py" "$RUN" --publish "$part")
        pictures "$folder"
    done
else
    python3 "$ROOT/bench/report.py" "$RUN"
    say "The tables: $RUN/report.md"
    pictures "$RUN"
fi
