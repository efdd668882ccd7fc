// Drizzle on node-postgres, with drizzle-kit.
import { execFileSync } from 'node:child_process'
import { and, asc, desc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { integer, pgTable, uuid } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { events, orders } from './drizzle_schema.js'
import { type Commands, rolledBack, sleep, unlessRolledBack } from './serve.js'

const avoidedOrders = pgTable('avoided', { id: uuid().primaryKey().defaultRandom(), n: integer() })

const pool = new pg.Pool()
pool.on('error', console.error)
const db = drizzle(pool)
const numbers = (rows: { n: number }[]) => rows.map(row => row.n)

/** What drizzle-kit would do, or does, to have the database as the schema. */
function push(schema: string) {
  const options = ['--dialect=postgresql', `--url=${process.env.DATABASE_URL}`, '--tablesFilter=!avoided', '--force', '--verbose']
  return execFileSync('node_modules/.bin/drizzle-kit', ['push', `--schema=${schema}`, ...options], { encoding: 'utf8' })
}

export const tables = ['orders']
export const commands: Commands = {
  async schema() {
    await migrate(db, { migrationsFolder: 'drizzle' })
    const said = push('drizzle_schema.ts')
    if (!said.includes('No changes detected')) throw said
  },
  async change() {
    console.error(push('drizzle_change.ts'))
  },
  async insert(_, n) {
    // comb: drizzle_insert
    const [{ id }] = await db.insert(orders).values({ n: +n }).returning({ id: orders.id })
    // end
    return [id]
  },
  async batch(_, count) {
    const rows = Array.from({ length: +count }, (_, n) => ({ n }))
    return (await db.insert(orders).values(rows).returning()).map(row => row.id)
  },
  page: async (_, last) => numbers(await db.select().from(orders).where(gt(orders.id, last)).orderBy(orders.id).limit(10)),
  async range(_, from, to) {
    const [begin, until] = [new Date(from), new Date(to)]
    // comb: drizzle_range
    const rows = await db.select().from(orders)
      .where(sql`comb_between(${orders.id}, ${begin}, ${until})`).orderBy(asc(orders.id))
    // end
    return numbers(rows)
  },
  async timestamp(_, layout, n) {
    const [{ time }] = await db.select({ time: sql<Date>`comb_timestamp(${orders.id})` }).from(orders).where(eq(orders.n, +n))
    return [new Date(time).getTime()]
  },
  newest: async () => numbers(await db.select().from(orders).orderBy(desc(orders.id)).limit(1)),
  async error(time) {
    try {
      await db.execute(sql`SELECT comb_at(${new Date(time)})`)
    } catch (error: any) {
      return [error.cause.code, error.cause.message, error.cause.hint]
    }
  },
  async write(milliseconds, end, ...bodies) {
    await db.transaction(async transaction => {
      await transaction.insert(events).values(bodies.map(body => ({ body })))
      await sleep(milliseconds)
      if (end === 'rollback') throw rolledBack
    }).catch(unlessRolledBack)
  },
  async poll(words, horizon) {
    const cursor = Number(words)
    // comb: drizzle_reader
    const isNew = gt(events.position, cursor)
    const isSettled = sql`${events.position} <= comb_number_horizon('events', after => ${cursor})`
    const rows = db.select().from(events).where(and(isNew, isSettled)).orderBy(events.position).limit(1000)
    // end
    const all = db.select().from(events).where(isNew).orderBy(events.position).limit(1000)
    return (await (horizon === 'yes' ? rows : all)).flatMap(row => [row.position, row.body])
  },
  async avoided() {
    await db.insert(avoidedOrders).values({ n: 0 })
  },
  async call(query) {
    await db.execute(sql.raw(query))
  },
}
