import assert from 'node:assert/strict'
import Fastify from 'fastify'
import t from 'tap'
import { mulberry32 } from '../../mulberry32.ts'
import { fc } from '../../properties.ts'
import { sql } from 'kysely'
import { quotas } from '../../../domain/quota.ts'
import { metricNames } from '../../../domain/reports/metric.ts'
import type { TestStatus } from '../../../domain/tests/test-status.ts'
import { keepAnswers } from '../../../engine/http/answers.ts'
import { authTokens } from '../../../engine/session/auth-tokens.ts'
import { breakdowns } from '../../../engine/reports/breakdowns.ts'
import type { EngineContext } from '../../../engine/context.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { eventStores, loadStore } from '../../../engine/events/event-stores.ts'
import { exports } from '../../../engine/reports/exports.ts'
import { startIngest } from '../../../engine/events/ingest.ts'
import { liveTokens } from '../../../engine/session/live-sessions.ts'
import { orderFigures } from '../../../engine/orders/order-figures.ts'
import type { OrderDay } from '../../../engine/db/order-figures.ts'
import { storeOrder } from '../../../engine/orders/orders.ts'
import { smallPlatforms } from '../support/small-platforms.ts'
import { problems } from '../../../engine/http/problems.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { reportProducts } from '../../../engine/reports/report-products.ts'
import { reports } from '../../../engine/reports/reports.ts'
import { rollUpTest } from '../../../engine/reports/rollup-test.ts'
import { routesOf } from '../../../engine/http/routes.ts'
import { testOrders } from '../../../engine/tests/test-orders.ts'
import { validate } from '../../../engine/http/validation.ts'
import { freshDb } from '../support/harness.ts'
import { reference } from '../support/reference.ts'
import type { ReferenceTest, ReferenceVisit } from '../support/reference.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import {
  busy,
  type Delivered,
  edgeNames,
  edgesOf,
  edgyShop,
  ended,
  ordersOf,
  paused,
  type Scenario,
  scenario,
  type Stretch,
  visitsOf,
} from '../support/shop-scenarios.ts'
import { firstShop as shop, sessionSecret } from '../support/small-shop.ts'
import { aggregatesOf, noon } from '../support/traffic.ts'

const hour = 3_600_000
/** How many random shops of each kind a run tries; `npm run soak` tries more. */
const edgy = Number(process.env['SHOPS'] ?? 40),
  runs = { quiet: Math.max(6, edgy / 20), busy: 2 },
  fewest = process.env['PROPERTY_SEED'] && edgy < 200 ? 0 : 3 // Few shops may miss a case.
t.setTimeout(edgy > 40 ? 3_000_000 : 300_000)

t.test(
  'in any order, with repeats and in any batches, events give the figures of the slow reference and of a rebuild',
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const storeId = await seedStore(db)
    await seedTest(db, storeId, { test_id: paused.id, start_at: new Date(paused.start) })
    await seedTest(db, storeId, {
      test_id: ended.id,
      start_at: new Date(paused.start),
      ended_at: new Date(ended.end),
      weights: JSON.stringify(ended.weights),
    })
    const applied = (test: ReferenceTest, status: TestStatus, at: number) => ({
      store_id: storeId,
      test_id: test.id,
      status,
      applied_on: new Date(at),
    })
    const [begun, rested, last] = paused.active as [Stretch, Stretch, Stretch]
    await db.kysely.deleteFrom('test_history').execute()
    await db.kysely
      .insertInto('test_history')
      .values([
        applied(paused, 'Active', paused.start),
        applied(paused, 'Paused', begun[1]),
        applied(paused, 'Suspended', begun[1] + hour),
        applied(paused, 'Active', rested[0]),
        applied(paused, 'OnHold', rested[1]),
        applied(paused, 'Active', last[0]),
        applied(ended, 'Active', paused.start),
        applied(ended, 'Paused', ended.active[0]![1]),
        applied(ended, 'Ended', ended.end),
      ])
      .execute()

    const ask = await asker(db, storeId)
    t.teardown(ask.close)

    // Reports only read stored figures, which each run compares. Only each fifth run asks for them.
    let asked = 0
    const holds = async (given: Scenario) => {
      const visits = visitsOf(given),
        orders = ordersOf(given)
      const expected = [paused, ended].map(test =>
        reference(
          test,
          [paused, ended],
          visits,
          orders.map(o => o.final),
        ),
      )
      const random = mulberry32(given.seed)
      await clear(db)
      await db.kysely.updateTable('stores').set({ currency: given.currency }).execute()
      await play(
        db,
        visits,
        orders.flatMap(o => o.deliveries),
        random,
        given.currency,
      )
      assert.deepEqual(await figuresOf(db, storeId), expected, 'as the reference counts')
      const stored = await aggregatesOf(db),
        summed = await summariesOf(db, storeId),
        isAsked = asked++ % 5 === 0,
        told = isAsked && (await ask.all())

      await clear(db)
      const pieces = visits.flatMap(visit => piecesOf(visit, random))
      const again = shuffled([...pieces, ...pieces.filter(() => random() < 0.3)], random),
        delivered = shuffled(
          orders.flatMap(o => [...o.deliveries, ...o.deliveries.slice(0, 1)]),
          random,
        )
      const half = <T>(all: T[], which: number) => all.filter((_, i) => i % 2 === which)
      await Promise.all(
        [0, 1].map(which =>
          play(
            db,
            half(again, which),
            half(delivered, which),
            mulberry32(given.seed + which),
            given.currency,
          ),
        ),
      )
      assert.deepEqual(
        await aggregatesOf(db),
        stored,
        'cut up, shuffled and repeated, by two writers at once',
      )
      assert.deepEqual(await summariesOf(db, storeId), summed, 'and what is summed up from it')
      assert.deepEqual(isAsked && (await ask.all()), told, 'and every report of it, to the byte')

      await rebuild(db, shop)
      assert.deepEqual(await aggregatesOf(db), stored, 'rebuilt')
      assert.deepEqual(await summariesOf(db, storeId), summed, 'and summed up again')
      assert.deepEqual(await figuresOf(db, storeId), expected, 'and its orders')
      assert.deepEqual(isAsked && (await ask.all()), told, 'and reported again')
      return expected[0]!.cappedOrders
    }
    /** The short check, for many shops: plays the events once, in any order and with repeats. */
    const met = new Map<string, number>()
    const holdsAtEdges = async (given: Scenario) => {
      for (const edge of edgesOf(given)) met.set(edge, (met.get(edge) ?? 0) + 1)
      const visits = visitsOf(given),
        orders = ordersOf(given),
        random = mulberry32(given.seed)
      await clear(db)
      await db.kysely.updateTable('stores').set({ currency: given.currency }).execute()
      await play(
        db,
        shuffled([...visits, ...visits.filter(() => random() < 0.3)], random),
        shuffled(
          orders.flatMap(o => o.deliveries),
          random,
        ),
        random,
        given.currency,
      )
      assert.deepEqual(
        await figuresOf(db, storeId),
        [paused, ended].map(test =>
          reference(
            test,
            [paused, ended],
            visits,
            orders.map(o => o.final),
          ),
        ),
        'as the reference counts',
      )
    }
    // Shrinking a failing shop takes minutes, so fast-check shows it as it was drawn.
    const drawn = (numRuns: number) => ({ numRuns, endOnFailure: true })
    await fc.assert(
      fc.asyncProperty(scenario, async given => {
        await holds(given)
      }),
      drawn(runs.quiet),
    )
    await fc.assert(
      fc.asyncProperty(busy, async given => {
        assert.ok((await holds(given)) > 0, 'orders were capped')
      }),
      drawn(runs.busy),
    )
    await fc.assert(fc.asyncProperty(edgyShop, holdsAtEdges), drawn(edgy))
    t.same(
      edgeNames.filter(edge => (met.get(edge) ?? 0) < fewest),
      [],
      `each edge case occurs in several shops: ${JSON.stringify([...met])}`,
    )
  },
)

/** Splits a visit into two beacons, like a queue that is sent in pieces. One event is in both. */
function piecesOf(visit: ReferenceVisit, random: () => number): ReferenceVisit[] {
  const cut = Math.floor(random() * visit.beacon.events.length)
  const parts = [visit.beacon.events.slice(0, cut + 1), visit.beacon.events.slice(cut)]
  return parts.map(events => ({ ...visit, beacon: { ...visit.beacon, events } }))
}

async function play(
  db: Db,
  visits: ReferenceVisit[],
  orders: Delivered[],
  random: () => number,
  currency: string,
): Promise<void> {
  const ingest = startIngest({
    db,
    stores: eventStores(db, () => new Date(noon)),
    onError: error => {
      throw error
    },
  })
  const store = (await loadStore(db, shop))!
  const steps: (() => Promise<void>)[] = []
  for (let rest = [...visits]; rest.length > 0;) {
    const together = rest.splice(0, 1 + Math.floor(random() * 4))
    steps.push(async () => {
      await Promise.all(
        together.map(v =>
          ingest.submit({
            beacon: v.beacon,
            arrival: {
              received: v.received,
              device: v.device as 0 | 1 | 2,
              isBot: v.isBot,
              country: v.country,
            },
          }),
        ),
      )
    })
  }
  for (const o of orders) {
    const attributes: Record<string, string> = o.visitor === null ? {} : { _ts_visitor: o.visitor }
    steps.push(
      async () =>
        void (await storeOrder(
          db,
          store,
          {
            id: o.id,
            name: `#${o.id}`,
            type: o.type,
            lines: [
              {
                productId: o.product,
                variantId: o.product,
                title: `Product ${o.product}`,
                quantity: o.units,
                amount: o.amount,
                isSubscription: o.type !== 'oneTime',
              },
            ],
            createdAt: new Date(o.at).toISOString(),
            currency,
            subtotal: o.amount,
            refunded: o.refunded,
            test: o.test,
            attributes,
          },
          {
            topic: 'orders/create',
            shop,
            deliveryId: o.delivery,
            triggeredAt: new Date(o.triggered).toISOString(),
          },
          new Date(noon),
        )),
    )
  }
  // Tests are also summed up between events, to check what one summary takes from the last.
  for (const test of [paused, ended])
    steps.push(
      () => rollUpTest(db, store.id, test.id, new Date(noon)),
      () => rollUpTest(db, store.id, test.id, new Date(noon)),
    )
  for (const step of shuffled(steps, random)) await step()
  await ingest.close()
}

/** The stored figures, in the shape of the reference. */
async function figuresOf(db: Db, storeId: string): Promise<unknown> {
  const found = []
  for (const test of [paused, ended]) {
    const { rows: days } = await sql<Counts>`
      select day || ' ' || arm || ' ' || case when dimension = 'all' then 'all' else value end as key, visitors, clickers, adders, bounces, sessions from test_days where test_id = ${test.id} and (visitors <> 0 or sessions <> 0)`.execute(
      db.kysely,
    )
    const { rows: cube } = await sql<Counts>`
      select arm || ' ' || device || ' ' || channel || ' ' || is_new || ' ' || referrer || ' ' || country as key, visitors, clickers, adders, bounces, sessions from test_cube where test_id = ${test.id} and (visitors <> 0 or sessions <> 0)`.execute(
      db.kysely,
    )
    const { rows: arms } = await sql<{
      arm: number
    }>`select arm, assigned, applied, exposed, recorded, bots, both_arms, set_aside, consented, bot_visitors, bot_clickers, bot_adders from test_arms where test_id = ${test.id}`.execute(
      db.kysely,
    )
    const none = {
      assigned: 0,
      applied: 0,
      exposed: 0,
      recorded: 0,
      bots: 0,
      both_arms: 0,
      set_aside: 0,
      consented: 0,
      bot_visitors: 0,
      bot_clickers: 0,
      bot_adders: 0,
    }
    const { rows: speed } = await sql<{
      key: string
      pages: number
    }>`select arm || ' ' || metric || ' ' || place as key, pages from test_speed where test_id = ${test.id}`.execute(
      db.kysely,
    )
    const { rows: seen } = await sql<{
      key: string
      viewers: number
      adders: number
    }>`select product_id || ' ' || arm as key, viewers, adders from test_product_visitors where test_id = ${test.id} and (viewers <> 0 or adders <> 0)`.execute(
      db.kysely,
    )
    const {
      days: orderDays,
      cells,
      bots,
      ledger,
      orderCap,
      cappedOrders,
    } = await orderFigures(
      db.kysely,
      storeId,
      test.id,
      new Date(test.start),
      test.end === Infinity ? null : new Date(test.end),
    )
    const lines = [
      ...ledger.arms.map((line, arm) => ({ ...line, reason: `arm ${arm}` })),
      ...ledger.excluded,
    ].filter(line => line.orders > 0)
    found.push({
      days: byKey(days.map(countsOf)),
      cube: byKey(cube.map(countsOf)),
      arms: [0, 1].map(arm => {
        const { arm: _, ...figures } = { arm, ...none, ...arms.find(a => a.arm === arm) }
        return figures
      }),
      orderDays: byKey(orderDays.map(d => [`${d.day} ${d.arm}`, sumsOf(d)])),
      cells: byKey(
        cells.map(c => [
          `${c.arm} ${c.device} ${c.channel} ${c.isNew} ${c.referrer} ${c.country} ${c.type}`,
          { ...sumsOf(c), units: c.units },
        ]),
      ),
      speed: byKey(speed.map(s => [s.key, s.pages])),
      products: byKey(seen.map(s => [s.key, [s.viewers, s.adders]])),
      bots: bots.map(sumsOf),
      ledger: byKey(lines.map(line => [line.reason, [line.orders, line.amount, line.refunds]])),
      orderCap,
      cappedOrders,
    })
  }
  return found
}

type Counts = {
  key: string
  visitors: number
  clickers: number
  adders: number
  bounces: number
  sessions: number
}
const countsOf = (c: Counts): [string, number[]] => [
  c.key,
  [c.visitors, c.clickers, c.adders, c.bounces, c.sessions],
]
const sumsOf = (s: Omit<OrderDay, 'day' | 'arm'>) => ({
  buyers: s.buyers,
  orders: s.orders,
  revenue: s.revenue,
  capped: s.cappedRevenue,
  squares: s.cappedRevenueSquares,
  orderSquares: s.orderSquares,
  products: s.cappedRevenueOrders,
})

/** Asks every report call as a merchant does, over HTTP. */
async function asker(
  db: Db,
  storeId: string,
): Promise<{ all: () => Promise<Record<string, string>>; close: () => Promise<void> }> {
  const clock = () => new Date(noon),
    app = Fastify()
  app.setValidatorCompiler(validate)
  problems(app)
  const answers = await keepAnswers(db),
    tokens = liveTokens(authTokens([sessionSecret], clock), db)
  const platforms = smallPlatforms(),
    serve = routesOf(app, tokens, answers, platforms, { ...quotas, requests: 10_000_000 })
  const context = { db, clock, platforms, platform: platforms.shops } as EngineContext
  for (const feature of [reports, breakdowns, exports, reportProducts, testOrders])
    feature(serve, context)
  const { token } = await tokens.access({ storeId, shop }, clock())
  const own = (test: string, path: string) => `/api/v0/tests/${test}/${path}`
  const urls = [paused, ended].flatMap(({ id }) => [
    ...metricNames.map(metric => own(id, `daily/by-${metric}`)),
    ...[
      'by-channel',
      'by-order-type',
      'by-device',
      'by-visitors',
      'by-country',
      'referrers',
      'by-country?country=unknown',
      'by-channel?country=DE',
      'referrers?country=unknown&sort=lift',
      'by-product',
    ].map(path => own(id, `visitors/${path}`)),
    ...['orders?pageSize=100', 'orders?part=variant', 'export', 'export-orders', 'export-zip'].map(
      path => own(id, path),
    ),
  ])
  return {
    all: async () => {
      const told: Record<string, string> = {}
      for (const url of urls) {
        const { statusCode, rawPayload } = await app.inject({
          url,
          headers: { authorization: `Bearer ${token}` },
        })
        assert.equal(statusCode, 200, `${url}: ${rawPayload.toString().slice(0, 200)}`)
        told[url] = rawPayload.toString('base64')
      }
      return told
    },
    close: async () => {
      await app.close()
      await platforms.close()
      await answers.close()
    },
  }
}

/** The stored results after summing up what is due. */
async function summariesOf(db: Db, storeId: string): Promise<unknown> {
  for (const test of [paused, ended]) await rollUpTest(db, storeId, test.id, new Date(noon))
  const { rows: cells } =
    await sql`select * from test_cube_orders order by test_id, country, referrer, arm, device, channel, is_new, type`.execute(
      db.kysely,
    )
  return [
    cells,
    (
      await sql`select summary, days, order_figures from test_summaries order by test_id`.execute(
        db.kysely,
      )
    ).rows,
  ]
}

async function clear(db: Db): Promise<void> {
  await sql`truncate events, test_visitors, test_days, test_arms, test_cube, test_cube_orders, test_orders, test_order_sums, test_order_titles, test_order_states, order_marks, test_speed, test_visitor_products, test_product_visitors, test_product_orders, visitor_sessions, store_visitors, store_periods, orders, webhook_deliveries, test_changes, test_summaries`.execute(
    db.kysely,
  )
}

const byKey = <T>(entries: [string, T][]): Record<string, T> => Object.fromEntries(entries)

function shuffled<T>(items: T[], random: () => number): T[] {
  return items
    .map(item => ({ item, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
