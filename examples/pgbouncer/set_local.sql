BEGIN;
SET LOCAL comb.timestamp_step = '10ms';
INSERT INTO orders (n) SELECT generate_series(1, 3);
COMMIT;
