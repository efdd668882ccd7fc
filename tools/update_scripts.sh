#!/usr/bin/env bash
# update_scripts.sh [--check]: writes each sql/comb--OLD--NEW.sql from its .sql.in, with a chapter of sql/ in place of a
# line "-- chapter: NAME", and its COMMENTs in place of "-- comments: NAME". The result is committed, since cargo pgrx installs
# the file without changes. --check: fails if that would change a file.
set -euo pipefail
cd "$(dirname "$0")/../sql"
# A released script has no source.
shopt -s nullglob

for source in comb--*.sql.in; do
    script=$(awk '
        /^-- (chapter|comments): / {
            file = $3
            all = $2 == "chapter:"
            while ((status = (getline line < file)) > 0) {
                if (line ~ /^COMMENT ON/) inside = 1
                if (all || inside) print line
                if (line ~ /;$/) inside = 0
            }
            if (status < 0) { print "no chapter sql/" file > "/dev/stderr"; exit 1 }
            close(file)
            next
        }
        { print }
    ' "$source")
    if [ "${1:-}" != --check ]; then
        printf '%s\n' "$script" >"${source%.in}"
    elif ! diff -q <(printf '%s\n' "$script") "${source%.in}" >/dev/null; then
        echo "sql/${source%.in} is not what its chapters say: run tools/update_scripts.sh" >&2
        exit 1
    fi
done
