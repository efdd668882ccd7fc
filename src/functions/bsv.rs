//! SQL functions for BSV text.

use comb_id::bsv::Bsv;
use comb_tick::Tick;
use pgrx::pg_sys;

use crate::postgres::call::{ascii, sql_function, uuid};
use crate::postgres::error::{Error, MadeAs};
use crate::postgres::raw;
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend::{self, process_id};

const _: () = assert!(!std::mem::needs_drop::<Bsv>());

sql_function! {
    /// A BSV COMB of now, in UTC.
    fn comb_new_bsv(_call) {
        let arrange = |tick| Bsv::TIME_FIELD.next_exact(Tick::from(tick))?.try_into().ok();
        let (generator, tick) = backend::next_tick(Bsv::TIME_FIELD.unit_ticks(), MadeAs::Bsv, arrange)?;
        let random = [generator.random(process_id())?, generator.random(process_id())?];
        let bsv = Bsv::of_tick(tick, random).ok_or(Error::ClockOutOfRange(MadeAs::Bsv))?;
        generator.made(tick);
        Ok(ascii(&bsv.text()))
    }
}

sql_function! {
    /// The moment of a BSV COMB whose writer's clock showed the time of that zone; NULL past year
    /// 9999.
    fn comb_bsv_timestamp(call) {
        let bsv = Bsv::parse(call.text(0)).map_err(Error::InvalidBsv)?;
        let Some(local) = bsv.micros() else { return call.null() };
        let local = TimestampTz::from_unix_micros(local).datum();
        // SAFETY: a text and a timestamp.
        Ok(unsafe {
            let zone: pg_sys::PGFunction = Some(raw::timestamp_zone);
            raw::DirectFunctionCall2Coll(zone, pg_sys::Oid::INVALID, call.argument(1), local)
        })
    }
}

sql_function! {
    /// The version 4 UUID in a BSV COMB.
    fn comb_bsv_uuid(call) {
        let bsv = Bsv::parse(call.text(0)).map_err(Error::InvalidBsv)?;
        Ok(uuid(bsv.id))
    }
}
