// The client of Prisma, with its adapter for node-postgres. Plain SQL creates the schema.
import { PrismaPg } from '@prisma/adapter-pg'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { PrismaClient } from './prisma/generated/client.js'
import { type Commands, rolledBack, sleep, unlessRolledBack } from './serve.js'

const connectionString = process.env.DATABASE_URL
// comb: prisma_connect
// The adapter sends and reads times as if the zone of each session were UTC.
const adapter = new PrismaPg({ connectionString, options: '-c TimeZone=UTC' })
const prisma = new PrismaClient({ adapter })
// end
const numbers = (rows: { n: number }[]) => rows.map(row => row.n)

async function between(prisma: PrismaClient, begin: Date, until: Date) {
  // comb: prisma_range
  const rows = await prisma.$queryRaw<{ id: string; n: number }[]>`
    SELECT * FROM orders WHERE comb_between(id, ${begin}, ${until}) ORDER BY id`
  // end
  return numbers(rows)
}

export const tables = ['orders']
export const commands: Commands = {
  async schema() {
    const client = new pg.Client()
    await client.connect()
    await client.query(readFileSync(process.env.EXAMPLE_SCHEMA!, 'utf8'))
    await client.query('CREATE TABLE IF NOT EXISTS "OrderLine" (id integer PRIMARY KEY, "createdAt" timestamptz)')
    await client.end()
    await prisma.orderLine.findMany({ where: { createdAt: null } })
  },
  insert: async (_, n) => [(await prisma.order.create({ data: { n: +n } })).id],
  async batch(_, count) {
    // comb: prisma_batch
    const data = Array.from({ length: +count }, (_, n) => ({ n }))
    const orders = await prisma.order.createManyAndReturn({ data })
    // end
    return orders.map(order => order.id)
  },
  page: async (_, last) =>
    numbers(await prisma.order.findMany({ where: { id: { gt: last } }, orderBy: { id: 'asc' }, take: 10 })),
  range: (_, from, to) => between(prisma, new Date(from), new Date(to)),
  unzoned: (from, to) => between(new PrismaClient({ adapter: new PrismaPg({ connectionString }) }), new Date(from), new Date(to)),
  async timestamp(_, layout, n) {
    const [{ time }] = await prisma.$queryRaw<{ time: Date }[]>`SELECT comb_timestamp(id) AS time FROM orders WHERE n = ${+n}`
    return [time.getTime()]
  },
  newest: async () => numbers(await prisma.order.findMany({ orderBy: { id: 'desc' }, take: 1 })),
  async error(time) {
    try {
      await prisma.$queryRaw`SELECT comb_at(${new Date(time)})`
    } catch (error: any) {
      const { originalCode, originalMessage, hint } = error.meta.driverAdapterError.cause
      return [originalCode, originalMessage, hint]
    }
  },
  async write(milliseconds, end, ...bodies) {
    await prisma.$transaction(async transaction => {
      await transaction.event.createMany({ data: bodies.map(body => ({ body })) })
      await sleep(milliseconds)
      if (end === 'rollback') throw rolledBack
    }).catch(unlessRolledBack)
  },
  async poll(words, horizon) {
    const cursor = BigInt(words)
    // comb: prisma_reader
    const rows = prisma.$queryRaw<{ position: bigint; body: string }[]>`
      SELECT position, body FROM events
      WHERE position > ${cursor} AND position <= comb_number_horizon('events', after => ${cursor})
      ORDER BY position LIMIT 1000`
    // end
    const all = () => prisma.event.findMany({ where: { position: { gt: cursor } }, orderBy: { position: 'asc' }, take: 1000 })
    return (horizon === 'yes' ? await rows : await all()).flatMap(row => [row.position, row.body])
  },
  async avoided() {
    await prisma.avoided.create({ data: { n: 0 } })
  },
  async call(query) {
    await prisma.$queryRawUnsafe(query)
  },
}
