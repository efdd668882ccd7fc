//! Bad input: every function of the extension, found when the test runs, over random and extreme arguments. Any error that
//! has a proper SQLSTATE is a good answer; an internal error (class XX), the end of the server, or an error of a function
//! that is declared LEAKPROOF is not.

use pg_test::{SHARINGS, Server, duration, value};

const SEED: f64 = 0.202_611_21;

#[test]
fn no_argument_causes_an_internal_error() {
    for sharing in SHARINGS {
        let server = Server::start(sharing, &[("client_min_messages", "error")]);
        let mut client = server.connect();
        client.batch_execute(include_str!("input.sql")).expect("input.sql");
        let functions: i64 = value(&mut client, "SELECT count(*) FROM callable");
        let calls = duration().as_secs() * 4000;
        client.batch_execute(&format!("SELECT setseed({SEED})")).expect("a seed");
        // By itself: the procedure commits.
        client.batch_execute(&format!("CALL call_them({calls})")).expect("calls");
        let mut list =
            |query: &str| -> Vec<String> { client.query(query, &[]).expect(query).iter().map(|row| row.get(0)).collect() };
        let none: Vec<String> = Vec::new();
        assert_eq!(
            list(
                "SELECT DISTINCT argument::text FROM callable, unnest(arguments) argument WHERE argument NOT IN (SELECT type FROM pool)"
            ),
            none,
            "types of arguments that have no values"
        );
        assert_eq!(
            list("SELECT format('%s raised %s by %s', function, sqlstate, example) FROM called WHERE sqlstate LIKE 'XX%'"),
            none,
            "internal errors"
        );
        // Its message would show an argument that row-level security hides.
        assert_eq!(
            list(
                "SELECT format('%s raised %s by %s', function, sqlstate, example) FROM called JOIN pg_proc ON oid = function
                 WHERE proleakproof AND sqlstate IS NOT NULL"
            ),
            none,
            "errors of functions that are LEAKPROOF"
        );
        // Else nothing but the check of its arguments would be tested. Only a trigger may call a trigger's function, and
        // comb_node_horizon() needs Citus.
        assert_eq!(
            list(
                "SELECT function::text FROM called JOIN callable USING (function)
                 WHERE result <> 'trigger'::regtype AND function <> 'comb_node_horizon(text)'::regprocedure GROUP BY function HAVING NOT bool_or(called.sqlstate IS NULL)"
            ),
            none,
            "functions that have an answer to nothing"
        );
        let answers = "SELECT format('%s %s', coalesce(sqlstate, 'a value'), sum(calls)) FROM called GROUP BY sqlstate ORDER BY sum(calls) DESC";
        println!("{sharing:?}: {functions} functions, seed {SEED}: {}", list(answers).join(", "));
        let skipped = list("SELECT function::text FROM uncallable ORDER BY 1");
        println!("not called, since SQL cannot give them an argument: {}", skipped.join(", "));
        assert!(value::<bool>(
            &mut client,
            &format!("SELECT sum(calls) >= {calls} AND count(DISTINCT function) = {functions} FROM called")
        ));
        server.assert_clean_log();
    }
}
