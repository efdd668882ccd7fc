import java.sql.*;
import java.time.*;
import java.util.*;
import java.util.stream.*;
import org.postgresql.util.PSQLException;

/** The driver of JDBC: the jobs that every example does. */
public class Main {
    static final List<String> TABLES = List.of("orders", "legacy");
    /** Its value changes with every change of a table, a column or an index. */
    static final String CATALOG = """
        SELECT string_agg(concat_ws(' ', c.relname, c.xmin, a.attname, a.xmin), ', ' ORDER BY c.oid, a.attnum)
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace""";
    static Connection db;
    static boolean failed = false;

    public static void main(String[] arguments) throws Exception {
        var env = System.getenv();
        db = DriverManager.getConnection(
            "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE"), env.get("PGUSER"), env.get("PGPASSWORD"));
        System.out.println("client jdbc " + db.getMetaData().getDriverVersion());
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

    static void schema() throws SQLException {
        var statement = db.createStatement();
        statement.execute("CREATE EXTENSION IF NOT EXISTS comb");
        statement.execute("CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer)");
        statement.execute("CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer)");
    }

    static void schemaAgain() throws SQLException {
        var before = catalog();
        schema();
        equal(catalog(), before);
    }

    static void insert() throws SQLException {
        // comb: insert
        var insert = db.prepareStatement("INSERT INTO orders (n) VALUES (?)", new String[] {"id"});
        insert.setInt(1, 0);
        insert.executeUpdate();
        var key = insert.getGeneratedKeys();
        key.next();
        UUID id = key.getObject("id", UUID.class);
        // end
        equal(numbers("SELECT n FROM orders WHERE id = ?", id), List.of(0));

        insert = db.prepareStatement("INSERT INTO legacy (n) VALUES (0)", new String[] {"id"});
        insert.executeUpdate();
        key = insert.getGeneratedKeys();
        key.next();
        equal(numbers("SELECT n FROM legacy WHERE id = ?", id(key)), List.of(0));
    }

    // A value of uniqueidentifier is a PGobject, whose text is the key.
    static UUID id(ResultSet row) throws SQLException { return UUID.fromString(row.getString("id")); }

    static void batch() throws SQLException {
        for (var table : TABLES) {
            var insert = db.prepareStatement("INSERT INTO " + table + " (n) VALUES (?)", new String[] {"id"});
            for (int n = 1; n <= 1000; n++) {
                insert.setInt(1, n);
                insert.addBatch();
            }
            insert.executeBatch();
            var keys = insert.getGeneratedKeys();
            var rows = query("SELECT id, n FROM " + table + " WHERE n > 0 ORDER BY id");
            for (int n = 1; n <= 1000; n++) {
                equal(keys.next() && rows.next(), true);
                equal(rows.getInt("n"), n);
                equal(id(rows), id(keys));
            }
            equal(numbers("SELECT n FROM " + table + " ORDER BY id"), range(0, 1000));
        }
    }

    static void page() throws SQLException {
        for (var table : TABLES) {
            var row = query("SELECT id FROM " + table + " WHERE n = 500");
            row.next();
            UUID last = id(row);
            var page = db.prepareStatement("SELECT id, n FROM " + table + " WHERE id > ? ORDER BY id LIMIT 10");
            page.setObject(1, last);                  // a UUID
            equal(numbers(page.executeQuery()), range(501, 510));
        }
    }

    static void range(OffsetDateTime begin) throws SQLException {
        for (var table : TABLES) {
            // comb: range
            var between = db.prepareStatement("SELECT id, n FROM " + table + " WHERE comb_between(id, ?, ?) ORDER BY id");
            between.setObject(1, begin);              // an OffsetDateTime: not a String, not an Instant
            between.setObject(2, begin.plusMinutes(1));
            // end
            equal(numbers(between.executeQuery()), range(1, 1000));
            between.setObject(1, begin.minusMinutes(1));
            between.setObject(2, begin);
            equal(numbers(between.executeQuery()), range(0, 0));
        }
    }

    static void timestamp() throws SQLException {
        for (var select : List.of("SELECT comb_timestamp(id) AS at FROM orders", "SELECT comb_timestamp_mssql(id) AS at FROM legacy")) {
            var row = query(select + " LIMIT 1");
            row.next();
            OffsetDateTime at = row.getObject("at", OffsetDateTime.class);
            equal(Duration.between(at, OffsetDateTime.now()).abs().compareTo(Duration.ofMinutes(1)) < 0, true);
        }
    }

    static void error() throws SQLException {
        try {
            query("SELECT comb_at(?)", OffsetDateTime.parse("1969-07-20T20:17:40Z"));
            throw new AssertionError("no error");
        } catch (PSQLException e) {
            var detail = e.getServerErrorMessage().getDetail();
            equal(e.getSQLState(), "22008");
            equal(e.getServerErrorMessage().getMessage(), "timestamp out of range for UUID layout \"uuidv7\"");
            equal(detail.startsWith("The layout can represent times from 1970-01-01T00:00:00+00:00 to "), true);
        }
    }

    static void newest() throws SQLException {
        for (var table : TABLES) {
            var newest = db.prepareStatement("SELECT id, n FROM " + table + " ORDER BY id DESC LIMIT 1");
            equal(numbers(newest.executeQuery()), List.of(1000));
        }
        equal(numbers("SELECT n FROM legacy WHERE id = (SELECT max(id) FROM legacy)"), List.of(1000));
    }

    // --- What the jobs are checked with ---

    interface Job { void run() throws Exception; }

    static void job(String name, Job work) {
        try {
            work.run();
            System.out.println("ok " + name);
        } catch (Exception | AssertionError e) {
            System.out.println("not ok " + name + ": " + String.valueOf(e).replaceAll("\\s+", " "));
            failed = true;
        }
    }

    static void equal(Object seen, Object expected) {
        if (!Objects.equals(seen, expected)) throw new AssertionError("expected " + expected + ", got " + seen);
    }

    static List<Integer> range(int first, int last) { return IntStream.rangeClosed(first, last).boxed().toList(); }

    static ResultSet query(String query, Object... parameters) throws SQLException {
        var statement = db.prepareStatement(query);
        for (int i = 0; i < parameters.length; i++) statement.setObject(i + 1, parameters[i]);
        return statement.executeQuery();
    }

    static List<Integer> numbers(String query, Object... parameters) throws SQLException { return numbers(query(query, parameters)); }

    static List<Integer> numbers(ResultSet rows) throws SQLException {
        var numbers = new ArrayList<Integer>();
        while (rows.next()) numbers.add(rows.getInt("n"));
        return numbers;
    }

    static String catalog() throws SQLException {
        var row = query(CATALOG);
        row.next();
        return row.getString(1);
    }
}
