// What drizzle-kit makes the tables of.
import { sql } from 'drizzle-orm';
import { customType, integer, pgTable, uuid } from 'drizzle-orm/pg-core';

// comb: schema
const uniqueidentifier = customType({ dataType: () => 'uniqueidentifier' });

export const orders = pgTable('orders', {
  id: uuid().primaryKey().default(sql`comb_new()`),
  n: integer(),
});
export const legacy = pgTable('legacy', {
  id: uniqueidentifier().primaryKey().default(sql`comb_new_mssql()`),
  n: integer(),
});
// end
