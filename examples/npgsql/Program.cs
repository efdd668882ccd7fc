// Npgsql with its data source: the jobs that every example does, and an outbox.
using Npgsql;
using NpgsqlTypes;
using static Jobs;

string[] tables = ["orders", "legacy"];
string Env(string name) => Environment.GetEnvironmentVariable(name) ?? "";
var connectionString = new NpgsqlConnectionStringBuilder
{
    Host = Env("PGHOST"), Port = int.Parse(Env("PGPORT")), Database = Env("PGDATABASE"), Username = Env("PGUSER"), Password = Env("PGPASSWORD"),
}.ConnectionString;

Console.WriteLine($"client Npgsql {typeof(NpgsqlConnection).Assembly.GetName().Version?.ToString(3)}");

const string Schema = """
    CREATE EXTENSION IF NOT EXISTS comb;
    CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer);
    CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer);
    CREATE TABLE IF NOT EXISTS events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
    CALL comb_enable_polls('events', 'position');
    CREATE TABLE IF NOT EXISTS readers (name text PRIMARY KEY, position bigint NOT NULL DEFAULT 0);
    """;

// comb: connect
#pragma warning disable NPG9001 // Npgsql calls its converters experimental
var builder = new NpgsqlDataSourceBuilder(connectionString);
builder.AddTypeInfoResolverFactory(new UniqueIdentifier());    // only for columns of type uniqueidentifier
await using var db = builder.Build();
// end

foreach (var name in new[] { "schema", "schema_again" })
    await Job(name, async () =>
    {
        // comb: schema
        await using var connection = await db.OpenConnectionAsync();
        await using var create = new NpgsqlCommand(Schema, connection);
        await create.ExecuteNonQueryAsync();
        await connection.ReloadTypesAsync();    // this connection began before CREATE EXTENSION
        // end
    });

await Job("insert", async () =>
{
    foreach (var table in tables)
    {
        // comb: insert
        await using var insert = db.CreateCommand($"INSERT INTO {table} (n) VALUES ($1) RETURNING id");
        insert.Parameters.Add(new() { Value = -1 });
        var id = (Guid)(await insert.ExecuteScalarAsync())!;
        // end
        CheckRows(await Numbers($"SELECT n FROM {table} WHERE id = $1", id), [-1]);
        CheckRows(await Numbers($"SELECT n FROM {table} WHERE id = ANY($1)", new[] { id }), [-1]);
    }
});

var made = new Dictionary<string, List<Guid>>();
await Job("batch", async () =>
{
    foreach (var table in tables)
    {
        // comb: batch
        await using var batch = db.CreateBatch();
        for (var n = 0; n < 1000; n++)
            batch.BatchCommands.Add(new($"INSERT INTO {table} (n) VALUES ($1) RETURNING id") { Parameters = { new() { Value = n } } });
        var ids = new List<Guid>();
        await using (var rows = await batch.ExecuteReaderAsync())
            do
                while (await rows.ReadAsync()) ids.Add(rows.GetGuid(0));
            while (await rows.NextResultAsync());
        // end
        made[table] = ids;
        CheckRows(await Keys($"SELECT id FROM {table} WHERE n >= 0 ORDER BY id"), ids);
        CheckRows(await Numbers($"SELECT n FROM {table} WHERE n >= 0 ORDER BY id"), Enumerable.Range(0, 1000));
    }
    CheckRows(made["orders"], made["orders"].Order());    // Guid.CompareTo() has the order of uuid
});

await Job("copy", async () =>
{
    // comb: copy
    await using var connection = await db.OpenConnectionAsync();
    var ids = new List<Guid>();
    await using (var fetch = new NpgsqlCommand("SELECT comb_new() FROM generate_series(1, 1000)", connection))
    await using (var rows = await fetch.ExecuteReaderAsync())
        while (await rows.ReadAsync()) ids.Add(rows.GetGuid(0));

    await using (var copy = await connection.BeginBinaryImportAsync("COPY orders (id, n) FROM STDIN (FORMAT BINARY)"))
    {
        for (var n = 0; n < ids.Count; n++)
        {
            await copy.StartRowAsync();
            await copy.WriteAsync(ids[n], NpgsqlDbType.Uuid);
            await copy.WriteAsync(5000 + n, NpgsqlDbType.Integer);
        }
        await copy.CompleteAsync();
    }
    // end
    CheckRows(await Numbers("SELECT n FROM orders WHERE n >= 5000 ORDER BY id"), Enumerable.Range(5000, 1000));
    CheckRows(await Numbers("DELETE FROM orders WHERE n >= 5000 RETURNING 0"), new int[1000]);
});

await Job("page", async () =>
{
    foreach (var table in tables)
    {
        var last = made[table][499];
        CheckRows(await Numbers($"SELECT n FROM {table} WHERE id > $1 ORDER BY id LIMIT 10", last), Enumerable.Range(500, 10));
    }
});

await Job("range", async () =>
{
    var noon = new DateTime(2024, 3, 1, 12, 0, 0, DateTimeKind.Utc);
    foreach (var (table, layout) in new[] { ("orders", "uuidv7"), ("legacy", "mssql") })
    {
        for (var day = 0; day < 5; day++)
            await Numbers($"INSERT INTO {table} (id, n) VALUES (comb_at($1, $2), $3) RETURNING n", noon.AddDays(day), layout, -100 - day);
        var (begin, until) = (noon.AddDays(1), noon.AddDays(3));
        // comb: range
        await using var range = db.CreateCommand($"SELECT n FROM {table} WHERE comb_between(id, $1, $2) ORDER BY id");
        range.Parameters.Add(new() { Value = begin });    // of kind Utc
        range.Parameters.Add(new() { Value = until });    // DateTime.MaxValue is infinity: a range without an end
        // end
        var found = new List<int>();
        await using (var rows = await range.ExecuteReaderAsync())
            while (await rows.ReadAsync()) found.Add(rows.GetInt32(0));
        CheckRows(found, [-101, -102]);
        CheckRows(await Numbers($"SELECT n FROM {table} WHERE comb_between(id, $1, $2) AND n < -1 ORDER BY id", begin, DateTime.MaxValue), [-101, -102, -103, -104]);
    }
});

await Job("timestamp", async () =>
{
    foreach (var query in new[] { "SELECT comb_timestamp(id) FROM orders WHERE n = 0", "SELECT comb_timestamp(id, 'mssql') FROM legacy WHERE n = 0" })
    {
        await using var fetch = db.CreateCommand(query);
        await using var row = await fetch.ExecuteReaderAsync();
        await row.ReadAsync();
        CheckRecent(row.GetFieldValue<DateTimeOffset>(0));
    }
});

await Job("error", async () =>
{
    try
    {
        await Numbers("SELECT 1 WHERE comb_at($1) IS NULL", new DateTime(1969, 7, 20, 20, 17, 0, DateTimeKind.Utc));
        throw new Exception("no error");
    }
    catch (PostgresException error)
    {
        Check(error.SqlState, "22008");
        Check(error.MessageText, "timestamp out of range for UUID layout \"uuidv7\": 1969-07-20T20:17:00+00:00");
        Check(error.Hint?.StartsWith("The layout holds times from 1970-01-01T00:00:00+00:00 to "), true);
    }
});

await Job("newest", async () =>
{
    foreach (var table in tables)
        CheckRows(await Numbers($"SELECT n FROM {table} ORDER BY id DESC LIMIT 1"), [999]);
    CheckRows(await Keys("SELECT max(id) FROM legacy"), [made["legacy"][^1]]);
});

var handled = new List<string>();
void Handle(string body) => handled.Add(body);

// comb: reader
async Task<int> Poll()
{
    await using var connection = await db.OpenConnectionAsync();
    await using var transaction = await connection.BeginTransactionAsync();
    await using var next = new NpgsqlCommand("SELECT position FROM readers WHERE name = 'mailer' FOR UPDATE", connection);
    var cursor = (long)(await next.ExecuteScalarAsync())!;

    await using var poll = new NpgsqlCommand("""
        SELECT position, body FROM events
        WHERE position > $1 AND position <= comb_number_horizon('events', after => $1)
        ORDER BY position LIMIT 1000
        """, connection) { Parameters = { new() { Value = cursor } } };
    var bodies = new List<string>();
    await using (var rows = await poll.ExecuteReaderAsync())
        while (await rows.ReadAsync())
        {
            cursor = rows.GetInt64(0);
            bodies.Add(rows.GetString(1));
        }
    foreach (var body in bodies) Handle(body);    // after the DataReader: Handle can use the connection

    await using var store = new NpgsqlCommand("UPDATE readers SET position = $1 WHERE name = 'mailer'", connection) { Parameters = { new() { Value = cursor } } };
    if (bodies.Count > 0) await store.ExecuteNonQueryAsync();
    await transaction.CommitAsync();
    return bodies.Count;    // 0: wait 100 ms, and call Poll() again; the same after an error 40001
}
// end

await Job("outbox", async () =>
{
    await Numbers("INSERT INTO readers (name) VALUES ('mailer') RETURNING 0");
    await using (var connection = await db.OpenConnectionAsync())
    {
        // comb: writer
        await using var transaction = await connection.BeginTransactionAsync();
        await using var write = new NpgsqlCommand("INSERT INTO events (body) VALUES ($1)", connection) { Parameters = { new() { Value = "late" } } };
        await write.ExecuteNonQueryAsync();
        // end
        // Another one commits first: a reader with position > cursor would read 2, and never 1.
        await Numbers("INSERT INTO events (body) VALUES ('early') RETURNING 0");
        Check(await Poll(), 0);
        // comb: writer
        await transaction.CommitAsync();
        // end
    }
    while (await Poll() > 0 || handled.Count < 2) { }
    CheckRows(handled, ["late", "early"]);
});

return Failed ? 1 : 0;

async Task<List<int>> Numbers(string sql, params object[] values) => await Read<int>(sql, values);
async Task<List<Guid>> Keys(string sql, params object[] values) => await Read<Guid>(sql, values);
async Task<List<T>> Read<T>(string sql, object[] values)
{
    await using var command = db.CreateCommand(sql);
    foreach (var value in values) command.Parameters.Add(new() { Value = value });
    var list = new List<T>();
    await using var rows = await command.ExecuteReaderAsync();
    while (await rows.ReadAsync()) list.Add(rows.GetFieldValue<T>(0));
    return list;
}
