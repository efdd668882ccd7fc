use super::*;
use crate::layout::Comb;
use crate::layouts::{NEWSEQUENTIALID, labelled};
use crate::vectors::{STRIDE, micros, uuid, vectors};
use comb_tick::tick_of_micros;
use uuid::{Builder, Version};

#[test]
fn plausible_times_end_with_the_years() {
    assert_eq!(PLAUSIBLE.start, micros("1990-01-01 00:00:00"));
    assert_eq!(PLAUSIBLE.end, micros("2100-01-01 00:00:00"));
}

#[test]
fn public_ids_are_recognised() {
    for vector in vectors() {
        let Some(layout) = labelled(vector.layout.as_bytes()) else {
            continue;
        };
        let readings: Vec<_> = readings(&vector.uuid()).collect();
        let of_layout = readings.iter().find(|reading| reading.layout.label == layout.label);
        let of_layout = of_layout.unwrap_or_else(|| panic!("{}: {readings:?}", vector.id));
        assert_eq!(of_layout.micros, vector.micros);
        assert!(of_layout.plausible, "{}", vector.id);
        let plausible = readings.iter().take_while(|reading| reading.plausible).count();
        assert!(readings[plausible..].iter().all(|reading| !reading.plausible));
    }
}

#[test]
fn the_layout_whose_stamp_agrees_comes_first() {
    let first = |id| readings(&uuid(id)).next().unwrap().layout.label;
    assert_eq!(first("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), "uuidv7");
    assert_eq!(first("017c5af4-2617-4ae0-98f0-98086eef50ca"), "postgres");
    assert_eq!(first("d01c25cc-63a7-47cc-b5ba-018e5f3bff48"), "mssql");
    assert_eq!(first("e25afe33-db2d-4502-9bf0-919001862cc4"), "mssql_legacy");
    assert_eq!(first("39babcb4-e446-4ed5-4012-2e27653a9d13"), "sequential_as_string");
    assert_eq!(first("63dd0ad3-a111-dd11-b2eb-005056ae063c"), "newsequentialid");
    // Its first half-byte is by chance that of version 1 as MySQL stores it.
    let both = uuid("11dd0ad3-a111-dd11-b2eb-005056ae063c");
    assert!(readings(&both).any(|reading| reading.layout.label == "mysql_ordered" && reading.plausible));
    assert_eq!(first("11dd0ad3-a111-dd11-b2eb-005056ae063c"), "newsequentialid");
    assert_eq!(first("11e1c57d-ff6f-8cb0-9b21-0800200c9a66"), "mysql_ordered");
    assert_eq!(first("016fa936-bff0-997a-0a3c-428548fee8c9"), "ulid");
    assert_eq!(first("45f98020-66e7-871d-9641-0170e4be4d77"), "uuidv8_mssql");
}

/// No other layout comes first, whatever the time of this century and the node.
#[test]
fn newsequentialids_come_first() {
    let mut id = uuid("63dd0ad3-a111-dd11-b2eb-005056ae063c");
    let begin = micros("2005-11-07 00:00:00");
    for n in (0..100_000u64).step_by(STRIDE) {
        let at = begin + n as i64 * 20_000_000_011;
        let node = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) & !(3 << 62) | 2 << 62;
        id = NEWSEQUENTIALID.with_micros(&Uuid::from_u64_pair(id.as_u64_pair().0, node), at).unwrap();
        let first = readings(&id).next().unwrap();
        assert_eq!((first.layout.label, first.micros), ("newsequentialid", at), "{id}");
    }
}

/// The shares are those of random UUIDs: counted, they are as large.
#[test]
fn layouts_are_ranked_by_their_share_of_random_uuids() {
    let labels: Vec<_> = BY_RARITY.iter().map(|(_, layout)| layout.label).collect();
    assert!(BY_RARITY.is_sorted_by_key(|(share, _)| *share));
    assert_eq!(labels[..2], ["uuidv7", "uuidv8_mssql"]);
    assert_eq!(labels.last(), Some(&"laravel"));
    let ticks = |label| labels.iter().position(|it| *it == label).unwrap();
    assert!(ticks("newsequentialid") < ticks("mysql_ordered") && ticks("process_ticks") < ticks("mssql_legacy"));

    let (mut state, count) = (1u128, 200_000 / STRIDE);
    let mut found = [0usize; LAYOUTS.len()];
    for _ in 0..count {
        state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let id = Uuid::from_u128(state ^ state >> 64);
        for (found, (_, layout)) in found.iter_mut().zip(&BY_RARITY) {
            *found += usize::from(layout.micros(&id).is_some_and(is_plausible));
        }
    }
    for (found, (share, layout)) in found.iter().zip(&BY_RARITY) {
        let expected = *share as f64 / 2f64.powi(64) * count as f64;
        let error = 5.0 * expected.sqrt() + 5.0;
        assert!((*found as f64 - expected).abs() < error, "{}: {found} instead of {expected}", layout.label);
    }
}

/// A random UUID looks plausible as `laravel` in 79 of 100 cases; these keys had it first.
#[test]
fn keys_of_ef_core_and_newid_come_first() {
    for id in vectors().filter(|vector| ["process_ticks", "ticks_first"].contains(&vector.layout)) {
        assert_eq!(readings(&id.uuid()).next().unwrap().layout.label, id.layout, "{}", id.id);
    }
    let layout = labelled(b"process_ticks").unwrap();
    let first = |random: u64| {
        let comb = Comb { tick: tick_of_micros(micros("2026-11-26 15:00:31")), random };
        let id = Builder::from_bytes(layout.encode(comb).unwrap().into_bytes()).with_version(Version::Random).into_uuid();
        readings(&id).next().unwrap().layout.label
    };
    let right = (0..1000u64).filter(|n| first(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)) == "process_ticks").count();
    assert!(right > 990, "{right} of 1000");
}

#[test]
fn keys_of_duckdb_1_3_0_are_noticed() {
    let id = uuid("8196f946-5678-7ac0-a594-fe51da68ec69");
    assert_eq!(without_first_bit(&id), Some(uuid("0196f946-5678-7ac0-a594-fe51da68ec69")));
    for id in [
        "0196f946-5678-7ac0-a594-fe51da68ec69",
        "8196f946-5678-4ac0-a594-fe51da68ec69",
        "f196f946-5678-7ac0-a594-fe51da68ec69",
        "ffffffff-ffff-7fff-bfff-ffffffffffff",
    ] {
        assert_eq!(without_first_bit(&uuid(id)), None, "{id}");
    }
}

#[test]
fn variants_have_names() {
    let of = |byte| variant(&Uuid::from_bytes([byte; 16]));
    assert_eq!(
        [0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xdf, 0xe0, 0xff].map(of),
        ["ncs", "ncs", "rfc9562", "rfc9562", "microsoft", "microsoft", "future", "future"]
    );
}

#[test]
fn keys_of_a_draft_of_version_7_are_noticed() {
    for id in ["06569220-0a3c-7b1d-8000-fedcba987654", "069244b2-30aa-7a3f-8000-fedcba987654"] {
        assert!(may_be_draft(&uuid(id)), "{id}");
        assert!(readings(&uuid(id)).all(|reading| !reading.plausible || reading.layout.version != Some(7)), "{id}");
    }
    for id in [
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
        // Another version, and a time in the far future that no draft explains.
        "06569220-0a3c-4b1d-8000-fedcba987654",
        "ffffffff-ffff-7fff-bfff-ffffffffffff",
    ] {
        assert!(!may_be_draft(&uuid(id)), "{id}");
    }
}
