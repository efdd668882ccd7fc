// node-postgres with its pool.
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { type Commands, sleep } from './serve.js'

const pool = new pg.Pool()
pool.on('error', console.error)
const numbers = async (query: string, ...values: unknown[]) => (await pool.query(query, values)).rows.map(row => row.n)

export const tables = ['orders', 'legacy']
export const commands: Commands = {
  async schema() {
    await pool.query(readFileSync(process.env.EXAMPLE_SCHEMA!, 'utf8'))
  },
  async insert(table, n) {
    // comb: insert
    const { rows } = await pool.query('INSERT INTO ' + table + ' (n) VALUES ($1) RETURNING id', [n])
    const id: string = rows[0].id
    // end
    return [id]
  },
  async batch(table, count) {
    const insert = `INSERT INTO ${table} (n) SELECT unnest($1::integer[]) RETURNING id`
    const { rows } = await pool.query(insert, [[...Array(+count).keys()]])
    return rows.map(row => row.id)
  },
  page: (table, last) => numbers(`SELECT n FROM ${table} WHERE id > $1 ORDER BY id LIMIT 10`, last),
  range: (table, begin, until) =>
    numbers(`SELECT n FROM ${table} WHERE comb_between(id, $1, $2) ORDER BY id`, new Date(begin), new Date(until)),
  async timestamp(table, layout, n) {
    const { rows } = await pool.query(`SELECT comb_timestamp(id, $1) AS time FROM ${table} WHERE n = $2`, [layout, n])
    return [rows[0].time.getTime()]
  },
  newest: table => numbers(`SELECT n FROM ${table} ORDER BY id DESC LIMIT 1`),
  async error(time) {
    try {
      await pool.query('SELECT comb_at($1)', [new Date(time)])
    } catch (error: any) {
      return [error.code, error.message, error.hint]
    }
  },
  async write(milliseconds, end, ...bodies) {
    const client = await pool.connect()
    await client.query('BEGIN')
    for (const body of bodies) await client.query('INSERT INTO events (body) VALUES ($1)', [body])
    await sleep(milliseconds)
    await client.query(end)
    client.release()
  },
  async poll(cursor, horizon) {
    // comb: reader
    let query = `
      SELECT position, body FROM events
      WHERE position > $1 AND position <= comb_number_horizon('events', after => $1)
      ORDER BY position LIMIT 1000`
    // end
    if (horizon === 'no') query = 'SELECT position, body FROM events WHERE position > $1 ORDER BY position LIMIT 1000'
    const { rows } = await pool.query(query, [cursor])
    return rows.flatMap(row => [row.position, row.body])
  },
  async call(query) {
    await pool.query(query)
  },
}
