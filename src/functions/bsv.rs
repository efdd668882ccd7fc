//! SQL functions for BSV text.

use comb_id::bsv::{Bsv, BsvError};
use comb_tick::Tick;
use pgrx::pg_sys;
use pgrx::pg_sys::errcodes::PgSqlErrorCode::*;

use crate::postgres::call::{ascii, sql_functions, uuid};
use crate::postgres::raw;
use crate::postgres::report::{Report, report};
use crate::postgres::timestamp::TimestampTz;
use crate::server::backend::{self, process_id};
use crate::server::clock_errors::{MadeAs, clock_out_of_range};

sql_functions! {
    /// A BSV COMB of now, in UTC.
    fn comb_new_bsv(_call) {
        let fit = |tick| Bsv::TIME_FIELD.next_exact(Tick::from(tick))?.try_into().ok();
        let (generator, tick) = backend::next_tick(Bsv::TIME_FIELD.unit_ticks(), MadeAs::Bsv, fit)?;
        let mut random = || generator.random.next(process_id());
        let random = [random()?, random()?];
        let bsv = Bsv::of_tick(tick, random).ok_or_else(|| clock_out_of_range(MadeAs::Bsv))?;
        generator.made(tick);
        Ok(ascii(&bsv.text()))
    }

    /// The time of a BSV COMB whose writer's clock showed the time of that zone; NULL past year
    /// 9999.
    fn comb_bsv_timestamp(call) {
        let bsv = Bsv::parse(call.text(0)).map_err(invalid_bsv)?;
        let Some(local) = bsv.micros() else { return call.null() };
        let local = TimestampTz::from_unix_micros(local).datum();
        // SAFETY: a text and a timestamp.
        Ok(unsafe {
            let zone: pg_sys::PGFunction = Some(raw::timestamp_zone);
            raw::DirectFunctionCall2Coll(zone, pg_sys::Oid::INVALID, call.argument(1), local)
        })
    }

    /// The version 4 UUID in a BSV COMB.
    fn comb_bsv_uuid(call) {
        let bsv = Bsv::parse(call.text(0)).map_err(invalid_bsv)?;
        Ok(uuid(bsv.id))
    }
}

fn invalid_bsv(error: BsvError) -> Report {
    report!(ERRCODE_INVALID_TEXT_REPRESENTATION, "{error}").detail(match error {
        BsvError::Length(_) => "A BSV COMB has 32 characters.",
        BsvError::Character { .. } => "A BSV COMB consists of \"$\", \"-\", digits, and letters from A to Z and from a to z.",
    })
}
