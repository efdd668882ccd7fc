// What an example prints: its client, and a line for each job; and what the jobs are checked with.

import { readFileSync } from 'node:fs';

// The client is that package, whose version is the installed one.
export function client(name, packageName) {
  const { version } = JSON.parse(readFileSync(`node_modules/${packageName}/package.json`));
  console.log(`client ${name} ${version}`);
}

export async function job(name, work) {
  try {
    await work();
    console.log(`ok ${name}`);
  } catch (error) {
    console.error(error);
    console.log(`not ok ${name}: ${error.message.replace(/\s+/g, ' ')}`);
    process.exitCode = 1;
  }
}

// Its one row, "catalog", changes with every change of a table, a column or an index.
export const CATALOG = `
  SELECT string_agg(concat_ws(' ', c.relname, c.xmin, a.attname, a.xmin), ', ' ORDER BY c.oid, a.attnum) AS catalog
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace`;

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// from, from + 1, ... to
export const numbers = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

export const column = (name, rows) => rows.map(row => row[name]);
