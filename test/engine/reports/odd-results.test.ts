import t, { type Test as Tap } from 'tap'
import { Compile } from 'typebox/compile'
import type { ArmIndex } from '../../../domain/arm.ts'
import { type CallName, contract, type Input } from '../../../domain/api/contract.ts'
import type { Beacon } from '../../../domain/events/event.ts'
import { metricNames } from '../../../domain/reports/metric.ts'
import { run } from '../../../engine/db/raw.ts'
import { eventStores } from '../../../engine/events/event-stores.ts'
import { startIngest } from '../../../engine/events/ingest.ts'
import { startEngine } from '../support/engine.ts'
import { seedTest } from '../support/seeds.ts'
import { beacon, event, noon, visitorIn } from '../support/traffic.ts'

/*
 * Every report shows correct figures for odd or empty tests: null where there is no figure, and
 * never NaN, Infinity or the text "undefined".
 */
const hour = 3_600_000
const { engine, db, call, now, ownToken, close } = await startEngine()
t.teardown(close)
now.at = new Date(noon)
const { id: storeId } = await call('storeInfo', {})
const ingest = startIngest({
  db,
  stores: eventStores(db, () => now.at),
  onError: error => {
    throw error
  },
})
t.teardown(() => ingest.close())

type Shopper = {
  arm: ArmIndex
  orders?: [amount: number, refunded: number][]
  over?: Partial<Beacon>
  metAt?: number
  hasMetBoth?: boolean
}
/** Makes a test that only these shoppers met, five hours ago, with their orders, and sums it up. */
async function testWith(shoppers: Shopper[]): Promise<string> {
  const testId = await seedTest(db, storeId, {
    start_at: new Date(noon - 240 * hour),
    goal: 'RevenuePerSession',
  })
  await run(db.kysely, 'delete from orders', [])
  const met = noon - 5 * hour,
    orders: [id: string, visitor: string, amount: number, refunded: number][] = []
  await Promise.all(
    shoppers.map(({ arm, over, metAt = met, hasMetBoth, orders: own = [] }, i) => {
      const visitor = visitorIn(testId, arm, `${testId.slice(0, 8)}-${i}`)
      own.forEach(([amount, refunded], n) =>
        orders.push([`${testId}-${i}-${n}`, visitor, amount, refunded]),
      )
      const sent = (tests: Beacon['tests']) =>
        ingest.submit({
          beacon: beacon(
            visitor,
            tests,
            [event('exposure', metAt, [testId]), event('view', metAt)],
            over,
          ),
          arrival: { received: noon, device: 0, isBot: false },
        })
      return Promise.all([
        sent({ [testId]: [arm, 7] }),
        ...(hasMetBoth ? [sent({ [testId]: [arm === 0 ? 1 : 0, 7] })] : []),
      ])
    }),
  )
  await run(
    db.kysely,
    `insert into orders (store_id, order_id, name, created_at, day, visitor_id, amount, refunded, is_test, triggered_at, units, lines)
    select $1, o.id, '#' || o.id, $2, '2026-11-10', o.visitor, o.amount, o.refunded, false, $2, 1, '[{"productId":"1","variantId":"1","title":"Mug","quantity":1,"amount":100,"isSubscription":false}]'
    from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[]) o(id, visitor, amount, refunded)`,
    [storeId, new Date(noon - hour), ...[0, 1, 2, 3].map(place => orders.map(o => o[place]))],
  )
  // These orders came without a webhook, so mark them as changed. Otherwise the background may have
  // summed up just before them.
  await run(
    db.kysely,
    `insert into test_changes as c (store_id, test_id, changed, orders_changed) values ($1, $2, 1, 1)
    on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + 1`,
    [storeId, testId],
  )
  await engine.rollUp()
  return testId
}

/**
 * Reads every report of a test and checks it against its schema, so that null is only where the
 * schema allows it.
 */
async function reports(t: Tap, id: string) {
  const asked = async <N extends CallName>(name: N, input: Input<N>) => {
    const answer = await call(name, input)
    const check = checks.get(name) ?? Compile(contract[name].response as never)
    checks.set(name, check)
    t.same([...check.Errors(answer)].slice(0, 3), [], name)
    return answer
  }
  const params = { id },
    query = {}
  const { summary } = await asked('test', { params })
  for (const metric of metricNames) await asked('dailyBy', { params: { id, metric } })
  const rows = await Promise.all(
    (['byChannel', 'byOrderType', 'byDevice', 'byVisitors', 'byCountry', 'referrers'] as const).map(
      async name => [name, await asked(name, { params, query })] as const,
    ),
  )
  const products = await asked('byProduct', { params, query }),
    orders = await asked('testOrders', { params, query })
  for (const what of ['export', 'export-orders', 'export-zip']) {
    const answer = await engine.app.inject({
      url: `/api/v0/tests/${id}/${what}`,
      headers: { authorization: `Bearer ${await ownToken()}` },
    })
    t.equal(answer.statusCode, 200, what)
    if (what !== 'export-zip') t.notMatch(answer.body, /NaN|Infinity|undefined|null/, what)
  }
  return { summary, products, orders, breakdowns: Object.fromEntries(rows) }
}
const checks = new Map<CallName, ReturnType<typeof Compile>>()
const goal = ({ goals }: Awaited<ReturnType<typeof reports>>['summary'], name: string) =>
  goals.find(g => g.goal === name)!
const many = (
  count: number,
  arm: ArmIndex,
  of: (i: number) => Partial<Shopper> = () => ({}),
): Shopper[] => Array.from({ length: count }, (_, i) => ({ arm, ...of(i) }))
const everyFourth =
  (amount: number, refunded = 0) =>
  (i: number): Partial<Shopper> =>
    i % 4 === 0 ? { orders: [[amount, refunded]] } : {}

t.test('no visitors', async t => {
  const { summary, products, orders, breakdowns } = await reports(t, await testWith([]))
  t.match(summary, {
    visitors: [0, 0],
    verdict: { kind: 'collecting' },
    split: { p: null, broken: false },
    orderCap: null,
    withBots: null,
    consented: [0, 0],
  })
  for (const { arms, chanceToWin, lift, interval } of summary.goals)
    t.same(
      [arms.map(arm => arm.value), chanceToWin, lift, interval],
      [[null, null], null, null, null],
    )
  t.same(products, { visitors: [0, 0], rows: [], count: 0 })
  t.same(orders, { rows: [], count: 0, total: { orders: 0, amount: 0, refunds: 0 }, isKept: true })
  for (const [name, { rows }] of Object.entries(breakdowns)) t.same(rows, [], name)
})

t.test('one arm only: no comparison, and the split is broken', async t => {
  const { summary, breakdowns } = await reports(t, await testWith(many(150, 0, everyFourth(2_000))))
  t.match(summary, {
    visitors: [150, 0],
    split: { broken: true },
    verdict: { kind: 'splitBroken' },
  })
  for (const { arms, chanceToWin, lift } of summary.goals)
    t.same([arms[1].value, chanceToWin, lift], [null, null, null])
  t.match(breakdowns['byDevice'], {
    rows: [
      {
        value: 'desktop',
        arms: [
          { visitors: 150, orders: 38 },
          { visitors: 0, conversionRate: null, averageOrderValue: null },
        ],
        lift: null,
        chanceToWin: null,
      },
    ],
  })
})

t.test('with orders of zero, rates are compared but amounts are not', async t => {
  const { summary, products } = await reports(
    t,
    await testWith([...many(150, 0, everyFourth(0)), ...many(150, 1, everyFourth(0))]),
  )
  t.ok(
    goal(summary, 'ConversionRate').chanceToWin! > 0.3 &&
      goal(summary, 'ConversionRate').lift === 0,
  )
  for (const name of ['RevenuePerSession', 'AverageOrderValue'])
    t.match(
      goal(summary, name),
      { arms: [{ value: 0 }, { value: 0 }], lift: null, interval: null },
      name,
    )
  t.not(summary.verdict.kind, 'winner')
  t.match(products, {
    rows: [
      {
        title: 'Mug',
        arms: [
          { buyers: 38, units: 38 },
          { buyers: 38, units: 38 },
        ],
      },
    ],
  })
})

t.test('one giant order is whole in the totals and capped in the comparison', async t => {
  const giant = 99_999_999_999_999
  const { summary } = await reports(
    t,
    await testWith([
      ...many(240, 0, everyFourth(2_000)),
      ...many(240, 1, i => (i === 4 ? { orders: [[giant, 0]] } : everyFourth(2_000)(i))),
    ]),
  )
  const { arms, lift } = goal(summary, 'RevenuePerSession')
  t.equal(summary.ledger.total.amount, 119 * 2_000 + giant)
  t.equal(arms[1].value, (59 * 2_000 + giant) / 240)
  t.same([summary.cappedOrders, summary.orderCap], [1, 2_000])
  t.same([lift, summary.verdict.kind === 'winner'], [0, false])
})

t.test('refunds above the order’s amount are listed and reduce nothing', async t => {
  const { summary, orders } = await reports(
    t,
    await testWith([
      ...many(150, 0, everyFourth(2_000, 5_000)),
      ...many(150, 1, everyFourth(2_000, 2_001)),
    ]),
  )
  t.same(summary.ledger.arms, [
    { orders: 38, amount: 76_000, refunds: 190_000 },
    { orders: 38, amount: 76_000, refunds: 76_038 },
  ])
  t.same(orders.total, { orders: 76, amount: 152_000, refunds: 266_038 })
  t.equal(goal(summary, 'RevenuePerSession').arms[0].value, 76_000 / 150)
})

t.test('when all visitors met both arms, none is counted, and the report says so', async t => {
  const { summary, orders } = await reports(
    t,
    await testWith([
      ...many(20, 0, i => ({ hasMetBoth: true, ...everyFourth(2_000)(i) })),
      ...many(20, 1, () => ({ hasMetBoth: true })),
    ]),
  )
  t.match(summary, { visitors: [0, 0], bothArms: 40, verdict: { kind: 'collecting' } })
  t.match(orders, {
    count: 5,
    rows: Array.from({ length: 5 }, () => ({
      arm: null,
      reason: 'bothArms',
      visitor: { device: 'desktop' },
    })),
  })
})

t.test('a clock that is a day ahead is corrected; an event from tomorrow is set aside', async t => {
  const ahead = 24 * hour
  const id = await testWith([
    ...many(3, 0, () => ({ metAt: noon - 5 * hour + ahead, over: { sent: noon + ahead } })),
    ...many(2, 1, () => ({ metAt: noon + ahead })),
  ])
  const { summary } = await reports(t, id)
  t.match(summary, { visitors: [3, 0], setAside: 4 })
  const { days } = await db.kysely
    .selectFrom('test_summaries')
    .select('days')
    .where('test_id', '=', id)
    .executeTakeFirstOrThrow()
  t.ok(days.length > 0 && days.every(({ day }) => day <= '2026-11-10'), 'no day of tomorrow')
})
