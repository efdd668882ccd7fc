use proptest::prelude::*;

use super::*;

#[test]
fn texts_that_postgresql_accepts_or_refuses() {
    let id = Uuid::from_u128(0xa0ee_bc99_9c0b_4ef8_bb6d_6bb9_bd38_0a11);
    for text in [
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
        "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
        "a0eebc999c0b4ef8bb6d6bb9bd380a11",
        "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11",
        "{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}",
    ] {
        assert_eq!(parse(text.as_bytes()), Some(id), "{text}");
    }
    for text in [
        "",
        "{}",
        "-a0eebc999c0b4ef8bb6d6bb9bd380a11",
        "a0eebc999c0b4ef8bb6d6bb9bd380a11-",
        "a0eebc999c0b4ef8bb6d6bb9bd380a1",
        "a0eebc999c0b4ef8bb6d6bb9bd380a110",
        "a0e-ebc999c0b4ef8bb6d6bb9bd380a11",
        "a0ee--bc999c0b4ef8bb6d6bb9bd380a11",
        "{a0eebc999c0b4ef8bb6d6bb9bd380a11",
        "a0eebc999c0b4ef8bb6d6bb9bd380a11}",
        "g0eebc999c0b4ef8bb6d6bb9bd380a11",
        " a0eebc999c0b4ef8bb6d6bb9bd380a11",
    ] {
        assert_eq!(parse(text.as_bytes()), None, "{text}");
    }
}

proptest! {
    #[test]
    fn every_text_of_a_uuid_is_parsed(value in any::<u128>(), upper in any::<bool>()) {
        let id = Uuid::from_u128(value);
        for text in [id.simple().to_string(), id.hyphenated().to_string(), id.braced().to_string()] {
            let text = if upper { text.to_uppercase() } else { text };
            prop_assert_eq!(parse(text.as_bytes()), Some(id));
        }
    }
}
