//! The scopes of ids. The test server has the library preloaded; what moves its clock stands in
//! `sql/clock.sql` and in the fault tests, where no other test runs at the same time.

use postgres::Client;

use super::common::{connect, value};

#[test]
fn a_backend_of_its_own_scope_keeps_its_own_clock() {
    let scope = |client: &mut Client| value::<String>(client, "SELECT scope FROM comb_status()");
    let mut client = connect();
    assert_eq!(scope(&mut client), "server");
    client.batch_execute("SET comb.scope = backend; SET comb.max_ahead = -1").expect("a scope");
    assert_eq!(scope(&mut client), "backend");
    let observed = "SELECT comb_new() < id AND comb_observe(id) IS NOT NULL AND comb_new() > id
                    FROM (SELECT comb_at(now() + interval '1 day') AS id OFFSET 0) ahead";
    assert!(value::<bool>(&mut client, observed));
    let is_of_now = "SELECT comb_timestamp(comb_new()) < now() + interval '1 hour'";
    assert!(!value::<bool>(&mut client, is_of_now));
    assert!(value::<bool>(&mut connect(), is_of_now));
    // The same session's ids of the server's scope go on by the server's clock.
    client.batch_execute("SET comb.scope = server").expect("a scope");
    assert!(value::<bool>(&mut client, is_of_now));
    // In a subtransaction that fails.
    client
        .batch_execute(
            "DO $$ BEGIN SET LOCAL comb.scope = backend; PERFORM comb_new(); RAISE EXCEPTION 'no';
             EXCEPTION WHEN raise_exception THEN NULL; END $$",
        )
        .expect("a block");
    assert!(value::<bool>(&mut client, is_of_now));
}
