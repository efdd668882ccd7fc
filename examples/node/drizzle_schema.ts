// comb: drizzle
import { sql } from 'drizzle-orm'
import { bigint, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'

export const orders = pgTable('orders', {
  id: uuid().primaryKey().default(sql`comb_new()`),
  n: integer().notNull(),
})

export const events = pgTable('events', {
  position: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
  body: text().notNull(),
})
// end
import { timestamp } from 'drizzle-orm/pg-core'

export const lines = pgTable('order_lines', { createdAt: timestamp({ withTimezone: true }) })
