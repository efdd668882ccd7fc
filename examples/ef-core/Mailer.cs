using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Storage;
using Microsoft.Extensions.Hosting;
using Npgsql;

// comb: reader
/// Handles each row of the outbox once it is readable: services.AddHostedService(...).
class Mailer(DbContextOptions<Shop> options, Action<Event> handle) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await using var db = new Shop(options);
                await db.Database.OpenConnectionAsync(stop);
                await db.Database.ExecuteSqlRawAsync("LISTEN events", stop);
                var connection = (NpgsqlConnection)db.Database.GetDbConnection();
                while (!stop.IsCancellationRequested)
                    // A row can become readable later than its notification: poll each second.
                    if (await Poll(stop) == 0) await connection.WaitAsync(TimeSpan.FromSeconds(1), stop);
            }
            // A lost connection: log it, and begin again. After any other error the host stops.
            catch (Exception problem) when (problem is NpgsqlException { IsTransient: true } or RetryLimitExceededException)
            {
                await Task.Delay(1000, stop);
            }
        }
    }

    async Task<int> Poll(CancellationToken stop)
    {
        await using var db = new Shop(options);
        // EnableRetryOnFailure() repeats the block after 40001: the definition of the table has changed.
        return await db.Database.CreateExecutionStrategy().ExecuteAsync(async () =>
        {
            db.ChangeTracker.Clear();
            await using var transaction = await db.Database.BeginTransactionAsync(stop);
            var reader = (await db.Readers.FromSql($"SELECT * FROM readers WHERE name = 'mailer' FOR UPDATE").ToListAsync(stop)).Single();
            var rows = await db.Events.AsNoTracking()
                .Where(e => e.Position > reader.Position && e.Position <= Comb.NumberHorizon("events", "position", reader.Position))
                .OrderBy(e => e.Position).Take(1000).ToListAsync(stop);
            foreach (var row in rows) handle(row);
            if (rows.Count > 0)
            {
                reader.Position = rows[^1].Position;
                await db.SaveChangesAsync(stop);
            }
            await transaction.CommitAsync(stop);
            return rows.Count;
        });
    }
}
// end
