# shellcheck shell=bash
# The private PostgreSQL that setup.sh has prepared, and the extension in it. Sourced after common.sh, with PG_CONFIG as setup.sh
# prints it.

. "$ROOT/tools/cargo.sh"
# One run at a time: each installs its build of the extension into this PostgreSQL. A run can call another one.
LOCK=$COMB_CACHE/pg-$(basename "${PG_CONFIG%/bin/pg_config}").lock
if [ "${COMB_LOCKED:-}" != "$LOCK" ]; then
    exec 8>"$LOCK"
    lock 8 "Another run (make test, demo, soak, bench or lint) uses $PG_CONFIG_VERSION"
    export COMB_LOCKED=$LOCK
fi

# The files to install.
STAGE=$CARGO_TARGET_DIR/stage

# Builds the extension for users, and installs it in the PostgreSQL of PG_CONFIG.
install_release() {
    step "Building the extension for $PG_CONFIG_VERSION" build_release "$STAGE"
    env -u DESTDIR "$ROOT/tools/install.sh" --quiet "$PG_CONFIG" "$STAGE"
}
