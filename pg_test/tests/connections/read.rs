use super::common::{connect, value};

#[test]
fn public_ids_read_as_their_moments() {
    let mut client = connect();
    let mut read = 0;
    let is_declaring = |line: &&str| ["none,", "uuidv1,", "uuidv6,", "uuidv7,"].iter().any(|label| line.starts_with(label));
    for line in include_str!("../../vectors.csv").lines().filter(is_declaring) {
        let columns: Vec<&str> = line.splitn(4, ',').collect();
        let expected = if columns[2].is_empty() { "NULL".into() } else { format!("timestamptz '{}Z'", columns[2]) };
        let query = format!("SELECT comb_timestamp('{}') IS NOT DISTINCT FROM {expected}", columns[1]);
        assert!(value::<bool>(&mut client, &query), "{line}");
        read += 1;
    }
    assert_eq!(read, 26);
}

#[test]
fn random_uuids_have_no_moment() {
    let read: i64 = value(&mut connect(), "SELECT count(comb_timestamp(gen_random_uuid())) FROM generate_series(1, 10000)");
    assert_eq!(read, 0);
}
