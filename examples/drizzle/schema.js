// What drizzle-kit makes the tables of.
// comb: schema
import { sql } from 'drizzle-orm';
import { integer, pgTable, uuid } from 'drizzle-orm/pg-core';
// end
// comb: schema_legacy
import { customType } from 'drizzle-orm/pg-core';

const uniqueidentifier = customType({ dataType: () => 'uniqueidentifier' });
// end

// comb: schema
export const orders = pgTable('orders', {
  id: uuid().primaryKey().default(sql`comb_new()`),
  n: integer(),
});
// end

// comb: schema_legacy
export const legacy = pgTable('legacy', {
  id: uniqueidentifier().primaryKey().default(sql`comb_new_mssql()`),
  n: integer(),
});
// end
