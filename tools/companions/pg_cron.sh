#!/usr/bin/env bash
# pg_cron's worker runs the procedure of docs/partitions.md, which creates and drops partitions.
set -euo pipefail
. "$(dirname "$0")/lib/companion.sh"
# Read by companion.sh.
# shellcheck disable=SC2034
PAGE=$ROOT/docs/partitions.md

companion "Create and drop partitions on a schedule" shared_preload_libraries=pg_cron,comb cron.database_name=shop \
    cron.use_background_workers=on
typed "CREATE EXTENSION pg_cron"
sql -U app -c "CREATE EXTENSION comb" -c "CREATE SCHEMA sales"
# Seen by the job's session, too.
sql -c "ALTER ROLE app SET timezone = 'America/New_York'"
# With the other type, and for a table whose name is quoted and whose schema is not on the path.
sql -U app -c "CREATE TABLE events (id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id)" \
    -c 'CREATE TABLE sales."Parcels" (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), body text) PARTITION BY RANGE (id)' \
    -c "CREATE TABLE events_2020_01 PARTITION OF events FOR VALUES FROM (comb_min('2020-01-01Z')) TO (comb_min('2020-02-01Z'))"
typed "CREATE PROCEDURE maintain_partitions" >/dev/null
typed "cron.schedule" >/dev/null
same "the job waits for the night" "0 3 * * *" "$(sql -c "SELECT schedule FROM cron.job")"
sql -U app -c "SELECT cron.schedule('partitions of parcels', '0 3 * * *', \$\$CALL maintain_partitions('sales.\"Parcels\"', '1 year')\$\$)" >/dev/null

# Not at night, but now.
sql -c "SELECT cron.alter_job(jobid, schedule => '1 second') FROM cron.job" >/dev/null
until_true "pg_cron's worker has run both jobs twice" \
    "SELECT count(*) = 2 FROM (SELECT FROM cron.job_run_details WHERE status = 'succeeded' GROUP BY jobid HAVING count(*) >= 2) runs"
sql -c "SELECT cron.alter_job(jobid, active => false) FROM cron.job" >/dev/null
same "each run says" "succeeded|CALL" "$(typed "FROM cron.job_run_details")"
typed "CALL maintain_partitions('events', '1 year');"

facts <<'SQL'
SET timezone = 'UTC';
SELECT 'no run failed', bool_and(status IN ('succeeded', 'running') AND username = 'app') FROM cron.job_run_details;
SELECT 'the partition that ended years ago is dropped', to_regclass('events_2020_01') IS NULL;
CREATE TEMP TABLE made AS
SELECT inhparent::regclass::text AS parent, inhrelid::regclass::text AS partition, pg_get_expr(relpartbound, oid) AS bound,
    date_trunc('month', now()) + number * interval '1 month' AS first, date_trunc('month', now()) + (number + 1) * interval '1 month' AS after
FROM (SELECT *, row_number() OVER (PARTITION BY inhparent ORDER BY inhrelid::regclass::text COLLATE "C") - 1 AS number FROM pg_inherits) parts
JOIN pg_class ON oid = inhrelid WHERE relkind = 'r';
SELECT 'each table has the partitions of this month and the next three, in its schema, of the names of the months', count(*) >= 8
    AND bool_and(partition IN ('events' || to_char(first, '_YYYY_MM'), 'sales."Parcels' || to_char(first, '_YYYY_MM') || '"')) FROM made;
SELECT 'their bounds are the months in UTC, though the role has the time zone of New York: ' || parent, bool_and(
    bound = format('FOR VALUES FROM (''%s'') TO (''%s'')', comb_min(first), comb_min(after)) OR
    bound = format('FOR VALUES FROM (''%s'') TO (''%s'')', comb_mssql_lower_bound(first), comb_mssql_lower_bound(after)))
FROM made GROUP BY parent;

CREATE TEMP TABLE ends AS SELECT min(first) AS first, max(after) AS after FROM made;
INSERT INTO events SELECT comb_at(first + n * (after - first) / 1000), n FROM ends, generate_series(0, 999) n;
INSERT INTO sales."Parcels" SELECT comb_at(first + n * (after - first) / 1000, 'mssql'), n FROM ends, generate_series(0, 999) n;
SELECT 'rows of all these months go in', (SELECT count(*) FROM events) + (SELECT count(*) FROM sales."Parcels") = 2000;
SQL
# one_before TABLE LAYOUT: an id of the millisecond before the first month.
one_before() {
    sql -c "SET timezone = 'UTC'" \
        -c "INSERT INTO $1 SELECT comb_at(date_trunc('month', now()) - interval '1 ms', '$2')" 2>&1
}
has "that of the millisecond before does not, uuid" "no partition of relation" "$(one_before events uuidv7)"
has "that of the millisecond before does not, uniqueidentifier" "no partition of relation" "$(one_before 'sales."Parcels"' mssql)"
companion_end
