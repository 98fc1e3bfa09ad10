import type { FastifyBaseLogger } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { holdCause } from '../../domain/tests/hold-cause.ts'
import type { Schema } from '../db/schema.ts'
import { isRefusal, type Refused } from '../prices/price-charging.ts'
import { changeStatus, statusSince } from '../tests/test-statuses.ts'
import { PublicationStopped, type ScriptLease } from './script-lease.ts'

/**
 * Ids of a store's running tests, beginning with the one that has run the longest without a stop.
 */
export async function inOrderOfStart(kysely: Kysely<Schema>, storeId: string): Promise<string[]> {
  const rows = await kysely
    .selectFrom('tests as t')
    .select('t.test_id as id')
    .where('t.store_id', '=', storeId)
    .where('t.status', '=', 'Active')
    .where('t.applied_arm', 'is', null)
    .orderBy(statusSince)
    .orderBy('t.test_id')
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Finds out which running tests make the shop refuse the script (decision 053). Leaves out one more
 * test at a time, the last started first, until the shop takes the script; then tries each of these
 * again and keeps those that the shop takes. The shop shows the last script that it took. Returns
 * the ids that stay left out; none if the shop takes no script even without all of the tests.
 */
export async function leftOutOf(
  tests: readonly string[],
  show: (without: ReadonlySet<string>) => Promise<unknown>,
): Promise<string[]> {
  const isTaken = async (without: ReadonlySet<string>) => {
    try {
      await show(without)
      return true
    } catch (error) {
      if (isRefusal(error)) return false
      throw error
    }
  }
  const leftOut = new Set<string>()
  let isShown = false
  for (const id of tests.toReversed()) {
    leftOut.add(id)
    isShown = await isTaken(leftOut)
    if (isShown) break
  }
  if (!isShown) return []
  // Skips the test that was left out last: the shop has just refused the script with it.
  for (const id of [...leftOut].toReversed().slice(1))
    if (await isTaken(new Set([...leftOut].filter(other => other !== id)))) leftOut.delete(id)
  return [...leftOut]
}

const wordsOf = {
  priceRefused: {
    said: 'The shop refuses the prices of this test:',
    logged: 'price rules refused by the shop',
  },
  scriptRefused: {
    said: 'The shop refuses its script with this test in it:',
    logged: 'script refused by the shop',
  },
}

/**
 * Puts the tests that the shop refuses on hold, with the shop's words, and requests a publication
 * without them. Throws `PublicationStopped` if the lease is lost.
 */
export async function holdRefused(
  {
    kysely,
    clock,
    log,
  }: { kysely: Kysely<Schema>; clock: () => Date; log: Pick<FastifyBaseLogger, 'warn'> },
  {
    storeId,
    lease,
    cause,
    refused,
  }: {
    storeId: string
    lease: ScriptLease
    cause: keyof typeof wordsOf
    refused: readonly Refused[]
  },
): Promise<void> {
  const words = wordsOf[cause],
    messages = new Map(refused.map(({ id, message }) => [id, message]))
  await kysely.transaction().execute(async trx => {
    // Locks the tests in the order that all code uses which locks several tests, to prevent
    // deadlocks.
    const tests = await trx
      .selectFrom('tests')
      .selectAll()
      .where('store_id', '=', storeId)
      .where('test_id', 'in', [...messages.keys()])
      .where('status', '=', 'Active')
      .orderBy('test_id')
      .forUpdate()
      .execute()
    for (const test of tests)
      await changeStatus(
        trx,
        test,
        'OnHold',
        clock(),
        holdCause(cause, `${words.said} ${messages.get(test.test_id)}`),
      )
    if (!(await lease.release({ wanted: sql`wanted + 1` }, trx)))
      throw new PublicationStopped('Another process publishes this script.')
  })
  log.warn({ storeId, refused }, words.logged)
}
