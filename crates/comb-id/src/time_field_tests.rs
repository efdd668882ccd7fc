//! The promises of the time fields.

use super::*;
use crate::layouts::LAYOUTS;
use crate::vectors::micros;
use proptest::prelude::*;

const US_PER_DAY: i64 = 86_400_000_000;

/// A field of longer units than any layout has: 10 ms since 2000-01-01, up to 40 bits of them.
const TEN_MS: TimeField = TimeField {
    label: "ten_ms",
    unit: Unit::new("10 ms", 1, 10),
    epoch_ms: 946_684_800_000,
    last: (1 << 40) - 1,
    ..TimeField::UNIX_MS
};

/// The time fields that a layout has, and that one.
fn time_fields() -> Vec<TimeField> {
    LAYOUTS.iter().map(|layout| layout.time_field).chain([TEN_MS]).collect()
}

/// The definitions of the fields: the epoch, and the units in a second.
fn definition(time_field: TimeField) -> (&'static str, u64) {
    match time_field.label {
        "unix_ms" => ("1970-01-01 00:00:00", 1000),
        "unix_10us" => ("1970-01-01 00:00:00", 100_000),
        "dotnet_ms" => ("0001-01-01 00:00:00", 1000),
        "dotnet_ticks" => ("0001-01-01 00:00:00", 10_000_000),
        "gregorian_100ns" => ("1582-10-15 00:00:00", 10_000_000),
        "sql_datetime" => ("1900-01-01 00:00:00", 300),
        "ten_ms" => ("2000-01-01 00:00:00", 100),
        label => panic!("add the definition of {label}"),
    }
}

/// The field of a time in microseconds, by its definition in 128 bits.
fn expected_field(time_field: TimeField, at: i64) -> u128 {
    let (epoch, per_second) = definition(time_field);
    let units = |micros: i64| u128::try_from(micros).unwrap() * u128::from(per_second) / 1_000_000;
    let since_epoch = at - micros(epoch);
    match time_field.encoding {
        Encoding::Number => units(since_epoch),
        Encoding::DayAndUnit => {
            let (day, of_day) = (since_epoch / US_PER_DAY, units(since_epoch % US_PER_DAY));
            (day as u128) << 32 | of_day
        }
    }
}

fn field_of(time_field: TimeField, micros: i64) -> Option<u64> {
    time_field.split(tick_of_micros(micros)).map(|(field, _)| field)
}

fn time_field() -> impl Strategy<Value = TimeField> {
    prop::sample::select(time_fields())
}

fn time_field_and_micros() -> impl Strategy<Value = (TimeField, i64)> {
    time_field().prop_flat_map(|time_field| {
        let (first, last) = time_field.range_micros();
        // The last microsecond may not be complete.
        (Just(time_field), first..last)
    })
}

#[test]
fn ranges_end_where_the_field_does() {
    for (time_field, last) in [
        (TimeField::SQL_DATETIME, "2079-06-06 23:59:59.999999"),
        (TimeField::UNIX_10US, "2059-03-13 02:56:07.106559"),
        (TimeField::DOTNET_MS, "8920-08-03 05:31:50.655999"),
        (TimeField::GREGORIAN_100NS, "5236-03-31 21:21:00.684697"),
        (TEN_MS, "2348-06-03 06:57:57.759999"),
    ] {
        assert_eq!(time_field.range_micros().1, micros(last), "{}", time_field.label);
    }
    // jiff ends a day before these.
    assert_eq!(TimeField::UNIX_MS.range_micros().1, 281_474_976_710_655_999);
    assert_eq!(TimeField::DOTNET_TICKS.range_micros().1, micros("9999-12-30 00:00:00") + 2 * US_PER_DAY - 1);

    for time_field in time_fields() {
        let (first, last) = time_field.range_micros();
        assert_eq!(first, micros(definition(time_field).0), "{time_field:?}");
        assert!(field_of(time_field, first).is_some(), "{time_field:?}");
        assert!(field_of(time_field, last).is_some(), "{time_field:?}");
        assert_eq!(field_of(time_field, first - 1), None, "{time_field:?}");
        assert_eq!(field_of(time_field, last + 1), None, "{time_field:?}");
        assert_eq!(field_of(time_field, i64::MIN), None, "{time_field:?}");
        assert_eq!(field_of(time_field, i64::MAX), None, "{time_field:?}");
        let last_tick = time_field.last_tick();
        assert!(time_field.split(last_tick).is_some() && time_field.split(last_tick + 1).is_none(), "{time_field:?}");
        assert_eq!(time_field.split(Tick::MAX), None, "{time_field:?}");
        assert_eq!(time_field.split(Tick::MIN), None, "{time_field:?}");
    }
}

#[test]
fn one_three_hundredth_of_a_second_at_the_end_of_a_day() {
    let read = |unit: u64| TimeField::SQL_DATETIME.micros(25_567 << 32 | unit);
    assert_eq!(read(1), Some(3_334)); // rounded up
    assert_eq!(read(3), Some(10_000));
    assert_eq!(read(25_919_999), Some(86_399_996_667));
    assert_eq!(read(25_920_000), Some(US_PER_DAY));
    assert_eq!(read(25_920_002), Some(US_PER_DAY + 6_667));
    assert_eq!(read(25_920_003), None);
    assert!(TimeField::SQL_DATETIME.join(25_567 << 32 | 25_920_002, 0).is_some());
    assert_eq!(TimeField::SQL_DATETIME.join(25_567 << 32 | 25_920_003, 0), None);
    assert_eq!(field_of(TimeField::SQL_DATETIME, US_PER_DAY - 1), Some(25_567 << 32 | 25_919_999));
}

#[test]
fn dotnet_ticks_end_with_year_9999() {
    assert!(TimeField::DOTNET_TICKS.micros(DOTNET_LAST_TICK).is_some());
    assert_eq!(TimeField::DOTNET_TICKS.micros(DOTNET_LAST_TICK + 1), None);
    assert_eq!(TimeField::DOTNET_TICKS.join(u64::MAX, 0), None);
}

#[test]
fn a_unit_can_be_longer_than_a_millisecond() {
    let at = tick_of_micros(micros("2000-01-01 00:00:01.239999"));
    let (field, remainder) = TEN_MS.split(at).unwrap();
    assert_eq!((field, remainder as Tick), (123, at - tick_of_micros(micros("2000-01-01 00:00:01.23"))));
    assert_eq!(TEN_MS.micros(field), Some(micros("2000-01-01 00:00:01.23")));
    assert_eq!((TEN_MS.unit.ticks, TEN_MS.remainder_bits()), (655_360, 20));
}

#[test]
fn the_last_unit_of_a_field_is_split_and_joined() {
    for time_field in time_fields() {
        let [last, beyond] = [Some(time_field.last), time_field.last.checked_add(1)]
            .map(|number| number.map(|number| time_field.encode(number, time_field.unit)));
        let tick = time_field.join(last.unwrap(), 0).unwrap();
        assert_eq!(time_field.split(tick), last.map(|last| (last, 0)), "{time_field:?}");
        assert!(u128::from(last.unwrap()) < 1 << time_field.bits, "{time_field:?}");
        assert_eq!(beyond.and_then(|beyond| time_field.join(beyond, 0)), None, "{time_field:?}");
    }
}

#[test]
fn remainders_are_as_long_as_their_units() {
    for time_field in time_fields() {
        let (_, per_second) = definition(time_field);
        let ticks = (1000 * TICKS_PER_MS).div_ceil(per_second);
        assert_eq!(time_field.unit.ticks, ticks, "{time_field:?}");
        assert_eq!(1 << time_field.remainder_bits(), ticks.next_power_of_two(), "{time_field:?}");
    }
}

#[test]
fn the_constant_of_a_unit_is_equal_to_it() {
    for TimeField { unit, .. } in time_fields() {
        assert_eq!(unit.as_constant(|constant| constant), unit);
    }
}

proptest! {
    #[test]
    fn a_unit_later_is_another_field((time_field, micros) in time_field_and_micros(), within in 0i128..65) {
        let tick = tick_of_micros(micros) + within;
        let next = tick + Tick::from(time_field.unit.ticks);
        if let (Some((earlier, _)), Some((later, _))) = (time_field.split(tick), time_field.split(next)) {
            prop_assert!(earlier < later);
        }
    }

    #[test]
    fn fields_are_what_the_design_says((time_field, micros) in time_field_and_micros()) {
        prop_assert_eq!(field_of(time_field, micros).map(u128::from), Some(expected_field(time_field, micros)));
    }

    /// The field and the remainder of a tick result in the same tick.
    #[test]
    fn joining_reverses_splitting((time_field, micros) in time_field_and_micros(), within in 0i128..65) {
        let tick = tick_of_micros(micros) + within;
        let (field, remainder) = time_field.split(tick).unwrap();
        prop_assert!(field >> (time_field.bits - 1) <= 1);
        prop_assert!(remainder < 1 << time_field.remainder_bits());
        prop_assert_eq!(time_field.join(field, remainder), Some(tick));
    }

    #[test]
    fn splitting_keeps_the_order(
        (time_field, micros) in time_field_and_micros(), distance in 0i128..1_000_000,
    ) {
        let tick = tick_of_micros(micros);
        if let (Some(earlier), Some(later)) = (time_field.split(tick), time_field.split(tick + distance)) {
            prop_assert_eq!(earlier.cmp(&later), 0.cmp(&distance));
        }
    }

    /// The time of a field is written as the same field.
    #[test]
    fn writing_reverses_reading((time_field, micros) in time_field_and_micros()) {
        let field = field_of(time_field, micros).unwrap();
        let read = time_field.micros(field).unwrap();
        prop_assert_eq!(field_of(time_field, read), Some(field));
    }

    /// Ids of other programs have random bits in place of the remainder.
    #[test]
    fn any_remainder_stays_within_the_field(
        (time_field, micros) in time_field_and_micros(), remainder in any::<u64>(),
    ) {
        let field = field_of(time_field, micros).unwrap();
        let most = (1 << time_field.remainder_bits()) - 1;
        for remainder in [remainder & most, most] {
            let tick = time_field.join(field, remainder).unwrap();
            prop_assert_eq!(time_field.split(tick).unwrap().0, field);
        }
    }

    #[test]
    fn no_field_panics(time_field in time_field(), field in any::<u64>(), remainder in any::<u64>()) {
        let field = field >> (64 - time_field.bits);
        let remainder = remainder >> (64 - time_field.remainder_bits());
        prop_assert_eq!(time_field.micros(field).is_some(), time_field.join(field, remainder).is_some());
    }
}
