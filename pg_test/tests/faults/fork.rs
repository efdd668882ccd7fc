//! Preloaded, every backend is a fork of the postmaster: none may go on with randomness that another has.

use std::collections::HashSet;

use pg_test::{Server, Sharing, create_parallel_source, value};
use postgres::NoTls;

/// How often 50 new connections and then parallel workers drew random bits that another had drawn. The last 48 bits of an
/// id are nothing but randomness: of so many, two are the same once in a million runs.
fn repeated(server: &Server, scope: &str) -> (usize, i64) {
    let mut config = server.config();
    config.options(&format!("-c comb.scope={scope}"));
    let connect = || config.connect(NoTls).expect("a connection");
    let drawn = (0..50).map(|_| value(&mut connect(), "SELECT right(comb_new()::text, 12)"));
    let by_connections = 50 - drawn.collect::<HashSet<String>>().len();
    let mut client = connect();
    create_parallel_source(&mut client, 20_000);
    // Below the Gather, where the workers are.
    let draw = "DROP TABLE IF EXISTS drawn; CREATE TABLE drawn AS SELECT right(comb_new()::text, 12) AS tail FROM source";
    client.batch_execute(draw).expect(draw);
    (by_connections, value(&mut client, "SELECT count(*) - count(DISTINCT tail) FROM drawn"))
}

#[test]
fn no_process_draws_what_another_has_drawn() {
    let server = Server::start(Sharing::Preloaded, &[]);
    for scope in ["server", "backend"] {
        assert_eq!(repeated(&server, scope), (0, 0), "scope {scope}");
    }
    server.assert_clean_log();
}
