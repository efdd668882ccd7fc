#!/usr/bin/env bash
# pgrx.sh COMMAND [OPTION...]: cargo pgrx COMMAND, of the version in Cargo.toml, for the private PostgreSQL of the major PG (18) and the
# sources in the current folder. Installs cargo-pgrx into the cache folder; pgrx downloads no PostgreSQL. For root, tests run as the
# user of the servers.
set -euo pipefail
. "$(dirname "$0")/common.sh"

command=$1
shift
PG_CONFIG=$("$ROOT/tools/setup.sh" "${PG:-18}")
. "$ROOT/tools/private.sh"
version=$(sed -n 's/^pgrx = { version = "=\([^"]*\)".*/\1/p' "$ROOT/Cargo.toml")
export PATH=$COMB_CACHE/cargo-pgrx/bin:$PATH
if [ "$(cargo pgrx --version 2>/dev/null)" != "cargo-pgrx $version" ]; then
    step "Installing cargo-pgrx $version (about 5 minutes, once)" \
        env CARGO_TARGET_DIR="$COMB_CACHE/cargo-pgrx/build" cargo install --locked --force --root "$COMB_CACHE/cargo-pgrx" --version "=$version" cargo-pgrx
    rm -rf "$COMB_CACHE/cargo-pgrx/build"
fi
# As cargo pgrx init writes it, which would also create a data directory for cargo pgrx run.
export PGRX_HOME=$COMB_CACHE/cargo-pgrx/$MAJOR
mkdir -p "$PGRX_HOME"
printf '[configs]\npg%s = "%s"\n' "$MAJOR" "$PG_CONFIG" >"$PGRX_HOME/config.toml"

arguments=("$command")
case $command in
    test)
        arguments+=("pg$MAJOR")
        if is_root; then
            "$ROOT/tools/setup.sh" --packages sudo
            data=$(mktemp -d "${TMPDIR:-/tmp}/comb-pgrx.XXXXXX")
            trap 'rm -rf "$data"' EXIT
            chown "$SERVER_USER" "$data"
            arguments+=(--runas "$SERVER_USER" --pgdata "$data")
        fi
        ;;
    install | package) arguments+=(--pg-config "$PG_CONFIG") ;;
    run) arguments+=("pg$MAJOR") ;;
esac
clean_other_clone
# pgrx takes its PostgreSQL from PGRX_HOME.
env -u PGRX_PG_CONFIG_PATH cargo pgrx "${arguments[@]}" "$@"
