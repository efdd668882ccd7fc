<?php
// Ids of comb with Eloquent on PDO: the jobs that every example does.

require 'Illuminate/Database/autoload.php';

use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\QueryException;
use Illuminate\Database\Query\Expression;
use Illuminate\Database\Schema\Blueprint;
use Illuminate\Database\Schema\Grammars\PostgresGrammar;

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

// comb: insert
class Order extends Model
{
    protected $keyType = 'string';
    public $incrementing = true;    // create() reads back the key that the database generated
    public $timestamps = false;
    protected $fillable = ['n'];
}
// end

class Legacy extends Order
{
    protected $table = 'legacy';
}

echo 'client eloquent ', shell_exec("dpkg-query -W -f '\${Version}' php-illuminate-database"), "\n";
$manager = new Manager();
$manager->addConnection([
    'driver' => 'pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'), 'database' => getenv('PGDATABASE'),
    'username' => getenv('PGUSER'), 'password' => getenv('PGPASSWORD'),
]);
$manager->bootEloquent();
$db = $manager->getConnection();

function schema($db): void
{
    // comb: schema
    $db->statement('CREATE EXTENSION IF NOT EXISTS comb');
    // end
    // comb: schema_legacy
    PostgresGrammar::macro('typeUniqueidentifier', fn () => 'uniqueidentifier');
    // end
    $schema = $db->getSchemaBuilder();
    $schema->hasTable('orders') ||
    // comb: schema
    $schema->create('orders', function (Blueprint $table) {
        $table->uuid('id')->primary()->default(new Expression('comb_new()'));
        $table->integer('n');
    });
    // end
    $schema->hasTable('legacy') ||
    // comb: schema_legacy
    $schema->create('legacy', function (Blueprint $table) {
        $table->addColumn('uniqueidentifier', 'id')->primary()->default(new Expression('comb_new_mssql()'));
        $table->integer('n');
    });
    // end
}

job('schema', function () use ($db) {
    schema($db);
    check([Order::count(), Legacy::count()], [0, 0]);
});

job('schema_again', function () use ($db) {
    $before = $db->selectOne(CATALOG)->catalog;
    schema($db);
    check($db->selectOne(CATALOG)->catalog, $before);
});

job('insert', function () {
    foreach ([Order::class, Legacy::class] as $model) {
        // comb: insert
        $id = $model::create(['n' => 0])->id;
        // end
        check(preg_match(UUID, $id), 1);
        check($model::find($id)->n, 0);
    }
});

usleep(10_000);
$begin = new DateTimeImmutable();    // after the row 0, milliseconds before the rows 1 to 1000
usleep(10_000);

job('batch', function () {
    foreach ([Order::class, Legacy::class] as $model) {
        $model::insert(array_map(fn ($n) => ['n' => $n], range(1, 1000)));    // one statement; it returns no keys
        check($model::orderBy('id')->pluck('n')->all(), range(0, 1000));
        check($model::lazyById(100)->pluck('n')->all(), range(0, 1000));
    }
});

job('page', function () {
    foreach ([Order::class, Legacy::class] as $model) {
        $last = $model::firstWhere('n', 500)->id;
        $page = $model::where('id', '>', $last)->orderBy('id')->limit(10)->get();
        check($page->pluck('n')->all(), range(501, 510));
    }
});

job('range', function () use ($begin) {
    foreach ([Order::class, Legacy::class] as $model) {
        // comb: range
        // As text with zone and fraction, which Eloquent omits when it sends a DateTime.
        $between = fn ($from, $to) => $model::whereRaw(
            'comb_between(id, ?, ?)', [$from->format('Y-m-d H:i:s.uP'), $to->format('Y-m-d H:i:s.uP')]
        );
        // end
        check($between($begin, $begin->modify('1 minute'))->orderBy('id')->pluck('n')->all(), range(1, 1000));
        check($between($begin->modify('-1 minute'), $begin)->pluck('n')->all(), [0]);
    }
});

job('timestamp', function () {
    foreach ([Order::selectRaw('comb_timestamp(id) AS at'), Legacy::selectRaw('comb_timestamp_mssql(id) AS at')] as $query) {
        $at = $query->withCasts(['at' => 'immutable_datetime'])->first()->at;
        check($at instanceof DateTimeImmutable, true);
        check(abs((float) $at->format('U.u') - microtime(true)) < 60, true);
    }
});

job('error', function () use ($db) {
    $error = null;
    try {
        $db->select('SELECT comb_at(?)', ['1969-07-20 20:17:40Z']);
    } catch (QueryException $error) {
        [$sqlstate, , $text] = $error->errorInfo;
        [$message, $detail] = explode("\n", $text);
    }
    check($sqlstate ?? null, '22008');
    check($message, 'ERROR:  timestamp out of range for UUID layout "uuidv7"');
    check(str_starts_with($detail, 'DETAIL:  The layout can represent times from 1970-01-01T00:00:00+00:00 to '), true);
});

job('newest', function () {
    foreach ([Order::class, Legacy::class] as $model) {
        $newest = $model::orderByDesc('id')->first();
        check($newest->n, 1000);
    }
    check(Legacy::find(Legacy::max('id'))->n, 1000);    // PostgreSQL up to 18 has no max(uuid)
});

exit((int) $failed);
