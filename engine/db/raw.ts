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
  return (await on.executeQuery<Row>(CompiledQuery.raw(text, values))).rows
}

/** Runs a statement and returns the number of rows it wrote. */
export async function run(on: Kysely<Schema>, text: string, values: unknown[]): Promise<number> {
  return Number((await on.executeQuery(CompiledQuery.raw(text, values))).numAffectedRows ?? 0)
}
