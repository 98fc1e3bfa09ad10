import t from 'tap'
import { sql } from 'kysely'
import { assign } from '../../../domain/tests/assignment.ts'
import type { Beacon } from '../../../domain/events/event.ts'
import { inSnapshot } from '../../../engine/db/snapshot.ts'
import { run } from '../../../engine/db/raw.ts'
import { loadStore } from '../../../engine/events/event-stores.ts'
import { eventRows } from '../../../engine/events/fold/event-rows.ts'
import { writeRows } from '../../../engine/events/ingest-write.ts'
import { repair } from '../../../engine/events/rebuild-aside.ts'
import { orderFigures } from '../../../engine/orders/order-figures.ts'
import { storePixel } from '../../../engine/orders/order-pixels.ts'
import { keptOrderFigures, recountOrders } from '../../../engine/orders/order-recount.ts'
import { storeOrder } from '../../../engine/orders/orders.ts'
import type { PlatformOrder } from '../../../engine/platform/adapter.ts'
import { readTest } from '../../../engine/reports/rollup-read.ts'
import { rollUpTest } from '../../../engine/reports/rollup-test.ts'
import { erasedOrders } from '../../../engine/stores/shoppers/erased-orders.ts'
import { unlinkShopper } from '../../../engine/stores/shoppers/shopper-erasure.ts'
import { fc } from '../../properties.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop as shop, sessionSecret } from '../support/small-shop.ts'
import { noon } from '../support/traffic.ts'

const hour = 3_600_000
t.setTimeout(300_000)
const start = noon - 60 * hour
const db = await freshDb()
t.teardown(() => db.close())
const storeId = await seedStore(db)
const running = await seedTest(db, storeId, { start_at: new Date(start) })
const over = await seedTest(db, storeId, {
  start_at: new Date(start),
  ended_at: new Date(noon - 20 * hour),
  weights: '[0.8,0.2]',
})
const tests = { [running]: [0.5, 0.5], [over]: [0.8, 0.2] } as Record<string, [number, number]>
const erased = erasedOrders({ SECRETS: undefined, SESSION_SECRET: sessionSecret } as never)
const store = async () => (await loadStore(db, shop))!

// Few visitors and few prices, so that people buy again and amounts are equal.
const visitor = fc.integer({ min: 0, max: 39 }).map(n => `buyer-${n}`)
const orderId = fc.integer({ min: 0, max: 220 }).map(n => `order-${n}`)
const at = fc.integer({ min: -62 * 60, max: 0 }).map(minutes => noon + minutes * 60_000)
const amount = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(0, 1_000, 2_500, 9_900, 9_900, 20_000) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 3_000_000 }) },
)
const line = fc.record({
  productId: fc.constantFrom('mug', 'jug', 'bowl'),
  title: fc.constantFrom('Mug', 'Jug', 'The bowl'),
  quantity: fc.integer({ min: 1, max: 3 }),
})
type Act = () => Promise<unknown>
let sent = 0

const placed = fc
  .record({
    id: orderId,
    visitor: fc.option(visitor, { freq: 8 }),
    amount,
    refund: fc.constantFrom(0, 0, 0, 0.5, 1),
    isTest: fc.constantFrom(...Array<boolean>(14).fill(false), true),
    type: fc.constantFrom<PlatformOrder['type']>('oneTime', 'oneTime', 'subscription', 'renewal'),
    first: orderId,
    lines: fc.array(line, { maxLength: 3 }),
    age: fc.integer({ min: 0, max: 1_000 }),
    at,
  })
  .map((o): Act => async () => {
    // An order keeps its time. All else may change with a delivery, which may be late.
    const created = noon - ((Number(o.id.slice(6)) * 7_919) % (62 * 60)) * 60_000
    const each = o.lines.length > 0 ? Math.floor(o.amount / o.lines.length) : 0
    return storeOrder(
      db,
      await store(),
      {
        id: o.id,
        name: `#${o.id}`,
        type: o.type,
        ...(o.type === 'renewal' && { firstOrderId: o.first }),
        lines: o.lines.map(one => ({
          ...one,
          variantId: 'one',
          amount: each,
          isSubscription: false,
        })),
        createdAt: new Date(created).toISOString(),
        currency: 'USD',
        subtotal: o.amount,
        refunded: Math.round(o.amount * o.refund),
        test: o.isTest,
        attributes: o.visitor === null ? {} : { _ts_visitor: o.visitor },
      },
      {
        topic: 'orders/updated',
        shop,
        deliveryId: `delivery-${sent++}`,
        triggeredAt: new Date(created + o.age * 60_000).toISOString(),
      },
      new Date(noon),
      erased,
    )
  })
const told = fc.record({ order: orderId, visitor }).map(
  (message): Act =>
    async () =>
      storePixel(db, await store(), message, new Date(noon), erased),
)
const met = fc
  .record({
    visitor,
    at,
    kind: fc.constantFrom('met', 'met', 'met', 'met', 'bot', 'other'),
    country: fc.constantFrom('DE', 'US', null),
    referrer: fc.constantFrom('', 'https://www.google.com/', 'https://blog.example/'),
    device: fc.constantFrom(0, 1, 2),
    test: fc.constantFrom(running, over),
  })
  .map((m): Act => async () => {
    const own = assign(m.test, m.visitor, tests[m.test]!)
    const beacon: Beacon = {
      v: 1,
      shop,
      visitor: m.visitor,
      session: `session-${m.visitor}`,
      sent: m.at,
      isNew: m.device > 0,
      landing: '/',
      referrer: m.referrer,
      tests: { [m.test]: [m.kind === 'other' ? ((1 - own) as 0 | 1) : own, 7] },
      events: [{ id: `event-${sent++}`, at: m.at, kind: 'exposure', path: '/', tests: [m.test] }],
    }
    const known = await store()
    const rows = eventRows(
      beacon,
      {
        received: m.at,
        device: m.device as 0 | 1 | 2,
        isBot: m.kind === 'bot',
        country: m.country,
      },
      known,
    )
    await db.kysely.transaction().execute(trx => writeRows(trx, rows, () => known))
  })
const forgotten = fc.record({ visitor, order: orderId }).map(
  ({ visitor, order }): Act =>
    () =>
      db.kysely
        .transaction()
        .execute(trx =>
          unlinkShopper(trx, storeId, { visitors: [visitor], orders: [order] }, erased),
        ),
)
const paused = fc.boolean().map((isPaused): Act => async () => {
  await run(
    db.kysely,
    'insert into test_history (store_id, test_id, status, applied_on) values ($1, $2, $3, $4)',
    [storeId, running, isPaused ? 'Paused' : 'Active', new Date(noon - (sent++ % 50) * hour)],
  )
  await run(db.kysely, 'update tests set updated_at = $2 where test_id = $1', [
    running,
    new Date(clock.at),
  ])
})
const counted = fc.constant<Act>(async () => repair(db, shop, [running]))
const summed = fc.constantFrom(running, over).map(
  (test): Act =>
    () =>
      sums(test),
)

const clock = { at: noon }

/** From 100 counted orders the largest are capped, so there are more before anything happens. */
async function manyBuyers(): Promise<void> {
  const known = await store()
  const people = Array.from({ length: 120 }, (_, n) => `steady-${n}`)
  const rows = people.flatMap((visitor, n) =>
    eventRows(
      {
        v: 1,
        shop,
        visitor,
        session: `session-${visitor}`,
        sent: start + hour,
        isNew: true,
        landing: '/',
        referrer: '',
        tests: Object.fromEntries(
          Object.entries(tests).map(([id, weights]) => [id, [assign(id, visitor, weights), 7]]),
        ),
        events: Object.keys(tests).map((id, i) => ({
          id: `steady-${n}-${i}`,
          at: start + hour,
          kind: 'exposure',
          path: '/',
          tests: [id],
        })),
      },
      { received: start + hour, device: 0, isBot: false, country: null },
      known,
    ),
  )
  await db.kysely.transaction().execute(trx => writeRows(trx, rows, () => known))
  await run(
    db.kysely,
    `insert into orders (store_id, order_id, name, created_at, day, visitor_id, amount, refunded, is_test, triggered_at)
    select $1, 'steady-order-' || n, '#' || n, $2::timestamptz + n * interval '1 minute', '2026-11-08', 'steady-' || n, (n * 37 % 50) * 100 + 9000, 0, false, now() from generate_series(0, 119) n`,
    [storeId, new Date(start + 2 * hour)],
  )
}
/** Sums up and returns both kinds of sums. */
async function sums(test: string) {
  clock.at += 2_000
  await rollUpTest(db, storeId, test, new Date(clock.at))
  const { rows } = await sql<{ from: Date; to: Date | null }>`
    select start_at as "from", ended_at as "to" from tests where test_id = ${test}`.execute(
    db.kysely,
  )
  return inSnapshot(db.kysely, async trx => ({
    kept: await keptOrderFigures(trx, storeId, test),
    right: await orderFigures(trx, storeId, test, rows[0]!.from, rows[0]!.to),
  }))
}
const inOrder = ({ kept, right }: Awaited<ReturnType<typeof sums>>) =>
  [kept, right].map(({ days, cells, products, ...rest }) => ({
    ...rest,
    ...Object.fromEntries(
      Object.entries({ days, cells, products }).map(([name, rows]) => [
        name,
        rows.map(row => JSON.stringify(Object.entries(row).sort())).sort(),
      ]),
    ),
  }))

t.test('sums that grow with each order are those over all orders, to the last digit', async t => {
  await manyBuyers()
  const acts = fc.oneof(
    { weight: 40, arbitrary: placed },
    { weight: 30, arbitrary: met },
    { weight: 8, arbitrary: told },
    { weight: 2, arbitrary: forgotten },
    { weight: 1, arbitrary: paused },
    { weight: 1, arbitrary: counted },
    { weight: 8, arbitrary: summed },
  )
  const caps = new Set<number | null>()
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 30, maxLength: 60 }), async sequence => {
      for (const act of sequence) await act()
      for (const test of [running, over]) {
        const found = await sums(test)
        const [kept, right] = inOrder(found)
        t.strictSame(kept, right)
        caps.add(found.right.orderCap)
      }
    }),
    { numRuns: Number(process.env['SHOPS'] ?? 12), endOnFailure: true },
  )
  t.ok(caps.size > 4, 'the cap moved')
  t.strictSame(await recountOrders(db, storeId, new Date(clock.at)), [], 'nothing to repair')
})

t.test('a sum that is wrong is found by the comparison and made again', async t => {
  await sums(running)
  await sql`update test_order_sums set revenue = revenue + 1 where test_id = ${running} and part = 'day'`.execute(
    db.kysely,
  )
  t.strictSame(await recountOrders(db, storeId, new Date(clock.at)), [running])
  const [kept, right] = inOrder(await sums(running))
  t.strictSame(kept, right)
  t.strictSame(await recountOrders(db, storeId, new Date(clock.at)), [])
})

t.test('a change without a mark makes the rollup look at every order', async t => {
  await sums(running)
  await sql`update orders set refunded = refunded + 7 where store_id = ${storeId}`.execute(
    db.kysely,
  )
  await sql`update test_changes set changed = changed + 1, orders_changed = orders_changed + 1`.execute(
    db.kysely,
  )
  const [kept, right] = inOrder(await sums(running))
  t.strictSame(kept, right)
})

t.test('two processes that sum up the same change count it once', async t => {
  await sql`insert into order_marks (store_id, test_id, order_id) select store_id, ${running}, order_id from orders where store_id = ${storeId} limit 1`.execute(
    db.kysely,
  )
  await sql`update test_changes set changed = changed + 1, orders_changed = orders_changed + 1 where test_id = ${running}`.execute(
    db.kysely,
  )
  await Promise.all([1, 2, 3].map(() => rollUpTest(db, storeId, running, new Date(clock.at))))
  const [kept, right] = inOrder(await sums(running))
  t.strictSame(kept, right)
})

t.test('a process that ends before it stores its summary leaves no order out', async t => {
  const stored = () =>
    db.kysely
      .selectFrom('test_summaries')
      .select('order_figures')
      .where('test_id', '=', running)
      .executeTakeFirstOrThrow()
  // Else the rollup would look at every order, because the test's own times may have changed.
  await db.kysely
    .updateTable('tests')
    .set({ updated_at: new Date(start) })
    .where('test_id', '=', running)
    .execute()
  await sums(running)
  const { ledger } = (await stored()).order_figures
  await sql`update orders set refunded = refunded + 1 where store_id = ${storeId} and order_id = (select order_id from test_orders where test_id = ${running} and arm = 0 and share = 1 limit 1)`.execute(
    db.kysely,
  )
  await sql`insert into order_marks (store_id, test_id, order_id) select store_id, ${running}, order_id from orders where store_id = ${storeId}`.execute(
    db.kysely,
  )
  await sql`update test_changes set changed = changed + 1, orders_changed = orders_changed + (select count(*) from order_marks where test_id = ${running}) where test_id = ${running}`.execute(
    db.kysely,
  )
  // It has brought the sums up to date, and not more.
  await inSnapshot(db.kysely, trx => readTest(trx, storeId, running, new Date(clock.at)))
  await rollUpTest(db, storeId, running, new Date(clock.at))
  t.equal((await stored()).order_figures.ledger.arms[0]!.refunds, ledger.arms[0]!.refunds + 1)
})
