import { cyclePeriod } from '../../../../engine/events/fold/periods.ts'
import t from 'tap'
import { sql } from 'kysely'
import type { ArmIndex } from '../../../../domain/arm.ts'
import { loadStore } from '../../../../engine/events/event-stores.ts'
import { forgetNetworks } from '../../../../engine/events/network-days.ts'
import { findDifferences } from '../../../../engine/events/rebuild-aside.ts'
import { rebuild } from '../../../../engine/events/rebuild.ts'
import { startEngine } from '../../support/engine.ts'
import { seedTest } from '../../support/seeds.ts'
import { firstShop } from '../../support/small-shop.ts'
import {
  aggregatesOf,
  beacon,
  browser,
  deliver,
  event,
  noon,
  order,
  visitorIn,
} from '../../support/traffic.ts'

const engine = await startEngine()
const { db, now, call } = engine
const { app } = engine.engine
t.teardown(engine.close)
now.at = new Date(noon)
const { id: store } = await call('storeInfo', {})
await db.kysely
  .updateTable('stores')
  .set({ origin: 'http://localhost:3002' })
  .where('store_id', '=', store)
  .execute()
const testId = await seedTest(db, store)

/**
 * Sends a beacon from this address: an exposure, a product view, an add to cart and a measured
 * page.
 */
async function visit(visitor: string, arm: ArmIndex, remoteAddress: string) {
  const at = now.at.getTime()
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/collect',
    remoteAddress,
    headers: {
      'content-type': 'text/plain',
      'user-agent': browser,
      origin: 'http://localhost:3002',
    },
    payload: JSON.stringify(
      beacon(
        visitor,
        { [testId]: [arm, 7] },
        [
          event('exposure', at - 5_000, [testId]),
          { ...event('view', at - 5_000), product: '7' },
          event('cart', at - 2_000),
          { ...event('vitals', at - 1_000, [testId]), vitals: { lcp: 1200, cls: 0 } },
        ],
        { sent: at },
      ),
    ),
  })
  if (statusCode !== 204) throw new Error(`The beacon was answered ${statusCode}: ${body}`)
}
/** Honest visitors of both arms, each from its own network. */
async function honest(count: number, name: string) {
  for (let n = 0; n < count; n++)
    await visit(visitorIn(testId, n % 2 ? 1 : 0, `${name}-${n}`), n % 2 ? 1 : 0, `198.51.${n}.7`)
}
/**
 * Forged visitors of both arms from one network. network-arms.test.ts tests networks with one arm.
 */
const forged = (count: number, name: string, network: string) =>
  Promise.all(
    Array.from({ length: count }, (_, n) => {
      const arm = n % 2 ? 0 : 1
      return visit(visitorIn(testId, arm, `${name}-${n}`), arm, `${network}.${n % 250}`)
    }),
  )
async function summary() {
  await engine.engine.runJobs()
  await engine.engine.rollUp()
  return (await call('test', { params: { id: testId } })).summary
}
const cycleVisitors = async () => {
  const { cycleAnchor } = (await loadStore(db, firstShop))!
  return (
    await sql<{
      visitors: number
    }>`select visitors from store_periods where store_id = ${store} and period = ${cyclePeriod(cycleAnchor, now.at.getTime())}`.execute(
      db.kysely,
    )
  ).rows[0]!.visitors
}

t.test('visitors forged from one network do not break the split or count for the plan', async t => {
  await honest(24, 'honest')
  await forged(150, 'forged', '203.0.113')
  const found = await summary()
  t.same(found.visitors, [12, 12])
  t.equal(found.split.broken, false)
  t.same(found.aside, { visitors: [75, 75], networks: 1, warned: 0 })
  t.equal(await cycleVisitors(), 24)
  t.same(
    found.speed.find(row => row.metric === 'lcp')?.arms.map(arm => arm.pages),
    [12, 12],
    'their page speeds do not count',
  )
  await forged(5, 'later', '203.0.113')
  t.equal(await cycleVisitors(), 24, 'later forged visitors do not count either')
})

t.test('a rebuild gives the same figures', async t => {
  const kept = await aggregatesOf(db)
  t.same(await findDifferences(db, firstShop), { tests: [], sessions: false })
  await rebuild(db, firstShop)
  t.same(await aggregatesOf(db), kept)
})

t.test('a network that orders is counted again, with a warning', async t => {
  await deliver(
    app,
    order('order-forged', visitorIn(testId, 0, 'forged-3'), noon, '20.00', { test: true }),
  )
  t.same(
    (await summary()).aside?.visitors,
    [77, 78],
    'a test order does not bring the network back',
  )
  await deliver(app, order('order-real', visitorIn(testId, 1, 'forged-4'), noon, '20.00'))
  const found = await summary()
  t.same(found.aside, { visitors: [0, 0], networks: 0, warned: 1 })
  t.same(found.visitors, [89, 90])
  t.equal(await cycleVisitors(), 179)
  t.same(
    found.speed.find(row => row.metric === 'lcp')?.arms.map(arm => arm.pages),
    [89, 90],
  )
  t.equal(found.ledger.arms[1].orders, 1)
  t.same(await findDifferences(db, firstShop), { tests: [], sessions: false })
})

t.test(
  'a person sets a network aside and counts it again, and the figures follow as if it had always been so',
  async t => {
    const counted = await aggregatesOf(db)
    const [network] = await call('networks', {})
    t.match(network, { visitors: 155, orders: 1, decision: { kind: 'warned', by: 'rule' } })
    const choose = (isCounted: boolean) =>
      call('chooseNetwork', { params: { network: network!.id }, body: { isCounted } })
    await choose(false)
    const found = await summary()
    t.same(found.visitors, [12, 12])
    t.same(
      found.ledger.excluded.find(line => line.reason === 'network'),
      { reason: 'network', orders: 1, amount: 2000, refunds: 0 },
    )
    t.equal(await cycleVisitors(), 24)
    t.same(await findDifferences(db, firstShop), { tests: [], sessions: false })
    await forged(3, 'still', '203.0.113')
    await deliver(app, order('order-other', visitorIn(testId, 0, 'forged-5'), noon, '20.00'))
    t.equal(
      (await summary()).visitors[1],
      12,
      'an order does not bring back a network that a person set aside',
    )
    await choose(true)
    t.match(await call('networks', {}), [{ decision: { kind: 'counted', by: 'merchant' } }])
    t.same((await summary()).visitors, [90, 92])
    await forged(20, 'after', '203.0.113')
    t.same(
      (await summary()).visitors,
      [100, 102],
      'the rule does not undo the decision of a person',
    )
    t.same(await findDifferences(db, firstShop), { tests: [], sessions: false })
    const names = (all: unknown) =>
      (all as { visitors: { visitor_id: string }[] }).visitors.filter(
        row => !/still|after/.test(row.visitor_id),
      )
    t.same(names(await aggregatesOf(db)), names(counted))
  },
)

t.test(
  'the usual size of networks is kept by day, and the networks themselves are forgotten after 48 hours',
  async t => {
    now.at = new Date(noon + 49 * 3_600_000)
    await forgetNetworks(db, now.at)
    const count = async (text: string) =>
      (await sql<{ n: number }>`${sql.raw(text)}`.execute(db.kysely)).rows[0]!.n
    t.equal(await count('select count(*)::int as n from network_visitors'), 0)
    t.equal(await count('select count(*)::int as n from network_hours'), 0)
    t.equal(await count('select count(network)::int as n from network_decisions'), 0)
    t.ok((await count('select visitors as n from network_days')) >= 24)
    t.equal(
      await count('select busiest as n from network_days'),
      20,
      'visitors who were set aside are left out',
    )
    t.equal(await count('select has_ordered::int as n from network_days'), 1)
    await sql`insert into network_hours (store_id, hour, network, visitors)
      select ${store}, ${now.at}::timestamptz - interval '25 hours', network, visitors from (values ('', 100), ('one that never orders', 49), ('another', 3)) v(network, visitors)`.execute(
      db.kysely,
    )
    await forgetNetworks(db, now.at)
    await forgetNetworks(db, now.at)
    t.same(
      (
        await sql`select visitors, busiest, has_ordered from network_days order by day desc limit 1`.execute(
          db.kysely,
        )
      ).rows,
      [{ visitors: 100, busiest: 49, has_ordered: false }],
      'the busiest network is stored as one that never ordered',
    )
  },
)
