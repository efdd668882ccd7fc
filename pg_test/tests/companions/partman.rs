//! pg_partman creates, fills and drops partitions by comb's ids.

mod life;

use super::common::{Host, Section};

/// The partitions that pg_partman creates by days: where they begin and end, in days from today.
const NINE_DAYS: &str = "-4 to -3, -3 to -2, -2 to -1, -1 to 0, 0 to 1, 1 to 2, 2 to 3, 3 to 4, 4 to 5";

/// The times of a partition; NULL for the default partition. Only bounds in layout mssql begin with zeros.
const RANGE_OF: &str = "
    CREATE FUNCTION range_of(partition oid) RETURNS tstzrange LANGUAGE sql BEGIN ATOMIC
        SELECT tstzrange(min(t), max(t)) FROM pg_class, regexp_matches(pg_get_expr(relpartbound, oid), '[0-9a-f-]{36}', 'g') AS bound,
            LATERAL (SELECT CASE WHEN bound[1] LIKE '00000000-%' THEN comb_partman_mssql_decoder(bound[1])
                ELSE comb_partman_decoder(bound[1]) END) times (t)
        WHERE pg_class.oid = partition HAVING count(*) > 0;
    END";

/// The shop with pg_partman, and comb in that schema.
fn start(schema: &str) -> Host {
    let host = Host::start(&[("shared_preload_libraries", "comb")]);
    // Some versions are not trusted, hence by the superuser, as pg_partman's instructions say.
    host.superuser(
        "CREATE SCHEMA partman AUTHORIZATION app;
         CREATE SCHEMA extensions AUTHORIZATION app;
         ALTER DATABASE shop SET search_path = public, extensions;
         GRANT CREATE ON SCHEMA public TO app;
         CREATE EXTENSION pg_partman SCHEMA partman;
         GRANT ALL ON ALL TABLES IN SCHEMA partman TO app;
         GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA partman TO app;
         GRANT EXECUTE ON ALL PROCEDURES IN SCHEMA partman TO app",
    );
    host.app(&format!("CREATE EXTENSION comb SCHEMA {schema}; {RANGE_OF}"));
    host
}

/// Functions that pg_partman calls, and how a table with such keys is created.
#[derive(Clone, Copy)]
struct Kind {
    encoder: &'static str,
    decoder: &'static str,
    columns: &'static str,
}

const UUIDV7: Kind = Kind {
    encoder: "extensions.comb_lower_bound",
    decoder: "extensions.comb_partman_decoder",
    columns: "(id uuid PRIMARY KEY DEFAULT comb_new(), body text) PARTITION BY RANGE (id)",
};

const MSSQL: Kind = Kind {
    encoder: "extensions.comb_partman_mssql_encoder",
    decoder: "extensions.comb_partman_mssql_decoder",
    columns: "(id uuid NOT NULL DEFAULT comb_new_mssql(), body text) PARTITION BY RANGE (id uuid_mssql_ops)",
};

/// Creates a table that pg_partman partitions.
fn create_parent(host: &Host, table: &str, step: &str, kind: Kind) {
    let Kind { encoder, decoder, columns } = kind;
    let created = host.app(&format!(
        "CREATE TABLE {table} {columns};
         SELECT partman.create_parent('public.{table}', 'id', '{step}', p_time_encoder => '{encoder}', p_time_decoder => '{decoder}')"
    ));
    assert_eq!(created, "t", "{table}");
}

/// Runs a statement of app that must neither fail nor warn.
fn quietly(host: &Host, statement: &str) {
    let output = host.psql("shop", "app", statement);
    assert!(output.succeeded && output.messages.is_empty(), "{statement}: {}", output.messages);
}

/// The partitions of a table, as `NINE_DAYS` has them; of those only that the condition accepts.
fn days_of(host: &Host, table: &str, condition: &str) -> String {
    host.app(&format!(
        "SELECT string_agg(format('%s to %s', lower(r)::date - current_date, upper(r)::date - current_date), ', ' ORDER BY r)
         FROM pg_inherits i, range_of(i.inhrelid) r
         WHERE inhparent = 'public.{table}'::regclass AND {condition}"
    ))
}

/// The same of all but the default partition.
fn days(host: &Host, table: &str) -> String {
    days_of(host, table, "r IS NOT NULL")
}

#[test]
#[ignore = "needs pg_partman: make companions"]
fn the_page() {
    let hosts = [start("public")];
    let [a] = &hosts;
    let mut section = Section::of("docs/extensions.md", "pg_partman", &hosts);
    section.run(a, "CREATE TABLE public.visits");
    section.run(a, "ALTER DATABASE shop");
    section.run(a, "CREATE TABLE public.inventory");
    section.run(a, "SET time_decoder");
    quietly(a, "SELECT partman.run_maintenance('public.visits')");
    quietly(a, "SELECT partman.run_maintenance('public.inventory')");
    assert_eq!(days(a, "inventory"), NINE_DAYS);
    section.end();
}

/// As pg_partman calls them: by one literal, by the text of a key, and with NULL; without a search path.
#[test]
#[ignore = "needs pg_partman: make companions"]
fn pg_partman_finds_one_encoder_and_one_decoder() {
    let host = start("extensions");
    for Kind { encoder, decoder, .. } in [UUIDV7, MSSQL] {
        let functions = format!(
            "SELECT count(*) FROM pg_proc
             WHERE pronamespace::regnamespace || '.' || proname = '{encoder}' AND 1 BETWEEN pronargs - pronargdefaults AND pronargs;
             SELECT count(*) FROM pg_proc
             WHERE pronamespace::regnamespace || '.' || proname = '{decoder}' AND oidvectortypes(proargtypes) = 'text'"
        );
        assert_eq!(host.app(&functions), "1\n1");
        let there_and_back = format!(
            "SET search_path = partman, pg_catalog, pg_temp;
             DO $$ DECLARE bound text; at timestamptz; BEGIN
                EXECUTE 'SELECT {encoder}(''2026-11-01Z'')' INTO bound;
                EXECUTE format('SELECT {decoder}(%L)', bound) INTO at;
                PERFORM set_config('test.at', at::text, false);
             END $$;
             SELECT current_setting('test.at')::timestamptz = '2026-11-01Z', {decoder}(NULL) IS NULL"
        );
        assert_eq!(host.app(&there_and_back), "t|t");
    }
}
