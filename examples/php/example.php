<?php
// Eloquent.

require_once 'Illuminate/Database/autoload.php';

use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Database\Query\Expression;
use Illuminate\Database\QueryException;
use Illuminate\Database\Schema\Blueprint;

$manager = new Manager();
$manager->addConnection([
    'driver' => 'pgsql', 'host' => getenv('PGHOST'), 'port' => getenv('PGPORT'), 'database' => getenv('PGDATABASE'),
    'username' => getenv('PGUSER'), 'password' => getenv('PGPASSWORD'), 'charset' => 'utf8',
]);
$manager->bootEloquent();
$db = $manager->getConnection();
$schema = $db->getSchemaBuilder();

// comb: model
class Order extends Model
{
    public $incrementing = true; // create() then reads the key back
    protected $keyType = 'string';
    public $timestamps = false;
    protected $guarded = [];
}
// end

class Event extends Model
{
    protected $primaryKey = 'position';
    public $timestamps = false;
    protected $guarded = [];
}

// Each migration has a name, and runs once.
function migrate($db, array $migrations)
{
    $schema = $db->getSchemaBuilder();
    if (!$schema->hasTable('migrations')) {
        $schema->create('migrations', fn (Blueprint $table) => $table->text('name'));
    }
    foreach ($migrations as $name => $migration) {
        if (!$db->table('migrations')->where('name', $name)->exists()) {
            $migration($schema, $db);
            $db->table('migrations')->insert(['name' => $name]);
        }
    }
}

$shop = function ($schema, $db) {
    // comb: migration
    $db->statement('CREATE EXTENSION IF NOT EXISTS comb');
    $schema->create('orders', function (Blueprint $table) {
        $table->uuid('id')->primary()->default(new Expression('comb_new()'));
        $table->integer('n');
    });
    $schema->create('events', function (Blueprint $table) {
        $table->bigIncrements('position');
        $table->text('body');
    });
    $db->statement("CALL comb_enable_polls('events', 'position')");
    // end
    $schema->create('order_lines', fn (Blueprint $table) => $table->timestamps());
};
$change = function ($schema) {
    foreach (['orders', 'events'] as $name) {
        $schema->table($name, fn (Blueprint $table) => $table->text('note')->nullable());
    }
};

function between($begin, $until)
{
    // comb: range
    $rows = Order::whereRaw('comb_between(id, ?, ?)', [$begin, $until])->orderBy('id')->get();
    // end
    return $rows->pluck('n')->all();
}

$commands = [
    'schema' => fn () => migrate($db, ['shop' => $shop]),
    'change' => fn () => migrate($db, ['shop' => $shop, 'note' => $change]),
    'insert' => fn ($_, $n) => [Order::create(['n' => $n])->id],
    'batch' => function ($_, $count) use ($db) {
        // comb: batch
        $keys = $db->select('SELECT comb_new() AS id FROM generate_series(1, ?)', [$count]);
        Order::insert(array_map(fn ($key, $n) => ['id' => $key->id, 'n' => $n], $keys, array_keys($keys)));
        // end
        return array_column($keys, 'id');
    },
    'page' => fn ($_, $last) => Order::where('id', '>', $last)->orderBy('id')->limit(10)->pluck('n')->all(),
    // Text with a zone.
    'range' => fn ($_, $begin, $until) => between($begin, $until),
    // Objects are sent without one.
    'unzoned' => fn ($begin, $until) => between(new DateTimeImmutable($begin), new DateTimeImmutable($until)),
    'timestamp' => function ($_, $layout, $n) {
        $time = Order::where('n', $n)->selectRaw('comb_timestamp(id) AS time')->first()->time;
        return [(new DateTimeImmutable($time))->format('Uv')];
    },
    'newest' => fn ($_) => [Order::orderByDesc('id')->first()->n],
    'error' => function ($time) use ($db) {
        try {
            $db->select('SELECT comb_at(?)', [$time]);
        } catch (QueryException $error) {
            preg_match('/ERROR:  (.*)\nHINT:  (.*)/', $error->errorInfo[2], $parts);
            return [$error->getCode(), $parts[1], $parts[2]];
        }
    },
    'write' => function ($milliseconds, $end, ...$bodies) use ($db) {
        $db->beginTransaction();
        foreach ($bodies as $body) {
            Event::create(['body' => $body]);
        }
        usleep(1000 * $milliseconds);
        $end === 'commit' ? $db->commit() : $db->rollBack();
    },
    'poll' => function ($cursor, $horizon) {
        // comb: reader
        $new = Event::where('position', '>', $cursor)->orderBy('position')->limit(1000);
        $settled = (clone $new)->whereRaw("position <= comb_number_horizon('events', after => ?)", [$cursor]);
        // end
        $rows = ($horizon === 'yes' ? $settled : $new)->get(['position', 'body']);
        return $rows->flatMap(fn ($row) => [$row->position, $row->body])->all();
    },
    'call' => fn ($query) => $db->select($query) ? [] : [],
];

function answer(array $values)
{
    echo implode("\t", array_map(fn ($value) => preg_replace('/\s+/', ' ', (string) $value), $values)), "\n";
}

$version = trim(shell_exec("dpkg-query -W -f '\${Version}' php-illuminate-database"));
answer(['client', 'Eloquent', explode('+', $version)[0], 'orders']);
while (($line = fgets(STDIN)) !== false) {
    $words = explode("\t", rtrim($line, "\n"));
    $command = array_shift($words);
    try {
        answer(isset($commands[$command]) ? $commands[$command](...$words) ?? [] : ['none']);
    } catch (Throwable $error) {
        fwrite(STDERR, "$error\n");
        answer(['error', get_class($error) . ': ' . $error->getMessage()]);
    }
}
