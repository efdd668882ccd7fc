//! The promises of the time fields.

use super::*;
use crate::layouts::LAYOUTS;
use crate::vectors::micros;
use proptest::prelude::*;

/// The time fields that a layout has.
fn time_fields() -> Vec<TimeField> {
    LAYOUTS.iter().map(|layout| layout.time_field).collect()
}

/// The definitions of the fields, by microseconds in 128 bits.
fn expected_field(time_field: TimeField, micros: i64) -> u128 {
    let micros = i128::from(micros);
    let since_dotnet_epoch = micros + 62_135_596_800_000_000;
    let since_1900 = micros + 25_567 * 86_400_000_000;
    let field = match time_field {
        TimeField::UnixMs => micros / 1000,
        TimeField::Unix10us => micros / 10,
        TimeField::DotnetMs => since_dotnet_epoch / 1000,
        TimeField::DotnetTicks => since_dotnet_epoch * 10,
        // RFC 9562, appendix A.1.
        TimeField::Gregorian100ns => micros * 10 + 0x01b2_1dd2_1381_4000,
        TimeField::SqlDatetime => {
            let (day, of_day) = (since_1900 / 86_400_000_000, since_1900 % 86_400_000_000);
            (day << 32) | (of_day * 300 / 1_000_000)
        }
    };
    field as u128
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
    let ranges = [
        (TimeField::UnixMs, "1970-01-01 00:00:00", None),
        (TimeField::SqlDatetime, "1900-01-01 00:00:00", Some("2079-06-06 23:59:59.999999")),
        (TimeField::Unix10us, "1970-01-01 00:00:00", Some("2059-03-13 02:56:07.106559")),
        (TimeField::DotnetMs, "0001-01-01 00:00:00", Some("8920-08-03 05:31:50.655999")),
        (TimeField::DotnetTicks, "0001-01-01 00:00:00", None),
        (TimeField::Gregorian100ns, "1582-10-15 00:00:00", Some("5236-03-31 21:21:00.684697")),
    ];
    for (time_field, first, last) in ranges {
        assert_eq!(time_field.range_micros().0, micros(first), "{time_field:?}");
        if let Some(last) = last {
            assert_eq!(time_field.range_micros().1, micros(last), "{time_field:?}");
        }
    }
    // jiff ends a day before these.
    assert_eq!(TimeField::UnixMs.range_micros().1, 281_474_976_710_655_999);
    assert_eq!(TimeField::DotnetTicks.range_micros().1, micros("9999-12-30 00:00:00") + 2 * US_PER_DAY - 1);

    for time_field in time_fields() {
        let (first, last) = time_field.range_micros();
        assert!(field_of(time_field, first).is_some(), "{time_field:?}");
        assert!(field_of(time_field, last).is_some(), "{time_field:?}");
        assert_eq!(field_of(time_field, first - 1), None, "{time_field:?}");
        assert_eq!(field_of(time_field, last + 1), None, "{time_field:?}");
        assert_eq!(field_of(time_field, i64::MIN), None, "{time_field:?}");
        assert_eq!(field_of(time_field, i64::MAX), None, "{time_field:?}");
        assert_eq!(time_field.split(Tick::MAX), None, "{time_field:?}");
        assert_eq!(time_field.split(Tick::MIN), None, "{time_field:?}");
    }
}

#[test]
fn one_three_hundredth_of_a_second_at_the_end_of_a_day() {
    let read = |unit: u64| TimeField::SqlDatetime.micros(25_567 << 32 | unit);
    assert_eq!(read(1), Some(3_334)); // rounded up
    assert_eq!(read(3), Some(10_000));
    assert_eq!(read(25_919_999), Some(86_399_996_667));
    assert_eq!(read(25_920_000), Some(US_PER_DAY));
    assert_eq!(read(25_920_002), Some(US_PER_DAY + 6_667));
    assert_eq!(read(25_920_003), None);
    assert!(TimeField::SqlDatetime.join(25_567 << 32 | 25_920_002, 0).is_some());
    assert_eq!(TimeField::SqlDatetime.join(25_567 << 32 | 25_920_003, 0), None);
    assert_eq!(field_of(TimeField::SqlDatetime, US_PER_DAY - 1), Some(25_567 << 32 | 25_919_999));
}

#[test]
fn dotnet_ticks_end_with_year_9999() {
    assert!(TimeField::DotnetTicks.micros(DOTNET_LAST_TICK).is_some());
    assert_eq!(TimeField::DotnetTicks.micros(DOTNET_LAST_TICK + 1), None);
    assert_eq!(TimeField::DotnetTicks.join(u64::MAX, 0), None);
}

#[test]
fn the_last_unit_of_a_field_is_split_and_joined() {
    for (time_field, count) in time_fields().into_iter().filter_map(|it| Some((it, it.count()?))) {
        let tick = time_field.join(count.last, 0).unwrap();
        assert_eq!(time_field.split(tick), Some((count.last, 0)), "{time_field:?}");
        assert!(u128::from(count.last) < 1 << time_field.bits(), "{time_field:?}");
        if let Some(beyond) = count.last.checked_add(1) {
            assert_eq!(time_field.join(beyond, 0), None, "{time_field:?}");
        }
    }
}

#[test]
fn units_and_remainders_are_as_long_as_the_design_says() {
    for time_field in time_fields() {
        let expected = match time_field {
            TimeField::UnixMs | TimeField::DotnetMs => (65_536, 16),
            TimeField::SqlDatetime => (218_454, 18),
            TimeField::Unix10us => (656, 10),
            TimeField::DotnetTicks | TimeField::Gregorian100ns => (7, 3),
        };
        assert_eq!((time_field.unit_ticks(), time_field.remainder_bits()), expected, "{time_field:?}");
    }
}

proptest! {
    #[test]
    fn a_unit_later_is_another_field((time_field, micros) in time_field_and_micros(), within in 0i128..65) {
        let tick = tick_of_micros(micros) + within;
        let next = tick + Tick::from(time_field.unit_ticks());
        if let (Some((earlier, _)), Some((later, _))) = (time_field.split(tick), time_field.split(next)) {
            prop_assert!(earlier < later);
        }
    }

    /// It is the first such tick: the unit before it is read as a time before the given tick.
    #[test]
    fn the_next_exact_tick_reads_back_as_itself((time_field, micros) in time_field_and_micros(), within in 0i128..65) {
        let tick = tick_of_micros(micros) + within;
        let read = |tick| time_field.split(tick).and_then(|(field, _)| time_field.micros(field)).map(tick_of_micros);
        match time_field.next_exact(tick) {
            Some(exact) => {
                prop_assert!(exact >= tick);
                prop_assert_eq!(read(exact), Some(exact));
                if exact > tick {
                    // No time that is read from a field lies in between.
                    let last_before = read(exact - Tick::from(TICKS_PER_MS.div_ceil(1000)));
                    prop_assert!(last_before.is_none_or(|before| before < tick));
                }
            }
            None => prop_assert_eq!(time_field.split(tick + Tick::from(time_field.moment_ticks())), None),
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
        prop_assert!(field >> (time_field.bits() - 1) <= 1);
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
    fn no_field_panics(time_field in time_field(), field in any::<u64>(), remainder in 0u64..1 << 18) {
        let field = field >> (64 - time_field.bits());
        let remainder = remainder >> (18 - time_field.remainder_bits());
        prop_assert_eq!(time_field.micros(field).is_some(), time_field.join(field, remainder).is_some());
    }
}
