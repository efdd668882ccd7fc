// An outbox with plain Npgsql: four writers (INSERT, NpgsqlBatch, binary COPY, array), rollbacks, a slow writer, and readers with a
// cursor in the database. It checks itself: exit code 1 if a reader with comb's horizon missed a row.
// args: connection seconds slow(s)
using System.Collections.Concurrent;
using System.Diagnostics;
using Npgsql;
using NpgsqlTypes;

var (server, run, slow) = (args[0], TimeSpan.FromSeconds(double.Parse(args[1])), TimeSpan.FromSeconds(double.Parse(args[2])));
await using (var admin = NpgsqlDataSource.Create(server))
{
    await admin.CreateCommand("DROP DATABASE IF EXISTS outbox WITH (FORCE)").ExecuteNonQueryAsync();
    await admin.CreateCommand("CREATE DATABASE outbox").ExecuteNonQueryAsync();
}
await using var db = NpgsqlDataSource.Create(new NpgsqlConnectionStringBuilder(server) { Database = "outbox" }.ConnectionString);
await db.CreateCommand("""
    CREATE EXTENSION comb;
    CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid NOT NULL DEFAULT comb_new(), body text);
    CREATE INDEX ON events (id);
    CALL comb_enable_polls('events', 'position');
    CREATE TABLE readers (name text PRIMARY KEY, position bigint NOT NULL DEFAULT 0);
    INSERT INTO readers (name) VALUES ('timer'), ('notified'), ('naive');
    -- wakes readers at the commit; one notification for a statement
    CREATE FUNCTION wake() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NOTIFY events; RETURN NULL; END $$;
    CREATE TRIGGER wake AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION wake();
    """).ExecuteNonQueryAsync();

var clock = Stopwatch.StartNew();
var committed = new ConcurrentDictionary<string, double>();
var rollbacks = 0;
using var stop = new CancellationTokenSource(run);

async Task Insert(NpgsqlConnection c, int kind, string[] bodies)
{
    switch (kind)
    {
        case 0:
            foreach (var body in bodies)
                await new NpgsqlCommand("INSERT INTO events (body) VALUES ($1)", c) { Parameters = { new() { Value = body } } }.ExecuteNonQueryAsync();
            break;
        case 1:
            await using (var batch = new NpgsqlBatch(c))
            {
                foreach (var body in bodies)
                    batch.BatchCommands.Add(new("INSERT INTO events (body) VALUES ($1)") { Parameters = { new() { Value = body } } });
                await batch.ExecuteNonQueryAsync();
            }
            break;
        case 2:
            await using (var copy = await c.BeginBinaryImportAsync("COPY events (body) FROM STDIN (FORMAT binary)"))
            {
                foreach (var body in bodies) { await copy.StartRowAsync(); await copy.WriteAsync(body, NpgsqlDbType.Text); }
                await copy.CompleteAsync();
            }
            break;
        default:
            await new NpgsqlCommand("INSERT INTO events (body) SELECT unnest($1)", c) { Parameters = { new() { Value = bodies } } }.ExecuteNonQueryAsync();
            break;
    }
}

async Task Write(int kind, TimeSpan open, bool roll)
{
    var bodies = Enumerable.Range(0, kind == 0 ? 1 : 5).Select(_ => $"{kind} {Guid.NewGuid()}").ToArray();
    await using var c = await db.OpenConnectionAsync();
    await using var transaction = await c.BeginTransactionAsync();
    await Insert(c, kind, bodies);
    if (open > TimeSpan.Zero) await Task.Delay(open);
    if (roll) { await transaction.RollbackAsync(); Interlocked.Increment(ref rollbacks); return; }
    await transaction.CommitAsync();
    foreach (var body in bodies) committed[body] = clock.Elapsed.TotalMilliseconds;
}
var writers = Enumerable.Range(0, 4).Select(kind => Task.Run(async () =>
{
    var random = new Random(kind);
    while (!stop.IsCancellationRequested) { await Write(kind, TimeSpan.FromMilliseconds(random.Next(3)), random.Next(20) == 0); await Task.Delay(random.Next(20)); }
})).ToList();
if (slow > TimeSpan.Zero)
    writers.Add(Task.Run(async () => { while (!stop.IsCancellationRequested) { await Write(0, slow, false); await Task.Delay(3 * slow); } }));

var ended = false;
async Task<(ConcurrentDictionary<string, double>, int)> Read(string name, string condition, bool listen)
{
    var got = new ConcurrentDictionary<string, double>();
    var polls = 0;
    await using var listener = await db.OpenConnectionAsync();
    if (listen) await new NpgsqlCommand("LISTEN events", listener).ExecuteNonQueryAsync();
    while (true)
    {
        var last = ended;
        var rows = 0;
        await using (var c = await db.OpenConnectionAsync())
        await using (var transaction = await c.BeginTransactionAsync())
        {
            await using var next = new NpgsqlCommand("SELECT position FROM readers WHERE name = $1 FOR UPDATE", c) { Parameters = { new() { Value = name } } };
            var cursor = (long)(await next.ExecuteScalarAsync())!;
            await using var poll = new NpgsqlCommand($"SELECT position, body FROM events WHERE position > $1 {condition} ORDER BY position LIMIT 1000", c)
                { Parameters = { new() { Value = cursor } } };
            await using (var r = await poll.ExecuteReaderAsync())
                while (await r.ReadAsync()) { cursor = r.GetInt64(0); got.TryAdd(r.GetString(1), clock.Elapsed.TotalMilliseconds); rows++; }
            if (rows > 0)
            {
                await using var store = new NpgsqlCommand("UPDATE readers SET position = $1 WHERE name = $2", c)
                    { Parameters = { new() { Value = cursor }, new() { Value = name } } };
                await store.ExecuteNonQueryAsync();
            }
            await transaction.CommitAsync();
            polls++;
        }
        if (rows == 0 && last) return (got, polls);
        if (rows > 0) continue;
        if (!listen) await Task.Delay(100);
        else await listener.WaitAsync(1000);       // a notification, or one second: rows can become readable without one
    }
}
const string horizon = "AND position <= comb_number_horizon('events', after => $1)";
var readers = new[] { ("timer", horizon, false), ("notified", horizon, true), ("naive", "", false) }
    .Select(r => (r.Item1, Task: Task.Run(() => Read(r.Item1, r.Item2, r.Item3)))).ToList();
await Task.WhenAll(writers);
ended = true;
Console.WriteLine($"{committed.Count} rows committed in {run.TotalSeconds} s, {rollbacks} transactions rolled back, slow writer {slow.TotalSeconds} s");
var failed = false;
foreach (var (name, task) in readers)
{
    var (got, polls) = await task;
    var missed = committed.Keys.Count(k => !got.ContainsKey(k));
    var extra = got.Keys.Count(k => !committed.ContainsKey(k));
    var delays = committed.Where(r => got.ContainsKey(r.Key)).Select(r => Math.Max(0, got[r.Key] - r.Value)).Order().ToList();
    Console.WriteLine($"{name,-9} missed {missed,4}, of rolled back transactions {extra}   ms: median {delays[delays.Count / 2]:0}, p95 {delays[delays.Count * 95 / 100]:0}, max {delays[^1]:0}   {polls} polls");
    failed |= name != "naive" && (missed > 0 || extra > 0);
}
return failed ? 1 : 0;
