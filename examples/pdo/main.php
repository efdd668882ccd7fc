<?php
// Ids of comb with PDO: the jobs that every example does.

require __DIR__ . '/../lib/report.php';

echo 'client pdo_pgsql ', phpversion('pdo_pgsql'), "\n";
$dsn = sprintf('pgsql:host=%s;port=%s;dbname=%s', getenv('PGHOST'), getenv('PGPORT'), getenv('PGDATABASE'));
$db = new PDO($dsn, getenv('PGUSER'), getenv('PGPASSWORD'));

function query(string $query, array $parameters = []): PDOStatement
{
    global $db;
    $statement = $db->prepare($query);
    $statement->execute($parameters);
    return $statement;
}

/** The first column of a query's rows. */
function column(string $query, array $parameters = []): array
{
    return query($query, $parameters)->fetchAll(PDO::FETCH_COLUMN);
}

function schema(PDO $db): void
{
    // comb: schema
    $db->exec('CREATE EXTENSION IF NOT EXISTS comb');
    $db->exec('CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer)');
    $db->exec('CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer)');
    // end
}

job('schema', fn () => schema($db));

job('schema_again', function () use ($db) {
    $before = column(CATALOG);
    schema($db);
    check(column(CATALOG), $before);
});

job('insert', function () use ($db) {
    foreach (['orders', 'legacy'] as $table) {
        // comb: insert
        $insert = $db->prepare("INSERT INTO $table (n) VALUES (?) RETURNING id");
        $insert->execute([0]);
        $id = $insert->fetchColumn();    // not lastInsertId(), which is for sequences
        // end
        check(preg_match(UUID, $id), 1);
        check(column("SELECT n FROM $table WHERE id = ?", [$id]), [0]);
    }
});

usleep(10_000);
$begin = new DateTimeImmutable();    // after the row 0, milliseconds before the rows 1 to 1000
usleep(10_000);

job('batch', function () use ($db) {
    foreach (['orders', 'legacy'] as $table) {
        // comb: batch
        $insert = $db->prepare("INSERT INTO $table (n) SELECT unnest(?::integer[]) RETURNING id");
        $insert->execute(['{' . implode(',', range(1, 1000)) . '}']);
        $ids = $insert->fetchAll(PDO::FETCH_COLUMN);
        // end
        check(column("SELECT n FROM $table ORDER BY id"), range(0, 1000));
        check(column("SELECT id FROM $table WHERE n > 0 ORDER BY n"), $ids);
    }
});

job('page', function () use ($db) {
    foreach (['orders', 'legacy'] as $table) {
        [$last] = column("SELECT id FROM $table WHERE n = 500");
        // comb: page
        $page = $db->prepare("SELECT n, id FROM $table WHERE id > ? ORDER BY id LIMIT 10");
        $page->execute([$last]);
        // end
        check($page->fetchAll(PDO::FETCH_COLUMN), range(501, 510));
    }
});

job('range', function () use ($db, $begin) {
    foreach (['orders', 'legacy'] as $table) {
        foreach ([[$begin, $begin->modify('1 minute'), range(1, 1000)], [$begin->modify('-1 minute'), $begin, [0]]] as [$from, $to, $n]) {
            // comb: range
            $between = $db->prepare("SELECT n, id FROM $table WHERE comb_between(id, ?, ?) ORDER BY id");
            $between->execute([$from->format('Y-m-d H:i:s.uP'), $to->format('Y-m-d H:i:s.uP')]);
            // end
            check($between->fetchAll(PDO::FETCH_COLUMN), $n);
        }
    }
});

job('timestamp', function () use ($db) {
    foreach (['SELECT comb_timestamp(id) FROM orders', 'SELECT comb_timestamp_mssql(id) FROM legacy'] as $query) {
        // comb: timestamp
        $at = new DateTimeImmutable($db->query($query)->fetchColumn());    // text with zone and fraction
        // end
        check(abs((float) $at->format('U.u') - microtime(true)) < 60, true);
    }
});

job('error', function () use ($db) {
    // comb: error
    try {
        $db->query("SELECT comb_at('1969-07-20 20:17:40Z')");
    } catch (PDOException $error) {
        [$sqlstate, , $text] = $error->errorInfo;
        [$message, $detail] = explode("\n", $text);
    }
    // end
    check($sqlstate ?? null, '22008');
    check($message, 'ERROR:  timestamp out of range for UUID layout "uuidv7"');
    check(str_starts_with($detail, 'DETAIL:  The layout can represent times from 1970-01-01T00:00:00+00:00 to '), true);
});

job('newest', function () use ($db) {
    foreach (['orders', 'legacy'] as $table) {
        // comb: newest
        $newest = $db->query("SELECT n, id FROM $table ORDER BY id DESC LIMIT 1")->fetch(PDO::FETCH_ASSOC);
        // end
        check($newest['n'], 1000);
    }
    check(column('SELECT n FROM legacy WHERE id = (SELECT max(id) FROM legacy)'), [1000]);    // up to 18 no max(uuid)
});

exit((int) $failed);
