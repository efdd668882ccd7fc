// The schema with another column in each table.
import { sql } from 'drizzle-orm'
import { bigint, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'

export { lines } from './drizzle_schema'

export const orders = pgTable('orders', {
  id: uuid().primaryKey().default(sql`comb_new()`),
  n: integer().notNull(),
  note: text(),
})

export const events = pgTable('events', {
  position: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  body: text().notNull(),
  note: text(),
})
