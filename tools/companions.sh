#!/usr/bin/env bash
# companions.sh [NAME...]: comb beside other extensions and PostgreSQL's own replication and foreign tables: the scripts of
# tools/companions/, or those of these names, in a bare Debian testing with the distribution's own packages and comb's.
set -euo pipefail
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/package/prepare.sh"

RELEASE=forky
# What its contrib has comes with PostgreSQL.
PACKAGES=(cron partman pg-uuidv7 pglogical timescaledb)

cd "$ROOT/tools/companions"
[ $# -gt 0 ] || set -- *.sh
names=()
for name; do
    name=${name%.sh}
    [ -f "$name.sh" ] || die "there is no companion '$name'" "Choose from: $(compgen -G '*.sh' | sed 's/\.sh$//' | paste -sd' ')"
    names+=("$name")
done

say "This takes some 5 minutes, the first time some 10. It needs root, for a bare Debian in namespaces of its own;" \
    "that and its packages stay in $COMB_CACHE (600 MB)"
major=$("$PARTS/bare.sh" major "$RELEASE")
prepare "$RELEASE" "${PACKAGES[@]/#/postgresql-$major-}"
in_bare "$RELEASE" companions/lib/all.sh "${PACKAGES[*]/#/postgresql-$major-}" "${names[@]}"
