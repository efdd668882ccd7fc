import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { asc, desc, eq, gt, max, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import { legacy, orders } from './schema.js';

const { version } = JSON.parse(readFileSync('node_modules/drizzle-orm/package.json'));
console.log(`client drizzle ${version}`);

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const db = drizzle(pool);
const tables = [orders, legacy];
const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const values = rows => rows.map(row => row.n);
const push = () => execFileSync('node_modules/.bin/drizzle-kit', ['push'], { encoding: 'utf8' });
// Changes with every change of a table, a column or an index.
const catalog = async () => (await pool.query(`
  SELECT string_agg(concat_ws(' ', c.relname, c.xmin, a.attname, a.xmin), ', ' ORDER BY c.oid, a.attnum) AS state
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace`)).rows[0].state;

async function job(name, work) {
  try {
    await work();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`not ok ${name}: ${error.message.replace(/\s+/g, ' ')}`);
    process.exitCode = 1;
  }
}

await job('schema', async () => {
  // comb: schema
  await db.execute(sql`CREATE EXTENSION IF NOT EXISTS comb`);   // drizzle-kit makes no extensions: run it before `push`
  // end
  assert.match(push(), /Changes applied/);
  assert.deepEqual(await db.select().from(orders), []);
  assert.deepEqual(await db.select().from(legacy), []);
});

await job('schema_again', async () => {
  const before = await catalog();
  assert.match(push(), /No changes detected/);
  assert.equal(await catalog(), before);
});

await job('insert', async () => {
  for (const table of tables) {
    // comb: insert
    const [{ id }] = await db.insert(table).values({ n: 0 }).returning({ id: table.id });
    // end
    assert.match(id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.deepEqual(await db.select().from(table).where(eq(table.id, id)), [{ id, n: 0 }]);
  }
});

await sleep(10);
const begin = new Date();   // after the row 0, before the rows 1 to 1000

await job('batch', async () => {
  for (const table of tables) {
    // comb: batch
    const rows = await db.insert(table).values(numbers(1, 1000).map(n => ({ n }))).returning();
    // end
    assert.deepEqual(values(rows), numbers(1, 1000));
    const stored = await db.select().from(table).orderBy(asc(table.id));
    assert.deepEqual(values(stored), numbers(0, 1000));
    assert.deepEqual(stored.slice(1), rows);
  }
});

await job('page', async () => {
  for (const table of tables) {
    const [{ id: last }] = await db.select().from(table).where(eq(table.n, 500));
    // comb: page
    const page = await db.select().from(table).where(gt(table.id, last)).orderBy(asc(table.id)).limit(10);
    // end
    assert.deepEqual(values(page), numbers(501, 510));
  }
});

await job('range', async () => {
  for (const table of tables) {
    // comb: range
    const between = (from, to) =>
      db.select().from(table).where(sql`comb_between(${table.id}, ${from}, ${to})`).orderBy(asc(table.id));
    // end
    assert.deepEqual(values(await between(begin, new Date(+begin + 60_000))), numbers(1, 1000));
    assert.deepEqual(values(await between(new Date(+begin - 60_000), begin)), [0]);
  }
});

await job('moment', async () => {
  // comb: moment
  const timestamp = column => sql`comb_timestamp(${column})`.mapWith(text => new Date(text));
  const timestampMssql = column => sql`comb_timestamp_mssql(${column})`.mapWith(text => new Date(text));
  // end
  for (const [table, at] of [[orders, timestamp(orders.id)], [legacy, timestampMssql(legacy.id)]]) {
    const [row] = await db.select({ at }).from(table).where(eq(table.n, 0));
    assert.ok(row.at instanceof Date);
    assert.ok(Math.abs(Date.now() - row.at) < 60_000, `${row.at}`);
  }
});

await job('error', async () => {
  // comb: error
  const error = await db.execute(sql`SELECT comb_at(${'1969-07-20T20:17:40Z'})`).catch(error => error.cause);
  // end
  assert.equal(error.code, '22008');
  assert.equal(error.message, 'timestamp out of range for COMB layout "uuidv7"');
  assert.match(error.detail, /^The layout holds 1970-01-01T00:00:00\+00:00 to /);
});

await job('newest', async () => {
  for (const table of tables) {
    // comb: newest
    const [newest] = await db.select().from(table).orderBy(desc(table.id)).limit(1);
    // end
    assert.equal(newest.n, 1000);
  }
  // comb: newest
  const [{ id }] = await db.select({ id: max(legacy.id) }).from(legacy);   // max(uuid) is not in PostgreSQL up to 18
  // end
  assert.deepEqual(await db.select().from(legacy).where(eq(legacy.id, id)), [{ id, n: 1000 }]);
});

await pool.end();
