import java.util.*;
import java.util.stream.*;

/** What an example prints: a line for each job. The class of an example extends it. */
class Report {
    static final List<String> TABLES = List.of("orders", "legacy");
    /** Its value changes with every change of a table, a column or an index. */
    static final String CATALOG = """
        SELECT string_agg(concat_ws(' ', c.relname, c.xmin, a.attname, a.xmin), ', ' ORDER BY c.oid, a.attnum)
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace""";
    static boolean failed = false;

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
}
