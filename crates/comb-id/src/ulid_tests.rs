use super::*;
use crate::vectors::{ids, uuid};
use proptest::prelude::*;

/// Texts of other programs, of the ULID specification first, and their bytes by python-ulid.
const OF_OTHERS: [(&str, &str); 6] = [
    ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01563e3a-b5d3-d676-4c61-efb99302bd5b"),
    ("01BX5ZZKBKACTAV9WEVGEMMVRZ", "015f4bff-cd73-5334-ada7-8edc1d4a6f1f"),
    ("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    // Tests of the crate ulid 3.0.0, of pgx_ulid, and of andrielfn/pg-ulid.
    ("21850M2GA1850M2GA1850M2GA1", "41414141-4141-4141-4141-414141414141"),
    ("01GV5PA9EQG7D82Q3Y4PKBZSYV", "0186cb65-25d7-81da-815c-7e25a6bfe7db"),
    ("00000000000000000000000000", "00000000-0000-0000-0000-000000000000"),
];

#[test]
fn texts_of_others_read_and_write() {
    for (text, id) in OF_OTHERS {
        assert_eq!(read(text.as_bytes()), Ok(uuid(id)), "{text}");
        assert_eq!(read(text.to_ascii_lowercase().as_bytes()), Ok(uuid(id)), "{text}");
        assert_eq!(write(uuid(id)), text.as_bytes(), "{text}");
    }
    let id = read(b"01000000000000000000000010").unwrap();
    for text in ["OI0000000000000000000000LO", "ol00000000000000000000001o"] {
        assert_eq!(read(text.as_bytes()), Ok(id), "what is easily mistaken: {text}");
    }
}

#[test]
fn what_is_wrong_is_named() {
    use TextError::{Character, Length, Overflow};
    let cases: [(&[u8], TextError); 7] = [
        (b"", Length(0, 26)),
        (b"01ARZ3NDEKTSV4RRFFQ69G5FA", Length(25, 26)),
        (b"01ARZ3NDEKTSV4RRFFQ69G5FAVV", Length(27, 26)),
        (b"01ARZ3NDEKuSV4RRFFQ69G5FAV", Character(b'u', 11)),
        (b"01ARZ3NDEKTSV4RRFFQ69G5FA\0", Character(0, 26)),
        ("01ARZ3NDEKTSV4RRFFQ69G5Fé".as_bytes(), Character(0xc3, 25)),
        (b"80000000000000000000000000", Overflow),
    ];
    for (text, fault) in cases {
        assert_eq!(read(text), Err(fault), "{}", String::from_utf8_lossy(text));
    }
}

proptest! {
    #[test]
    fn texts_read_back_and_sort_as_uuids(a in ids(), b in ids()) {
        prop_assert_eq!(read(&write(a)), Ok(a));
        prop_assert_eq!(write(a).cmp(&write(b)), a.cmp(&b));
    }

    /// Each byte is refused, or read as the UUID that is written with it.
    #[test]
    fn a_wrong_character_is_not_overlooked(id in ids(), position in 0..LENGTH, byte: u8) {
        let mut text = write(id);
        text[position] = byte;
        if let Ok(read) = read(&text) {
            let same = match byte.to_ascii_uppercase() { b'I' | b'L' => b'1', b'O' => b'0', other => other };
            prop_assert_eq!(write(read)[position], same);
        }
    }
}
