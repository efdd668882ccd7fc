// Kysely on node-postgres, with its migrator.
import { type Generated, Kysely, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type Commands, rolledBack, sleep, unlessRolledBack } from './serve.js'

// comb: kysely
interface Shop {
  orders: { id: Generated<string>; n: number }
  events: { position: Generated<string>; body: string }
}

const migrations = {
  async up(db: Kysely<any>) {
    await sql`CREATE EXTENSION IF NOT EXISTS comb`.execute(db)
    await db.schema.createTable('orders')
      .addColumn('id', 'uuid', column => column.primaryKey().defaultTo(sql`comb_new()`))
      .addColumn('n', 'integer')
      .execute()
    await db.schema.createTable('events')
      .addColumn('position', 'bigint', column => column.primaryKey().generatedAlwaysAsIdentity())
      .addColumn('body', 'text')
      .execute()
    await sql`CALL comb_enable_polls('events', 'position')`.execute(db)
  },
}
// end
const change = {
  async up(db: Kysely<any>) {
    for (const table of ['orders', 'events']) await db.schema.alterTable(table).addColumn('note', 'text').execute()
  },
}

const pool = new pg.Pool()
pool.on('error', console.error)
const db = new Kysely<Shop>({ dialect: new PostgresDialect({ pool }) })

async function migrate(migrations: any) {
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => migrations } }).migrateToLatest()
  if (error) throw error
}
const numbers = (rows: { n: number }[]) => rows.map(row => row.n)
const orders = db.selectFrom('orders').select('n')

export const tables = ['orders']
export const commands: Commands = {
  schema: () => migrate({ shop: migrations }),
  change: () => migrate({ shop: migrations, shop_2: change }),
  async insert(_, n) {
    const row = await db.insertInto('orders').values({ n: +n }).returning('id').executeTakeFirstOrThrow()
    return [row.id]
  },
  async batch(_, count) {
    const rows = Array.from({ length: +count }, (_, n) => ({ n }))
    return (await db.insertInto('orders').values(rows).returning('id').execute()).map(row => row.id)
  },
  page: async (_, last) => numbers(await orders.where('id', '>', last).orderBy('id').limit(10).execute()),
  async range(_, from, to) {
    const [begin, until] = [new Date(from), new Date(to)]
    // comb: kysely_range
    const rows = await db.selectFrom('orders').selectAll()
      .where(sql<boolean>`comb_between(id, ${begin}, ${until})`).orderBy('id').execute()
    // end
    return numbers(rows)
  },
  async timestamp(_, layout, n) {
    const timestamp = sql<Date>`comb_timestamp(id)`.as('time')
    const row = await db.selectFrom('orders').select(timestamp).where('n', '=', +n).executeTakeFirstOrThrow()
    return [row.time.getTime()]
  },
  newest: async () => numbers(await orders.orderBy('id', 'desc').limit(1).execute()),
  async error(time) {
    try {
      await sql`SELECT comb_at(${new Date(time)})`.execute(db)
    } catch (error: any) {
      return [error.code, error.message, error.hint]
    }
  },
  async write(milliseconds, end, ...bodies) {
    await db.transaction().execute(async transaction => {
      await transaction.insertInto('events').values(bodies.map(body => ({ body }))).execute()
      await sleep(milliseconds)
      if (end === 'rollback') throw rolledBack
    }).catch(unlessRolledBack)
  },
  async poll(cursor, horizon) {
    // comb: kysely_reader
    const rows = db.selectFrom('events').selectAll().where('position', '>', cursor).orderBy('position').limit(1000)
    const settled = rows.where(sql<boolean>`position <= comb_number_horizon('events', after => ${cursor})`)
    // end
    return (await (horizon === 'yes' ? settled : rows).execute()).flatMap(row => [row.position, row.body])
  },
  async call(query) {
    await sql.raw(query).execute(db)
  },
}
