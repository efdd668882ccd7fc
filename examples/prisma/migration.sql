-- A migration written by hand: Prisma Migrate would declare legacy.id as uuid.
CREATE EXTENSION IF NOT EXISTS comb;
CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer NOT NULL);
CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer NOT NULL);
