CREATE EXTENSION comb;
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer NOT NULL);
CREATE TABLE legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer NOT NULL);
