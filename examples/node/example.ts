// The client that the argument names.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { serve } from './serve.js'

const clients: { [client: string]: [name: string, library: string] } = {
  'node-postgres': ['node-postgres', 'pg'],
  drizzle: ['Drizzle', 'drizzle-orm'],
  kysely: ['Kysely', 'kysely'],
  prisma: ['Prisma', '@prisma/client'],
  typeorm: ['TypeORM', 'typeorm'],
}
const [name, library] = clients[process.argv[2]]
const main = createRequire(import.meta.url).resolve(library)
const manifest = main.replace(/(.*node_modules\/(@[^/]*\/)?[^/]*)\/.*/, '$1/package.json')
const { tables, commands } = await import(`./${process.argv[2]}.js`)
await serve(name, JSON.parse(readFileSync(manifest, 'utf8')).version, tables, commands)
