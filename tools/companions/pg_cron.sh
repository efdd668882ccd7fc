#!/usr/bin/env bash
# pg_cron's worker runs the procedure that creates the partition of the next month.
set -euo pipefail
. "$(dirname "$0")/lib/companion.sh"

companion pg_cron shared_preload_libraries=pg_cron,comb cron.database_name=shop cron.use_background_workers=on
typed "CREATE EXTENSION pg_cron"
sql -U app -c "CREATE EXTENSION comb" -c "CREATE SCHEMA sales"
# Seen by the job's session, too.
sql -c "ALTER ROLE app SET timezone = 'America/New_York'"
typed "CREATE PROCEDURE next_month" >/dev/null
same "the job waits for the 25th" "0 3 25 * *" "$(sql -c "SELECT schedule FROM cron.job")"

# With the other type, and for a table whose name is quoted and whose schema is not on the path.
sql -U app -c 'CREATE TABLE sales."Parcels" (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), body text) PARTITION BY RANGE (id)' \
    -c "SELECT cron.schedule('next month of parcels', '0 3 25 * *', \$\$CALL next_month('sales.\"Parcels\"')\$\$)" >/dev/null

# Not on the 25th, but now.
sql -c "SELECT cron.alter_job(jobid, schedule => '1 second') FROM cron.job" >/dev/null
until_true "pg_cron's worker has run both jobs twice" \
    "SELECT count(*) = 2 FROM (SELECT FROM cron.job_run_details WHERE status = 'succeeded' GROUP BY jobid HAVING count(*) >= 2) runs"
sql -c "SELECT cron.alter_job(jobid, active => false) FROM cron.job" >/dev/null
same "each run says" "succeeded|CALL" "$(typed "FROM cron.job_run_details")"

facts <<'SQL'
SET timezone = 'UTC';
SELECT 'no run failed', bool_and(status IN ('succeeded', 'running') AND username = 'app') FROM cron.job_run_details;
CREATE TEMP TABLE next_one AS SELECT date_trunc('month', now()) + interval '1 month' AS first, date_trunc('month', now()) + interval '2 months' AS after;
CREATE TEMP TABLE made AS SELECT inhparent::regclass::text AS parent, inhrelid::regclass::text AS partition, pg_get_expr(relpartbound, oid) AS bound
FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE relkind = 'r';
SELECT 'each table has one partition, in its schema, of the name of the month', count(*) = 2
    AND bool_and(partition IN ('events' || to_char(first, '_YYYY_MM'), 'sales."Parcels' || to_char(first, '_YYYY_MM') || '"')) FROM made, next_one;
SELECT 'its bounds are the month in UTC, though the role has the time zone of New York: ' || parent,
    bound = format('FOR VALUES FROM (''%s'') TO (''%s'')', comb_min(first), comb_min(after)) OR
    bound = format('FOR VALUES FROM (''%s'') TO (''%s'')', comb_mssql_lower_bound(first), comb_mssql_lower_bound(after))
FROM made, next_one;

INSERT INTO events SELECT comb_at(first + n * (after - first) / 1000), n FROM next_one, generate_series(0, 999) n;
INSERT INTO sales."Parcels" SELECT comb_at(first + n * (after - first) / 1000, 'mssql'), n FROM next_one, generate_series(0, 999) n;
SELECT 'rows of the whole month go in', (SELECT count(*) FROM events) + (SELECT count(*) FROM sales."Parcels") = 2000;
SQL
# one_before TABLE LAYOUT: an id of the millisecond before the month.
one_before() {
    sql -c "SET timezone = 'UTC'" \
        -c "INSERT INTO $1 SELECT comb_at(date_trunc('month', now()) + interval '1 month' - interval '1 ms', '$2')" 2>&1
}
has "that of the millisecond before does not, uuid" "no partition of relation" "$(one_before events uuidv7)"
has "that of the millisecond before does not, uniqueidentifier" "no partition of relation" "$(one_before 'sales."Parcels"' mssql)"
companion_end
