import { loadStore } from '../engine/events/event-stores.ts'
import { orderFigures } from '../engine/orders/order-figures.ts'
import { storeOrder } from '../engine/orders/orders.ts'
import { sql } from 'kysely'
import { type BenchEngine, benchShop } from './bench-engine.ts'
import type { BenchRow } from './row.ts'

const rounds = 15,
  target = 20

/**
 * Measures how long it takes to sum up a test after a visitor, after an order, and with all its
 * orders. `of`: what the database holds.
 */
export async function orderSummingRows(bench: BenchEngine, of: string): Promise<BenchRow[]> {
  const { engine, testId, storeId } = bench
  const { kysely } = engine.db
  const visitor = await shortest(
    () => sql`update test_changes set changed = changed + 1`.execute(kysely),
    () => engine.rollUp(),
  )
  const store = (await loadStore(engine.db, benchShop))!
  let made = 0
  const order = await shortest(
    () => {
      const createdAt = new Date().toISOString()
      return storeOrder(
        engine.db,
        store,
        {
          id: `bench-order-${made}`,
          name: `#${made}`,
          type: 'oneTime',
          lines: [
            {
              productId: 'product-1',
              variantId: 'one',
              title: 'Product 1',
              quantity: 1,
              amount: 9_990,
              isSubscription: false,
            },
          ],
          createdAt,
          currency: 'USD',
          subtotal: 9_990,
          refunded: 0,
          test: false,
          attributes: { _ts_visitor: `filled-visitor-${made}` },
        },
        {
          topic: 'orders/create',
          shop: benchShop,
          deliveryId: `bench-delivery-${made++}`,
          triggeredAt: createdAt,
        },
        new Date(),
      )
    },
    () => engine.rollUp(),
  )
  const all = await shortest(
    () => Promise.resolve(),
    () => orderFigures(kysely, storeId, testId, new Date(0), null),
    3,
  )
  const against = `All orders summed up, ${of}`
  return [
    { name: against, value: all, unit: 'ms' },
    { name: `A visitor summed up, ${of}`, value: visitor, unit: 'ms' },
    { name: `An order summed up, ${of}`, value: order, unit: 'ms', ratio: order / all, against },
    {
      name: `An order summed up, ${of}`,
      value: order,
      unit: 'ms',
      ratio: order / target,
      target: '≤ 1',
      against: 'twenty milliseconds',
    },
  ]
}

/** The shortest of some rounds: what else the machine does must not count. */
async function shortest(
  before: () => Promise<unknown>,
  work: () => Promise<unknown>,
  times = rounds,
): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < times; i++) {
    await before()
    const began = performance.now()
    await work()
    took.push(performance.now() - began)
  }
  return Math.min(...took)
}
