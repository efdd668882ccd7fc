#!/usr/bin/env bash
# pg_partman makes, fills and drops partitions by comb's ids, as docs/extensions.md says.
set -euo pipefail
. "$(dirname "$0")/lib/companion.sh"

LIBRARIES=comb,pg_partman_bgw

# app QUERY...: by the owner of the tables, who is no superuser. Nothing here takes long, but some mistakes run for ever.
app() { PGOPTIONS="-c timezone=UTC -c statement_timeout=60s -c client_min_messages=warning" sql -d shop -U app -c "$@"; }

# answers WHAT EXPECTED QUERY
answers() { same "$1" "$2" "$(app "$3" 2>&1 || true)"; }

# refuses WHAT MESSAGE STATEMENT
refuses() { has "$1" "$2" "$(app "$3" 2>&1 || true)"; }

# does WHAT STATEMENT: it runs without an error and without a warning.
does() {
    local said
    said=$(app "$2" 2>&1 >/dev/null) || true
    same "$1" "" "$said"
}

# create_parent TABLE STEP ENCODER DECODER
create_parent() { app "SELECT partman.create_parent('public.$1', 'id', '$2', p_time_encoder => '$3', p_time_decoder => '$4')" 2>&1 || true; }

# The partitions of a table, in order, with the days from today at which they begin and end. pg_partman's interval is one day.
days_of() {
    cat <<SQL
SELECT string_agg(format('%s to %s', lower(r)::date - current_date, upper(r)::date - current_date), ', ' ORDER BY r)
FROM pg_inherits i, comb_partition_range(i.inhrelid) r WHERE inhparent = 'public.$1'::regclass AND r IS NOT NULL
SQL
}
NINE_DAYS="-4 to -3, -3 to -2, -2 to -1, -1 to 0, 0 to 1, 1 to 2, 2 to 3, 3 to 4, 4 to 5"

# --------------------------------------------------------------------------------------------------

set_up() {
    cluster_start "$PG_CONFIG" "shared_preload_libraries=$LIBRARIES" timezone=UTC fsync=off pg_partman_bgw.interval=3600
    sql -c "CREATE ROLE app LOGIN CREATEDB" -c "CREATE DATABASE shop OWNER app"
    sql -d shop -c "CREATE SCHEMA partman AUTHORIZATION app" -c "CREATE SCHEMA extensions AUTHORIZATION app" \
        -c "ALTER DATABASE shop SET search_path = public, extensions" \
        -c "GRANT CREATE ON SCHEMA public TO app"
    # Not trusted up to some version, so by the superuser, as its instructions say.
    sql -d shop -c "CREATE EXTENSION pg_partman SCHEMA partman" \
        -c "GRANT ALL ON ALL TABLES IN SCHEMA partman TO app" \
        -c "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA partman TO app" -c "GRANT EXECUTE ON ALL PROCEDURES IN SCHEMA partman TO app"
    app "CREATE EXTENSION comb SCHEMA extensions"
    say "pg_partman $(app "SELECT extversion FROM pg_extension WHERE extname = 'pg_partman'") and comb $COMB_VERSION on $("$PG_CONFIG" --version)"
}

# How pg_partman calls them: by a literal, by the text of a key, and with nothing.
calls() {
    local encoder decoder
    for encoder in comb_lower_bound comb_partman_mssql_encoder; do
        decoder=comb_partman_decoder
        [ $encoder = comb_lower_bound ] || decoder=comb_partman_mssql_decoder
        answers "one function $encoder(timestamptz)" 1 \
            "SELECT count(*) FROM pg_proc WHERE proname = '$encoder' AND pronamespace = 'extensions'::regnamespace"
        answers "one function $decoder(text)" 1 \
            "SELECT count(*) FROM pg_proc WHERE proname = '$decoder' AND oidvectortypes(proargtypes) = 'text'"
        answers "$decoder reads what $encoder writes, by literals and without a search path" t \
            "SET search_path = partman, pg_catalog, pg_temp;
             DO \$\$ DECLARE bound text; at timestamptz; BEGIN
                EXECUTE 'SELECT extensions.$encoder(''2026-11-01Z'')' INTO bound;
                EXECUTE format('SELECT extensions.$decoder(%L)', bound) INTO at;
                PERFORM set_config('test.at', at::text, false);
             END \$\$; SELECT current_setting('test.at')::timestamptz = '2026-11-01Z'"
        answers "$decoder of nothing" t "SELECT extensions.$decoder(NULL) IS NULL"
    done
}

# whole_life TABLE ENCODER DECODER NEW AT: what becomes of a table that is there, partitioned by day. NEW makes an id of now, AT(%s) one
# of that time.
whole_life() {
    local table=$1 encoder=$2 decoder=$3 new=$4 at=$5
    same "$table: create_parent" t "$(create_parent "$table" "1 day" "$encoder" "$decoder")"
    answers "$table: four days before and after are made" "$NINE_DAYS" "$(days_of "$table")"

    app "INSERT INTO $table (id) SELECT $new FROM generate_series(1, 50)"
    answers "$table: rows of now are in the partition of today" "50" \
        "SELECT count(*) FROM $table WHERE (SELECT comb_partition_range(tableoid::regclass::oid) @> now())"

    # shellcheck disable=SC2059
    app "INSERT INTO $table (id) SELECT $(printf "$at" "current_date + interval '3 days 1 hour'")"
    app "UPDATE partman.part_config SET infinite_time_partitions = true WHERE parent_table = 'public.$table'"
    does "$table: maintenance" "SELECT partman.run_maintenance('public.$table')"
    answers "$table: maintenance goes ahead of the data" "$NINE_DAYS, 5 to 6, 6 to 7, 7 to 8" "$(days_of "$table")"

    # shellcheck disable=SC2059
    app "INSERT INTO $table (id) SELECT $(printf "$at" "current_date - n * interval '1 day' + interval '5 hours'") FROM generate_series(6, 8) n, generate_series(1, 10)"
    app "INSERT INTO $table (id) SELECT gen_random_uuid() FROM generate_series(1, 5)"
    answers "$table: older rows and random keys are in the default partition" 35 "SELECT count FROM partman.check_default(true) WHERE default_table = 'public.${table}_default'"
    does "$table: partition_data_time ends" "SELECT partman.partition_data_time('public.$table', 100)"
    answers "$table: it moves the older rows" "-8 to -7, -7 to -6, -6 to -5, $NINE_DAYS, 5 to 6, 6 to 7, 7 to 8" "$(days_of "$table")"
    answers "$table: no row is lost" 86 "SELECT count(*) FROM $table"
    answers "$table: random keys stay" 5 "SELECT count(*) FROM ${table}_default"

    app "UPDATE partman.part_config SET retention = '5 days', retention_keep_table = false WHERE parent_table = 'public.$table'"
    does "$table: maintenance with retention" "SELECT partman.run_maintenance('public.$table')"
    answers "$table: it drops what is older" "$NINE_DAYS, 5 to 6, 6 to 7, 7 to 8" "$(days_of "$table" | sed "s/r IS NOT NULL/upper(r) > current_date - 4/")"
    answers "$table: and nothing else" 56 "SELECT count(*) FROM $table"
}

other_steps() {
    local step table
    for step in hour month; do
        table=by_$step
        app "CREATE TABLE $table (id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id)"
        same "$table: create_parent" t "$(create_parent "$table" "1 $step" extensions.comb_lower_bound extensions.comb_partman_decoder)"
        answers "$table: a partition for each $step without a gap" "9|0" \
            "SELECT count(*), count(*) FILTER (WHERE lower(r) <> before OR lower(r) + interval '1 $step' <> upper(r))
             FROM (SELECT r, lag(upper(r)) OVER (ORDER BY r) AS before
                   FROM pg_inherits i, comb_partition_range(i.inhrelid) r WHERE inhparent = '$table'::regclass AND r IS NOT NULL) ranges"
    done
}

# The rows of a plain table.
from_plain() {
    app "CREATE TABLE plain (id uuid PRIMARY KEY, body text)"
    app "INSERT INTO plain SELECT comb_at(current_date - 3 + n * interval '1 minute'), n FROM generate_series(1, 5000) n"
    app "CREATE TABLE moved (id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id)"
    same "moved: create_parent" t "$(create_parent moved "1 day" extensions.comb_lower_bound extensions.comb_partman_decoder)"
    answers "moved: all rows of a plain table" 5000 "SELECT partman.partition_data_time('public.moved', 100, p_source_table => 'public.plain')"
    answers "moved: they are in partitions" "5000|0|0" \
        "SELECT (SELECT count(*) FROM moved), (SELECT count(*) FROM moved_default), (SELECT count(*) FROM plain)"
    answers "moved: comb_between() reads one partition of a day" 1 \
        "CREATE FUNCTION pg_temp.scanned(query text) RETURNS bigint LANGUAGE plpgsql AS \$\$ DECLARE line text; n bigint := 0; BEGIN
            FOR line IN EXECUTE 'EXPLAIN ' || query LOOP n := n + (line ~ 'Scan.* on moved_(p[0-9]+|default) moved')::int; END LOOP; RETURN n; END \$\$;
         SELECT pg_temp.scanned(format('SELECT * FROM moved WHERE comb_between(id, %L, %L)', current_date::timestamptz, current_date::timestamptz + interval '1 day'))"
    # As with every table that is partitioned by uuid.
    refuses "moved: partition_data_proc does not know uuid" "partition_data_uuid" "CALL partman.partition_data_proc('public.moved', p_source_table => 'public.plain')"
    does "moved: undo_partition" "SELECT partman.undo_partition('public.moved', 'public.plain', p_loop_count => 20, p_keep_table => false)"
    answers "moved: undo_partition gives all rows back" 5000 "SELECT count(*) FROM plain"
}

# Sets that were begun with pg_partman's own functions, whose bounds have no version.
taken_over() {
    local table
    for table in theirs changed; do
        app "CREATE TABLE $table (id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id)"
        same "$table: create_parent with pg_partman's functions" t "$(create_parent $table "1 day" partman.uuid7_time_encoder partman.uuid7_time_decoder)"
        app "UPDATE partman.part_config SET time_decoder = 'extensions.comb_partman_decoder', infinite_time_partitions = true WHERE parent_table = 'public.$table'"
        app "INSERT INTO $table (id) SELECT comb_at(current_date + n * interval '1 day' + interval '1 hour') FROM generate_series(-4, 3) n"
        app "INSERT INTO $table (id) VALUES (gen_random_uuid())"
    done

    app "INSERT INTO theirs (id) SELECT comb_at(current_date + n * interval '1 day' + interval '1 hour') FROM generate_series(-6, -5) n"
    does "theirs: maintenance with comb's decoder" "SELECT partman.run_maintenance('public.theirs')"
    does "theirs: partition_data_time ends" "SELECT partman.partition_data_time('public.theirs', 100)"
    answers "theirs: partitions go on without a gap, forward and backward" "-6 to -5, -5 to -4, $NINE_DAYS, 5 to 6, 6 to 7, 7 to 8" "$(days_of theirs)"
    answers "theirs: only the random key is in the default partition" "1|11" "SELECT (SELECT count(*) FROM theirs_default), (SELECT count(*) FROM theirs)"

    app "UPDATE partman.part_config SET time_encoder = 'extensions.comb_lower_bound' WHERE parent_table = 'public.changed'"
    does "changed: maintenance with comb's encoder, too" "SELECT partman.run_maintenance('public.changed')"
    answers "changed: partitions go on without a gap, forward" "$NINE_DAYS, 5 to 6, 6 to 7, 7 to 8" "$(days_of changed)"
    app "INSERT INTO changed (id) SELECT comb_at(current_date - 5)"
    refuses "changed: but none fits before the oldest" "would overlap partition" "SELECT partman.partition_data_time('public.changed', 100)"
}

# What docs/extensions.md warns of.
trap_of_comb_timestamp() {
    app "CREATE TABLE trapped (id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id)"
    same "trapped: create_parent accepts comb_timestamp" t "$(create_parent trapped "1 day" extensions.comb_min extensions.comb_timestamp)"
    refuses "trapped: but maintenance makes no partition" "comb_timestamp(text) does not exist" "SELECT partman.run_maintenance('public.trapped')"
    app "DELETE FROM partman.part_config WHERE parent_table = 'public.trapped'; DROP TABLE trapped"
}

last_day() { app "SELECT max(upper(r))::date - current_date FROM pg_inherits i, comb_partition_range(i.inhrelid) r WHERE inhparent = 'public.$1'::regclass"; }

# The background worker, by the role of the owner.
worker() {
    local table=events second=0
    app "DROP TABLE $(app "SELECT inhrelid::regclass FROM pg_inherits i, comb_partition_range(i.inhrelid) r WHERE inhparent = 'public.$table'::regclass ORDER BY upper(r) DESC NULLS LAST LIMIT 1")"
    same "worker: the last partition is gone" 7 "$(last_day $table)"
    cluster_restart pg_partman_bgw.dbname=shop pg_partman_bgw.role=app pg_partman_bgw.interval=2 pg_partman_bgw.analyze=off
    for second in {1..60}; do
        [ "$(last_day $table)" != 8 ] || break
        sleep 1
    done
    same "worker: it makes the partition" 8 "$(last_day $table)"
    [ "$second" -lt 60 ] || grep partman "$CLUSTER/work/data.log" | tail -n 5
    cluster_restart pg_partman_bgw.interval=3600
}

# Restored by a superuser, into the database of another name.
restored() {
    local before after
    before=$(app "SELECT count(*), count(DISTINCT tableoid) FROM events")
    "$BIN/pg_dump" -U postgres -Fc -f "$CLUSTER/shop.dump" shop
    sql -c "CREATE DATABASE restored OWNER app" -c "ALTER DATABASE restored SET search_path = public, extensions"
    same "restored: pg_restore" "" "$("$BIN/pg_restore" -U postgres -d restored --exit-on-error "$CLUSTER/shop.dump" 2>&1 || true)"
    after=$(sql -d restored -c "SELECT count(*), count(DISTINCT tableoid) FROM events")
    same "restored: all rows in their partitions" "$before" "$after"
    sql -d restored -c "DROP TABLE $(sql -d restored -c "SELECT inhrelid::regclass FROM pg_inherits i, comb_partition_range(i.inhrelid) r WHERE inhparent = 'public.events'::regclass ORDER BY upper(r) DESC NULLS LAST LIMIT 1")"
    sql -d restored -c "SELECT partman.run_maintenance('public.events')" >/dev/null
    same "restored: maintenance goes on" 8 "$(sql -d restored -c "SELECT max(upper(r))::date - current_date FROM pg_inherits i, comb_partition_range(i.inhrelid) r WHERE inhparent = 'public.events'::regclass")"
}

# --------------------------------------------------------------------------------------------------

set_up
calls

app "CREATE TABLE events (id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id)"
whole_life events extensions.comb_lower_bound extensions.comb_partman_decoder "comb_new()" "comb_at(%s)"
app "CREATE TABLE inventory (id uuid NOT NULL DEFAULT comb_new_mssql(), body text) PARTITION BY RANGE (id uuid_mssql_ops)"
whole_life inventory extensions.comb_partman_mssql_encoder extensions.comb_partman_mssql_decoder "comb_new_mssql()" "comb_at(%s, 'mssql')"
other_steps
from_plain
taken_over
trap_of_comb_timestamp
worker
restored
finish
