use super::*;
use crate::vectors::{ids, uuid, vectors};
use comb_tick::tick_of_micros;
use proptest::prelude::*;

#[test]
fn public_texts_read_as_their_moments_and_ids() {
    let expected =
        ["e303a0f4-ee6e-44db-9cdb-372681e32a11", "c21af8b3-a9c2-4873-8875-3e5c839c91f7", "641622d1-f77c-479e-84ee-0d181ce4b175"];
    let texts: Vec<_> = vectors().filter(|vector| vector.layout == "bsv").collect();
    assert_eq!(texts.len(), expected.len());
    for (vector, id) in texts.iter().zip(expected) {
        let bsv = Bsv::parse(vector.id.as_bytes()).unwrap();
        assert_eq!(bsv.micros(), Some(vector.micros), "{}", vector.id);
        assert_eq!(bsv.id, uuid(id), "{}", vector.id);
        assert_eq!(&bsv.text(), vector.id.as_bytes());
    }
}

#[test]
fn a_wrong_length_or_character_is_named() {
    let text = b"0Bj4hRXIFkDoc$DXPivPF7nPBmO-smcF";
    assert_eq!(Bsv::parse(&text[1..]), Err(TextError::Length(31, 32)));
    assert_eq!(Bsv::parse(&[&text[..], b"0"].concat()), Err(TextError::Length(33, 32)));
    assert_eq!(Bsv::parse(b""), Err(TextError::Length(0, 32)));
    for byte in [b'+', b'=', b'_', b' ', 0, 0xc3] {
        let mut wrong = *text;
        wrong[4] = byte;
        assert_eq!(Bsv::parse(&wrong), Err(TextError::Character(byte, 5)));
    }
}

#[test]
fn the_alphabet_is_in_ascii_order() {
    assert!(ALPHABET.is_sorted_by(|a, b| a < b));
}

proptest! {
    #[test]
    fn parsing_reverses_writing(ticks in any::<u64>(), id in ids()) {
        let bsv = Bsv { ticks, id };
        prop_assert_eq!(Bsv::parse(&bsv.text()), Ok(bsv));
    }

    #[test]
    fn texts_sort_as_ticks_do(a in any::<u64>(), b in any::<u64>(), ids in [ids(), ids()]) {
        let text = |ticks, id| Bsv { ticks, id }.text();
        if a != b {
            prop_assert_eq!(text(a, ids[0]).cmp(&text(b, ids[1])), a.cmp(&b));
        }
    }

    #[test]
    fn no_text_panics(text in any::<Vec<u8>>(), sextets in prop::collection::vec(0usize..64, 30..35)) {
        prop_assert!(Bsv::parse(&text).is_err() || text.len() == LENGTH);
        let text: Vec<u8> = sextets.iter().map(|&sextet| ALPHABET[sextet]).collect();
        prop_assert_eq!(Bsv::parse(&text).is_ok(), text.len() == LENGTH);
    }

    #[test]
    fn new_texts_have_the_time_and_a_random_id_of_version_4(micros in 0..1i64 << 47, random in any::<[u64; 2]>()) {
        let tick = tick_of_micros(micros).try_into().unwrap();
        let bsv = Bsv::of_tick(tick, random).unwrap();
        prop_assert_eq!(bsv.micros(), Some(micros));
        let id = bsv.id;
        prop_assert_eq!(id.get_version_num(), 4);
        prop_assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
        prop_assert_eq!(id.as_u128() & 0xffff, u128::from(random[1] & 0xffff));
        prop_assert_eq!(id.as_u128() >> 80, u128::from(random[0] >> 16));
    }
}
