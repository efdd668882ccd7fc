ALTER TABLE orders ADD COLUMN note text;
ALTER TABLE events ADD COLUMN note text;
