// For EF Core with Npgsql: the functions of comb in LINQ, the order of Add, and the type uniqueidentifier. A file to copy.
using System.Buffers.Binary;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.ChangeTracking;
using Microsoft.EntityFrameworkCore.Metadata;
using Microsoft.EntityFrameworkCore.ValueGeneration;
using Npgsql.Internal;
using Npgsql.Internal.Postgres;

// comb: functions
/// The functions of comb in LINQ. They run in the database only.
static class Comb
{
    public static Guid New() => throw new InvalidOperationException();
    public static bool Between(Guid id, DateTime from, DateTime to) => throw new InvalidOperationException();
    public static DateTime? Timestamp(Guid id) => throw new InvalidOperationException();
    public static Guid UuidHorizon(string table, string key, Guid after) => throw new InvalidOperationException();
    public static long NumberHorizon(string table, string key, long after) => throw new InvalidOperationException();

    public static void HasComb(this ModelBuilder model)
    {
        model.HasPostgresExtension("comb"); // the migration then creates it
        foreach (var (method, function) in new[] {
            (nameof(New), "comb_new"), (nameof(Between), "comb_between"), (nameof(Timestamp), "comb_timestamp"),
            (nameof(UuidHorizon), "comb_uuid_horizon"), (nameof(NumberHorizon), "comb_number_horizon") })
            model.HasDbFunction(typeof(Comb).GetMethod(method)!).HasName(function);
    }
}
// end

// comb: order
/// Temporary keys in the order of Add. EF Core inserts rows in the order of their temporary keys,
/// which for a Guid are random: the keys of comb would follow that order.
class OrderOfAdd : ValueGenerator<Guid>
{
    static long last;
    public override bool GeneratesTemporaryValues => true;
    public override Guid Next(EntityEntry entry)
    {
        Span<byte> bytes = stackalloc byte[16];
        BinaryPrimitives.WriteInt64BigEndian(bytes, Interlocked.Increment(ref last));
        return new Guid(bytes, bigEndian: true);
    }

    public class Factory : ValueGeneratorFactory // compiled models need a factory
    {
        public override ValueGenerator Create(IProperty property, ITypeBase type) => new OrderOfAdd();
    }
}
// end

// comb: uniqueidentifier
/// Reads and writes the type uniqueidentifier as Guid: new NpgsqlDataSourceBuilder(...).AddTypeInfoResolverFactory(new UniqueIdentifierFactory()).
class UniqueIdentifierFactory : PgTypeInfoResolverFactory
{
    public override IPgTypeInfoResolver CreateResolver() => new Resolver(array: false);
    public override IPgTypeInfoResolver CreateArrayResolver() => new Resolver(array: true);

    class Resolver : IPgTypeInfoResolver
    {
        readonly TypeInfoMappingCollection mappings = new();

        public Resolver(bool array)
        {
            mappings.AddStructType<Guid>("uniqueidentifier",
                (options, mapping, _) => mapping.CreateInfo(options, new Converter()), MatchRequirement.DataTypeName);
            if (array) mappings.AddStructArrayType<Guid>("uniqueidentifier");
        }

        public PgTypeInfo? GetTypeInfo(Type? type, DataTypeName? name, PgSerializerOptions options) => mappings.Find(type, name, options);
    }

    /// 16 bytes, as those of uuid.
    class Converter : PgBufferedConverter<Guid>
    {
        public override bool CanConvert(DataFormat format, out BufferRequirements requirements)
        {
            requirements = BufferRequirements.CreateFixedSize(16);
            return format is DataFormat.Binary;
        }

        protected override Guid ReadCore(PgReader reader) => new(reader.ReadBytes(16).FirstSpan, bigEndian: true);
        protected override void WriteCore(PgWriter writer, Guid id) => writer.WriteBytes(id.ToByteArray(bigEndian: true));
    }
}
// end
