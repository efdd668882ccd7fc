#!/usr/bin/env bash
# lint.sh [MAJOR]: the rules that the compiler does not check, formatting, and clippy with warnings as errors.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/package/output.sh"

broken=0
# rule "what has to be so" COMMAND...: the command prints what breaks the rule, and nothing else.
rule() {
    local found
    found=$("${@:2}" 2>&1) || true
    [ -n "$found" ] || return 0
    printf 'broken: %s\n%s\n' "$1" "$found" >&2
    broken=$((broken + 1))
}

# What follows `//` is no code.
created_in_rust() {
    grep -rnE --include='*.rs' '^([^/]|/[^/])*CREATE +(OR +REPLACE +)?(AGGREGATE|CAST|DOMAIN|FUNCTION|INDEX|OPERATOR|PROCEDURE|SCHEMA|TABLE|TYPE|VIEW)\>' src crates
}
# imports: pairs of folders of src/ and of files, of which the first imports the second. Folders have an order.
imports() {
    echo functions horizon horizon server server postgres
    grep -roE --include='*.rs' '(crate::[a-z_]+|super)::[a-z_]+' src/*/ |
        sed -E 's|^src/([a-z]+)/([a-z_/]+)\.rs:|\1 \1/\2 |; s|^([a-z]+)( \1/([a-z_]+/)?[a-z_]+) super::|\1\2 crate::\1::\3|
                s|^([a-z]+) (.*) crate::([a-z]+)::(.*)|\1 \3\n\2 \3/\4|' | sort -u
}

# The same of the files of a crate, without those of tests.
imports_of_crates() {
    grep -roE --include='*.rs' '(crate|super)::[a-z_0-9]+' crates/*/src | grep -vE '(_tests|_model|/simulation|/lib)\.rs:' |
        sed -E 's#^crates/([^/]+)/src/(.+)\.rs:(crate|super)::(.*)#\1/\2 \1/\4#' | sort -u
}
import_circles() { { imports; imports_of_crates; } | tsort 2>&1 >/dev/null | sed 's/^tsort: -:/imports:/; s/^tsort:/   /'; }
# The pairs are read from lines that name one file each.
imports_of_several() { grep -rnE --include='*.rs' "use +(crate(::[a-z_]+)?|super)(::[{]|;)" src/*/; }
# PostgreSQL calls them. A panic that leaves one ends the server.
unguarded() {
    grep -rnE --include='*.rs' -B3 '^ *(pub )?(unsafe )?extern "C-unwind" fn ' src | awk '/pg_guard/ { guarded = 1 } /^--$/ { guarded = 0 }
        /extern "C-unwind" fn / { if (!guarded) print; guarded = 0 }'
}
# Texts that say nothing of the one call.
vague_reasons() { grep -rnE --include='*.rs' 'SAFETY: (as above|as in `?[a-z_]+`?|reads (the )?catalogs?|in a transaction|there is room)\.$' src; }
unchecked_numbers() {
    grep -rhoE --include='*.rs' 'Oid::from_u32\([0-9]+\)' src | sed 's/.*(\(.*\))/\1/' | sort -u |
        while read -r number; do grep -qE "== $number\>" tools/unbound.c || echo "$number"; done
}
# A file of src/functions/ has the name of the file of a crate whose functions it exports.
names_twice() {
    find src crates -name '*.rs' ! -name lib.rs ! -name mod.rs | awk -F/ '{ paths[$NF] = paths[$NF] " " $0; inside[$NF] += $0 !~ /^src\/functions\// }
        END { for (name in paths) if (split(paths[name], each, " ") > 2 || inside[name] > 1) print paths[name] }'
}
chapters() { diff <(cd sql && ls [0-9]*.sql) <(grep -o '[^/"]*\.sql' src/schema.rs); }
# Empty until the first release of an update script.
changed_scripts() { (cd sql && [ ! -s released.sha256 ] || sha256sum --check --quiet released.sha256); }
# That of the version in the tree is not released yet.
unnamed_scripts() {
    local script
    for script in sql/comb--*.sql; do
        [[ $script == *"--$COMB_VERSION.sql" ]] || grep -q " ${script##*/}\$" sql/released.sha256 || echo "$script"
    done
}

# As tools/package/version.sh writes it.
versions() {
    local version=${COMB_VERSION%-dev} date='20[0-9-]*' entry='-1) unstable' script
    is_release || date=unreleased entry='~dev-1) UNRELEASED'
    grep -m 1 '^## ' CHANGELOG.md | grep -vx "## $version ($date)"
    sed 1q packaging/debian/changelog | grep -vF "comb ($version$entry;"
    script=$(compgen -G "sql/comb--*--$COMB_VERSION.sql") || echo "there is no sql/comb--OLD--$COMB_VERSION.sql"
    [ ! -e "$script" ] || grep -q "UPDATE TO '$COMB_VERSION'" "$script" || echo "$script has another version"
    is_release || ! compgen -G "sql/comb--*$version.sql"
    ! is_release || ! compgen -G "sql/comb--*-dev*.sql"
}

# Texts for readers: pages, comments of SQL and of Rust.
phrases() {
    grep -rnEf tools/phrases.txt --include='*.md' --exclude-dir={target,.git,published,results} . || true
    grep -nEf tools/phrases.txt sql/[0-9]*.sql comb.control META.json.in || true
    grep -rnE --include='*.rs' '(^|[^:])//' src crates | grep -Ef tools/phrases.txt
}
# META.json of a tree without and with an address.
check_meta() {
    local work repository
    if ! command -v pgxn_meta >/dev/null; then
        say "META.json is not checked: pgxn_meta is not installed (cargo install --locked pgxn_meta)"
        return
    fi
    work=$(mktemp -d)
    say "META.json"
    for repository in "" "${REPOSITORY:-https://example.org/comb}"; do
        REPOSITORY=$repository fill <META.json.in >"$work/META.json"
        (cd "$work" && pgxn_meta META.json) || broken=$((broken + 1))
    done
    rm -r "$work"
}
# Other people's crates: deny.toml
check_crates() {
    local deny=(cargo deny --locked --all-features)
    if ! command -v cargo-deny >/dev/null; then
        say "Licences and sources of the crates are not checked: cargo-deny is not installed (cargo install --locked cargo-deny)"
        return
    fi
    say "Licences and sources of the crates"
    "${deny[@]}" check licenses sources bans || broken=$((broken + 1))
    if "${deny[@]}" fetch db >/dev/null 2>&1; then
        "${deny[@]}" check advisories || broken=$((broken + 1))
    else
        say "Advisories of the crates are not checked: this needs the network"
    fi
}

# Points at which tests stop a process.
injection_points() { nm --dynamic --undefined-only "$STAGE/comb.so" | grep InjectionPoint; }

cd "$ROOT"
say "Rules"
rule "SQL objects are created in sql/" created_in_rust
rule "imports in src/ go from functions to horizon, server and postgres; no files import each other" import_circles
rule "an import in src/ names one file, as \`use crate::server::settings;\`: one line for each" imports_of_several
rule "each function that PostgreSQL calls has #[pgrx::pg_guard]" unguarded
rule "a comment on unsafe code says why it is sound" vague_reasons
rule "tools/unbound.c compares each OID that src/ writes as a number" unchecked_numbers
rule "a file name is there once, or in src/functions/ and in a crate" names_twice
rule "src/schema.rs names the chapters of sql/ in their order" chapters
rule "released scripts, which databases have run, stay as they were" changed_scripts
rule "texts use plain words: tools/phrases.txt has those to avoid" phrases
rule "each place has the version of Cargo.toml" versions
rule "sql/released.sha256 names every released script" unnamed_scripts

"$ROOT/tools/setup.sh" --rust-checks
PG_CONFIG=$("$ROOT/tools/setup.sh" "${1:-}")
. "$ROOT/tools/private.sh"
say "Shell"
"$ROOT/tools/setup.sh" --packages shellcheck
mapfile -t scripts < <(grep -rlE --exclude-dir={target,.git} '^#!.*\b(ba)?sh$|^# shellcheck shell=' .ci bench examples tools)
shellcheck -x -S warning "${scripts[@]}" || broken=$((broken + 1))
say "Formatting"
# RUSTFMT is a stand-in: tools/cargo.sh.
env -u RUSTFMT cargo fmt --all --check || broken=$((broken + 1))
say "Names of files, headings, functions and settings in comments and pages"
CARGO_TARGET_DIR=${CARGO_TARGET_DIR%/*} cargo test --locked --quiet --package pg_test --test pages references || broken=$((broken + 1))
say "Declarations that pgrx does not have, compared with the headers of PostgreSQL $MAJOR"
cc -fsyntax-only -Wall -Werror -I"$("$PG_CONFIG" --includedir-server)" tools/unbound.c || broken=$((broken + 1))
say "Clippy for PostgreSQL $MAJOR, and without PostgreSQL"
for_server clippy --workspace --all-targets --features pg_test -- -D warnings
# With the bindings that pgrx has for its documentation, which have some functions twice: 19 is not everywhere to be had.
say "Clippy for PostgreSQL 19, without its headers"
CARGO_TARGET_DIR=${CARGO_TARGET_DIR%/*}/pg19-bindings MAJOR=19 DOCS_RS=1 \
    for_server clippy --package comb --lib --features schema -- -D warnings -A clippy::unnecessary_cast -A ambiguous_glob_imports
step "Building the extension for $PG_CONFIG_VERSION" build_release "$STAGE"
rule "the library of users has no injection points" injection_points
# The same for all majors: checked once.
CARGO_TARGET_DIR=${CARGO_TARGET_DIR%/*} cargo clippy --locked --all-targets -- -D warnings
check_meta
check_crates
[ $broken -eq 0 ] || die "rules are broken: see above"
