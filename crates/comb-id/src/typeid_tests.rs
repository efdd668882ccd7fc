//! Tests of TypeIDs.

use super::*;
use crate::vectors::{STRIDE, ids, text_vectors};
use proptest::prelude::*;

fn write(prefix: &[u8], id: Uuid) -> Result<Vec<u8>, InvalidPrefix> {
    TypeId { prefix, id }.write(&mut [0; LONGEST]).map(<[u8]>::to_vec)
}

fn prefixes() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a-z]", "[a-z][a-z_]{0,61}[a-z]"]
}

/// valid.json and invalid.json of the specification.
#[test]
fn the_lists_of_the_specification() {
    let (mut valid, mut invalid) = (0, 0);
    for vector in text_vectors().filter(|vector| vector.form == "typeid") {
        let shown = String::from_utf8_lossy(vector.text);
        let Some(id) = vector.id else {
            assert!(TypeId::parse(vector.text).is_err(), "{shown}");
            invalid += 1;
            continue;
        };
        let prefix = shown.rsplit_once('_').map_or("", |(prefix, _)| prefix).as_bytes();
        assert_eq!(TypeId::parse(vector.text), Ok(TypeId { prefix, id }), "{shown}");
        assert_eq!(write(prefix, id).as_deref(), Ok(vector.text), "{shown}");
        valid += 1;
    }
    assert_eq!((valid, invalid), (9, 21));
}

#[test]
fn what_is_wrong_is_named() {
    use InvalidPrefix::{Character, Length, Underscore};
    let prefix = InvalidTypeId::Prefix;
    let suffix = InvalidTypeId::Suffix;
    let long = format!("{}_0", "x".repeat(64));
    let cases: [(&str, InvalidTypeId); 14] = [
        ("", suffix(Malformed::Length { found: 0, min: 26, max: 26 }, 1)),
        ("user_", suffix(Malformed::Length { found: 0, min: 26, max: 26 }, 6)),
        ("_", InvalidTypeId::NoPrefix),
        ("_00000000000000000000000000", InvalidTypeId::NoPrefix),
        ("__00000000000000000000000000", prefix(Underscore(1))),
        ("_user_00000000000000000000000000", prefix(Underscore(1))),
        ("user__00000000000000000000000000", prefix(Underscore(5))),
        ("usEr_0", prefix(Character(b'E', 3))),
        ("usér_0", prefix(Character(0xc3, 3))),
        ("user1_0", prefix(Character(b'1', 5))),
        (&long, prefix(Length(64))),
        ("user_8zzzzzzzzzzzzzzzzzzzzzzzzz", suffix(Malformed::FirstCharacter, 6)),
        ("user_0000000000000000000000000U", suffix(Malformed::Character(b'U', 26), 6)),
        ("018e5f3b-ff48-7d6e-acc7-a763cc251cd0", suffix(Malformed::Character(b'-', 9), 1)),
    ];
    for (text, fault) in cases {
        assert_eq!(TypeId::parse(text.as_bytes()), Err(fault), "{text}");
    }
}

#[test]
fn prefixes_have_up_to_63_letters_and_underscores() {
    assert_eq!(check_prefix(&[b'x'; LONGEST_PREFIX]), Ok(()));
    assert_eq!(check_prefix(&[b'x'; 64]), Err(InvalidPrefix::Length(64)));
    for good in ["", "a", "a_b", "a__b"] {
        assert_eq!(check_prefix(good.as_bytes()), Ok(()), "{good}");
    }
    for (bad, position) in [("_", 1), ("_a", 1), ("a_", 2), ("__", 1)] {
        assert_eq!(check_prefix(bad.as_bytes()), Err(InvalidPrefix::Underscore(position)), "{bad}");
    }
    assert_eq!(write(&[b'x'; LONGEST_PREFIX], Uuid::nil()).map(|text| text.len()), Ok(LONGEST));
    assert_eq!(write(b"User", Uuid::nil()), Err(InvalidPrefix::Character(b'U', 1)));
}

/// Every byte at every position of a TypeID is refused, or read as the TypeID that is written with it.
#[test]
fn a_wrong_character_is_never_overlooked() {
    let text = b"pre_fix_01h455vb4pex5vsknk084sn02q";
    for position in (0..text.len()).step_by(STRIDE) {
        for byte in 0..=u8::MAX {
            let mut mutated = *text;
            mutated[position] = byte;
            if let Ok(TypeId { prefix, id }) = TypeId::parse(&mutated) {
                assert_eq!(write(prefix, id).as_deref(), Ok(&mutated[..]));
            }
        }
    }
}

proptest! {
    #[test]
    fn reading_reverses_writing(prefix in prefixes(), id in ids()) {
        let prefix = prefix.as_bytes();
        let text = write(prefix, id).unwrap();
        prop_assert_eq!(TypeId::parse(&text), Ok(TypeId { prefix, id }));
    }

    #[test]
    fn typeids_of_a_prefix_sort_as_ids_do(prefix in prefixes(), a in any::<u128>(), distance in 0u128..1000) {
        let b = a.saturating_add(distance);
        let [x, y] = [a, b].map(|id| write(prefix.as_bytes(), Uuid::from_u128(id)).unwrap());
        prop_assert_eq!(x.cmp(&y), a.cmp(&b));
    }

    #[test]
    fn whatever_is_read_is_written_so(text in prop_oneof![
        prop::collection::vec(any::<u8>(), 0..100),
        "[a-z_]{0,66}[0-7][0-9a-z]{25}".prop_map(String::into_bytes),
        "([a-z_]{0,66}_)?[0-7][0-9a-hjkmnp-tv-z]{25}".prop_map(String::into_bytes),
    ]) {
        if let Ok(TypeId { prefix, id }) = TypeId::parse(&text) {
            prop_assert_eq!(write(prefix, id), Ok(text.clone()));
        }
    }
}
