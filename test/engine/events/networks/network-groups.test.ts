import t from 'tap'
import { sql } from 'kysely'
import type { ArmIndex } from '../../../../domain/arm.ts'
import { losesUnevenly } from '../../../../domain/reports/stage-check.ts'
import { splitCheck } from '../../../../domain/stats/split.ts'
import { loadStore } from '../../../../engine/events/event-stores.ts'
import { cyclePeriod } from '../../../../engine/events/fold/periods.ts'
import { forgetNetworks } from '../../../../engine/events/network-days.ts'
import { findDifferences } from '../../../../engine/events/rebuild-aside.ts'
import { decide } from '../../../../engine/events/networks/network-decisions.ts'
import { addMove } from '../../../../engine/events/networks/network-moves.ts'
import { limitTrouble } from '../../../../engine/tests/test-checks.ts'
import { startEngine } from '../../support/engine.ts'
import { seedTest } from '../../support/seeds.ts'
import { firstShop } from '../../support/small-shop.ts'
import { beacon, browser, deliver, event, noon, order, visitorIn } from '../../support/traffic.ts'

const engine = await startEngine()
const { db, now, call } = engine
const { app } = engine.engine
t.teardown(engine.close)
const hour = 3_600_000
now.at = new Date(noon)
const { id: store } = await call('storeInfo', {})
await db.kysely
  .updateTable('stores')
  .set({ origin: 'http://localhost:3002' })
  .where('store_id', '=', store)
  .execute()
const tests = [await seedTest(db, store), await seedTest(db, store), await seedTest(db, store)]

/** Sends one visitor's beacon; without `isExposed` it only claims to have been shown the arm. */
async function visit(
  testId: string,
  arm: ArmIndex,
  name: string,
  remoteAddress: string,
  isExposed = true,
) {
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
        visitorIn(testId, arm, name),
        { [testId]: [arm, 7] },
        [isExposed ? event('exposure', at - 900, [testId]) : event('view', at - 900)],
        { sent: at },
      ),
    ),
  })
  if (statusCode !== 204) throw new Error(`The beacon was answered ${statusCode}: ${body}`)
}
/** Sends the visitors `from` to `to` at once. */
const together = (from: number, to: number, send: (n: number) => Promise<void>[]) =>
  Promise.all(Array.from({ length: to - from }, (_, i) => send(from + i)).flat())
const armOf = (n: number) => (n % 2) as ArmIndex
/** Visitors of both arms, each from its own network. */
async function honest(testId: string, count: number, name: string) {
  await together(0, count, n => [visit(testId, armOf(n), `${name}-${n}`, `198.51.${n}.7`)])
}
async function summary(testId: string) {
  await engine.engine.runJobs()
  await engine.engine.rollUp()
  return (await call('test', { params: { id: testId } })).summary
}
const usage = async () => {
  const { cycleAnchor } = (await loadStore(db, firstShop))!
  const period = cyclePeriod(cycleAnchor, now.at.getTime())
  const { rows } = await sql<{
    visitors: number
  }>`select visitors from store_periods where store_id = ${store} and period = ${period}`.execute(
    db.kysely,
  )
  return rows[0]?.visitors ?? 0
}
/** Two servers of one forger: a /24 and a /48. */
const servers = ['203.0.113.', '2a01:4f8:1:']
const nameOf = (server: string, n: number) => `forged-${servers.indexOf(server)}-${n}`
const from = (server: string, n: number) =>
  server.includes(':') ? `${server}${(n % 50).toString(16)}::1` : server + (n % 50)
/** Visitors of both arms from each server. */
const forged = (testId: string, first: number, end: number) =>
  together(first, end, n =>
    servers.map(server => visit(testId, armOf(n), nameOf(server, n), from(server, n))),
  )

t.test('visitors forged from two networks are set aside and do not use up the limit', async t => {
  const test = tests[0]!
  await sql`insert into network_days (store_id, day, visitors, busiest, has_ordered)
    select ${store}, ${now.at}::date - n, 1000, 50, true from generate_series(1, 10) n`.execute(
    db.kysely,
  )
  await honest(test, 20, 'honest')
  await forged(test, 0, 40)
  const found = await summary(test)
  t.same(found.visitors, [10, 10])
  t.equal(found.split.broken, false)
  t.same(found.aside, { visitors: [40, 40], networks: 2, warned: 0 })
  t.equal(await usage(), 20)
  t.same(
    (await call('networks', {})).map(({ visitors, decision }) => [visitors, decision?.kind]),
    [
      [40, 'setAside'],
      [40, 'setAside'],
    ],
  )
  t.same(await findDifferences(db, firstShop), { tests: [], sessions: false })
})

t.test('networks of a group that order, and those that a person counts, stay counted', async t => {
  const test = tests[0]!
  await deliver(
    app,
    order('bought', visitorIn(test, 1, nameOf(servers[0]!, 3)), now.at.getTime(), '20.00'),
  )
  t.same((await summary(test)).visitors, [30, 30], 'the network that ordered is counted again')
  const other = (await call('networks', {})).find(({ decision }) => decision?.kind === 'setAside')!
  await call('chooseNetwork', { params: { network: other.id }, body: { isCounted: true } })
  t.same((await summary(test)).visitors, [50, 50])
  await forged(test, 40, 50)
  t.same((await summary(test)).visitors, [60, 60], 'the rule does not judge them again')
  t.same(await findDifferences(db, firstShop), { tests: [], sessions: false })
})

t.test('a day keeps the sums of its busiest networks', async t => {
  now.at = new Date(noon + 49 * hour)
  await sql`delete from network_days`.execute(db.kysely)
  await sql`insert into network_hours (store_id, hour, network, visitors)
    select ${store}, ${now.at}::timestamptz - interval '25 hours', network, visitors
    from (values ('', 100), ('a', 30), ('b', 20), ('c', 5), ('d', 4), ('e', 3), ('f', 2)) v(network, visitors)`.execute(
    db.kysely,
  )
  await forgetNetworks(db, now.at)
  const { rows } =
    await sql`select visitors, busiest, together, together_ordered from network_days order by day desc limit 1`.execute(
      db.kysely,
    )
  t.same(rows, [
    {
      visitors: 100,
      busiest: 30,
      together: [30, 50, 55, 59, 62],
      together_ordered: [false, false, false, false, false],
    },
  ])
})

t.test('visitors of one arm who come slowly from three networks do not break a split', async t => {
  const test = tests[1]!
  await honest(test, 40, 'even')
  for (let n = 0; n < 60; n += 12) {
    now.at = new Date(now.at.getTime() + hour)
    await together(n, n + 12, i => [visit(test, 1, `slow-${i}`, `203.0.${i % 3}.${i}`)])
  }
  t.ok(splitCheck([20, 80], [0.5, 0.5])! < 0.001, 'counted, they would break it')
  const found = await summary(test)
  t.same(found.visitors, [20, 20])
  t.equal(found.split.broken, false)
  t.match(found.aside, { visitors: [0, 60], networks: 3 })
  t.same(await findDifferences(db, firstShop), { tests: [], sessions: false })
})

t.test('claims without an exposure do not make the stages uneven', async t => {
  const test = tests[2]!
  await honest(test, 40, 'shown')
  await together(0, 30, n => [visit(test, 1, `claims-${n}`, `192.0.${n}.9`, false)])
  const { stages } = await summary(test)
  t.same(
    stages.map(({ assigned, met, recorded }) => [assigned, met, recorded]),
    [
      [20, 20, 20],
      [50, 20, 20],
    ],
  )
  t.notOk(losesUnevenly(stages))
})

t.test('no test is put on hold by a limit while the rule sets visitors aside', async t => {
  await sql`update stores set plan_id = (select plan_id from plans where level = 1 limit 1), subscription_status = 'Active', trial_end = null where store_id = ${store}`.execute(
    db.kysely,
  )
  await sql`update plans set monthly_visitors = 20`.execute(db.kysely)
  const trouble = async () => (await limitTrouble({ db, clock: () => now.at }, store))?.cause
  t.equal(await trouble(), 'visitorLimit')
  const decided = (by: 'rule' | 'merchant') =>
    db.kysely.transaction().execute(async trx => {
      const at = now.at.getTime() + hour
      const id = await decide(trx, {
        storeId: store,
        network: 'a-network-of-22-charact',
        kind: 'setAside',
        by,
        at,
        visitors: 1,
        share: null,
      })
      await addMove(trx, store, id, at)
    })
  await decided('rule')
  t.equal(await trouble(), undefined)
  await decided('merchant')
  t.equal(await trouble(), 'visitorLimit', 'a merchant cannot switch off the limit')
})
