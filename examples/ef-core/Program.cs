// EF Core with Npgsql: the jobs that every example does, and an outbox.
using Microsoft.EntityFrameworkCore;
using Npgsql;

var failed = false;
var options = Shop.Options();
Console.WriteLine($"client EF Core {typeof(DbContext).Assembly.GetName().Version}, Npgsql {typeof(NpgsqlConnection).Assembly.GetName().Version}");

await Job("schema", async db => await db.Database.MigrateAsync());
await Job("schema_again", async db =>
{
    Check(db.Database.HasPendingModelChanges(), false);
    Check((await db.Database.GetPendingMigrationsAsync()).Count(), 0);
    await db.Database.MigrateAsync();
});

await Job("insert", async db =>
{
    // comb: insert
    var order = new Order { N = -1, Lines = { new Line { Item = "apples" }, new Line { Item = "pears" } } };
    db.Add(order);
    await db.SaveChangesAsync();
    Guid id = order.Id;
    // end
    var legacy = new Legacy { N = -1 };
    db.Add(legacy);
    await db.SaveChangesAsync();
    db.ChangeTracker.Clear();
    Check((await db.Orders.SingleAsync(o => o.Id == id)).N, -1);
    Equal(await db.Lines.Where(l => l.OrderId == id).OrderBy(l => l.Id).Select(l => l.Item).ToListAsync(), ["apples", "pears"]);
    Check((await db.Legacy.SingleAsync(l => l.Id == legacy.Id)).N, -1);
});

List<Guid> ids = [], legacyIds = [];
await Job("batch", async db =>
{
    // comb: batch
    var orders = Enumerable.Range(0, 1000).Select(n => new Order { N = n }).ToList();
    db.AddRange(orders);
    await db.SaveChangesAsync();
    ids = orders.Select(o => o.Id).ToList();
    // end
    var legacy = Enumerable.Range(0, 1000).Select(n => new Legacy { N = n }).ToList();
    db.AddRange(legacy);
    await db.SaveChangesAsync();
    legacyIds = legacy.Select(l => l.Id).ToList();
    Equal(await db.Orders.Where(o => o.N >= 0).OrderBy(o => o.Id).Select(o => o.N).ToListAsync(), Enumerable.Range(0, 1000));
    Equal(ids, ids.Order());
    Equal(await db.Legacy.Where(l => l.N >= 0).OrderBy(l => l.Id).Select(l => l.Id).ToListAsync(), legacyIds);
});

await Job("page", async db =>
{
    var last = ids[499];
    // comb: page
    var page = await db.Orders.Where(o => o.Id > last).OrderBy(o => o.Id).Take(10).ToListAsync(); // the first page: Guid.Empty
    // end
    Equal(page.Select(o => o.N), Enumerable.Range(500, 10));
    last = legacyIds[499];
    Equal(await db.Legacy.Where(l => l.Id > last).OrderBy(l => l.Id).Take(10).Select(l => l.N).ToListAsync(), Enumerable.Range(500, 10));
});

await Job("range", async db =>
{
    var noon = new DateTime(2024, 3, 1, 12, 0, 0, DateTimeKind.Utc);
    for (var day = 0; day < 5; day++)
    {
        await db.Database.ExecuteSqlAsync($"INSERT INTO orders (id, n) VALUES (comb_at({noon.AddDays(day)}), {-100 - day})");
        await db.Database.ExecuteSqlAsync($"INSERT INTO legacy (id, n) VALUES (comb_at({noon.AddDays(day)}, 'mssql'), {-100 - day})");
    }
    DateTime begin = noon.AddDays(1), until = noon.AddDays(3);
    // comb: range
    var orders = await db.Orders.Where(o => Comb.Between(o.Id, begin, until)).OrderBy(o => o.Id).ToListAsync(); // times of Kind Utc
    // end
    Equal(orders.Select(o => o.N), [-101, -102]);
    Equal(await db.Orders.Where(o => Comb.Between(o.Id, DateTime.MinValue, until)).OrderBy(o => o.Id).Select(o => o.N).ToListAsync(), [-100, -101, -102]);
    Equal(await db.Legacy.Where(l => Comb.Between(l.Id, begin, until)).OrderBy(l => l.Id).Select(l => l.N).ToListAsync(), [-101, -102]);
});

await Job("timestamp", async db =>
{
    var first = ids[0];
    // comb: timestamp
    var created = await db.Orders.Where(o => o.Id == first).Select(o => Comb.Timestamp(o.Id)).SingleAsync();
    // end
    Check(created!.Value.Kind, DateTimeKind.Utc);
    Check((DateTime.UtcNow - created.Value).Duration() < TimeSpan.FromMinutes(1), true);
});

await Job("newest", async db =>
{
    Check((await db.Orders.OrderByDescending(o => o.Id).FirstAsync()).N, 999);
    Check((await db.Legacy.OrderByDescending(l => l.Id).FirstAsync()).N, 999);
    Check(await db.Legacy.MaxAsync(l => l.Id), legacyIds[^1]);
});

await Job("error", async db =>
{
    try
    {
        await db.Database.SqlQuery<Guid>($"SELECT comb_at({new DateTime(1969, 7, 20, 20, 17, 40, DateTimeKind.Utc)})").ToListAsync();
        throw new Exception("no error");
    }
    catch (PostgresException e)
    {
        Check(e.SqlState, "22008");
        Check(e.MessageText, "timestamp out of range for UUID layout \"uuidv7\": 1969-07-20T20:17:40+00:00");
        Check(e.Hint!.StartsWith("The layout holds times from 1970-01-01T00:00:00+00:00 to "), true);
    }
});

await Job("row_version", async db =>
{
    var order = await db.Orders.SingleAsync(o => o.N == 1);
    await using (var other = new Shop(options))
    {
        (await other.Orders.SingleAsync(o => o.N == 1)).N = 10001;
        await other.SaveChangesAsync();
    }
    order.N = 10002;
    try { await db.SaveChangesAsync(); throw new Exception("no conflict"); }
    catch (DbUpdateConcurrencyException) { }
    var before = order.Version;
    await db.Entry(order).ReloadAsync();
    Check(order.N, 10001);
    Check(order.Version > before, true);

    // comb: changed
    var changed = await db.Orders
        .Where(o => o.Version > before && o.Version <= Comb.UuidHorizon("orders", "version", before))
        .OrderBy(o => o.Version).ToListAsync(); // the next run begins after the last version
    // end
    Check(changed.Any(o => o.N == 10001), true);
});

List<string> handled = [];

await Job("outbox", async db =>
{
    db.Add(new Reader { Name = "mailer" });
    await db.SaveChangesAsync();
    // comb: writer
    db.AddRange(new Order { N = 2000 }, new Event { Body = "order 2000" });
    await db.SaveChangesAsync(); // both, or none
    // end
    var mailer = new Mailer(options, row => handled.Add(row.Body));
    await mailer.StartAsync(default);
    for (var wait = 0; handled.Count < 1 && wait < 100; wait++) await Task.Delay(100);
    await using (var slow = new Shop(options))
    await using (var transaction = await slow.Database.BeginTransactionAsync())
    {
        await slow.Database.ExecuteSqlAsync($"INSERT INTO events (body) VALUES ('slow')");
        db.AddRange(new Event { Body = "created" }, new Event { Body = "paid" }, new Event { Body = "shipped" });
        await db.SaveChangesAsync();
        await Task.Delay(500); // the mailer waits for the transaction that is open
        Equal(handled, ["order 2000"]);
        await transaction.CommitAsync();
    }
    for (var wait = 0; handled.Count < 5 && wait < 100; wait++) await Task.Delay(100);
    await mailer.StopAsync(default);
    Equal(handled, ["order 2000", "slow", "created", "paid", "shipped"]);
});

return failed ? 1 : 0;

async Task Job(string name, Func<Shop, Task> work)
{
    try
    {
        await using var db = new Shop(options);
        await work(db);
        Console.WriteLine($"ok {name}");
    }
    catch (Exception e)
    {
        failed = true;
        Console.Error.WriteLine(e);
        Console.WriteLine($"not ok {name}: {string.Join(" ", e.Message.Split())}");
    }
}

static void Check<T>(T seen, T expected)
{
    if (!Equals(seen, expected)) throw new Exception($"{seen} instead of {expected}");
}

static void Equal<T>(IEnumerable<T> seen, IEnumerable<T> expected)
{
    if (!seen.SequenceEqual(expected)) throw new Exception($"{string.Join(" ", seen.Take(20))} instead of {string.Join(" ", expected.Take(20))}");
}
