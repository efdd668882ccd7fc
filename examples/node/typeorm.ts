// TypeORM: synchronize, and migrations.
import 'reflect-metadata'
import { Column, DataSource, Entity, MoreThan, PrimaryColumn, PrimaryGeneratedColumn, Raw } from 'typeorm'
import { type MigrationInterface, type QueryRunner } from 'typeorm'
import { type Commands, rolledBack, sleep, unlessRolledBack } from './serve.js'

// comb: typeorm
@Entity('orders')
class Order {
  @PrimaryColumn({ type: 'uuid', default: () => 'comb_new()' }) id!: string
  @Column({ type: 'integer' }) n!: number
}

@Entity('events')
class Event {
  @PrimaryColumn({ type: 'bigint', generated: 'identity', generatedIdentity: 'ALWAYS' }) position!: string
  @Column({ type: 'text' }) body!: string
}
// end

@Entity()
class OrderLine {
  @PrimaryColumn({ type: 'integer' }) id!: number
  @Column({ type: 'timestamptz' }) createdAt!: Date
}

@Entity('avoided')
class Avoided {
  @PrimaryGeneratedColumn('uuid') id!: string
  @Column({ type: 'integer' }) n!: number
}

class Shop1795711041913 implements MigrationInterface {
  async up(runner: QueryRunner) {
    await runner.query('CREATE EXTENSION IF NOT EXISTS comb')
    await runner.query('CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer NOT NULL)')
    await runner.query('CREATE TABLE events (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text NOT NULL)')
    await runner.query("CALL comb_enable_polls('events', 'position')")
  }
  async down() {}
}

const options = {
  type: 'postgres',
  url: process.env.DATABASE_URL,
  migrations: [Shop1795711041913],
  entities: [Order, Event, OrderLine],
} as const
const db = new DataSource({ ...options, entities: [...options.entities, Avoided] })
export const tables = ['orders']
const numbers = (rows: { n: number }[]) => rows.map(row => row.n)
const connected = async () => (db.isInitialized ? db : db.initialize())
const repository = async <T extends object>(entity: new () => T) => (await connected()).getRepository(entity)

export const commands: Commands = {
  async schema() {
    const db = await new DataSource(options).initialize()
    await db.runMigrations()
    await db.synchronize()
    const drift = await db.driver.createSchemaBuilder().log()
    if (drift.upQueries.length) throw drift.upQueries.map(query => query.query).join('; ')
    await db.destroy()
  },
  async change() {
    Column({ type: 'text', nullable: true })(Order.prototype, 'note')
    Column({ type: 'text', nullable: true })(Event.prototype, 'note')
    const db = await new DataSource(options).initialize()
    console.error((await db.driver.createSchemaBuilder().log()).upQueries.map(query => query.query))
    await db.synchronize()
    await db.destroy()
  },
  async insert(_, n) {
    const order = await (await repository(Order)).save({ n: +n })
    return [order.id]
  },
  async batch(_, count) {
    const orders = await repository(Order)
    // comb: typeorm_batch
    const rows = await orders.save(Array.from({ length: +count }, (_, n) => ({ n })))
    // end
    return rows.map(row => row.id)
  },
  async page(_, last) {
    const orders = await repository(Order)
    return numbers(await orders.find({ where: { id: MoreThan(last) }, order: { id: 'ASC' }, take: 10 }))
  },
  async range(_, from, to) {
    const [begin, until, orders] = [new Date(from), new Date(to), await repository(Order)]
    // comb: typeorm_range
    const isIn = Raw(id => `comb_between(${id}, :begin, :until)`, { begin, until })
    const rows = await orders.find({ where: { id: isIn }, order: { id: 'ASC' } })
    // end
    return numbers(rows)
  },
  async timestamp(_, layout, n) {
    const [{ time }] = await (await connected()).query('SELECT comb_timestamp(id) AS time FROM orders WHERE n = $1', [n])
    return [time.getTime()]
  },
  newest: async () => numbers(await (await repository(Order)).find({ order: { id: 'DESC' }, take: 1 })),
  async error(time) {
    try {
      await (await connected()).query('SELECT comb_at($1)', [new Date(time)])
    } catch (error: any) {
      return [error.code, error.message, error.hint]
    }
  },
  async write(milliseconds, end, ...bodies) {
    await (await connected()).transaction(async manager => {
      await manager.insert(Event, bodies.map(body => ({ body })))
      await sleep(milliseconds)
      if (end === 'rollback') throw rolledBack
    }).catch(unlessRolledBack)
  },
  async poll(cursor, horizon) {
    const events = await repository(Event)
    // comb: typeorm_reader
    const limits = (position: string) => `${position} > :cursor AND ${position} <= comb_number_horizon('events', after => :cursor)`
    const where = { position: Raw(limits, { cursor }) }
    const rows = () => events.find({ where, order: { position: 'ASC' }, take: 1000 })
    // end
    const all = () => events.find({ where: { position: MoreThan(cursor) }, order: { position: 'ASC' }, take: 1000 })
    return (await (horizon === 'yes' ? rows() : all())).flatMap(row => [row.position, row.body])
  },
  async avoided() {
    await (await repository(Avoided)).save({ n: 0 })
  },
  async call(query) {
    await (await connected()).query(query)
  },
}
