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
pub static LAYOUTS: [Layout; 18] = [
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
        known_as: "a number of the process and .NET ticks: EF Core SequentialGuidValueGenerator, NewId.NextGuid()",
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
    Layout {
        label: "ticks_first",
        time_field: TimeField::DOTNET_TICKS,
        order: ByteOrder::Postgres,
        version: None,
        known_as: "NewId.NextSequentialGuid()",
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

/// The longest label, and the longest text that is compared with labels.
const LONGEST: usize = 32;

/// The layout whose label is probably meant: it contains the text, or differs from it in one character of four at most. Only
/// letters and digits count, upper or lower case.
///
/// ```
/// use comb_id::layouts::nearest;
///
/// assert_eq!(nearest(b"MSSQL").unwrap().label, "mssql");
/// assert_eq!(nearest(b"mssql_lagacy").unwrap().label, "mssql_legacy");
/// assert_eq!(nearest(b"MySQL").unwrap().label, "mysql_ordered");
/// assert!(nearest(b"guid").is_none());
/// ```
pub fn nearest(label: &[u8]) -> Option<&'static Layout> {
    let mut place = [0; LONGEST];
    let written = letters(label, &mut place)?;
    let mut distances = LAYOUTS.iter().map(|layout| {
        let mut place = [0; LONGEST];
        let known = letters(layout.label.as_bytes(), &mut place).unwrap_or_default();
        let contains = written.len() > 1 && known.windows(written.len()).any(|part| part == written);
        let order = (!contains, if contains { known.len() - written.len() } else { distance(written, known) });
        (order, layout)
    });
    let first = distances.next()?;
    let (order, layout) = distances.fold(first, |best, next| if next.0 < best.0 { next } else { best });
    (!order.0 || order.1 * 4 <= written.len()).then_some(layout)
}

/// The letters and digits of a text, in lower case; `None` if there are too many.
fn letters<'a>(text: &[u8], place: &'a mut [u8; LONGEST]) -> Option<&'a [u8]> {
    let mut count = 0;
    for byte in text.iter().filter(|byte| byte.is_ascii_alphanumeric()) {
        *place.get_mut(count)? = byte.to_ascii_lowercase();
        count += 1;
    }
    place.get(..count)
}

/// The number of insertions, deletions and replacements that turn one text into another (Levenshtein), of at most [`LONGEST`]
/// bytes.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: [usize; LONGEST + 1] = std::array::from_fn(|index| index);
    for (before, x) in a.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], before + 1);
        for (index, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[index + 1];
            row[index + 1] = replaced.min(diagonal + 1).min(row[index] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
#[path = "layouts_tests.rs"]
mod tests;
