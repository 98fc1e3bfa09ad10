import t from 'tap'
import { sql } from 'kysely'
import type { Problem } from '../../../domain/problem.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { decide } from '../../../engine/events/networks/network-decisions.ts'
import { addMove } from '../../../engine/events/networks/network-moves.ts'
import { lockStores, withStoreLockAtLast } from '../../../engine/events/store-lock.ts'
import type { Platform, ShopRecord } from '../../../engine/platform/adapter.ts'
import { storeEvents } from '../../../engine/stores/stores.ts'
import { startEngine } from '../support/engine.ts'
import { freshDb, samePostgres } from '../support/harness.ts'
import { smallPlatforms } from '../support/small-platforms.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop as shop, secondShop } from '../support/small-shop.ts'
import { collectingApp, countOf, deliver, noon, order } from '../support/traffic.ts'

const needsPostgres = { skip: !process.env['TEST_DATABASE_URL'] && 'needs TEST_DATABASE_URL' }

/**
 * Locks the store as a rebuild in another process does. Returns a function that ends it.
 */
async function held(db: Db, storeId: string): Promise<() => Promise<void>> {
  const other = samePostgres(db)!,
    locked = Promise.withResolvers<void>(),
    freed = Promise.withResolvers<void>()
  const holding = other.kysely.transaction().execute(async trx => {
    await lockStores(trx, [storeId])
    locked.resolve()
    await freed.promise
  })
  await Promise.race([locked.promise, holding])
  return async () => {
    freed.resolve()
    await holding
    await other.close()
  }
}

t.test(
  'orders of a locked store get a 503 and are stored when sent again; other shops’ orders are stored at once',
  needsPostgres,
  async t => {
    const db = await freshDb(),
      app = await collectingApp(db, () => new Date(noon))
    t.teardown(async () => {
      await app.close()
      await db.close()
    })
    const storeId = await seedStore(db)
    await seedStore(db, { shop: secondShop, domain: secondShop })
    const release = await held(db, storeId)
    const orders = Array.from({ length: 14 }, (_, i) => order(`${i}`, null, noon, '12.34')),
      waiting = orders.map(each => deliver(app, each))
    t.equal(
      (await deliver(app, order('other', null, noon, '9.99'), { 'x-demo-shop': secondShop }))
        .statusCode,
      200,
      'the other shop’s order needs no connection that the waiting ones hold',
    )
    const refused = await Promise.all(waiting)
    t.same([...new Set(refused.map(({ statusCode }) => statusCode))], [503])
    t.match(refused[0]!.json<Problem>(), { message: /Send this again in a moment/, error: 503 })
    t.ok(Number(refused[0]!.headers['retry-after']) > 0)
    t.equal(await countOf(db, 'webhook_deliveries'), 1, 'a refused delivery is not recorded')
    await release()
    for (const each of orders) t.equal((await deliver(app, each)).statusCode, 200)
    t.equal(await countOf(db, 'orders'), 15)
  },
)

t.test('what a merchant asks of a locked store gets a 503 in time', needsPostgres, async t => {
  const { engine, db, call, token, close } = await startEngine()
  t.teardown(close)
  const { id: storeId } = await call('storeInfo', {}),
    testId = await seedTest(db, storeId, { status: 'Ended' })
  const release = await held(db, storeId)
  const remove = () =>
    engine.app.inject({
      method: 'DELETE',
      url: `/api/v0/tests/${testId}`,
      headers: { authorization: `Bearer ${token}` },
    })
  for (const refused of await Promise.all(Array.from({ length: 12 }, remove))) {
    t.equal(refused.statusCode, 503)
    t.match(refused.json<Problem>(), { message: /Other work on this store is not finished/ })
    t.ok(Number(refused.headers['retry-after']) > 0)
  }
  t.equal((await call('storeInfo', {})).id, storeId, 'other calls are answered meanwhile')
  await release()
  t.equal((await remove()).statusCode, 200)
})

t.test('moves of a locked store leave the prompt lane to others', needsPostgres, async t => {
  const { engine, db, call, now, close } = await startEngine()
  t.teardown(close)
  const { id: storeId } = await call('storeInfo', {})
  const decisions: string[] = []
  for (const network of ['one-network', 'other-network']) {
    await sql`insert into network_visitors (store_id, visitor_id, network, seen_at) values (${storeId}, ${`of ${network}`}, ${network}, ${now.at})`.execute(
      db.kysely,
    )
    decisions.push(
      await db.kysely.transaction().execute(trx =>
        decide(trx, {
          storeId,
          network,
          kind: 'setAside',
          by: 'rule',
          at: now.at.getTime(),
          visitors: 1,
          share: null,
        }),
      ),
    )
  }
  const states = async () =>
    db.kysely
      .selectFrom('jobs')
      .select(['status', 'attempts'])
      .where('kind', '=', 'networkMove')
      .execute()
  const release = await held(db, storeId)
  await db.kysely.transaction().execute(async trx => {
    for (const id of decisions) await addMove(trx, storeId, id, now.at.getTime())
  })
  await engine.runJobs()
  const each = (status: string) => decisions.map(() => ({ status, attempts: 0 }))
  t.same(await states(), each('queued'))
  await release()
  now.at = new Date(now.at.getTime() + 60_000)
  await engine.runJobs()
  t.same(await states(), each('completed'))
})

const record: ShopRecord = {
  shop,
  domain: 'new.example',
  origin: 'https://new.example',
  name: 'Fern & Kiln',
  currency: 'USD',
  timeZone: 'America/New_York',
  email: 'fern@example.test',
  themeId: '1',
  taxesIncluded: false,
}
/** Delivers `shop/update`; the platform answers with the next of these records each time. */
function updating(db: Db, shopOf: () => Promise<ShopRecord>) {
  const platform = { shop: shopOf } as unknown as Platform
  const take = storeEvents({ db, clock: () => new Date(noon), platform }).shopUpdated
  return () =>
    take(
      { topic: 'shop/update', shop, deliveryId: 'd', triggeredAt: new Date(noon).toISOString() },
      {},
      smallPlatforms().all[0]!,
    )
}
const stored = async (db: Db) =>
  db.kysely
    .selectFrom('stores')
    .select(['domain', 'email', 'time_zone'])
    .where('shop', '=', shop)
    .executeTakeFirstOrThrow()

t.test(
  'a change of a locked store’s domain is stored at once, one of its time zone is refused',
  needsPostgres,
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const storeId = await seedStore(db)
    const release = await held(db, storeId)
    const told = { ...record }
    const update = updating(db, async () => ({ ...told }))
    await update()
    t.match(await stored(db), { domain: 'new.example', time_zone: 'America/New_York' })
    told.timeZone = 'Asia/Tokyo'
    await t.rejects(update(), { message: /not finished/ })
    t.match(await stored(db), { time_zone: 'America/New_York' })
    await release()
    await update()
    t.match(await stored(db), { time_zone: 'Asia/Tokyo' })
  },
)

t.test('of two changes of a shop at once, the newer facts stay', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  await seedStore(db)
  let email = 'old@example.test'
  const isAsked = Promise.withResolvers<void>(),
    answers = Promise.withResolvers<void>()
  let asked = 0
  const update = updating(db, async () => {
    const now = { ...record, email }
    if (asked++ === 0) {
      isAsked.resolve()
      await answers.promise
    }
    return now
  })
  const first = update()
  await isAsked.promise
  email = 'new@example.test'
  await update()
  answers.resolve()
  await first
  t.match(await stored(db), { email: 'new@example.test' })
  t.equal(asked, 3, 'the first delivery asked again')
})

t.test(
  'a job waits for a locked store, and gives its connection back meanwhile',
  needsPostgres,
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const storeId = await seedStore(db),
      release = await held(db, storeId)
    const used = () => db.pool!.totalCount - db.pool!.idleCount
    let isDone = false
    const work = withStoreLockAtLast(db, storeId, async trx => {
      await sql`select 1`.execute(trx)
      isDone = true
    })
    // It holds a connection while it is in the database's queue, and none in its pauses.
    for (const expected of [1, 0, 1, 0])
      while (used() !== expected) await new Promise(resolve => setImmediate(resolve))
    t.notOk(isDone)
    const stopped = new AbortController(),
      stopping = withStoreLockAtLast(db, storeId, async () => t.fail('it ran'), stopped.signal)
    stopped.abort()
    await t.rejects(stopping)
    await release()
    await work
    t.ok(isDone)
  },
)
