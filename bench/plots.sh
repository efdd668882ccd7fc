#!/usr/bin/env bash
# plots.sh: writes the tables and pictures of a run from its CSV into its folder: RUN in the environment, by default the newest.
# plots.sh --publish [PART...]: copies the CSV and pictures of that run to bench/published/, and its tables to the documents.
# PART: keys, switch, readers or estimates, each in a folder of bench/published/; all by default.
set -euo pipefail
. "$(dirname "$0")/../tools/common.sh"

runs=("$ROOT"/bench/results/*/)
RUN=${RUN:-${runs[-1]}}
RUN=${RUN%/}
[ -f "$RUN/measurements.csv" ] || die "there is no run in $RUN" "make bench measures one."
export PYTHONDONTWRITEBYTECODE=1

# pictures FOLDER: draws them, with the distribution's python3 if the first on the PATH has no matplotlib.
pictures() {
    local python=python3
    if ! python3 -c 'import matplotlib' 2>/dev/null; then
        python=/usr/bin/python3
        "$ROOT/tools/setup.sh" --packages python3-matplotlib || {
            say "No pictures without matplotlib. The measurements are in $1/measurements.csv; make plots draws them later"
            return
        }
    fi
    "$python" "$ROOT/bench/plots.py" "$1"
    say "The pictures: $1/*.svg"
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
