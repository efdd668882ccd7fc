#!/usr/bin/env bash
# cargo_pgrx.sh PG_CONFIG STAGE: that cargo pgrx makes the files that make installs, which are in STAGE. Without cargo-pgrx it says so.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/cluster.sh"

PG_CONFIG=$1 STAGE=$2
. "$ROOT/tools/cargo.sh"
PGRX=$(sed -n 's/^pgrx = .*"=\([0-9.]*\)".*/\1/p' "$ROOT/Cargo.toml")
if [ "$(cargo pgrx --version 2>/dev/null)" != "cargo-pgrx $PGRX" ]; then
    say "Not tested: cargo pgrx. There is no cargo-pgrx $PGRX (cargo install cargo-pgrx --version $PGRX --locked)"
    exit
fi

ok() { echo "ok: $1"; }
# Statements alone: cargo pgrx adds comments.
statements() { sed '/^\/\*.*\*\/$/d; /^\/\*/,/\*\/$/d; /^ *--/d; /^$/d' "$1"; }
symbols() { nm --dynamic --defined-only "$1" | awk '{ print $3 }' | LC_ALL=C sort; }

cluster_start "$PG_CONFIG"
# Which PostgreSQLs there are, as cargo pgrx init writes it.
export PGRX_HOME=$CLUSTER/pgrx
mkdir "$PGRX_HOME"
printf '[configs]\npg%s = "%s"\n' "$MAJOR" "$PG_CONFIG" >"$PGRX_HOME/config.toml"
# Its linker flags are others, and would have cargo build all of the tests' crates again.
export CARGO_TARGET_DIR=$CARGO_TARGET_DIR/cargo-pgrx
PACKAGE=$CLUSTER/work/package
(cd "$ROOT" && step "cargo pgrx package for $PG_CONFIG_VERSION" \
    env -u PGRX_PG_CONFIG_PATH cargo pgrx package --debug --pg-config "$PG_CONFIG" --out-dir "$PACKAGE")
LIBRARY=$PACKAGE$("$PG_CONFIG" --pkglibdir)/comb.so
SCRIPTS=$PACKAGE$("$PG_CONFIG" --sharedir)/extension

# It takes no install script but that of this version.
diff <(cd "$STAGE" && ls comb.control comb--"$COMB_VERSION".sql comb--*--*.sql) <(ls "$SCRIPTS") || die "cargo pgrx installs other scripts than make"
for file in comb.control comb--*--*.sql; do
    (cd "$STAGE" && for one in $file; do cmp "$one" "$SCRIPTS/$one"; done) || die "cargo pgrx installs another $file than make"
done
diff <(statements "$STAGE/comb--$COMB_VERSION.sql") <(statements "$SCRIPTS/comb--$COMB_VERSION.sql") >&2 ||
    die "the install script of cargo pgrx has other statements than that of make"
ok "cargo pgrx has the scripts of make"
diff <(symbols "$STAGE/comb.so") <(symbols "$LIBRARY") >&2 || die "the library of cargo pgrx has other functions than that of make"
chmod -R a+rX "$PACKAGE"
sql -c "LOAD '$LIBRARY'"
ok "its library has the same functions, and can be loaded"
