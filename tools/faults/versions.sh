#!/usr/bin/env bash
# The library's file is replaced while the server runs, as by an upgrade: sessions that have loaded the old
# one keep it, new ones load the new one, and both meet in the server's shared memory. Not preloaded.
. "$(dirname "$0")/lib/fault.sh"
. "$LIB/order.sh"
. "$LIB/mutant.sh"

# The version of the other build; what the tree itself says is the old one.
NEWER_VERSION=99.0.0

server_start synchronous_commit=off
old_version=$(sql -c "SELECT extversion FROM pg_extension WHERE extname = 'comb'")
started=$(sql -c "SELECT pg_postmaster_start_time()")

# A library of this cluster alone, whose file can be replaced; by psql, too:
#   \! $REPLACE_LIBRARY "$NEWER"
LIBRARIES=$CLUSTER/work/libraries
mkdir "$LIBRARIES"
cat >"$LIBRARIES/replace" <<EOF
#!/bin/sh
cp "\$1.so" "$LIBRARIES/new" && mv "$LIBRARIES/new" "$LIBRARIES/comb.so"
EOF
chmod +x "$LIBRARIES/replace"
export REPLACE_LIBRARY=$LIBRARIES/replace
OLD=$("$PG_CONFIG" --pkglibdir)/comb
"$REPLACE_LIBRARY" "$OLD"
use_library "$LIBRARIES/comb"

mutant newer_version Cargo.toml "s/^version = \"$old_version\"\$/version = \"$NEWER_VERSION\"/" \
    Cargo.lock "/^name = \"(comb(-[a-z]+)?|pg_test)\"\$/ { n; s/\"$old_version\"/\"$NEWER_VERSION\"/ }"
export NEWER=$LIBRARY
# What differs is the block alone.
mutant other_block crates/comb-clock/src/block.rs 's/(\*b"comb)[0-9]{4}"/\19999"/'
export OTHER_BLOCK=$LIBRARY

say "Another version with the same shared block, under load"
order_table made
sql -c "CREATE FUNCTION library() RETURNS text LANGUAGE sql AS 'SELECT library_version FROM comb_status()'" \
    -c "ALTER TABLE made ADD library text" -c "ALTER TABLE made ALTER library SET DEFAULT library()"
# pgbench's connections stay, and so does their library.
order_load made "comb_new()" "$DURATION" $((CONNECTIONS / 2)) &
old_load=$!
sleep 1
"$REPLACE_LIBRARY" "$NEWER"
order_load made "comb_new()" $((DURATION - 1)) $((CONNECTIONS / 2)) || not_ok "the new sessions' load ran to its end"
wait $old_load || not_ok "the old sessions' load ran to its end"
facts <<SQL
SELECT 'both make ids: ' || string_agg(format('%s %s', library, count), ', ' ORDER BY library), string_agg(library, ' ' ORDER BY library) = '$old_version $NEWER_VERSION'
FROM (SELECT library, count(*) FROM made WHERE library IS NOT NULL GROUP BY library) libraries;
SELECT 'every id is above those that were committed before it, by either', $(order_inversions made) = 0;
SQL

say "Two sessions that take turns"
export WARNED=$CLUSTER/work/warned
"$REPLACE_LIBRARY" "$OLD"
facts <<SQL
SELECT 'a session of the old library', library_version = '$old_version' AND scope = 'server' FROM comb_status();
\! \$REPLACE_LIBRARY \$NEWER
SELECT 'keeps it', library_version = '$old_version' FROM comb_status();
-- Ahead of the system clock, so that nothing but the shared block can tell the other.
SELECT comb_observe(comb_at(clock_timestamp() + interval '10 seconds')) \g /dev/null
SELECT comb_new() AS old \gset
\set newer \`psql -X -q -At -c "SELECT comb_new() || ' ' || library_version || ' ' || scope FROM comb_status()"\`
SELECT 'a new one has the other: ' || :'newer', :'newer' LIKE '% $NEWER_VERSION server';
SELECT 'its ids are above', :'newer' > :'old';
SELECT 'and the old session''s next above those', comb_new() > left(:'newer', 36)::uuid;

SELECT seeded_at, steps_back AS steps, ahead AS ahead_before FROM comb_status() \gset
\! \$REPLACE_LIBRARY \$OTHER_BLOCK
\set other \`PGOPTIONS= psql -X -q -At -c "SELECT scope || ': ' || reason FROM comb_status()" 2>\$WARNED\`
\set warned \`cat \$WARNED\`
SELECT 'a session of a library of another block is warned: ' || split_part(:'warned', E'\n', 1),
    :'warned' LIKE 'WARNING:%DETAIL:%another version of the library.%HINT:  Restart the server.';
SELECT 'a library of another block stays away: ' || :'other', :'other' LIKE 'backend: %version%';
\set id \`psql -X -q -At -c "SELECT count(comb_new()) FROM generate_series(1, 1000)"\`
SELECT 'and makes ids', :'id' = '1000';
\set state \`psql -X -q -At -v ON_ERROR_STOP=0 -v VERBOSITY=sqlstate -c "SET comb.scope = server" -c "SELECT comb_new()" 2>&1\`
SELECT 'but not with comb.scope = server: ' || :'state', :'state' = 'ERROR:  55000';
SELECT 'the old session goes on as before', comb_new() > left(:'newer', 36)::uuid;
SELECT 'and so does the block', scope = 'server' AND seeded_at = :'seeded_at' AND steps_back = :steps
       AND ahead BETWEEN interval '$((10 - 1)) seconds' AND :'ahead_before' FROM comb_status();
SELECT 'the server never restarted', pg_postmaster_start_time() = '$started';
SQL
finish
