import type { FastifyBaseLogger } from 'fastify'
import { type Kysely, sql } from 'kysely'
import { holdCause } from '../../domain/tests/hold-cause.ts'
import type { Schema } from '../db/schema.ts'
import { isRefusal, type Refused } from '../prices/price-charging.ts'
import { changeStatus, statusSince } from '../tests/test-statuses.ts'
import { PublicationStopped, type ScriptLease } from './script-lease.ts'

/** A store's running tests, those first that have run the longest without a stop. */
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
 * Of tests whose script the shop refuses, those without which it takes it (decision 053): the last of them are left out
 * first, until it takes the rest, and each that is not to blame comes back. What it took last is what it shows. None
 * when it takes no script even without all of them.
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
  // The first of these was just refused with the same tests.
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

/** What the shop does not take is not shown: the tests stop with the shop's words, and the others are published without them. */
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
    // In the order in which all who hold several tests take them.
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
