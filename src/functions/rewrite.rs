//! SQL functions that turn one id into another.

use super::layout_errors::timestamp_out_of_range;
use crate::postgres::call::{sql_functions, uuid};
use comb_id::byte_order;
use uuid::Uuid;

sql_functions! {
    /// The id with its time field overwritten: RT.Comb's Create(Guid, DateTime).
    fn comb_set_timestamp(call) {
        let layout = call.layout(2)?;
        let id = layout.with_micros(&call.uuid(0), call.timestamptz(1).unix_micros());
        id.map(uuid).ok_or_else(|| timestamp_out_of_range(layout))
    }

    /// The same value in another layout; NULL where the id is not of the source layout.
    fn comb_convert(call) {
        let (source, target) = (call.layout(1)?, call.layout(2)?);
        let id = call.uuid(0);
        let Some(comb) = source.decode(&id) else { return call.null() };
        let converted = target.rewrite(source, &id, comb).map(uuid);
        converted.ok_or_else(|| timestamp_out_of_range(target))
    }

    /// The id with its first three groups of bytes reversed.
    fn comb_dotnet_swap(call) {
        Ok(uuid(Uuid::from_bytes_le(call.uuid(0).into_bytes())))
    }

    /// MySQL's UUID_TO_BIN(id, 1).
    fn comb_mysql_swap(call) {
        Ok(uuid(byte_order::mysql_swap(&call.uuid(0))))
    }

    /// MySQL's BIN_TO_UUID(id, 1).
    fn comb_mysql_unswap(call) {
        Ok(uuid(byte_order::mysql_unswap(&call.uuid(0))))
    }
}
