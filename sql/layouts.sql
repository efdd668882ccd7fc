-- The labels of the table of layouts, in its order.
CREATE TYPE comb_layout AS ENUM (
    'uuidv7', 'postgres', 'postgres_legacy', 'mssql', 'mssql_legacy', 'binary', 'laravel',
    'sequential_as_string', 'sequential_as_binary', 'sequential_at_end', 'process_ticks'
);
