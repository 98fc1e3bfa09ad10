import t from 'tap'
import { keepOrders } from '../../../bench/kept-orders.ts'
import { assign } from '../../../domain/tests/assignment.ts'
import { type EventKind, eventKinds } from '../../../domain/events/event.ts'
import { authTokens } from '../../../engine/session/auth-tokens.ts'
import { run } from '../../../engine/db/raw.ts'
import {
  type CollectingStore,
  eventStores,
  loadStore,
} from '../../../engine/events/event-stores.ts'
import { startIngest } from '../../../engine/events/ingest.ts'
import { commitTime } from '../../../engine/tests/test-statuses.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { fc } from '../../properties.ts'
import { startEngine } from '../support/engine.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop, sessionSecret } from '../support/small-shop.ts'
import { aggregatesOf, noon } from '../support/traffic.ts'
import { seedVisitorDays } from '../support/visitor-days.ts'

const { engine, db, now, call, close } = await startEngine()
t.teardown(close)
const store = (await call('storeInfo', {})).id
const day = 86_400_000
const begun = new Date('2026-11-02T12:00:00Z')
const at = (days: number) => {
  now.at = new Date(begun.getTime() + days * day)
}
// Tokens last ten minutes, but these tests move the clock by weeks.
const token = async () =>
  (
    await authTokens([sessionSecret], () => now.at).access(
      { storeId: store, shop: firstShop },
      now.at,
    )
  ).token
const put = async (id: string, status: 'Active' | 'Paused' | 'Ended') =>
  call('updateTest', { params: { id }, body: { status } }, await token())
const summedUp = async (id: string) => {
  await engine.rollUp()
  return call('test', { params: { id } }, await token())
}
/**
 * A test of two planned weeks with enough visitors for its end, no difference, and too few visitors
 * for the early rule.
 */
async function newTest(): Promise<string> {
  at(0)
  const id = await seedTest(db, store, {
    start_at: begun,
    goal: 'ClickThroughRate',
    planned_visitors: 100_000,
  })
  await seedVisitorDays(db, store, id, '2026-11-03', [
    { visitors: 1000, clickers: 100 },
    { visitors: 1000, clickers: 100 },
  ])
  return id
}

t.test(
  'the planned end of a test does not come during a pause, and it is later after the pause',
  async t => {
    const id = await newTest()
    at(13)
    await put(id, 'Paused')
    at(20)
    const paused = await summedUp(id)
    t.match(
      paused.summary.verdict,
      { kind: 'leaning', reachedAt: null },
      'no verdict at an end that will move',
    )
    t.notOk(paused.events.some(e => e.kind === 'Duration'))
    t.equal(
      Date.parse(paused.endsAt!),
      begun.getTime() + 21 * day,
      'the end is shown as if the test resumed now',
    )
    at(20.6)
    t.equal(
      (await call('test', { params: { id } }, await token())).endsAt,
      paused.endsAt,
      'the end moves by whole days',
    )
    t.equal(
      (await call('tests', { query: {} }, await token())).tests.find(test => test.id === id)!
        .endsAt,
      paused.endsAt,
      'the list shows the same end',
    )
    at(23.5)
    t.equal(Date.parse((await put(id, 'Active')).endsAt!), begun.getTime() + 24 * day)
    t.equal((await summedUp(id)).summary.verdict.kind, 'leaning')
    at(24.01)
    const over = await summedUp(id)
    t.match(over.summary.verdict, { kind: 'noDifference', reachedAt: now.at.toISOString() })
    t.equal(over.events.filter(e => e.kind === 'Duration').length, 1)
    t.equal(over.events.filter(e => e.kind === 'Lift').length, 1)
  },
)

t.test(
  'ending a paused test adds the days of its pause too, so it ended before its planned end',
  async t => {
    const id = await newTest()
    at(10)
    await put(id, 'Paused')
    at(15.5)
    t.equal(Date.parse((await put(id, 'Ended')).endsAt!), begun.getTime() + 19 * day)
    t.match((await summedUp(id)).summary.verdict, { kind: 'leaning', reachedAt: null })
  },
)

t.test(
  'days of a pause do not count for the traffic, which is unknown before the first full day',
  async t => {
    const id = await newTest()
    at(0.9)
    t.match((await summedUp(id)).summary, {
      traffic: 'unknown',
      estimatedCompletionDate: null,
      smallestEffect: null,
    })
    at(2.5)
    // 2,000 visitors on the one full day, so the missing visitors come within weeks.
    const running = await summedUp(id)
    t.match(running.summary, { traffic: 'enough', estimatedCompletionDate: String })
    await put(id, 'Paused')
    at(12.5)
    await put(id, 'Active')
    const { summary } = await summedUp(id)
    t.match(
      summary,
      { traffic: 'enough', estimatedCompletionDate: String },
      'ten days of pause are no lack of visitors',
    )
  },
)

t.test(
  'the loss per month is for thirty days like those that the test ran, from the first hour on',
  async t => {
    const id = await newTest()
    const ofArm = (arm: 0 | 1, buyers: number) => ({
      day: '2026-11-03',
      arm,
      buyers,
      orders: buyers,
      revenue: buyers * 5000,
      cappedRevenue: buyers * 5000,
      cappedRevenueSquares: buyers * 5000 ** 2,
      orderSquares: buyers,
      cappedRevenueOrders: buyers * 5000,
    })
    await keepOrders(
      db,
      { store_id: store, test_id: id },
      [ofArm(0, 30), ofArm(1, 31)],
      new Date(begun.getTime() + 2 * commitTime),
    )
    const lossAt = async (days: number) => {
      at(days)
      return (await summedUp(id)).summary.goals.find(each => each.goal === 'ConversionRate')!
        .arms[1]
    }
    // 2,000 visitors in a sixth of a day are 360,000 in thirty days.
    const early = await lossAt(1 / 6)
    t.ok(
      Math.abs(early.lossPerMonth! / (early.loss! * 0.03 * 360_000 * 5000) - 1) < 1e-6,
      String(early.lossPerMonth),
    )
    const late = await lossAt(2)
    t.ok(Math.abs(early.lossPerMonth! / late.lossPerMonth! - 12) < 1e-6)
  },
)

t.test('a planned end that had passed before the pause does not move', async t => {
  const id = await newTest()
  at(15)
  const { summary } = await summedUp(id)
  t.equal(summary.verdict.kind, 'noDifference')
  await put(id, 'Paused')
  at(18)
  t.same((await summedUp(id)).summary.verdict, summary.verdict, 'and the verdict does not change')
  t.equal(Date.parse((await put(id, 'Active')).endsAt!), begun.getTime() + 14 * day)
})

t.test(
  'a batch with an old view of the store, which does not know a pause yet, counts events as later batches did',
  async t => {
    const db = await freshDb(),
      minute = 60_000,
      pausedAt = noon - 60 * minute
    t.teardown(() => db.close())
    const storeId = await seedStore(db),
      id = await seedTest(db, storeId)
    const readAt = async (ago: number) => (await loadStore(db, firstShop, performance.now() - ago))!
    let n = 0
    const put = async (store: CollectingStore, kind: 'exposure' | 'view', at: number) => {
      const ingest = startIngest({
        db,
        stores: { byShop: async () => store, fresh: async () => store },
        onError: error => {
          throw error
        },
      })
      await ingest.submit({
        arrival: { received: at, device: 0, isBot: false, country: null },
        beacon: {
          v: 1,
          shop: firstShop,
          visitor: 'visitor-1',
          session: 'session-1',
          sent: at,
          isNew: true,
          landing: '/',
          referrer: '',
          tests: { [id]: [assign(id, 'visitor-1', [0.5, 0.5]), 7] },
          events: [
            {
              id: `event-number-${n++}`,
              at,
              kind,
              path: '/',
              ...(kind === 'exposure' && { tests: [id] }),
            },
          ],
        },
      })
      await ingest.close()
    }
    const before = await readAt(3 * minute)
    await put(before, 'exposure', pausedAt - 5 * minute)
    await put(before, 'view', pausedAt - 5 * minute)
    await db.kysely
      .insertInto('test_history')
      .values({ store_id: storeId, test_id: id, status: 'Paused', applied_on: new Date(pausedAt) })
      .execute()
    await put(await readAt(0), 'view', pausedAt + 3 * minute)
    await put(before, 'view', pausedAt - minute)
    const live = await aggregatesOf(db)
    await rebuild(db, firstShop)
    t.same(await aggregatesOf(db), live)
  },
)

t.test(
  'a rebuild gives the same figures when changes of status are stored late and events come hours late',
  async t => {
    const db = await freshDb(),
      minute = 60_000,
      hour = 60 * minute
    t.teardown(() => db.close())
    const storeId = await seedStore(db),
      id = await seedTest(db, storeId)
    const clock = { at: noon },
      ingest = startIngest({
        db,
        stores: eventStores(db, () => new Date(clock.at)),
        onError: error => {
          throw error
        },
      })
    t.teardown(() => ingest.close())
    const changes = [
      ['Paused', noon - 3 * hour, 50_000],
      ['Active', noon - 2.5 * hour, 45_000],
      ['OnHold', noon - hour, 1_000],
      ['Active', noon - 40 * minute, 40_000],
    ] as const
    const steps: { at: number; run: () => Promise<unknown> }[] = changes.map(
      ([status, at, late]) => ({
        at: at + late,
        run: () =>
          db.kysely
            .insertInto('test_history')
            .values({ store_id: storeId, test_id: id, status, applied_on: new Date(at) })
            .execute(),
      }),
    )
    const acts = fc.sample(
      fc.record({
        visitor: fc.constantFrom('visitor-1', 'visitor-2', 'visitor-3', 'visitor-4', 'visitor-5'),
        session: fc.constantFrom('session-1', 'session-2'),
        kind: fc.constantFrom<EventKind>('exposure', 'view', 'view', 'click', 'cart', 'vitals'),
        near: fc.constantFrom(noon, ...changes.map(([, at]) => at)),
        off: fc.integer({ min: -4 * minute, max: 4 * minute }),
        late: fc.constantFrom(0, 500, 20_000, 90 * minute, 5 * hour),
        product: fc.constantFrom('101', '102'),
        lcp: fc.nat(4000),
      }),
      240,
    )
    for (const [n, { visitor, session, kind, near, off, late, product, lcp }] of acts.entries()) {
      const at = near + off,
        received = at + late
      steps.push({
        at: received,
        run: () =>
          ingest.submit({
            arrival: { received, device: 0, isBot: false, country: null },
            beacon: {
              v: 1,
              shop: firstShop,
              visitor,
              session,
              sent: received,
              isNew: true,
              landing: '/',
              referrer: '',
              tests: { [id]: [assign(id, visitor, [0.5, 0.5]), 7] },
              events: [
                {
                  id: `event-number-${n}`,
                  at,
                  kind,
                  path: '/',
                  ...(kind === 'view' || kind === 'cart' ? { product } : { tests: [id] }),
                  ...(kind === 'vitals' && { vitals: { lcp } }),
                },
              ],
            },
          }),
      })
    }
    for (const step of steps.sort((a, b) => a.at - b.at)) {
      clock.at = step.at
      await step.run()
    }
    const live = (await aggregatesOf(db)) as Record<
      string,
      { part?: string | number; last_cart_at?: Date | null }[]
    >
    t.ok(
      live['sessions']!.some(({ part }) => Number(part) > 0) &&
        live['visitors']!.some(one => one.last_cart_at) &&
        live['products']!.length > 0,
    )
    await rebuild(db, firstShop)
    t.same(await aggregatesOf(db), live)
    // The rows as versions wrote them that did not leave out pauses.
    await run(db.kysely, `update events set tests = array[$1::uuid] where kind = $2`, [
      id,
      eventKinds.indexOf('cart'),
    ])
    await rebuild(db, firstShop)
    t.same(await aggregatesOf(db), live, 'also with rows of an earlier version')
  },
)
