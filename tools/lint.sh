#!/usr/bin/env bash
# lint.sh [MAJOR]: the rules of the house, formatting, and clippy with warnings as errors.
set -euo pipefail
. "$(dirname "$0")/common.sh"

LONGEST_FILE=400

# --- The rules of the house: who may use what -----------------------------------------------------

broken=0
# Lines FILE:NUMBER: WHAT, each of which breaks a rule.
breaks() {
    local line
    while IFS= read -r line; do
        printf '%s\n' "$line" >&2
        broken=$((broken + 1))
    done
}

# sources FOLDER...: the Rust files there.
sources() { find "$@" -name '*.rs' | LC_ALL=C sort; }

# forbid WHAT PATTERN ALLOWED FILE...: a line for every line of code that matches the extended regular expression
# PATTERN once all that matches ALLOWED is taken out. What follows `//` is no code.
forbid() {
    local what=$1 pattern=$2 allowed=$3
    shift 3
    [ $# -eq 0 ] || WHAT=$what PATTERN=$pattern ALLOWED=$allowed awk '
        { code = $0; sub(/\/\/.*/, "", code) }
        ENVIRON["ALLOWED"] != "" { gsub(ENVIRON["ALLOWED"], " ", code) }
        code ~ ENVIRON["PATTERN"] { printf "%s:%d: %s\n", FILENAME, FNR, ENVIRON["WHAT"] }' "$@"
}

# imports: pairs of folders of src/ and of files, of which the first imports the second. Folders have an order.
imports() {
    echo functions server server postgres
    grep -roE --include='*.rs' '(crate::[a-z_]+|super)::[a-z_]+' src/*/ |
        sed -E 's|^src/([a-z]+)/([a-z_]+)\.rs:|\1 \1/\2 |; s|^([a-z]+)(.*) super::|\1\2 crate::\1::|
                s|^([a-z]+) (.*) crate::([a-z]+)::(.*)|\1 \3\n\2 \3/\4|' | sort -u
}

rules() {
    local library all end='($|[^A-Za-z0-9_])'
    mapfile -t library < <(sources src crates)
    mapfile -t all < <(sources src crates pg_test)

    forbid "what SQL creates stands in sql/" \
        "CREATE +(OR +REPLACE +)?(AGGREGATE|CAST|DOMAIN|FUNCTION|INDEX|OPERATOR|PROCEDURE|SCHEMA|TABLE|TYPE|VIEW)$end" '' \
        "${library[@]}"
    forbid "an import in src/ names one file" "use +(crate(::[a-z_]+)?|super)(::[{]|;)" '' src/*/*.rs
    imports | tsort 2>&1 >/dev/null | sed 's/^tsort: -:/src: imports:/; s/^tsort:/   /' || true
    wc -l "${all[@]}" | awk -v longest=$LONGEST_FILE \
        '$2 != "total" && $1 > longest { printf "%s:%d: the file has more than %d lines\n", $2, $1, longest }'
}

# --- Released scripts, which databases have run: they stay as they were ----------------------------

check_released() {
    local script
    say "Released SQL scripts"
    (cd sql && sha256sum --check --quiet released.sha256) || broken=$((broken + 1))
    for script in sql/comb--*.sql; do
        # That of the version in the tree is not released yet.
        [[ $script == *"--$COMB_VERSION.sql" ]] || grep -q " ${script##*/}\$" sql/released.sha256 || {
            printf '%s: a released script that sql/released.sha256 does not name\n' "$script" >&2
            broken=$((broken + 1))
        }
    done
}

# --- Other people's crates: deny.toml --------------------------------------------------------------

check_crates() {
    local deny=(cargo deny --locked --all-features)
    if ! command -v cargo-deny >/dev/null; then
        say "Nobody looked at the crates' licences and sources: cargo-deny is not here (cargo install --locked cargo-deny)"
        return
    fi
    say "Licences and sources of the crates"
    "${deny[@]}" check licenses sources bans || broken=$((broken + 1))
    if "${deny[@]}" fetch db >/dev/null 2>&1; then
        "${deny[@]}" check advisories || broken=$((broken + 1))
    else
        say "Nobody looked at the crates' advisories, which come over the network"
    fi
}

# --------------------------------------------------------------------------------------------------

cd "$ROOT"
say "The rules of the house"
breaks < <(rules)

check_released
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"
say "Formatting"
# RUSTFMT is a stand-in: tools/cargo.sh.
env -u RUSTFMT cargo fmt --all --check || broken=$((broken + 1))
say "What pgrx does not bind, in the headers of PostgreSQL $MAJOR"
cc -fsyntax-only -Wall -Werror -I"$("$PG_CONFIG" --includedir-server)" tools/unbound.c || broken=$((broken + 1))
say "Clippy for PostgreSQL $MAJOR"
for_server clippy --workspace --all-targets -- -D warnings
check_crates
[ $broken -eq 0 ] || die "rules are broken: see above"
