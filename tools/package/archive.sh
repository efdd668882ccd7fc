#!/usr/bin/env bash
# archive.sh: that the archive for PGXN says of itself what PGXN asks for, and that make, make install and make installcheck
# do in it what its users expect. On a private PostgreSQL.
set -euo pipefail
. "$(dirname "$0")/../common.sh"
. "$(dirname "$0")/../cluster.sh"

"$ROOT/tools/package/dist.sh"
"$ROOT/tools/setup.sh" --packages unzip
PG_CONFIG=$("$ROOT/tools/setup.sh")
TARGET=${CARGO_TARGET_DIR:-$ROOT/target}
. "$ROOT/tools/private.sh"
cluster_start "$PG_CONFIG"
WORK=$CLUSTER/work
ZIP=$(compgen -G "$ROOT/target/package/comb-*.zip" | sort -V | tail -n 1)
FOLDER=$(basename "$ZIP" .zip)

unzip -q "$ZIP" -d "$WORK"
[ "$(ls "$WORK")" = "$FOLDER" ] || [ -d "$WORK/$FOLDER" ] || die "the archive is not of one folder $FOLDER"

# META.json by the specification 1.0.0: a line for each rule that it breaks.
broken=$(sql -v meta="$(cat "$WORK/$FOLDER/META.json")" -v folder="$FOLDER" <<'SQL'
CREATE TEMP TABLE meta AS SELECT :'meta'::jsonb AS m;
SELECT rule FROM meta, LATERAL (VALUES
    ('name is a term', m->>'name' ~ '^[^\s/\\[:cntrl:]]{2,}$'),
    ('version is semantic', m->>'version' ~ '^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-?[A-Za-z][0-9A-Za-z-]*)?$'),
    ('the folder is called by both', (m->>'name') || '-' || (m->>'version') = :'folder'),
    ('abstract is a string', jsonb_typeof(m->'abstract') = 'string' AND m->>'abstract' <> ''),
    ('description is a string', jsonb_typeof(m->'description') = 'string' AND m->>'description' <> ''),
    ('maintainer is a string', jsonb_typeof(m->'maintainer') = 'string' AND m->>'maintainer' <> ''),
    ('license is mit', m->>'license' = 'mit'),
    ('meta-spec has its version', m#>>'{meta-spec,version}' = '1.0.0'),
    ('provides the extension', m#>>'{provides,comb,version}' = m->>'version' AND m#>>'{provides,comb,file}' <> ''),
    ('prereqs name versions', m#>>'{prereqs,runtime,requires,PostgreSQL}' ~ '^\d+\.\d+\.\d+$'),
    ('tags are short strings', NOT EXISTS (SELECT FROM jsonb_array_elements(m->'tags') t WHERE jsonb_typeof(t) <> 'string' OR length(t #>> '{}') > 255)),
    ('no key is unknown', NOT EXISTS (SELECT FROM jsonb_object_keys(m) k WHERE k !~ '^[xX]_' AND k NOT IN ('name', 'version',
        'abstract', 'description', 'maintainer', 'license', 'provides', 'meta-spec', 'prereqs', 'tags', 'no_index', 'release_status',
        'resources', 'generated_by')))
) AS rules (rule, holds) WHERE holds IS NOT TRUE;
SQL
)
[ -z "$broken" ] || die "META.json is not as PGXN asks for:" "$broken"
for file in file docfile; do
    file=$(sed -n "s/.*\"$file\": \"\(.*\)\".*/\1/p" "$WORK/$FOLDER/META.json")
    [ -f "$WORK/$FOLDER/$file" ] || die "META.json names $file, which is not there"
done
echo "ok: META.json of $FOLDER.zip"

for target in "" install installcheck; do
    # In the folder of the tests' own builds, which has what the crates are built to.
    CARGO_TARGET_DIR=$TARGET step "make${target:+ $target} in $FOLDER.zip" make --no-print-directory -C "$WORK/$FOLDER" PG_CONFIG="$PG_CONFIG" $target
    echo "ok: make${target:+ $target}"
done
