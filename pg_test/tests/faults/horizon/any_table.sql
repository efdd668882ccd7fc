-- Tables for writers and readers, who know nothing of the triggers.

CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key uuid UNIQUE DEFAULT comb_new(), body text,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id());
CREATE TRIGGER comb_track BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION comb_track();
CREATE TRIGGER guard AFTER INSERT OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION comb_guard('position');
CREATE TRIGGER guard_key BEFORE INSERT OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION comb_guard('key');
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
CREATE POLICY everything ON events USING (body <> 'never') WITH CHECK (true);

-- Keys that track themselves.
CREATE TABLE outbox (key uuid PRIMARY KEY DEFAULT comb_tracked(), body text);
CALL comb_enable_polls('outbox', 'key');

-- One sequence for two tables: a reader of both takes the least of their horizons.
CREATE SEQUENCE shared;
CREATE TABLE first_half (n bigint PRIMARY KEY DEFAULT nextval('shared'));
CREATE TABLE second_half (n bigint PRIMARY KEY DEFAULT nextval('shared'));
CALL comb_enable_polls('first_half', 'n');
CALL comb_enable_polls('second_half', 'n');
CREATE VIEW both_halves AS SELECT n FROM first_half UNION ALL SELECT n FROM second_half;

-- Partitions, of which one is also written directly.
CREATE TABLE parts (n bigserial, body text) PARTITION BY LIST (body);
CREATE TABLE part_a PARTITION OF parts FOR VALUES IN ('a');
CREATE TABLE part_b PARTITION OF parts FOR VALUES IN ('b');
CALL comb_enable_polls('parts', 'n');

-- A parent and a child.
CREATE TABLE parent (n bigserial, body text);
CREATE TABLE child () INHERITS (parent);
CALL comb_enable_polls('parent', 'n');

-- Rows that are updated, and a copy by each kind of version.
CREATE TABLE items (n int PRIMARY KEY, x int DEFAULT 0, version uuid, rv bigserial);
CREATE TRIGGER comb_track BEFORE INSERT OR UPDATE ON items FOR EACH STATEMENT EXECUTE FUNCTION comb_track();
CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION comb_guard('rv');
CREATE TRIGGER version BEFORE INSERT OR UPDATE ON items FOR EACH ROW EXECUTE FUNCTION comb_row_version();
INSERT INTO items SELECT generate_series(1, 200);
CREATE TABLE copy_by_version (n int PRIMARY KEY, x int);
CREATE TABLE copy_by_rv (n int PRIMARY KEY, x int);

CREATE FUNCTION append(pause float, lock bigint DEFAULT NULL) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    drawn bigint;
BEGIN
    CALL comb_track('events');
    drawn := nextval('events_position_seq');
    PERFORM pg_sleep(pause), pg_advisory_xact_lock(lock);
    INSERT INTO events (position, body) OVERRIDING SYSTEM VALUE VALUES (drawn, 'appended');
    RETURN drawn;
END $$;
CREATE FUNCTION exception() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    BEGIN
        INSERT INTO events (body) VALUES ('never');
        RAISE EXCEPTION 'on purpose';
    EXCEPTION WHEN raise_exception THEN
        INSERT INTO events (body) VALUES ('after an exception');
    END;
END $$;
CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$
BEGIN
    FOR turn IN 1..3 LOOP
        INSERT INTO events (body) VALUES ('in a procedure');
        COMMIT;
    END LOOP;
END $$;
CREATE TABLE orders (n int);
CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO events (body) VALUES ('deferred'); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION late();

-- Readers
CREATE VIEW settled_events AS SELECT * FROM events WHERE position <= comb_number_horizon('events', 'position');
CREATE FUNCTION upto() RETURNS bigint LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN comb_number_horizon('events', 'position'); END $$;
-- Rows are fetched while others commit, and while the same session asks for later numbers.
CREATE FUNCTION by_cursor(cursor bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
    page CURSOR FOR SELECT position FROM events WHERE position > cursor AND position <= comb_number_horizon('events', 'position');
    next bigint;
BEGIN
    OPEN page;
    LOOP
        FETCH page INTO next;
        EXIT WHEN NOT FOUND;
        RETURN NEXT next;
        PERFORM comb_number_horizon('events', 'position'), comb_number_horizon('first_half');
    END LOOP;
END $$;
CREATE ROLE reader;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader;
