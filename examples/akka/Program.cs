// Akka.Persistence.Sql: does AllEvents() skip an event whose transaction commits late, and does a view with comb's horizon end it?
// args: connection seconds(the late transaction stays open) table|view
using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence;
using Akka.Persistence.Query;
using Akka.Persistence.Sql;
using Akka.Persistence.Sql.Query;
using Akka.Streams;
using Npgsql;

var (server, open, from) = (args[0], double.Parse(args[1]), args[2]);
await using (var admin = NpgsqlDataSource.Create(server))
{
    await admin.CreateCommand("DROP DATABASE IF EXISTS akka WITH (FORCE)").ExecuteNonQueryAsync();
    await admin.CreateCommand("CREATE DATABASE akka").ExecuteNonQueryAsync();
}
var connection = new NpgsqlConnectionStringBuilder(server) { Database = "akka" }.ConnectionString;
await using var db = NpgsqlDataSource.Create(connection);
string Plugin(string path) => $$"""
    {{path}} {
        connection-string = "{{connection}}"
        provider-name = "PostgreSQL.15"
        auto-initialize = true
    }
    """;
var config = ConfigurationFactory.ParseString($$"""
    akka.loglevel = WARNING
    akka.persistence.journal.plugin = "akka.persistence.journal.sql"
    {{Plugin("akka.persistence.journal.sql")}}
    {{Plugin("akka.persistence.query.journal.sql")}}
    {{(from == "view" ? "akka.persistence.query.journal.sql.default.journal.table-name = journal_settled" : "")}}
    """).WithFallback(SqlPersistence.DefaultConfiguration);
using var system = ActorSystem.Create("example", config);
var writer = system.ActorOf(Props.Create(() => new Writer("w")));
async Task Persist(string what) => await writer.Ask<string>(what, TimeSpan.FromSeconds(10));
await Persist("first");                                             // creates the tables

await db.CreateCommand("""
    CREATE EXTENSION comb;
    CALL comb_enable_polls('journal', 'ordering');
    CREATE VIEW journal_settled AS SELECT * FROM journal WHERE ordering <= comb_number_horizon('journal');
    """).ExecuteNonQueryAsync();

var got = new List<(long, string)>();
var read = PersistenceQuery.Get(system).ReadJournalFor<SqlReadJournal>("akka.persistence.query.journal.sql");
_ = read.AllEvents(Offset.NoOffset()).RunForeach(e => { lock (got) got.Add((((Sequence)e.Offset).Value, e.PersistenceId)); }, system.Materializer());

// Another node's transaction: it draws its number now, and commits late.
await using var late = await db.OpenConnectionAsync();
await using var transaction = await late.BeginTransactionAsync();
var columns = (string)(await db.CreateCommand("""
    SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
    WHERE attrelid = 'journal'::regclass AND attnum > 0 AND attname NOT IN ('ordering', 'persistence_id')
    """).ExecuteScalarAsync())!;
await using var insert = new NpgsqlCommand(
    $"INSERT INTO journal (persistence_id, {columns}) SELECT 'late', {columns} FROM journal ORDER BY ordering LIMIT 1 RETURNING ordering", late);
var number = (long)(await insert.ExecuteScalarAsync())!;
for (var until = DateTime.UtcNow.AddSeconds(open); DateTime.UtcNow < until; await Task.Delay(500)) await Persist("other");
await transaction.CommitAsync();
var commit = DateTime.UtcNow;
bool Got() { lock (got) return got.Any(g => g.Item2 == "late"); }
while (!Got() && DateTime.UtcNow - commit < TimeSpan.FromSeconds(15)) { await Persist("after"); await Task.Delay(500); }
long max; int count; lock (got) { max = got.Max(g => g.Item1); count = got.Count; }
Console.WriteLine($"{from}, open {open} s: event {number} " + (Got() ? $"read {(DateTime.UtcNow - commit).TotalSeconds:0.0} s after its commit" : "NEVER READ") +
    $"; the reader is at {max} with {count} events");
await system.Terminate();

class Writer : ReceivePersistentActor
{
    public override string PersistenceId { get; }
    public Writer(string id)
    {
        PersistenceId = id;
        Command<string>(s => Persist(s, _ => Sender.Tell("ok")));
        Recover<string>(_ => { });
    }
}
