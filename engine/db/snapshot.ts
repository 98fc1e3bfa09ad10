import { sql, type Kysely } from 'kysely'
import type { Schema } from './schema.ts'
import type { Trx } from './types.ts'

/** How often a transaction is tried that another one has overtaken. */
const maxTries = 5

/**
 * Runs a transaction that reads one snapshot and may write what can be made again. If another
 * transaction changes the same rows meanwhile, it is repeated with a new snapshot.
 */
export async function inSnapshot<T>(
  on: Kysely<Schema>,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await on
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute(async trx => {
          // Compiling the sums of orders (JIT) takes longer than computing them. The commit does
          // not wait for the disk: if it is lost, the marks of the orders are still there.
          await sql`select set_config('jit', 'off', true), set_config('synchronous_commit', 'off', true)`.execute(
            trx,
          )
          return work(trx)
        })
    } catch (error) {
      if (tries === maxTries || !isOvertaken(error)) throw error
    }
}

/** Serialization failures and deadlocks. */
const isOvertaken = (error: unknown): boolean =>
  /^40(001|P01)$/.test(String((error as { code?: unknown }).code ?? ''))
