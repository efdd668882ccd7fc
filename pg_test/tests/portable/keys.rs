//! portable/read_keys.sql, compared with comb.

use pg_test::{Server, Sharing, sqlstate, value};

/// Keys of version 7 and of layout mssql of any year, keys of the other versions and variants, and the limits.
const KEYS: &str = "
    CREATE TABLE keys AS
    SELECT comb_set_timestamp(gen_random_uuid(), to_timestamp(random() * 253402300799), layout) AS id
        FROM generate_series(1, 3000), unnest(ARRAY['uuidv7', 'mssql']) layout
    UNION ALL SELECT overlay(overlay(gen_random_uuid()::text PLACING to_hex(version) FROM 15) PLACING to_hex(variant) FROM 20)::uuid
        FROM generate_series(1, 100), generate_series(0, 15) version, generate_series(0, 15) variant
    UNION ALL SELECT unnest(ARRAY['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
        '00000000-0000-7000-8000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff', NULL])::uuid;
    CREATE TABLE times AS
    SELECT comb_timestamp(id) + us * interval '1 us' AS at FROM keys, unnest(ARRAY[-1001, -1000, -1, 0, 1, 125, 333, 999, 1000]) us
    UNION ALL SELECT unnest(ARRAY['infinity', '-infinity', '4713-01-01 BC', '1970-01-01Z', '1969-12-31 23:59:59.999999Z',
        '1970-01-01 00:00:00.000001Z', '10889-08-02 05:31:50.655Z', '10889-08-02 05:31:50.655001Z', '10889-08-02 05:31:50.655999Z', '10889-08-02 05:31:50.656Z'])::timestamptz;
    CREATE TABLE range AS SELECT * FROM (SELECT at AS a, lead(at) OVER (ORDER BY random()) AS b FROM times) pairs";

#[test]
fn functions_return_what_those_of_comb_do() {
    let server = Server::start(Sharing::Attached, &[("timezone", "America/St_Johns")]);
    server.execute(&format!("CREATE SCHEMA plain; SET search_path = plain; {}", include_str!("../../../portable/read_keys.sql")));
    let mut client = server.connect();
    client.batch_execute(KEYS).expect("keys");
    let vectors = include_str!("../../vectors.csv").lines().skip(1).filter(|line| !line.starts_with("bsv"));
    for vector in vectors {
        let id = vector.split(',').nth(1).expect("a UUID");
        client.batch_execute(&format!("INSERT INTO keys VALUES ('{id}')")).expect(id);
    }
    for (call, from) in [
        ("comb_timestamp(id)", "keys"),
        ("comb_timestamp_mssql(id)", "keys"),
        ("comb_dotnet_swap(id)", "keys"),
        ("comb_convert(id, 'mssql', 'uuidv7')", "keys"),
        ("comb_convert(id, 'uuidv7', 'mssql')", "keys"),
        ("comb_lower_bound(at)", "times"),
        (
            "comb_between(id, a, b)",
            "(SELECT * FROM keys ORDER BY random() LIMIT 300) keys, (SELECT * FROM range LIMIT 300) range",
        ),
    ] {
        let query = format!("SELECT count(*) FILTER (WHERE plain.{call} IS DISTINCT FROM {call}), count({call}) FROM {from}");
        let row = client.query_one(&query, &[]).expect(&query);
        let (different, results): (i64, i64) = (row.get(0), row.get(1));
        assert!(different == 0 && results > 2000, "{call}: {different} differ, {results} are not null");
    }
    assert_eq!(sqlstate(&mut client, "SELECT plain.comb_convert(gen_random_uuid(), 'mssql', 'ulid')"), "0A000");
    assert!(value::<bool>(&mut client, SAME_DECLARATIONS), "other declarations than comb's");
}

/// Names, types and volatility.
const SAME_DECLARATIONS: &str = "
    SELECT count(*) = 6 AND bool_and(EXISTS (
        SELECT FROM pg_proc comb WHERE comb.pronamespace = 'public'::regnamespace
        AND (comb.proname, comb.proargtypes, comb.proargnames, comb.prorettype, comb.provolatile, comb.proparallel)
          = (plain.proname, plain.proargtypes, plain.proargnames, plain.prorettype, plain.provolatile, plain.proparallel)))
    FROM pg_proc plain WHERE pronamespace = 'plain'::regnamespace";

/// Also on a table of somebody whose search_path has no schema.
#[test]
fn ranges_use_indexes_and_partitions() {
    let server = super::server();
    server.execute("CREATE SCHEMA plain AUTHORIZATION app");
    let mut config = server.config();
    let mut client = config.user("app").options("-c search_path=plain").connect(postgres::NoTls).expect("a connection");
    client.batch_execute(include_str!("../../../portable/read_keys.sql")).expect("read_keys.sql");
    client
        .batch_execute(
            "CREATE TABLE keyed (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
             CREATE TABLE past PARTITION OF keyed FOR VALUES FROM (comb_lower_bound('-infinity')) TO (comb_lower_bound('2026-01-01Z'));
             CREATE TABLE later PARTITION OF keyed FOR VALUES FROM (comb_lower_bound('2026-01-01Z')) TO (comb_lower_bound('infinity'));
             SET search_path = ''; SET enable_seqscan = off; SET enable_bitmapscan = off",
        )
        .expect("tables");
    let mut plan = |range: &str| {
        let query = format!("EXPLAIN (ANALYZE, COSTS OFF) SELECT FROM plain.keyed WHERE plain.comb_between(id, {range})");
        let lines = client.query(&query, &[]).expect(&query);
        lines.iter().map(|line| line.get::<_, String>(0)).collect::<Vec<_>>().join("\n")
    };
    let constant = plan("'2026-11-01Z', '2026-12-01Z'");
    let condition = "Index Cond: ((id >= '01a1";
    assert!(constant.contains(condition) && !constant.contains("past") && !constant.contains("Filter"), "{constant}");
    let stable = plan("now(), 'infinity'");
    assert!(stable.contains("Index Cond") && stable.contains("Subplans Removed: 1"), "{stable}");
    assert!(!stable.contains("comb_") && !stable.contains("Filter"), "{stable}");
}
