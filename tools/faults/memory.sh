#!/usr/bin/env bash
# The memory of a backend after many ids is what it was after a tenth of them.
. "$(dirname "$0")/lib/fault.sh"

server_start
# Every generator once, `rounds` times.
make_ids="SELECT count(comb_new()), count(comb_new(layout)), count(comb_new_mssql()), count(comb_new_mssql_legacy()),
                 count(comb_new_bsv()), count(comb_at(now())), count(comb_shifted('1 day', layout))
          FROM (SELECT label AS layout FROM comb_layouts()) layouts, generate_series(1, 1000) a, generate_series(1, :rounds) b"
# remember WHEN: psql's variables WHEN_contexts and WHEN_pages. /proc/PID/statm counts pages; its second
# number is what is resident.
remember() {
    echo "SELECT sum(total_bytes) AS $1_contexts FROM pg_backend_memory_contexts \\gset"
    echo "\\set $1_pages \`cut -d' ' -f2 /proc/\$PID/statm\`"
}
# Short, about 14 million ids in all: 7 calls for each layout, 1000 times a round.
rounds=$((DURATION * 20))
facts <<SQL
SELECT pg_backend_pid() AS pid \gset
\setenv PID :pid
\set rounds $((rounds / 10))
-- It would be loaded for the longest statement alone, and stay.
SET jit = off;
-- Twice, so that what the first statement of a kind leaves in the caches is there.
$make_ids \gset made_
$(remember early)
$make_ids \gset made_
$(remember early)
\set rounds $rounds
$make_ids \gset made_
$(remember late)
SELECT 'the memory contexts take as much as after a tenth of the ids: ' || :late_contexts, :late_contexts = :early_contexts;
-- A page that the kernel had not mapped yet may come; a leak of a byte an id would be thousands.
SELECT 'resident pages: ' || :early_pages || ', later ' || :late_pages, :early_pages > 0 AND :late_pages - :early_pages < 64;
SQL
finish
