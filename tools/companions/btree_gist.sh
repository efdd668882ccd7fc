#!/usr/bin/env bash
# Exclusion constraints and temporal keys of btree_gist with keys of type uniqueidentifier.
set -euo pipefail
. "$(dirname "$0")/lib/companion.sh"

companion btree_gist
sql -U app -c "CREATE EXTENSION comb"
typed "CREATE EXTENSION btree_gist"
refused "CREATE TABLE refused"

# rejected WHAT STATEMENT: by a constraint.
rejected() {
    local said
    if said=$(sql -U app -v VERBOSITY=sqlstate -c "$2" 2>&1); then said="it works"; fi
    same "$1" "ERROR:  23P01" "$said"
}

sql -U app <<'SQL'
INSERT INTO bookings SELECT comb_at('2026-11-22Z'::timestamptz + n * interval '1 hour', 'mssql'), '[2026-11-22, 2026-11-23)'
FROM generate_series(1, 2000) n;
INSERT INTO bookings SELECT room, '[2026-11-23, 2026-11-24)' FROM bookings;
INSERT INTO bookings VALUES ('d01c25cc-63a7-47cc-b5ba-018e5f3bff48', '[2026-11-22 11:00Z, 2026-11-22 13:00Z)');
ANALYZE bookings;
SQL
rejected "two bookings of a room that overlap are refused" "INSERT INTO bookings SELECT room, '[2026-11-23, 2026-11-24)' FROM bookings LIMIT 1"
same "what does not overlap is not" 4001 "$(sql -c "SELECT count(*) FROM bookings")"
take "SELECT * FROM bookings"
has "a query with the cast uses the index" "Index Cond: (((room)::uuid" "$(sql -c "EXPLAIN $BLOCK")"
lacks "a query without the cast does not" "Index Cond: (((room)::uuid" \
    "$(sql -c "EXPLAIN SELECT * FROM bookings WHERE room = 'd01c25cc-63a7-47cc-b5ba-018e5f3bff48'")"
same "and finds the booking" 1 "$(typed "SELECT * FROM bookings" | grep -c '^d01c25cc')"

typed "WITHOUT OVERLAPS"
sql -U app <<'SQL'
INSERT INTO rates SELECT comb_new_mssql(), '[2026-01-01, 2026-07-01)' FROM generate_series(1, 100);
INSERT INTO rates SELECT product, '[2026-07-01, 2027-01-01)' FROM rates;
SQL
rejected "a temporal primary key refuses two rates of a product that overlap" \
    "INSERT INTO rates SELECT product, '[2026-12-01, 2027-02-01)' FROM rates LIMIT 1"
companion_end
