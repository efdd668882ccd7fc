// Ids of comb with Prisma and its adapter for node-postgres: the jobs that every example does.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
// comb: client
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';
// end
import { Prisma } from './generated/client.ts';
import { CATALOG, UUID, client, column, job, numbers } from './report.js';

client('prisma', '@prisma/client');
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
// comb: client
// UTC: the adapter reads each time as UTC, whatever zone the server sends.
const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL, options: '-c TimeZone=UTC' });
const db = new PrismaClient({ adapter });
// end
const tables = [db.order, db.legacy] as unknown as [typeof db.order, typeof db.order];
const migrate = () => pool.query(readFileSync('migration.sql', 'utf8'));   // prisma migrate deploy takes its schema engine

await job('schema', async () => {
  await migrate();
  assert.deepEqual(await db.order.findMany(), []);
  assert.deepEqual(await db.legacy.findMany(), []);
});

await job('schema_again', async () => {
  const before = (await pool.query(CATALOG)).rows;
  await migrate();
  assert.deepEqual((await pool.query(CATALOG)).rows, before);
});

await job('insert', async () => {
  for (const table of tables) {
    const { id } = await table.create({ data: { n: 0 } });
    assert.match(id, UUID);
    assert.deepEqual(await table.findMany({ where: { id } }), [{ id, n: 0 }]);
  }
});

await sleep(10);
const begin = new Date();   // after the row 0, before the rows 1 to 1000
const minute = 60_000;

await job('batch', async () => {
  for (const table of tables) {
    const data = numbers(1, 1000).map(n => ({ n }));
    const rows = await table.createManyAndReturn({ data });
    assert.deepEqual(column('n', rows), numbers(1, 1000));
    const stored = await table.findMany({ orderBy: { id: 'asc' } });
    assert.deepEqual(column('n', stored), numbers(0, 1000));
    assert.deepEqual(stored.slice(1), rows);
  }
});

await job('page', async () => {
  for (const table of tables) {
    const { id: last } = await table.findFirstOrThrow({ where: { n: 500 } });
    const page = await table.findMany({ where: { id: { gt: last } }, orderBy: { id: 'asc' }, take: 10 });
    const samePage = await table.findMany({ cursor: { id: last }, skip: 1, orderBy: { id: 'asc' }, take: 10 });
    assert.deepEqual(column('n', page), numbers(501, 510));
    assert.deepEqual(samePage, page);
  }
});

await job('range', async () => {
  for (const table of ['orders', 'legacy']) {
    const name = Prisma.raw(table);
    // comb: range
    const between = (from: Date, to: Date) => db.$queryRaw<{ id: string; n: number }[]>`
      SELECT id, n FROM ${name} WHERE comb_between(id, ${from}, ${to}) ORDER BY id`;
    // end
    assert.deepEqual(column('n', await between(begin, new Date(+begin + minute))), numbers(1, 1000));
    assert.deepEqual(column('n', await between(new Date(+begin - minute), begin)), [0]);
  }
});

await job('timestamp', async () => {
  const [{ at }] = await db.$queryRaw<{ at: Date }[]>`SELECT comb_timestamp(id) AS at FROM orders WHERE n = 0`;
  const [{ at: atMssql }] = await db.$queryRaw<{ at: Date }[]>`SELECT comb_timestamp_mssql(id) AS at FROM legacy WHERE n = 0`;
  for (const time of [at, atMssql]) {
    assert.ok(time instanceof Date);
    assert.ok(Math.abs(Date.now() - time.getTime()) < minute, `${time}`);
  }
});

await job('error', async () => {
  const error = await db.$queryRaw`SELECT comb_at(${new Date('1969-07-20T20:17:40Z')})`.catch(error => error);
  const { originalCode, originalMessage, detail } = error.meta.driverAdapterError.cause;
  assert.ok(error instanceof Prisma.PrismaClientKnownRequestError);
  assert.equal(originalCode, '22008');
  assert.equal(originalMessage, 'timestamp out of range for UUID layout "uuidv7"');
  assert.match(detail, /^The layout can represent times from 1970-01-01T00:00:00\+00:00 to /);
});

await job('newest', async () => {
  for (const table of tables) {
    const newest = await table.findFirstOrThrow({ orderBy: { id: 'desc' } });
    assert.equal(newest.n, 1000);
  }
  const { _max } = await db.legacy.aggregate({ _max: { id: true } });   // PostgreSQL up to 18 has no max(uuid)
  assert.deepEqual(await db.legacy.findMany({ where: { id: _max.id! } }), [{ id: _max.id, n: 1000 }]);
});

await db.$disconnect();
await pool.end();
