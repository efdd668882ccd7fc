CREATE EXTENSION IF NOT EXISTS comb;
CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer);
CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer);
CREATE TABLE IF NOT EXISTS events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text);
CALL comb_enable_polls('events', 'position');
