"""How well the planner estimates ranges of time: by comb_between(), by plain comparisons of the same keys, and by a
timestamptz column beside them. Over ranges of a minute to ten days, the factor between the rows that are estimated and
those that are there; and the time of a join of two tables by the same two hours, which such estimates plan."""

from contestants import Contestant
from experiments.base import Experiment

# name: label, the condition of a range.
WAYS = {
    "between": ("comb_between(id, a, b)", "comb_between({table}.id, '{a}', '{b}')"),
    "plain": ("id >= a AND id < b", "{table}.id >= comb_lower_bound('{a}') AND {table}.id < comb_lower_bound('{b}')"),
    "timestamptz": ("a timestamptz column", "{table}.created >= '{a}' AND {table}.created < '{b}'"),
}
# Tables: the day, of the last 30, on which a share x of the rows is there.
TABLES = {
    "uniform": "30 * x",
    "bursts": "floor(30 * x) + power(30 * x - floor(30 * x), 6)",
    "nights": "floor(30 * x) + 0.5 + 0.5 * (30 * x - floor(30 * x))",
    "half random": "60 * x - 30",
    "partitions": "30 * x",
}
STATES = {"after ANALYZE": 1, "a tenth more rows": 1 / 1.1}
JOIN = "join by two hours"
JOINED = ["estimates", "estimates_more"]
RANGES = 200
# Of the factor between the estimated and the actual rows.
MEAN, WORST = "factor, geometric mean", "factor, worst"

ESTIMATE = """
CREATE OR REPLACE FUNCTION pg_temp.factor(condition text, OUT estimated float8, OUT actual float8) LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (FORMAT json) SELECT * FROM estimates WHERE ' || condition INTO plan;
    EXECUTE 'SELECT greatest(count(*), 1) FROM estimates WHERE ' || condition INTO actual;
    estimated := plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$"""


def rows(table, kind, first, last, count):
    """Inserts the rows of that share of all; every second one random and 30 days older, in a half random table."""
    random = "CASE WHEN x < 0.5 THEN gen_random_uuid() ELSE comb_at(at) END" if kind == "half random" else "comb_at(at)"
    return f"""INSERT INTO {table} SELECT {random}, at
        FROM (SELECT n::float8 / {count} AS x FROM generate_series({round(first * count)}, {round(last * count) - 1}) n) shares,
        LATERAL (SELECT (SELECT date_trunc('second', now()) - interval '30 days') + ({TABLES[kind]}) * interval '1 day' AS at) times"""


def create(table, kind):
    statements = [f"DROP TABLE IF EXISTS {table}"]
    if kind == "partitions":
        return statements + [
            f"CREATE TABLE {table} (id uuid PRIMARY KEY, created timestamptz) PARTITION BY RANGE (id)",
            f"CREATE INDEX ON {table} (created)",
            f"""DO $$ BEGIN FOR n IN -7..0 LOOP
                EXECUTE format('CREATE TABLE {table}_%s PARTITION OF {table} FOR VALUES FROM (%L) TO (%L) WITH (autovacuum_enabled = off)',
                    n + 7, comb_lower_bound(now() + n * interval '5 days'), comb_lower_bound(now() + (n + 1) * interval '5 days'));
            END LOOP; END $$""",
        ]
    return statements + [
        f"CREATE TABLE {table} (id uuid PRIMARY KEY, created timestamptz) WITH (autovacuum_enabled = off)",
        f"CREATE INDEX ON {table} (created)",
    ]


def factors(condition):
    """The worst factor and the geometric mean, of ranges from a minute to ten days, a tenth of them without an end."""
    condition = condition.format(table="estimates", a="%1$s", b="%2$s").replace("'", "''")
    return f"""
    WITH ranges AS MATERIALIZED (
        SELECT now() - random() * interval '30 days' AS a, exp(random() * ln(14400)) * interval '1 minute' AS long, n % 10 = 0 AS open
        FROM (SELECT setseed(0.5)) seed, generate_series(1, {RANGES}) n
    ), factors AS (
        SELECT greatest(estimated / actual, actual / estimated) AS factor
        FROM ranges, format('{condition}', a, CASE WHEN open THEN 'infinity' ELSE a + long END) condition, pg_temp.factor(condition)
    )
    SELECT exp(avg(ln(factor))), max(factor) FROM factors"""


class Estimates(Experiment):
    name = "estimates"

    def __init__(self):
        self.case, self.measured = None, set()

    def rounds(self, size):
        return (size.rounds + 1) // 2

    def contestants(self):
        return [Contestant(name, way[0]) for name, way in WAYS.items()]

    def cases(self, size):
        return [f"{kind}, {state}" for kind in TABLES for state in STATES] + [JOIN]

    def measure(self, server, contestant, case, size):
        """In one table for all, since each ANALYZE reads other rows, and the estimates differ by more than the ways do."""
        if case != self.case or contestant.name in self.measured:
            self.case, self.measured = case, set()
            self.fill(server, case, size)
        self.measured.add(contestant.name)
        condition = WAYS[contestant.name][1]
        if case == JOIN:
            return [(case, "time", "s", self.join(server, condition))]
        mean, worst = server.sql(ESTIMATE, factors(condition)).split("|")
        return [(case, MEAN, "", float(mean)), (case, WORST, "", float(worst))]

    def fill(self, server, case, size):
        if case == JOIN:
            for table in JOINED:
                number = f"ALTER TABLE {table} ADD number int GENERATED ALWAYS AS IDENTITY"
                server.sql(*create(table, "uniform"), rows(table, "uniform", 0, 1, 600_000), number, f"VACUUM ANALYZE {table}")
            return
        kind, state = case.split(", ")
        count, share = size.rows // 10, STATES[state]
        since = [rows("estimates", kind, share, 1, count)] if share < 1 else []
        server.sql(*create("estimates", kind), rows("estimates", kind, 0, share, count), "ANALYZE estimates", *since)

    def join(self, server, condition):
        """The mean of ten days, since the range is within a bin of the histogram on most, and across a bound on others."""
        seconds = []
        for day in range(10, 20):
            a, b = server.sql(f"SELECT now() - interval '{day} days 2 hours', now() - interval '{day} days'").split("|")
            where = " AND ".join(condition.format(table=table, a=a, b=b) for table in JOINED)
            query = f"SELECT count(*) FROM {JOINED[0]} JOIN {JOINED[1]} USING (number) WHERE {where}"
            seconds.append(min(server.seconds(query, query, query)))
        return sum(seconds) / len(seconds)
