//! SQL functions that make one id of another.

use pgrx::prelude::*;

use super::layouts::LayoutArgument;
use super::timestamp::TimestampTz;
use super::uuid::Uuid;
use crate::order;

/// The id with its time field overwritten: RT.Comb's Create(Guid, DateTime).
#[pg_extern(immutable, parallel_safe)]
fn comb_set_timestamp(
    id: Uuid,
    at: TimestampTz,
    layout: default!(LayoutArgument, "'uuidv7'"),
) -> Uuid {
    Uuid::or_out_of_range(layout.0.with_micros(&id.0, at.unix_micros()), layout.0)
}

/// The same value in another layout; NULL where the id is not of the source layout.
#[pg_extern(immutable, parallel_safe)]
fn comb_convert(id: Uuid, source: LayoutArgument, target: LayoutArgument) -> Option<Uuid> {
    let comb = source.0.decode(&id.0)?;
    Some(Uuid::or_out_of_range(target.0.encode(comb), target.0))
}

/// The id with its first three groups of bytes reversed.
#[pg_extern(immutable, parallel_safe)]
fn comb_dotnet_swap(id: Uuid) -> Uuid {
    Uuid(order::dotnet_swap(&id.0))
}
