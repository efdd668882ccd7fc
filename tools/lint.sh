#!/usr/bin/env bash
# lint.sh [MAJOR]: formatting, and clippy with warnings as errors.
set -euo pipefail
. "$(dirname "$0")/common.sh"

PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/cargo.sh"
cd "$ROOT"
say "Formatting"
cargo fmt --check
say "Clippy for PostgreSQL $MAJOR"
cargo clippy --all-targets --no-default-features --features "pg$MAJOR pg_test" -- -D warnings
