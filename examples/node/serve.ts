// The loop of an example in Node: a command in each line, its result in each line. examples/README.md lists the commands.
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

export type Commands = { [command: string]: (...words: string[]) => Promise<unknown[] | void> }

export async function serve(name: string, version: string, tables: string[], commands: Commands) {
  const answer = (...values: unknown[]) => writeSync(1, values.map(value => String(value).replace(/\s+/g, ' ')).join('\t') + '\n')
  console.log = console.info = console.error
  answer('client', name, version, ...tables)
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, ...words] = line.split('\t')
    try {
      answer(...(commands[command] ? (await commands[command](...words)) ?? [] : ['none']))
    } catch (error) {
      console.error(error)
      answer('error', error)
    }
  }
  process.exit()
}

export const sleep = (milliseconds: string) => new Promise(done => setTimeout(done, Number(milliseconds)))
export const rolledBack = new Error('rolled back')
/** A transaction that the command wants to be rolled back. */
export const unlessRolledBack = (error: unknown) => {
  if (error !== rolledBack) throw error
}
