import { CompiledQuery } from 'kysely'
import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/**
 * Runs a hand-written statement over whole arrays and returns its rows. Kysely's builder cannot
 * express `unnest`, and these statements run thousands of times a second.
 */
export async function rows<Row>(
  on: Kysely<Schema>,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return (await on.executeQuery<Row>(CompiledQuery.raw(text, values.map(literal)))).rows
}

/** Runs a statement and returns the number of rows it wrote. */
export async function run(on: Kysely<Schema>, text: string, values: unknown[]): Promise<number> {
  return Number(
    (await on.executeQuery(CompiledQuery.raw(text, values.map(literal)))).numAffectedRows ?? 0,
  )
}

/**
 * An array as Postgres writes it, because the drivers take long to write one. Arrays with dates or
 * other objects are left to them.
 */
export function literal(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  let text = ''
  for (const one of value as unknown[]) {
    const type = typeof one
    if (one === null || one === undefined) text += ',NULL'
    else if (type === 'string')
      text += `,"${special.test(one as string) ? (one as string).replace(/["\\]/g, '\\$&') : (one as string)}"`
    else if (type === 'number' || type === 'boolean') text += `,${String(one)}`
    else return value
  }
  return `{${text.slice(1)}}`
}
const special = /["\\]/
