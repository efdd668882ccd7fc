use super::common::{connect, value};

/// What others wrote reads as the id that they say, and is what is written for it.
#[test]
fn texts_of_others_read_and_write() {
    let mut client = connect();
    let (mut good, mut bad) = (0, 0);
    for line in include_str!("../../text_vectors.csv").lines().skip(1) {
        let columns: Vec<&str> = line.splitn(4, ',').collect();
        let (form, text, id) = (columns[0], columns[1], columns[2]);
        let (form, is_written) = match form.strip_suffix(" read") {
            Some(form) => (form, false),
            None => (form, true),
        };
        let prefix = text.rsplit_once('_').map_or("", |(prefix, _)| prefix);
        let (read, written) = match form {
            "typeid" => (
                format!("comb_typeid_uuid('{text}')"),
                format!("comb_typeid('{prefix}', '{id}') = '{text}' AND comb_typeid_uuid('{text}', '{prefix}') = '{id}'"),
            ),
            form => (format!("comb_decode('{text}', '{form}')"), format!("comb_encode('{id}', '{form}') = '{text}'")),
        };
        if id.is_empty() {
            let error = client.query_one(&format!("SELECT {read}"), &[]).expect_err(line);
            assert_eq!(error.code().map(|code| code.code()), Some("22P02"), "{line}");
            bad += 1;
            continue;
        }
        assert!(value::<bool>(&mut client, &format!("SELECT {read} = '{id}'")), "{line}");
        assert!(!is_written || value::<bool>(&mut client, &format!("SELECT {written}")), "{line}");
        good += 1;
    }
    assert_eq!((good, bad), (43, 25));
}
