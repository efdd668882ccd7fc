//! SQL functions that turn one UUID into another.

use super::layout::timestamp_out_of_range;
use crate::postgres::call::export;
use crate::postgres::report::Report;
use crate::postgres::timestamp::TimestampTz;
use comb_id::layout::Layout;
use uuid::Uuid;

export!(comb_set_timestamp, comb_convert, comb_dotnet_swap);

/// The UUID with its time field overwritten: RT.Comb's Create(Guid, DateTime).
fn comb_set_timestamp(id: &Uuid, at: TimestampTz, layout: &'static Layout) -> Result<Uuid, Report> {
    layout.with_micros(id, at.unix_micros()).ok_or_else(|| timestamp_out_of_range(layout, Some(at)))
}

/// The same value in another layout; NULL if the UUID is not of the source layout, or the target cannot hold its time: a random
/// UUID can be read as any time.
fn comb_convert(id: &Uuid, source: &'static Layout, target: &'static Layout) -> Option<Uuid> {
    target.rewrite(source, id, source.decode(id)?)
}

/// The UUID with its first three groups of bytes reversed.
fn comb_dotnet_swap(id: &Uuid) -> Uuid {
    Uuid::from_bytes_le(id.into_bytes())
}
