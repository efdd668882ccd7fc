#!/usr/bin/env bash
# clean.sh: removes all builds of this clone. The private PostgreSQLs stay.
set -euo pipefail
. "$(dirname "$0")/common.sh"

rm -rf "$ROOT/target"
# Only the folders of cargo.sh and test.sh: others may belong to other projects.
if [ -n "${CARGO_TARGET_DIR:-}" ]; then
    for major in $SUPPORTED_MAJORS 18-assertions; do rm -rf "${CARGO_TARGET_DIR:?}/pg$major" "${CARGO_TARGET_DIR:?}/user-pg$major"; done
    rm -rf "${CARGO_TARGET_DIR:?}/loom"
fi
