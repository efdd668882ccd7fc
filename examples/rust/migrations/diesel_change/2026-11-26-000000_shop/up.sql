CREATE EXTENSION IF NOT EXISTS comb;
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer NOT NULL);
CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL);
CALL comb_enable_polls('events', 'position');
