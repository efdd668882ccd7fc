DROP TABLE legacy, orders;
DROP EXTENSION comb;
