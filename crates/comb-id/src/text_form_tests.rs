//! Tests of the text forms.

use super::*;
use crate::vectors::{STRIDE, ids, text_vectors, uuid};
use proptest::prelude::*;

fn write(form: TextForm, id: Uuid) -> Vec<u8> {
    form.write(id, &mut [0; BASE32_LENGTH]).to_vec()
}

/// The text that is written for the id of a text.
fn canonical(form: TextForm, text: &[u8]) -> Vec<u8> {
    let upper = text.to_ascii_uppercase();
    match form {
        TextForm::Crockford => upper
            .into_iter()
            .map(|byte| match byte {
                b'I' | b'L' => b'1',
                b'O' => b'0',
                other => other,
            })
            .collect(),
        TextForm::Base32hex => upper.strip_suffix(b"======").map_or(upper.clone(), <[u8]>::to_vec),
        TextForm::Base58 => [vec![b'1'; BASE58_LENGTH - text.len()], text.to_vec()].concat(),
    }
}

fn any_form() -> impl Strategy<Value = TextForm> {
    prop::sample::select(&TEXT_FORMS[..])
}

/// An id, and another one that differs from it in late bits, in early bits, or not at all.
fn neighbours() -> impl Strategy<Value = (u128, u128)> {
    let distance = prop_oneof![Just(0), 0u128..100, any::<u128>()];
    (any::<u128>(), 0u32..128, distance).prop_map(|(a, bit, distance)| (a >> bit, (a >> bit).wrapping_add(distance)))
}

#[test]
fn texts_of_others_read_and_write() {
    let mut checked = [0; TEXT_FORMS.len()];
    for vector in text_vectors() {
        let (label, is_written) = match vector.form.split_once(' ') {
            Some((label, "read")) => (label, false),
            _ => (vector.form, true),
        };
        let Some(form) = TextForm::labelled(label.as_bytes()) else { continue };
        let shown = String::from_utf8_lossy(vector.text);
        assert_eq!(form.read(vector.text).ok(), vector.id, "{label} {shown}");
        if let Some(id) = vector.id.filter(|_| is_written) {
            assert_eq!(write(form, id), vector.text, "{label} {shown}");
        }
        checked[form as usize] += 1;
    }
    assert!(checked.iter().all(|&texts| texts >= 5), "{checked:?}");
}

#[test]
fn what_is_wrong_is_named() {
    use Malformed::{Character, FirstCharacter, Length, Overflow, TrailingBits};
    use TextForm::{Base32hex, Base58, Crockford};
    let length = |found| Length { found, min: 26, max: 26 };
    let base58_length = |found| Length { found, min: 1, max: 22 };
    let cases: [(TextForm, &[u8], Malformed); 23] = [
        (Crockford, b"", length(0)),
        (Crockford, b"01ARZ3NDEKTSV4RRFFQ69G5FA", length(25)),
        (Crockford, b"01ARZ3NDEKTSV4RRFFQ69G5FAVV", length(27)),
        (Crockford, b"01ARZ3NDEKUSV4RRFFQ69G5FAV", Character(b'U', 11)),
        (Crockford, b"01ARZ3NDEKuSV4RRFFQ69G5FAV", Character(b'u', 11)),
        (Crockford, b"01ARZ3NDEK-TSV4RRFFQ69G5FAV", Character(b'-', 11)),
        (Crockford, b"01ARZ3NDEKTSV4RRFFQ69G5FA\0", Character(0, 26)),
        (Crockford, "01ARZ3NDEKTSV4RRFFQ69G5Fé".as_bytes(), Character(0xc3, 25)),
        (Crockford, b"8ZZZZZZZZZZZZZZZZZZZZZZZZZ", FirstCharacter),
        (Crockford, b"80000000000000000000000000", FirstCharacter),
        (Base32hex, b"", length(0)),
        (Base32hex, b"======", Character(b'=', 1)),
        (Base32hex, b"06AJBM9TUTSVND36VA87V8BVJ", length(25)),
        (Base32hex, b"06AJBM9TUTSVND36VA87V8BVJO=====", Character(b'=', 27)),
        (Base32hex, b"06AJBM9TUTSVND36VA87V8BVJO=======", Character(b'=', 27)),
        (Base32hex, b"06AJBM9TUTSVND36VA87V8BVJOOOOOOO", length(32)),
        (Base32hex, b"06AJBM9TUTSVND36VA87V8BVJW", Character(b'W', 26)),
        (Base32hex, b"06AJBM9TUTSVND36VA87V8BVJP", TrailingBits),
        (Base58, b"", base58_length(0)),
        (Base58, b"11111111111111111111111", base58_length(23)),
        (Base58, b"YcVfxkQb6JRzqk5kF2tNLw", Overflow),
        (Base58, b"zzzzzzzzzzzzzzzzzzzzzz", Overflow),
        (Base58, b"1CLX6BNbgzLqKvx4TBQjI", Character(b'I', 21)),
    ];
    for (form, text, fault) in cases {
        let shown = String::from_utf8_lossy(text);
        assert_eq!(form.read(text), Err(fault), "{} {shown}", form.label());
    }
}

#[test]
fn crockford_reads_what_is_easily_mistaken() {
    let id = TextForm::Crockford.read(b"01000000000000000000000010").unwrap();
    for text in ["OI0000000000000000000000LO", "ol00000000000000000000001o", "0i0000000000000000000000l0"] {
        assert_eq!(TextForm::Crockford.read(text.as_bytes()), Ok(id), "{text}");
    }
}

#[test]
fn the_padded_text_of_postgresql_19_is_read() {
    let id = uuid("019535d9-3df7-79fb-b466-fa907fa17f9e");
    for text in ["06AJBM9TUTSVND36VA87V8BVJO======", "06ajbm9tutsvnd36va87v8bvjo"] {
        assert_eq!(TextForm::Base32hex.read(text.as_bytes()), Ok(id), "{text}");
    }
}

#[test]
fn labels_are_exact() {
    for form in TEXT_FORMS {
        assert_eq!(TextForm::labelled(form.label().as_bytes()), Some(form));
        assert_eq!(TextForm::labelled(form.label().to_uppercase().as_bytes()), None);
    }
    assert_eq!(TextForm::labelled(b""), None);
}

/// Every byte at every position of a text is refused, or read as the id that is written with it.
#[test]
fn a_wrong_character_is_never_overlooked() {
    let id = uuid("019535d9-3df7-79fb-b466-fa907fa17f9e");
    for form in TEXT_FORMS {
        let text = write(form, id);
        let mut refused = 0;
        for position in (0..text.len()).step_by(STRIDE) {
            for byte in 0..=u8::MAX {
                let mut mutated = text.clone();
                mutated[position] = byte;
                match form.read(&mutated) {
                    Ok(read) => assert_eq!(write(form, read), canonical(form, &mutated)),
                    Err(Malformed::Character(named, at)) => {
                        assert_eq!((named, at), (byte, position + 1));
                        refused += 1;
                    }
                    Err(Malformed::Overflow | Malformed::FirstCharacter) => assert_eq!(position, 0),
                    Err(Malformed::TrailingBits) => assert_eq!(position, 25),
                    Err(Malformed::Length { .. }) => panic!("the length is as it was"),
                }
            }
        }
        assert!(refused > 180 * text.len().div_ceil(STRIDE), "{}", form.label());
    }
}

proptest! {
    #[test]
    fn reading_reverses_writing(form in any_form(), id in ids()) {
        prop_assert_eq!(form.read(&write(form, id)), Ok(id));
    }

    #[test]
    fn texts_sort_as_ids_do(form in any_form(), (a, b) in neighbours()) {
        let texts = [a, b].map(|id| write(form, Uuid::from_u128(id)));
        prop_assert_eq!(texts[0].cmp(&texts[1]), a.cmp(&b));
    }

    /// The only texts that are read are texts that are written, and the variants that the form describes.
    #[test]
    fn whatever_is_read_is_written_so(
        form in any_form(), text in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..40),
            "[0-9A-Za-z]{20,28}".prop_map(String::into_bytes),
            "[0-7][0-9A-Va-v]{24}[048CGKOScgkos](={6})?".prop_map(String::into_bytes),
            "[1-9A-HJ-NP-Za-km-z]{1,22}".prop_map(String::into_bytes),
        ],
    ) {
        if let Ok(id) = form.read(&text) {
            prop_assert_eq!(write(form, id), canonical(form, &text));
        }
    }

    #[test]
    fn other_programs_agree(id in ids(), zeros in 0usize..=16) {
        let mut id = id.into_bytes();
        id[..zeros].fill(0);
        let id = Uuid::from_bytes(id);
        let base32hex = data_encoding::BASE32HEX.encode(id.as_bytes());
        prop_assert_eq!(TextForm::Base32hex.read(base32hex.as_bytes()), Ok(id));
        let base32hex = data_encoding::BASE32HEX_NOPAD.encode(id.as_bytes());
        prop_assert_eq!(write(TextForm::Base32hex, id), base32hex.into_bytes());
        // Other programs write a 1 for each zero byte.
        let base58 = bs58::encode(id.as_bytes()).into_string();
        prop_assert_eq!(TextForm::Base58.read(base58.as_bytes()), Ok(id));
        let number = base58.trim_start_matches('1');
        prop_assert_eq!(write(TextForm::Base58, id), format!("{number:1>22}").into_bytes());
    }
}
