import { sql, type SqlBool } from 'kysely'
import type { PerArm } from '../../domain/arm.ts'
import { doChargesHold } from '../../domain/prices/charge-rule.ts'
import { rivalsOf } from '../../domain/tests/exclusion.ts'
import { holdCause } from '../../domain/tests/hold-cause.ts'
import { visitorOf } from '../../domain/orders/order-visitor.ts'
import {
  type ChargeCause,
  heldMessage,
  isUnmarked,
  judgedTests,
  lineMismatches,
  mismatchMessage,
  type PricedTest,
  settlingTime,
} from '../../domain/prices/line-check.ts'
import { chargeCounts } from './charge-counts.ts'
import type { EngineContext } from '../context.ts'
import { runningTests } from '../tests/exclusion.ts'
import type { OrderCheck } from '../orders/orders.ts'
import type { PlatformOrder } from '../platform/adapter.ts'
import { holdTests } from '../tests/test-checks.ts'
import { statusSince } from '../tests/test-statuses.ts'
import type { Trx } from '../db/types.ts'

/**
 * Compares every line of an order with the price tests that run on its product. If a buyer was not
 * charged the price that the shop showed, the report says so; enough of these orders put the test
 * on hold (charge-rule.ts), with the evidence. Never throws: the order is accepted in any case.
 */
export const orderCheck =
  (context: EngineContext): OrderCheck =>
  async (store, order) => {
    if (order.test) return
    try {
      const visitor = await visitorOfOrder(context.db, store.id, order),
        tests = await testsOf(context, store.id, order, visitor),
        mismatches = lineMismatches(tests, { ...order, visitor }),
        isMarked = !isUnmarked(order.attributes)
      for (const testId of judgedTests(tests, order)) {
        const mismatch = mismatches.find(found => found.testId === testId)
        const message = mismatch ? mismatchMessage(order.name, mismatch, store.currency) : null
        const isKept = await keep(context.db, store.id, testId, order, {
          isMarked,
          cause: mismatch?.cause ?? null,
          message,
        })
        if (!isKept) return
        if (!message) continue
        context.log.warn(
          { storeId: store.id, testId, orderId: order.id, cause: mismatch!.cause },
          'an order was not charged what was shown',
        )
        const { recent } = await chargeCounts(context.db.kysely, store.id, testId)
        if (isMarked && doChargesHold(recent))
          await holdTests(
            context,
            store.id,
            holdCause('chargeMismatch', heldMessage(recent, message)),
            [testId],
            // The cause names the order.
            trx => isStored(trx, store.id, order.id),
          )
      }
    } catch (error) {
      context.log.error(
        { err: error, storeId: store.id, orderId: order.id },
        'order not compared with price tests',
      )
    }
  }

/** The visitor that the order names, or the one that the checkout pixel has named. */
async function visitorOfOrder(
  { kysely }: EngineContext['db'],
  storeId: string,
  order: PlatformOrder,
): Promise<string | null> {
  const { rows } = await sql<{ visitor_id: string | null }>`
    select visitor_id from orders where store_id = ${storeId} and order_id = ${order.id}`.execute(
    kysely,
  )
  return visitorOf(order) ?? rows[0]?.visitor_id ?? null
}

/**
 * Whether the order is still stored under its id. If so, no erasure of its buyer can take the id
 * away before the transaction ends, and the erasure then finds what the transaction has written. An
 * erasure may have run since the order was stored: nothing locks the store during the check.
 */
const isStored = async (trx: Trx, storeId: string, orderId: string): Promise<boolean> =>
  (
    await sql`select from orders where store_id = ${storeId} and order_id = ${orderId} for key share`.execute(
      trx,
    )
  ).rows.length > 0

/**
 * Stores once what an order says about a test, and makes the rollup sum up the test again. Returns
 * false, and stores nothing, if the order's buyer was erased meanwhile.
 */
async function keep(
  { kysely }: EngineContext['db'],
  storeId: string,
  testId: string,
  { id, createdAt }: PlatformOrder,
  {
    isMarked,
    cause,
    message,
  }: { isMarked: boolean; cause: ChargeCause | null; message: string | null },
): Promise<boolean> {
  return kysely.transaction().execute(async trx => {
    if (!(await isStored(trx, storeId, id))) return false
    const kept = await trx
      .insertInto('price_checks')
      .values({
        store_id: storeId,
        test_id: testId,
        order_id: id,
        at: new Date(createdAt),
        is_unmarked: !isMarked,
        cause,
        message,
      })
      // The visitor may have become known since, by the checkout pixel. What was found wrong stays.
      .onConflict(conflict =>
        conflict
          .columns(['store_id', 'test_id', 'order_id'])
          .doUpdateSet({ cause, message })
          .where('price_checks.cause', 'is', null)
          .where(sql<SqlBool>`${cause !== null}`),
      )
      .returning('order_id')
      .executeTakeFirst()
    if (kept)
      await sql`insert into test_changes as c (store_id, test_id, changed, orders_changed) values (${storeId}, ${testId}, 1, 0)
      on conflict (store_id, test_id) do update set changed = c.changed + 1`.execute(trx)
    return true
  })
}

/**
 * The tests to check the order with: Active now, and without a break since `settlingTime` before
 * the order came. None for a renewal, which costs what was agreed with its first order.
 */
async function testsOf(
  { db: { kysely } }: Pick<EngineContext, 'db'>,
  storeId: string,
  order: PlatformOrder,
  visitor: string | null,
): Promise<PricedTest[]> {
  const productIds = [...new Set(order.lines.map(line => line.productId))]
  if (order.type === 'renewal' || productIds.length === 0) return []
  const since = new Date(Date.parse(order.createdAt) - settlingTime)
  const rows = await kysely
    .selectFrom('tests as t')
    .innerJoin('test_products as p', join =>
      join.onRef('p.store_id', '=', 't.store_id').onRef('p.test_id', '=', 't.test_id'),
    )
    .select(['t.test_id as id', 't.weights', 'p.variants', isMet(order, visitor).as('isMet')])
    .where('t.store_id', '=', storeId)
    .where('t.kind', '=', 'Price')
    .where('t.status', '=', 'Active')
    .where('p.product_id', 'in', productIds)
    .where(sql<SqlBool>`${statusSince} <= ${since}`)
    .orderBy('p.seq')
    .execute()
  const tests = new Map<string, PricedTest>()
  for (const { id, weights, variants, isMet } of rows) {
    const test = tests.get(id) ?? { id, weights, isMet, prices: {} }
    for (const variant of variants)
      test.prices[variant.id] = [
        variant.controlPrice,
        variant.variantPrice,
      ] satisfies PerArm<number>
    tests.set(id, test)
  }
  const found = [...tests.values()]
  if (!visitor || !found.some(test => test.isMet)) return found
  const alone = await testsAlone(kysely, storeId, visitor)
  return found.map(test => ({ ...test, isMet: test.isMet && alone.includes(test.id) }))
}

/**
 * Of the running tests that a visitor is in, returns those that no other of them disturbs. Of two
 * tests that disturb each other, the script shows the one that the visitor entered first. Exposures
 * do not say which one that is: a visitor may meet a test long after entering it. So the browser's
 * events decide nothing there; the cart's attributes do, and the script writes only the tests whose
 * prices it shows into them.
 */
async function testsAlone(
  kysely: EngineContext['db']['kysely'],
  storeId: string,
  visitor: string,
): Promise<string[]> {
  const { rows: held } = await sql<{
    id: string
  }>`select test_id as id from test_visitors where store_id = ${storeId} and visitor_id = ${visitor}`.execute(
    kysely,
  )
  const running = (await runningTests(kysely, storeId)).filter(test =>
    held.some(({ id }) => id === test.id),
  )
  return running.filter(test => rivalsOf(test, running).length === 0).map(({ id }) => id)
}

// A platform may send whole seconds only, so an order in the same second as the exposure counts as
// after it.
const isMet = (
  { createdAt }: PlatformOrder,
  visitor: string | null,
) => sql<boolean>`exists (select from test_visitors v
  where v.store_id = t.store_id and v.test_id = t.test_id and v.visitor_id = ${visitor} and date_trunc('second', v.first_exposed_at) <= ${createdAt})`
