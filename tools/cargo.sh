# cargo with the pgrx of this project instead of the user's. Sourced after common.sh, with
# PG_CONFIG set.

PG_CONFIG_VERSION=$("$PG_CONFIG" --version)
MAJOR=$(sed 's/^PostgreSQL \([0-9]*\).*/\1/' <<<"$PG_CONFIG_VERSION")
# One run at a time: each installs its build of the extension into this PostgreSQL.
exec 8>"$COMB_CACHE/pg-$MAJOR.lock"
lock 8 "Another run (make test, demo, soak, bench or install) uses PostgreSQL $MAJOR"

export PATH=$COMB_CACHE/cargo-pgrx-$PGRX_VERSION/bin:$PATH
export PGRX_HOME=$COMB_CACHE/pgrx-home/$MAJOR
# Said once for cargo, cargo pgrx and the installation inside the test runner: where they differ, each
# builds pgrx anew.
export PGRX_PG_CONFIG_PATH=$PG_CONFIG
# A folder a major: a change of features or headers in one would build everything again.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}/pg$MAJOR
mkdir -p "$PGRX_HOME"
# Written only when it changes: a newer file makes pgrx build everything again.
pgrx_config="[configs]
pg$MAJOR = \"$PG_CONFIG\""
[ "$(cat "$PGRX_HOME/config.toml" 2>/dev/null)" = "$pgrx_config" ] || echo "$pgrx_config" >"$PGRX_HOME/config.toml"

# Builds the extension as users get it and installs it beside PG_CONFIG. Arguments go to cargo pgrx.
install_release() {
    (cd "$ROOT" && step "Building the extension for $PG_CONFIG_VERSION" \
        cargo pgrx install --release --pg-config "$PG_CONFIG" --no-default-features --features "pg$MAJOR" "$@")
}
