#!/usr/bin/env bash
# Bad input: every function of the extension, found when the test runs, over random and extreme arguments.
# Any error that has a proper SQLSTATE is a good answer; an internal error (class XX) or the end of the
# server is not.
. "$(dirname "$0")/lib/fault.sh"

SEED=0.20261121

server_start
sql -f "$LIB/input.sql"
# A backend with a crash takes the server along, and the others' connections with it.
facts -v seed=$SEED -v calls=$((DURATION * 4000)) <<'SQL'
\o /dev/null
SELECT count(*) AS functions FROM callable \gset
SELECT string_agg(function::text, ', ' ORDER BY function::text) AS skipped FROM uncallable \gset
SELECT setseed(:seed);
CALL call_them(:calls);
\o
SELECT :'functions' || ' functions, seed ' || :'seed' || ': ' || sum(calls) || ' calls', sum(calls) >= :calls AND count(DISTINCT function) = :functions FROM called;
SELECT 'skipped, since SQL cannot give them an argument: ' || :'skipped', true;
SELECT DISTINCT 'every type of argument has values', count(*) = 0 FROM callable, unnest(arguments) argument WHERE argument NOT IN (SELECT type FROM pool);
SELECT 'what they answered: ' || string_agg(format('%s %s', answer, calls), ', ' ORDER BY calls DESC), true FROM (SELECT coalesce(sqlstate, 'a value') AS answer, sum(calls) AS calls FROM called GROUP BY 1) answers;
SELECT 'no internal error: ' || format('%s raised %s by %s', function, sqlstate, example), false FROM called WHERE sqlstate LIKE 'XX%';
SELECT 'no internal error', count(*) = 0 FROM called WHERE sqlstate LIKE 'XX%';
-- Else nothing but the check of its arguments would be tested.
SELECT format('%s has an answer to some', function), bool_or(called.sqlstate IS NULL) FROM called JOIN callable USING (function)
-- But a trigger's function, which only a trigger may call.
WHERE result <> 'trigger'::regtype GROUP BY function HAVING NOT bool_or(called.sqlstate IS NULL);
SQL
grep 'terminated by signal' "$CLUSTER/work/data.log" && crashed=f || crashed=t
fact "no process crashed" $crashed
finish
