//! The limit of the stack, met in a recursive function: PostgreSQL's own error 54001, and a log entry that is short.

use pg_test::{SHARINGS, Server, sqlstate};

/// Of volatile arguments, which the planner does not fold; the last one is PostgreSQL's.
const CALLS: [&str; 10] = [
    "comb_inspect(gen_random_uuid())",
    "count(*) FROM comb_layouts()",
    "comb_status()",
    "comb_new()",
    "comb_new('mssql')",
    "comb_new_bsv()",
    "comb_bsv_timestamp(comb_new_bsv())",
    "comb_observe(comb_new())",
    "array_agg(id::uniqueidentifier ORDER BY id::uniqueidentifier)
     FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 10)) ids",
    "jsonb(json_build_object('a', gen_random_uuid()))",
];

/// With the error that they raise where there is stack.
const ERRORS: [(&str, &str); 5] = [
    ("comb_new('nonsense')", "22023"),
    ("comb_at('infinity')", "22008"),
    ("comb_bsv_uuid(left(comb_new_bsv(), 5))", "22P02"),
    ("left(comb_new()::text, 5)::uniqueidentifier", "22P02"),
    ("comb_decode(left(comb_encode(gen_random_uuid()), 5))", "22P02"),
];

/// The SQLSTATEs of a recursive function deep(), under limits that end within one level of each other.
fn sqlstates(server: &Server, body: &str) -> [String; 5] {
    let mut client = server.connect();
    let function = format!("CREATE OR REPLACE FUNCTION deep() RETURNS int LANGUAGE plpgsql AS $$ BEGIN {body} END $$");
    client.batch_execute(&function).expect(body);
    [100, 101, 102, 103, 104].map(|limit| {
        client.batch_execute(&format!("SET max_stack_depth = '{limit}kB'")).expect("a limit");
        sqlstate(&mut client, "SELECT deep()")
    })
}

/// Of a function that makes the call on every level.
fn deep(server: &Server, call: &str) -> [String; 5] {
    sqlstates(server, &format!("PERFORM {call}; RETURN deep();"))
}

/// Of one that makes it where it has reached the limit, and again on each level above until there is enough stack.
fn deepest(server: &Server, call: &str) -> [String; 5] {
    let body = format!("RETURN deep(); EXCEPTION WHEN statement_too_complex THEN PERFORM {call}; RETURN 1;");
    sqlstates(server, &body)
}

/// How many lines the log's longest ERROR, DETAIL, HINT or CONTEXT has; of a context not those of the levels, each of
/// which names the function.
fn longest_part(server: &Server) -> usize {
    let (mut lines, mut longest) = (0, 0);
    for line in server.log().lines() {
        if !line.is_empty() && !line.starts_with('\t') {
            lines = 0;
        }
        lines += usize::from(!line.contains("deep()"));
        longest = longest.max(lines);
    }
    longest
}

#[test]
fn a_full_stack_is_an_error_of_postgresql() {
    for sharing in SHARINGS {
        let server = Server::start(sharing, &[]);
        for call in CALLS {
            assert_eq!(deep(&server, call), ["54001"; 5], "{call}");
        }
        for (call, state) in ERRORS {
            assert_eq!(deepest(&server, call), [state; 5], "{call}");
        }
        let longest = longest_part(&server);
        assert!(longest < 20, "a part of a log entry has {longest} lines");
        server.assert_clean_log();
    }
}
