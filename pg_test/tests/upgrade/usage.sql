-- What a database does with the first released version, 0.1.0: every function, defaults, indexes, views.
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new(), at timestamptz DEFAULT now(), item text);
CREATE TABLE legacy (id uuid NOT NULL DEFAULT comb_new('mssql'));
CREATE UNIQUE INDEX legacy_id ON legacy (id uuid_mssql_ops);
CREATE INDEX legacy_moment ON legacy (comb_timestamp(id, 'mssql'));
CREATE TABLE guids (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), number int);
CREATE TABLE parts (id uniqueidentifier NOT NULL DEFAULT comb_new_mssql()) PARTITION BY RANGE (id);
CREATE TABLE parts_all PARTITION OF parts FOR VALUES FROM (comb_mssql_lower_bound('2020-01-01Z')) TO (comb_mssql_lower_bound('infinity'));
CREATE VIEW recent AS SELECT *, comb_timestamp(id) AS moment FROM orders WHERE comb_between(id, '2020-01-01Z', 'infinity');
CREATE VIEW guids_from AS SELECT * FROM guids WHERE id >= comb_mssql_lower_bound('2020-01-01Z') AND id < (SELECT max(id) FROM guids);
CREATE VIEW clock AS SELECT scope, seed_source, update_due FROM comb_status();
INSERT INTO orders (item) SELECT 'item ' || n FROM generate_series(1, 1000) n;
INSERT INTO legacy SELECT FROM generate_series(1, 1000);
INSERT INTO guids (number) SELECT generate_series(1, 1000);
INSERT INTO parts SELECT FROM generate_series(1, 1000);
