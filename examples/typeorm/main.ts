// Ids of comb with TypeORM: the jobs that every example does.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, MoreThan, QueryFailedError, Raw } from 'typeorm';
import { Legacy, Order } from './entities.ts';
import { CATALOG, UUID, client, column, job, numbers } from './report.js';

client('typeorm', 'typeorm');

async function connect(options: object) {
  // comb: schema
  const db = new DataSource({
    type: 'postgres', url: process.env.DATABASE_URL, entities: [Order, Legacy], extensions: ['comb'], ...options,
  });
  // end
  // comb: schema_legacy
  db.driver.supportedDataTypes.push('uniqueidentifier');   // before initialize()
  // end
  // comb: schema
  await db.initialize();
  // end
  return db;
}

let db: DataSource;
await job('schema', async () => {
  // As test suites do: everything dropped and made again, and the extension stays.
  for (const _ of numbers(1, 2)) {
    await db?.destroy();
    db = await connect({ synchronize: true, dropSchema: true });
    assert.deepEqual(await db.getRepository(Order).find(), []);
    assert.deepEqual(await db.getRepository(Legacy).find(), []);
  }
});

await job('schema_again', async () => {
  const before = await db.query(CATALOG);
  const plan = await db.driver.createSchemaBuilder().log();
  assert.deepEqual(plan.upQueries, []);
  await db.synchronize();
  assert.deepEqual(await db.query(CATALOG), before);
});

const tables = [db.getRepository(Order), db.getRepository(Legacy)];

await job('insert', async () => {
  for (const table of tables) {
    // comb: insert
    const { id } = await table.save({ n: 0 });
    // end
    assert.match(id, UUID);
    assert.deepEqual(await table.findBy({ id }), [table.create({ id, n: 0 })]);
  }
});

await sleep(10);
const begin = new Date();   // after the row 0, before the rows 1 to 1000
const minute = 60_000;

await job('batch', async () => {
  for (const table of tables) {
    // comb: batch
    const rows = table.create(numbers(1, 1000).map(n => ({ n })));
    await table.insert(rows);   // or save(rows): both fill in the ids
    // end
    const stored = await table.find({ order: { id: 'ASC' } });
    assert.deepEqual(column('n', stored), numbers(0, 1000));
    assert.deepEqual(stored.slice(1), rows);
  }
});

await job('page', async () => {
  for (const table of tables) {
    const { id: last } = await table.findOneByOrFail({ n: 500 });
    // comb: page
    const page = await table.find({ where: { id: MoreThan(last) }, order: { id: 'ASC' }, take: 10 });
    // end
    assert.deepEqual(column('n', page), numbers(501, 510));
  }
});

await job('range', async () => {
  for (const table of tables) {
    // comb: range
    const between = (from: Date, to: Date) => Raw(id => `comb_between(${id}, :from, :to)`, { from, to });
    const rows = await table.find({ where: { id: between(begin, new Date(+begin + minute)) }, order: { id: 'ASC' } });
    // end
    assert.deepEqual(column('n', rows), numbers(1, 1000));
    assert.deepEqual(column('n', await table.findBy({ id: between(new Date(+begin - minute), begin) })), [0]);
  }
});

await job('timestamp', async () => {
  for (const [table, timestamp] of [[tables[0], 'comb_timestamp'], [tables[1], 'comb_timestamp_mssql']] as const) {
    // comb: timestamp
    const { at } = await table.createQueryBuilder('o').select(`${timestamp}(o.id)`, 'at').where({ n: 0 }).getRawOne();
    // end
    assert.ok(at instanceof Date);
    assert.ok(Math.abs(Date.now() - at.getTime()) < minute, `${at}`);
  }
});

await job('error', async () => {
  // comb: error
  const error: QueryFailedError = await db.query('SELECT comb_at($1)', [new Date('1969-07-20T20:17:40Z')]).catch(error => error);
  const { code, detail } = error.driverError as any;
  // end
  assert.equal(code, '22008');
  assert.equal(error.message, 'timestamp out of range for UUID layout "uuidv7"');
  assert.match(detail, /^The layout can represent times from 1970-01-01T00:00:00\+00:00 to /);
});

await job('newest', async () => {
  for (const table of tables) {
    // comb: newest
    const [newest] = await table.find({ order: { id: 'DESC' }, take: 1 });
    // end
    assert.equal(newest.n, 1000);
  }
  // PostgreSQL up to 18 has no max(uuid).
  const { id } = await tables[1].createQueryBuilder('o').select('max(o.id)', 'id').getRawOne();
  assert.deepEqual(await tables[1].findBy({ id }), [tables[1].create({ id, n: 1000 })]);
});

await db.destroy();
