CREATE EXTENSION IF NOT EXISTS comb;

SELECT CASE
    WHEN (SELECT scope = 'server' AND library_version = extension_version FROM comb_status())
    THEN 'PASS comb: the library is that of the extension, and all connections share its clock'
    ELSE 'FAIL comb: the library is that of the extension, and all connections share its clock'
END;

SELECT CASE
    WHEN (SELECT bool_and(smaller < greater) FROM (
        SELECT id AS smaller, lead(id, 1, 'ffffffff-ffff-ffff-ffff-ffffffffffff') OVER (ORDER BY n) AS greater
        FROM (SELECT n, comb_new() AS id FROM generate_series(1, 10000) n) generated) pairs)
    THEN 'PASS comb: each UUID is greater than the one before'
    ELSE 'FAIL comb: each UUID is greater than the one before'
END;

CREATE TABLE comb_events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid DEFAULT comb_new());
CALL comb_enable_polls('comb_events', 'position');
INSERT INTO comb_events DEFAULT VALUES;
INSERT INTO comb_events DEFAULT VALUES;

SELECT CASE
    WHEN (SELECT count(*) = 2 FROM comb_events WHERE comb_between(id, now() - interval '1 hour', 'infinity'))
    THEN 'PASS comb: a range of time'
    ELSE 'FAIL comb: a range of time'
END;

SELECT CASE
    WHEN (SELECT count(*) = 2 FROM comb_events WHERE position <= comb_number_horizon('comb_events', after => 0))
    THEN 'PASS comb: a poll'
    ELSE 'FAIL comb: a poll'
END;

DROP TABLE comb_events;
