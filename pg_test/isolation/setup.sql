-- What the specs share. The cursor of the reader is the horizon.

CREATE EXTENSION injection_points;

CREATE PROCEDURE begin_history() LANGUAGE plpgsql AS $$
BEGIN
    CREATE TABLE events (position bigserial PRIMARY KEY, body text);
    CALL comb_enable_polls('events', 'position');
    CREATE TABLE seen (position bigint PRIMARY KEY);
    CREATE TABLE cursor AS SELECT 0::bigint AS position;
END $$;

CREATE FUNCTION poll(OUT horizon bigint, OUT rows bigint[]) LANGUAGE plpgsql AS $$
BEGIN
    WITH asked AS MATERIALIZED (
        SELECT c.position AS after, comb_number_horizon('events', after => c.position) AS horizon FROM cursor c
    ), moved AS (
        UPDATE cursor SET position = asked.horizon FROM asked
    ), stored AS (
        INSERT INTO seen SELECT e.position FROM events e, asked a WHERE e.position > a.after AND e.position <= a.horizon
        RETURNING position
    )
    SELECT a.horizon, (SELECT array_agg(s.position ORDER BY s.position) FROM stored s) INTO horizon, rows FROM asked a;
END $$;

-- The rows that the cursor has passed and no poll has read.
CREATE FUNCTION missed() RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT e.position FROM events e
        WHERE e.position <= (SELECT c.position FROM cursor c) AND e.position NOT IN (SELECT s.position FROM seen s);
END $$;

-- Lets the processes go on that stopped at an injection point, and waits until they do.
CREATE FUNCTION go() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    stopped text[] := ARRAY(SELECT pid || wait_event FROM pg_stat_activity WHERE wait_event_type = 'InjectionPoint');
BEGIN
    PERFORM injection_points_detach(point), injection_points_wakeup(point)
    FROM (SELECT wait_event AS point FROM pg_stat_activity WHERE wait_event_type = 'InjectionPoint') waiting;
    WHILE EXISTS (SELECT FROM pg_stat_activity WHERE pid || wait_event = ANY (stopped)) LOOP
        PERFORM pg_sleep(0.001), pg_stat_clear_snapshot();
    END LOOP;
    RETURN cardinality(stopped);
END $$;

-- Transactions of one row each, in all places but one.
CREATE PROCEDURE store_in_other_places() LANGUAGE plpgsql AS $$
BEGIN
    FOR turn IN 2..(SELECT places FROM comb_status()) LOOP
        INSERT INTO events DEFAULT VALUES;
        COMMIT;
    END LOOP;
END $$;
