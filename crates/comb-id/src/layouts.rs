//! The table of layouts: the ways in which programs write a UUID that has a time.

use super::byte_order::ByteOrder;
use super::layout::Layout;
use super::time_field::TimeField;

/// RFC 9562 version 7, the default.
pub const UUIDV7: Layout = Layout {
    label: "uuidv7",
    time_field: TimeField::UNIX_MS,
    order: ByteOrder::Postgres,
    version: Some(7),
    known_as: "RFC 9562 version 7",
};
/// RFC 9562 version 6.
pub const UUIDV6: Layout = Layout {
    label: "uuidv6",
    time_field: TimeField::GREGORIAN_100NS,
    order: ByteOrder::Postgres,
    version: Some(6),
    known_as: "RFC 9562 version 6",
};
/// RFC 9562 version 1.
pub const UUIDV1: Layout = Layout {
    label: "uuidv1",
    time_field: TimeField::GREGORIAN_100NS,
    order: ByteOrder::Uuidv1,
    version: Some(1),
    known_as: "RFC 9562 version 1, MySQL UUID()",
};
/// SQL Server's NEWSEQUENTIALID(): version 1 with the bytes of its first three groups reversed.
pub const NEWSEQUENTIALID: Layout = Layout {
    label: "newsequentialid",
    time_field: TimeField::GREGORIAN_100NS,
    order: ByteOrder::Newsequentialid,
    version: Some(1),
    known_as: "SQL Server NEWSEQUENTIALID()",
};
/// RT.Comb's SQL Server layout.
pub const MSSQL: Layout = Layout {
    label: "mssql",
    time_field: TimeField::UNIX_MS,
    order: ByteOrder::Sqlserver,
    version: Some(4),
    known_as: "RT.Comb Provider.Sql, its T-SQL NewComb",
};
/// Jimmy Nilsson's original COMB.
pub const MSSQL_LEGACY: Layout = Layout {
    label: "mssql_legacy",
    time_field: TimeField::SQL_DATETIME,
    order: ByteOrder::Sqlserver,
    version: Some(4),
    known_as: "Nilsson's original COMB, RT.Comb Provider.Legacy, NHibernate guid.comb",
};

/// All layouts, in the order in which comb_layouts() shows them.
pub static LAYOUTS: [Layout; 17] = [
    UUIDV7,
    Layout {
        label: "postgres",
        time_field: TimeField::UNIX_MS,
        order: ByteOrder::Postgres,
        version: Some(4),
        known_as: "RT.Comb Provider.PostgreSql, Marten CombGuid",
    },
    Layout {
        label: "postgres_legacy",
        time_field: TimeField::SQL_DATETIME,
        order: ByteOrder::Postgres,
        version: Some(4),
        known_as: "RT.Comb PostgreSqlCombProvider with SqlDateTimeStrategy",
    },
    MSSQL,
    MSSQL_LEGACY,
    Layout {
        label: "binary",
        time_field: TimeField::UNIX_MS,
        order: ByteOrder::Dotnet,
        version: Some(4),
        known_as: "RT.Comb Provider.Oracle, Provider.SqliteBinary",
    },
    Layout {
        label: "laravel",
        time_field: TimeField::UNIX_10US,
        order: ByteOrder::Postgres,
        version: Some(4),
        known_as: "ramsey/uuid TimestampFirstCombCodec, Laravel Str::orderedUuid()",
    },
    Layout {
        label: "sequential_as_string",
        time_field: TimeField::DOTNET_MS,
        order: ByteOrder::Postgres,
        version: None,
        known_as: "jhtodd, Zaabee, ABP SequentialAsString",
    },
    Layout {
        label: "sequential_as_binary",
        time_field: TimeField::DOTNET_MS,
        order: ByteOrder::Dotnet,
        version: None,
        known_as: "jhtodd, Zaabee, ABP SequentialAsBinary",
    },
    Layout {
        label: "sequential_at_end",
        time_field: TimeField::DOTNET_MS,
        order: ByteOrder::Sqlserver,
        version: None,
        known_as: "jhtodd, Zaabee, ABP SequentialAtEnd",
    },
    Layout {
        label: "process_ticks",
        time_field: TimeField::DOTNET_TICKS,
        order: ByteOrder::Sqlserver,
        version: None,
        known_as: "a random number for the process and .NET ticks; EF Core's and NewId's time field reads the same",
    },
    Layout {
        label: "ulid",
        time_field: TimeField::UNIX_MS,
        order: ByteOrder::Postgres,
        version: None,
        known_as: "ULID, Timeflake",
    },
    UUIDV6,
    UUIDV1,
    Layout {
        label: "mysql_ordered",
        time_field: TimeField::GREGORIAN_100NS,
        order: ByteOrder::Postgres,
        version: Some(1),
        known_as: "MySQL UUID_TO_BIN(x, 1), ramsey/uuid OrderedTimeCodec, Doctrine uuid_binary_ordered_time",
    },
    NEWSEQUENTIALID,
    Layout {
        label: "uuidv8_mssql",
        time_field: TimeField::UNIX_MS,
        order: ByteOrder::Sqlserver,
        version: Some(8),
        known_as: "UUIDNext for SQL Server",
    },
];

const _: () = {
    let mut row = 0;
    while row < LAYOUTS.len() {
        LAYOUTS[row].check();
        row += 1;
    }
};

/// The layout with a label; the label is ASCII, whatever the encoding of the database.
pub fn labelled(label: &[u8]) -> Option<&'static Layout> {
    LAYOUTS.iter().find(|layout| layout.label.as_bytes() == label)
}
