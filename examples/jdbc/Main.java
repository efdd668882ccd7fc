import java.io.*;
import java.nio.file.*;
import java.sql.*;
import java.time.*;
import java.util.*;
import java.util.stream.*;
import org.postgresql.util.PSQLException;

/** The driver of JDBC: a command in each line, its result in each line. examples/README.md lists the commands. */
public class Main {
    static Connection db;

    public static void main(String[] arguments) throws Exception {
        var env = System.getenv();
        db = DriverManager.getConnection(
            "jdbc:postgresql://" + env.get("PGHOST") + ":" + env.get("PGPORT") + "/" + env.get("PGDATABASE"),
            env.get("PGUSER"), env.get("PGPASSWORD"));
        System.out.println("client\tjdbc\t" + db.getMetaData().getDriverVersion() + "\torders\tlegacy");
        for (var line : (Iterable<String>) new BufferedReader(new InputStreamReader(System.in)).lines()::iterator) {
            var words = line.split("\t");
            List<?> result;
            try {
                result = answer(words[0], Arrays.copyOfRange(words, 1, words.length));
            } catch (Exception problem) {
                problem.printStackTrace();
                result = List.of("error", problem.toString());
            }
            var texts = result.stream().map(value -> String.valueOf(value).replaceAll("\\s+", " ")).toList();
            System.out.println(String.join("\t", texts));
        }
    }

    static List<?> answer(String command, String[] words) throws Exception {
        return switch (command) {
            case "schema" -> {
                db.createStatement().execute(Files.readString(Path.of(System.getenv("EXAMPLE_SCHEMA"))));
                yield List.of();
            }
            case "insert" -> words[0].equals("orders")
                ? List.of(insert(Integer.parseInt(words[1])))
                : batch(words[0], List.of(Integer.parseInt(words[1])));
            case "batch" -> batch(words[0], IntStream.range(0, Integer.parseInt(words[1])).boxed().toList());
            case "page" -> numbers("SELECT n FROM " + words[0] + " WHERE id > ? ORDER BY id LIMIT 10", UUID.fromString(words[1]));
            case "range" -> range(words[0], OffsetDateTime.parse(words[1]), OffsetDateTime.parse(words[2]));
            case "timestamp" -> {
                var timestamp = "SELECT comb_timestamp(id, ?) AS at FROM " + words[0] + " WHERE n = ?";
                var row = query(timestamp, words[1], Integer.parseInt(words[2]));
                row.next();
                yield List.of(row.getObject("at", OffsetDateTime.class).toInstant().toEpochMilli());
            }
            case "newest" -> numbers("SELECT n FROM " + words[0] + " ORDER BY id DESC LIMIT 1");
            case "error" -> error(OffsetDateTime.parse(words[0]));
            case "write" -> write(Long.parseLong(words[0]), words[1], Arrays.copyOfRange(words, 2, words.length));
            case "poll" -> poll(Long.parseLong(words[0]), words[1]);
            case "call" -> { query(words[0]); yield List.of(); }
            default -> List.of("none");
        };
    }

    static UUID insert(int n) throws SQLException {
        // comb: insert
        var insert = db.prepareStatement("INSERT INTO orders (n) VALUES (?)", new String[] {"id"});
        insert.setInt(1, n);
        insert.executeUpdate();
        var key = insert.getGeneratedKeys();
        key.next();
        UUID id = key.getObject("id", UUID.class);
        // end
        return id;
    }

    static List<UUID> batch(String table, List<Integer> rows) throws SQLException {
        var insert = db.prepareStatement("INSERT INTO " + table + " (n) VALUES (?)", new String[] {"id"});
        for (int n : rows) {
            insert.setInt(1, n);
            insert.addBatch();
        }
        insert.executeBatch();
        var ids = new ArrayList<UUID>();
        // A value of uniqueidentifier is a PGobject, whose text is the key.
        for (var keys = insert.getGeneratedKeys(); keys.next(); ) ids.add(UUID.fromString(keys.getString("id")));
        return ids;
    }

    static List<?> range(String table, OffsetDateTime begin, OffsetDateTime until) throws SQLException {
        // comb: range
        var between = db.prepareStatement("SELECT id, n FROM " + table + " WHERE comb_between(id, ?, ?) ORDER BY id");
        between.setObject(1, begin); // an OffsetDateTime: not a String, not an Instant
        between.setObject(2, until);
        // end
        return column(between.executeQuery(), "n");
    }

    static List<?> error(OffsetDateTime time) throws SQLException {
        try {
            query("SELECT comb_at(?)", time);
            return List.of("no error");
        } catch (PSQLException error) {
            var server = error.getServerErrorMessage();
            return List.of(error.getSQLState(), server.getMessage(), server.getHint());
        }
    }

    static List<?> write(long milliseconds, String end, String[] bodies) throws Exception {
        db.setAutoCommit(false);
        var insert = db.prepareStatement("INSERT INTO events (body) VALUES (?)");
        for (var body : bodies) {
            insert.setString(1, body);
            insert.addBatch();
        }
        insert.executeBatch();
        Thread.sleep(milliseconds);
        if (end.equals("commit")) db.commit();
        else db.rollback();
        db.setAutoCommit(true);
        return List.of();
    }

    static List<?> poll(long cursor, String horizon) throws SQLException {
        // comb: reader
        var poll = db.prepareStatement("""
            SELECT position, body FROM events
            WHERE position > ? AND position <= comb_number_horizon('events', after => ?)
            ORDER BY position LIMIT 1000""");
        poll.setLong(1, cursor);
        poll.setLong(2, cursor);
        // end
        var all = "SELECT position, body FROM events WHERE position > ? ORDER BY position LIMIT 1000";
        var rows = horizon.equals("yes") ? poll.executeQuery() : query(all, cursor);
        var values = new ArrayList<Object>();
        while (rows.next()) values.addAll(List.of(rows.getLong(1), rows.getString(2)));
        return values;
    }

    static ResultSet query(String query, Object... parameters) throws SQLException {
        var statement = db.prepareStatement(query);
        for (int i = 0; i < parameters.length; i++) statement.setObject(i + 1, parameters[i]);
        return statement.executeQuery();
    }

    static List<Object> numbers(String query, Object... parameters) throws SQLException {
        return column(query(query, parameters), "n");
    }

    static List<Object> column(ResultSet rows, String name) throws SQLException {
        var values = new ArrayList<Object>();
        while (rows.next()) values.add(rows.getObject(name));
        return values;
    }
}
