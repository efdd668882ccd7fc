-- An outbox and what its writers and readers need, in the schema that comes first in search_path.

CREATE TABLE outbox (id uuid PRIMARY KEY DEFAULT comb_tracked(), n bigint UNIQUE, body text);
CREATE VIEW outbox_settled AS SELECT * FROM outbox WHERE id < comb_horizon();

-- The same rows in partitions that only a sequential scan can read.
CREATE TABLE parts (id uuid NOT NULL) PARTITION BY HASH (id);
CREATE TABLE part_0 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE part_1 PARTITION OF parts FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE FUNCTION copy_to_parts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO parts VALUES (NEW.id);
    RETURN NULL;
END $$;
CREATE TRIGGER copy_to_parts AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION copy_to_parts();

-- A writer that was told of a commit says so here, in its next transaction.
CREATE TABLE acknowledged (id uuid);

-- A tracked id that is made at commit.
CREATE TABLE orders (n int);
CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO outbox (body) VALUES ('deferred');
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON orders DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION late();

-- The first id within an exception that is caught.
CREATE FUNCTION caught() RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE stored uuid;
BEGIN
    BEGIN
        INSERT INTO outbox (body) VALUES ('never');
        RAISE EXCEPTION 'on purpose';
    EXCEPTION WHEN raise_exception THEN
        NULL;
    END;
    INSERT INTO outbox (body) VALUES ('after an exception') RETURNING id INTO stored;
    RETURN stored;
END $$;

CREATE PROCEDURE commits() LANGUAGE plpgsql AS $$
BEGIN
    FOR turn IN 1..3 LOOP
        INSERT INTO outbox (body) VALUES ('in a procedure');
        COMMIT;
    END LOOP;
END $$;

-- The readers that are written in PL/pgSQL.
CREATE FUNCTION by_loop(cursor uuid) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE next uuid;
BEGIN
    FOR turn IN 1..3 LOOP
        FOR next IN SELECT id FROM outbox WHERE id > cursor AND id < comb_horizon() ORDER BY id LIMIT 1000 LOOP
            RETURN NEXT next;
            cursor := next;
        END LOOP;
    END LOOP;
END $$;

-- Rows are fetched while others commit, and while the same session asks for later horizons.
CREATE FUNCTION by_cursor(cursor uuid) RETURNS SETOF uuid LANGUAGE plpgsql AS $$
DECLARE
    page CURSOR FOR SELECT id FROM outbox WHERE id > cursor AND id < comb_horizon() ORDER BY id LIMIT 1000;
    next uuid;
    later uuid;
    fetched int := 0;
BEGIN
    OPEN page;
    LOOP
        FETCH page INTO next;
        EXIT WHEN NOT FOUND;
        RETURN NEXT next;
        fetched := fetched + 1;
        IF fetched < 12 THEN
            later := comb_horizon();
            PERFORM FROM outbox WHERE id > cursor AND id < comb_horizon() LIMIT 1;
        END IF;
    END LOOP;
    CLOSE page;
END $$;

-- A STABLE function that PostgreSQL does not inline.
CREATE FUNCTION settled_set(id uuid) RETURNS boolean LANGUAGE sql STABLE SET search_path FROM CURRENT AS 'SELECT id < comb_horizon()';
CREATE VIEW parts_settled AS SELECT * FROM parts WHERE settled_set(id);
