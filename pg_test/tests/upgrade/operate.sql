-- A database that uses the extension, which is created in the schema :schema.
CREATE EXTENSION comb SCHEMA :schema;
CREATE SCHEMA app;
SET search_path = app, :schema;
CREATE TABLE orders (
    id uuid PRIMARY KEY DEFAULT comb_new(), legacy uuid NOT NULL DEFAULT comb_new_mssql_legacy(), layout text,
    CONSTRAINT of_this_century CHECK (comb_timestamp(id) >= '2000-01-01Z')
);
CREATE UNIQUE INDEX orders_legacy ON orders (legacy uuid_mssql_ops);
CREATE TABLE items (id uuid NOT NULL DEFAULT comb_new_mssql(), number int);
CREATE UNIQUE INDEX items_id ON items (id uuid_mssql_ops);
ALTER TABLE items REPLICA IDENTITY USING INDEX items_id;
CREATE TABLE parts (item uuid REFERENCES items (id));
CREATE TABLE journal (id uuid PRIMARY KEY, number int) PARTITION BY RANGE (id uuid_mssql_ops);
CREATE TABLE journal_random PARTITION OF journal FOR VALUES FROM (MINVALUE) TO (comb_mssql_lower_bound('2020-01-01Z'));
CREATE TABLE journal_new PARTITION OF journal FOR VALUES FROM (comb_mssql_lower_bound('2020-01-01Z')) TO (MAXVALUE);
CREATE TABLE guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
CREATE INDEX guids_day ON guids (comb_timestamp(id, 'mssql'));
CREATE INDEX guids_brin ON guids USING brin (id);
CREATE VIEW recent AS SELECT * FROM orders WHERE comb_between(id, '2020-01-01Z', 'infinity');
CREATE VIEW after_the_first AS SELECT * FROM guids WHERE id > (SELECT min(id) FROM guids);
INSERT INTO orders (layout) SELECT label FROM comb_layouts(), generate_series(1, 1000);
INSERT INTO guids (number) SELECT generate_series(1, 10000);
INSERT INTO items SELECT gen_random_uuid(), generate_series(1, 1000);
INSERT INTO items (number) SELECT generate_series(1001, 2000);
INSERT INTO parts SELECT id FROM items;
INSERT INTO journal TABLE items;
