// Ids of comb with Drizzle ORM on node-postgres: the jobs that every example does.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { asc, desc, eq, gt, max, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { CATALOG, UUID, client, column, job, numbers } from './report.js';
import { legacy, orders } from './schema.js';

client('drizzle', 'drizzle-orm');
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const db = drizzle(pool);
const push = () => execFileSync('node_modules/.bin/drizzle-kit', ['push'], { encoding: 'utf8' });

await job('schema', async () => {
  await db.execute(sql`CREATE EXTENSION IF NOT EXISTS comb`);
  assert.match(push(), /Changes applied/);
  assert.deepEqual(await db.select().from(orders), []);
  assert.deepEqual(await db.select().from(legacy), []);
});

await job('schema_again', async () => {
  const before = (await pool.query(CATALOG)).rows;
  assert.match(push(), /No changes detected/);
  assert.deepEqual((await pool.query(CATALOG)).rows, before);
});

await job('insert', async () => {
  for (const table of [orders, legacy]) {
    const [{ id }] = await db.insert(table).values({ n: 0 }).returning({ id: table.id });
    assert.match(id, UUID);
    assert.deepEqual(await db.select().from(table).where(eq(table.id, id)), [{ id, n: 0 }]);
  }
});

await sleep(10);
const begin = new Date();   // after the row 0, before the rows 1 to 1000
const minute = 60_000;
const until = new Date(+begin + minute);

await job('batch', async () => {
  for (const table of [orders, legacy]) {
    const values = numbers(1, 1000).map(n => ({ n }));
    const rows = await db.insert(table).values(values).returning();
    assert.deepEqual(column('n', rows), numbers(1, 1000));
    const stored = await db.select().from(table).orderBy(asc(table.id));
    assert.deepEqual(column('n', stored), numbers(0, 1000));
    assert.deepEqual(stored.slice(1), rows);
  }
});

await job('page', async () => {
  for (const table of [orders, legacy]) {
    const [{ id: last }] = await db.select().from(table).where(eq(table.n, 500));
    const page = await db.select().from(table).where(gt(table.id, last)).orderBy(asc(table.id)).limit(10);
    assert.deepEqual(column('n', page), numbers(501, 510));
  }
});

await job('range', async () => {
  for (const table of [orders, legacy]) {
    // comb: range
    const between = (from, to) => sql`comb_between(${table.id}, ${from}, ${to})`;   // a Date each
    const rows = await db.select().from(table).where(between(begin, until)).orderBy(asc(table.id));
    // end
    assert.deepEqual(column('n', rows), numbers(1, 1000));
    assert.deepEqual(column('n', await db.select().from(table).where(between(new Date(begin - minute), begin))), [0]);
  }
});

await job('timestamp', async () => {
  const timestamp = sql`comb_timestamp(${orders.id})`.mapWith(text => new Date(text));   // text with its zone
  const timestampMssql = sql`comb_timestamp_mssql(${legacy.id})`.mapWith(text => new Date(text));
  for (const [table, at] of [[orders, timestamp], [legacy, timestampMssql]]) {
    const [row] = await db.select({ at }).from(table).where(eq(table.n, 0));
    assert.ok(Math.abs(Date.now() - row.at.getTime()) < minute, `${row.at}`);
  }
});

await job('error', async () => {
  const error = await db.execute(sql`SELECT comb_at(${'1969-07-20T20:17:40Z'})`).catch(error => error.cause);
  const { code, message, detail } = error;
  assert.equal(code, '22008');
  assert.equal(message, 'timestamp out of range for UUID layout "uuidv7"');
  assert.match(detail, /^The layout can represent times from 1970-01-01T00:00:00\+00:00 to /);
});

await job('newest', async () => {
  for (const table of [orders, legacy]) {
    const [newest] = await db.select().from(table).orderBy(desc(table.id)).limit(1);
    assert.equal(newest.n, 1000);
  }
  const [{ id }] = await db.select({ id: max(legacy.id) }).from(legacy);   // PostgreSQL up to 18 has no max(uuid)
  assert.deepEqual(await db.select().from(legacy).where(eq(legacy.id, id)), [{ id, n: 1000 }]);
});

await job('node_postgres', async () => {
  const insert = 'INSERT INTO orders (n) VALUES ($1) RETURNING id';
  const { rows: [{ id }] } = await pool.query(insert, [1001]);   // a string
  assert.match(id, UUID);

  const { rows: [{ id: last }] } = await pool.query('SELECT id FROM orders WHERE n = 500');
  const page = 'SELECT id, n FROM orders WHERE id > $1 ORDER BY id LIMIT 10';
  const { rows } = await pool.query(page, [last]);
  assert.deepEqual(column('n', rows), numbers(501, 510));

  const range = 'SELECT id, n FROM orders WHERE comb_between(id, $1, $2) ORDER BY id';
  const found = await pool.query(range, [begin, until]);   // a Date each
  assert.deepEqual(column('n', found.rows), numbers(1, 1001));
});

await pool.end();
