import java.time.*;
import java.util.*;
import java.util.stream.*;
import org.postgresql.util.PSQLException;
import org.springframework.core.SpringVersion;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.GeneratedKeyHolder;

public class Main extends Report {
    static JdbcTemplate jdbc;

    public static void main(String[] arguments) throws Exception {
        var env = System.getenv();
        jdbc = new JdbcTemplate(new SingleConnectionDataSource(
            "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE"),
            env.get("PGUSER"), env.get("PGPASSWORD"), true));
        System.out.println("client spring-jdbc " + SpringVersion.getVersion());
        job("schema", Main::schema);
        job("schema_again", Main::schemaAgain);
        job("insert", Main::insert);
        Thread.sleep(10);
        var begin = OffsetDateTime.now();             // after the row 0, milliseconds before the rows 1 to 1000
        Thread.sleep(10);
        job("batch", Main::batch);
        job("page", Main::page);
        job("range", () -> range(begin));
        job("timestamp", Main::timestamp);
        job("error", Main::error);
        job("newest", Main::newest);
        System.exit(failed ? 1 : 0);
    }

    static void schema() {
        jdbc.execute("CREATE EXTENSION IF NOT EXISTS comb");
        jdbc.execute("CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer)");
        jdbc.execute("CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer)");
    }

    static void schemaAgain() {
        var before = catalog();
        schema();
        equal(catalog(), before);
    }

    static void insert() {
        // comb: insert
        UUID id = jdbc.queryForObject("INSERT INTO orders (n) VALUES (?) RETURNING id", UUID.class, 0);
        // end
        equal(numbers("SELECT n FROM orders WHERE id = ?", id), List.of(0));

        id = jdbc.queryForObject("INSERT INTO legacy (n) VALUES (?) RETURNING id::uuid", UUID.class, 0);
        equal(numbers("SELECT n FROM legacy WHERE id = ?", id), List.of(0));

        // The key comes from JDBC itself.
        var key = new GeneratedKeyHolder();
        jdbc.update(connection -> connection.prepareStatement("INSERT INTO orders (n) VALUES (-1)", new String[] {"id"}), key);
        equal(numbers("DELETE FROM orders WHERE id = ? RETURNING n", key.getKeys().get("id")), List.of(-1));
    }

    static void batch() {
        // comb: batch
        List<UUID> ids = jdbc.queryForList("SELECT comb_new() FROM generate_series(1, ?)", UUID.class, 1000);
        List<Object[]> rows = new ArrayList<>();
        for (UUID id : ids) rows.add(new Object[] {id, rows.size() + 1});
        jdbc.batchUpdate("INSERT INTO orders (id, n) VALUES (?, ?)", rows);
        // end
        equal(jdbc.queryForList("SELECT id FROM orders WHERE n > 0 ORDER BY n", UUID.class), ids);

        ids = jdbc.queryForList("SELECT comb_new_mssql() FROM generate_series(1, ?)", UUID.class, 1000);
        rows = new ArrayList<>();
        for (UUID id : ids) rows.add(new Object[] {id, rows.size() + 1});
        jdbc.batchUpdate("INSERT INTO legacy (id, n) VALUES (?, ?)", rows);
        equal(jdbc.queryForList("SELECT id::uuid FROM legacy WHERE n > 0 ORDER BY n", UUID.class), ids);

        for (var table : TABLES) equal(numbers("SELECT n FROM " + table + " ORDER BY id"), range(0, 1000));
    }

    static void page() {
        for (var table : TABLES) {
            UUID last = jdbc.queryForObject("SELECT id::uuid FROM " + table + " WHERE n = 500", UUID.class);
            // comb: page
            var page = jdbc.queryForList("SELECT id, n FROM " + table + " WHERE id > ? ORDER BY id LIMIT 10", last);
            // end
            equal(page.stream().map(row -> row.get("n")).collect(Collectors.toList()), range(501, 510));
        }
    }

    static void range(OffsetDateTime begin) {
        for (var table : TABLES) {
            // comb: range
            String between = "SELECT id, n FROM " + table + " WHERE comb_between(id, ?, ?) ORDER BY id";
            var rows = jdbc.queryForList(between, begin, begin.plusMinutes(1));     // of type OffsetDateTime
            // end
            equal(rows.stream().map(row -> row.get("n")).collect(Collectors.toList()), range(1, 1000));
            equal(jdbc.queryForList(between, begin.minusMinutes(1), begin).get(0).get("n"), 0);
        }
    }

    static void timestamp() {
        for (var select : List.of("SELECT comb_timestamp(id) FROM orders LIMIT 1", "SELECT comb_timestamp_mssql(id) FROM legacy LIMIT 1")) {
            OffsetDateTime at = jdbc.queryForObject(select, OffsetDateTime.class);
            equal(Duration.between(at, OffsetDateTime.now()).abs().compareTo(Duration.ofMinutes(1)) < 0, true);
        }
    }

    static void error() {
        try {
            jdbc.queryForObject("SELECT comb_at(?)", UUID.class, OffsetDateTime.parse("1969-07-20T20:17:40Z"));
            throw new AssertionError("no error");
        // comb: error
        } catch (DataAccessException e) {
            var error = (PSQLException) e.getMostSpecificCause();
            var detail = error.getServerErrorMessage().getDetail();
            // end
            equal(error.getSQLState(), "22008");
            equal(error.getServerErrorMessage().getMessage(), "timestamp out of range for UUID layout \"uuidv7\"");
            equal(detail.startsWith("The layout can represent times from 1970-01-01T00:00:00+00:00 to "), true);
        }
    }

    static void newest() {
        for (var table : TABLES) equal(numbers("SELECT n FROM " + table + " ORDER BY id DESC LIMIT 1"), List.of(1000));
        equal(numbers("SELECT n FROM legacy WHERE id = (SELECT max(id) FROM legacy)"), List.of(1000));
    }

    // --- What the jobs are checked with ---

    static List<Integer> numbers(String query, Object... parameters) { return jdbc.queryForList(query, Integer.class, parameters); }

    static String catalog() {
        return jdbc.queryForObject(CATALOG, String.class);
    }
}
