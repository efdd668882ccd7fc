#!/usr/bin/env bash
# clean.sh: removes what was built here. The private PostgreSQLs stay.
set -euo pipefail
. "$(dirname "$0")/common.sh"

rm -rf "$ROOT/target"
# Folders of cargo.sh's names alone: the rest of that folder may be of other projects.
if [ -n "${CARGO_TARGET_DIR:-}" ]; then
    for major in $SUPPORTED_MAJORS; do rm -rf "${CARGO_TARGET_DIR:?}/pg$major" "${CARGO_TARGET_DIR:?}/user-pg$major"; done
fi
