#!/usr/bin/env bash
# install.sh [PG_CONFIG]: the extension into the PostgreSQL of that pg_config.
set -euo pipefail
. "$(dirname "$0")/common.sh"

PG_CONFIG=${1:-$(command -v pg_config || true)}
[ -n "$PG_CONFIG" ] || die "no pg_config on the PATH" "Say which one: make install PG_CONFIG=/usr/lib/postgresql/17/bin/pg_config"
[ -x "$PG_CONFIG" ] || die "$PG_CONFIG is not a program"
[ -f "$("$PG_CONFIG" --includedir-server)/postgres.h" ] ||
    die "the server headers of $("$PG_CONFIG" --version) are missing" "On Debian and Ubuntu: apt-get install postgresql-server-dev-MAJOR"

"$ROOT/tools/setup.sh" --build-tools
. "$ROOT/tools/cargo.sh"
[[ " $SUPPORTED_MAJORS " == *" $MAJOR "* ]] || die "PostgreSQL $MAJOR is not supported" "Supported majors: $SUPPORTED_MAJORS"

sudo=()
[ -w "$("$PG_CONFIG" --pkglibdir)" ] || sudo=(--sudo)
(cd "$ROOT" && cargo pgrx install --release --pg-config "$PG_CONFIG" --no-default-features --features "pg$MAJOR" "${sudo[@]}")
say "Installed. In a database: CREATE EXTENSION comb;"
