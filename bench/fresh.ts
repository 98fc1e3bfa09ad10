import { setTimeout as wait } from 'node:timers/promises'
import { assign } from '../domain/tests/assignment.ts'
import type { Beacon } from '../domain/events/event.ts'
import type { TestSummary } from '../domain/reports/summary.ts'
import { loadStore } from '../engine/events/event-stores.ts'
import { storeOrder } from '../engine/orders/orders.ts'
import { startPostgres } from '../scripts/postgres.ts'
import { type BenchEngine, benchShop, withFilledEngine } from './bench-engine.ts'
import type { BenchRow } from './row.ts'

const visitors = 1_000_000,
  orders = 30_000,
  days = 28,
  rounds = 5,
  promised = 2_000

/**
 * Measures the time from the collector's 2xx, and from storing an order, to the report that
 * includes it. Takes the longest of several rounds, with a million visitors in the test.
 */
export async function freshBench(): Promise<BenchRow[]> {
  const postgres = await startPostgres()
  try {
    const rows: BenchRow[] = []
    for (const [database, server] of [
      ...(postgres ? [['Postgres', postgres.url] as const] : []),
      ['PGlite', null] as const,
    ]) {
      const { exposure, order } = await withFilledEngine(
        server,
        { visitors, eventsPerVisitor: 0, orders, days },
        measure,
      )
      const row = (what: string, value: number): BenchRow => ({
        name: `${what} on the report, 1 million visitors, ${database}`,
        value,
        unit: 'ms',
        ratio: value / promised,
        target: '≤ 1',
        against: 'two seconds',
      })
      rows.push(row('An exposure', exposure), row('An order', order))
    }
    return rows
  } finally {
    await postgres?.stop()
  }
}

async function measure({
  engine,
  testId,
  get,
}: BenchEngine): Promise<{ exposure: number; order: number }> {
  await engine.rollUp()
  const summary = async () => ((await get('')) as { summary: TestSummary }).summary
  const until = async (isThere: (summary: TestSummary) => boolean): Promise<number> => {
    const began = performance.now()
    while (!isThere(await summary())) await wait(20)
    return performance.now() - began
  }
  const store = (await loadStore(engine.db, benchShop))!
  const exposures: number[] = [],
    bought: number[] = []
  for (let round = 0; round < rounds; round++) {
    // Wait a different time in each round, so that rounds do not follow the rollup's rhythm.
    await wait(700 + 311 * round)
    const before = await summary(),
      visitor = `visitor-of-round-${round}`,
      at = Date.now()
    const beacon: Beacon = {
      v: 1,
      shop: benchShop,
      visitor,
      session: `session-${round}-of-it`,
      sent: at,
      isNew: true,
      landing: '/',
      referrer: '',
      tests: { [testId]: [assign(testId, visitor, [0.5, 0.5]), 7] },
      events: [{ id: `exposure-${round}-${at}`, at, kind: 'exposure', path: '/', tests: [testId] }],
    }
    const { statusCode } = await engine.app.inject({
      method: 'POST',
      url: '/collect',
      headers: {
        'content-type': 'text/plain',
        origin: `https://${benchShop}`,
        'user-agent':
          'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36',
      },
      payload: JSON.stringify(beacon),
    })
    if (statusCode !== 204) throw new Error(`The collector answered ${statusCode}.`)
    const all = (of: TestSummary) => of.visitors[0] + of.visitors[1]
    exposures.push(await until(now => all(now) === all(before) + 1))
    const createdAt = new Date().toISOString()
    await storeOrder(
      engine.db,
      store,
      {
        id: `order-of-round-${round}`,
        name: `#${round}`,
        type: 'oneTime',
        lines: [],
        createdAt,
        currency: 'USD',
        subtotal: 2_500,
        refunded: 0,
        test: false,
        attributes: { _ts_visitor: visitor },
      },
      {
        topic: 'orders/create',
        shop: benchShop,
        deliveryId: `delivery-${round}`,
        triggeredAt: createdAt,
      },
      new Date(),
    )
    bought.push(await until(now => now.ledger.total.orders === before.ledger.total.orders + 1))
  }
  return { exposure: Math.max(...exposures), order: Math.max(...bought) }
}
