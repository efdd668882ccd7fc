<?php
// What an example prints: its client, and a line for each job; and what the jobs are checked with.

const UUID = '/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/';
// Changes with every change of a table, a column or an index.
const CATALOG = <<<SQL
    SELECT string_agg(concat_ws(' ', c.relname, c.xmin, a.attname, a.xmin), ', ' ORDER BY c.oid, a.attnum) AS catalog
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace
    SQL;

$failed = false;

function job(string $name, callable $work): void
{
    global $failed;
    try {
        $work();
        echo "ok $name\n";
    } catch (Throwable $e) {
        $failed = true;
        fwrite(STDERR, "$e\n");
        echo "not ok $name: ", preg_replace('/\s+/', ' ', $e->getMessage()), "\n";
    }
}

function check($seen, $expected): void
{
    if ($seen !== $expected) {
        throw new Exception(json_encode($seen) . ' instead of ' . json_encode($expected));
    }
}
