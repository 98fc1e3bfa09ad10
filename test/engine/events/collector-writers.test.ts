import t from 'tap'
import { sql } from 'kysely'
import type { ShopperEvent } from '../../../domain/events/event.ts'
import { StoreBusy } from '../../../engine/db/busy.ts'
import { eventStores, loadStore } from '../../../engine/events/event-stores.ts'
import { startIngest } from '../../../engine/events/ingest.ts'
import { turns } from '../../../engine/events/ingest-lane.ts'
import { lockStores } from '../../../engine/events/store-lock.ts'
import { orderFigures } from '../../../engine/orders/order-figures.ts'
import { storeOrder } from '../../../engine/orders/orders.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { freshDb, samePostgres } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop as shop, secondShop } from '../support/small-shop.ts'
import { aggregatesOf, beacon, event, noon, visitorIn } from '../support/traffic.ts'

const why = 'PGlite has one connection, so all work waits for it.'
const onPostgres = { skip: process.env['TEST_DATABASE_URL'] ? false : why }

/** As the platform does with an order that found its store locked for too long. */
async function sentAgain<T>(send: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof StoreBusy)) throw error
    }
}

// On Postgres the two writers have a pool each, like two processes. On PGlite they share its one
// connection.
t.test(
  'when two writers store events of the same visitors at once, nothing is counted twice or lost',
  async t => {
    const db = await freshDb()
    const second = samePostgres(db) ?? db
    t.teardown(async () => {
      if (second !== db) await second.close()
      await db.close()
    })
    const storeId = await seedStore(db)
    const testId = await seedTest(db, storeId)
    const clock = () => new Date(noon)
    const writers = [db, second].map(one =>
      startIngest({
        db: one,
        stores: eventStores(one, clock),
        onError: error => {
          throw error
        },
      }),
    )
    const store = (await loadStore(db, shop))!

    const visitors = Array.from({ length: 60 }, (_, i) =>
      visitorIn(testId, (i % 2) as 0 | 1, `both-${i}`),
    )
    const arrival = { received: noon, device: 0 as const, isBot: false }
    const sendBy = (writer: number, i: number, events: ShopperEvent[]) =>
      writers[writer % 2]!.submit({
        beacon: beacon(visitors[i]!, { [testId]: [i % 2, 7] as [0 | 1, number] }, events),
        arrival,
      })
    const places = visitors.map((_, i) => i)
    // Both writers know the shop's visitors already, so only the lock keeps the writers apart.
    await Promise.all(
      places.flatMap(i => [
        sendBy(0, i, [event('view', noon - 9000)]),
        sendBy(1, i, [event('view', noon - 9000)]),
      ]),
    )
    // One writer gets the exposure while the other gets the events after it.
    await Promise.all(
      places.flatMap(i => [
        sendBy(i, i, [event('exposure', noon - 5000, [testId])]),
        sendBy(i + 1, i, [event('cart', noon - 1000), event('click', noon, [testId])]),
        sentAgain(() =>
          storeOrder(
            i % 3 ? db : second,
            store,
            {
              id: `order-${i}`,
              name: `#${i}`,
              type: 'oneTime',
              lines: [],
              createdAt: new Date(noon).toISOString(),
              currency: 'USD',
              subtotal: 1000,
              refunded: 0,
              test: false,
              attributes: { _ts_visitor: visitors[i]! },
            },
            {
              topic: 'orders/create',
              shop,
              deliveryId: `d-${i}`,
              triggeredAt: new Date(noon).toISOString(),
            },
            clock(),
          ),
        ),
      ]),
    )
    // Then both writers get the same beacon.
    await Promise.all(
      places.flatMap(i => {
        const same = [event('exposure', noon - 4000, [testId])]
        return [sendBy(0, i, same), sendBy(1, i, same)]
      }),
    )
    await Promise.all(writers.map(writer => writer.close()))

    const { rows } =
      await sql`select arm, visitors, clickers, adders from test_days where dimension = 'all' order by arm`.execute(
        db.kysely,
      )
    t.same(rows, [
      { arm: 0, visitors: 30, clickers: 30, adders: 30 },
      { arm: 1, visitors: 30, clickers: 30, adders: 30 },
    ])
    t.same((await sql`select count(*)::int as n from events`.execute(db.kysely)).rows, [{ n: 360 }])
    t.same(
      (await sql`select visitors from store_periods order by period`.execute(db.kysely)).rows,
      [{ visitors: 60 }, { visitors: 60 }],
    )
    t.same(
      (await orderFigures(db.kysely, storeId, testId, new Date(0), null)).ledger.arms.map(
        arm => arm.orders,
      ),
      [30, 30],
    )
    const kept = await aggregatesOf(db)
    await rebuild(db, shop)
    t.same(await aggregatesOf(db), kept)
  },
)

t.test(
  'when an exposure arrives after its order, the orders of the test are summed up again',
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const storeId = await seedStore(db)
    const testId = await seedTest(db, storeId)
    const clock = () => new Date(noon)
    const ingest = startIngest({
      db,
      stores: eventStores(db, clock),
      onError: error => {
        throw error
      },
    })
    const store = (await loadStore(db, shop))!
    const visitor = visitorIn(testId, 0, 'late')
    await storeOrder(
      db,
      store,
      {
        id: '1',
        name: '#1',
        type: 'oneTime',
        lines: [],
        createdAt: new Date(noon).toISOString(),
        currency: 'USD',
        subtotal: 1000,
        refunded: 0,
        test: false,
        attributes: { _ts_visitor: visitor },
      },
      { topic: 'orders/create', shop, deliveryId: 'd', triggeredAt: new Date(noon).toISOString() },
      clock(),
    )
    const changes = async () =>
      (await sql<{ n: number }>`select orders_changed as n from test_changes`.execute(db.kysely))
        .rows[0]!.n
    const before = await changes()
    await ingest.submit({
      beacon: beacon(visitor, { [testId]: [0, 7] }, [event('exposure', noon - 1000, [testId])]),
      arrival: { received: noon, device: 0, isBot: false },
    })
    t.equal(await changes(), before + 1, 'the test’s orders are due to be summed up again')
    await ingest.submit({
      beacon: beacon(visitor, { [testId]: [0, 7] }, [event('view', noon)]),
      arrival: { received: noon, device: 0, isBot: false },
    })
    t.equal(await changes(), before + 1, 'but not for a page view')
    await ingest.close()
  },
)

t.test('when work ends or fails, its turn is free for the next work', async t => {
  const inTurn = turns(2),
    done: string[] = []
  const held = Array.from({ length: 2 }, () => Promise.withResolvers<void>())
  const first = held.map(({ promise }, i) =>
    inTurn(async () => {
      await promise
      done.push(`first ${i}`)
    }),
  )
  const later = ['third', 'fourth'].map(name =>
    inTurn(async () => {
      done.push(name)
    }),
  )
  t.same(done, [], 'two are running, and the others wait')
  held[0]!.resolve()
  held[1]!.reject(new Error('failed'))
  await Promise.all([first[0], ...later, t.rejects(first[1]!)])
  t.same(done, ['first 0', 'third', 'fourth'])
  for (let i = 0; i < 3; i++)
    await inTurn(async () => {
      done.push(`busy ${i}`)
    })
  await Promise.all(
    [1, 2].map(() =>
      inTurn(async () => {
        done.push('late')
      }),
    ),
  )
  t.same(done.slice(3), ['busy 0', 'busy 1', 'busy 2', 'late', 'late'], 'both turns are free again')
})

const zero = { lines: [], currency: 'USD', test: false, refunded: 0 }
t.test('an order, its refund at the same instant and a renewal stay in one store', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  await seedStore(db)
  await seedStore(db, {
    shop: secondShop,
    domain: secondShop,
    store_id: '21111111-1111-4111-8111-111111111111',
  })
  const [store, other] = [(await loadStore(db, shop))!, (await loadStore(db, secondShop))!],
    at = new Date(noon).toISOString()
  const take = (to: typeof store, id: string, deliveryId: string, over: object = {}) =>
    storeOrder(
      db,
      to,
      {
        ...zero,
        id,
        name: `#${id}`,
        type: 'oneTime',
        createdAt: at,
        subtotal: 1000,
        attributes: {},
        ...over,
      } as Parameters<typeof storeOrder>[2],
      { topic: 'orders/updated', shop: to.shop, deliveryId, triggeredAt: at },
      new Date(noon),
    )
  const rows = async () =>
    (
      await sql<{
        row: string
      }>`select case when store_id = ${store.id} then 'own ' else 'other ' end || order_id || ' ' || coalesce(visitor_id, 'nobody') || ' ' || refunded as row from orders order by row`.execute(
        db.kysely,
      )
    ).rows.map(({ row }) => row)
  // Both stores get a renewal of order 1 before order 1 itself.
  for (const to of [store, other])
    await take(to, '2', `renewal-${to.shop}`, { type: 'renewal', firstOrderId: '1' })
  await take(store, '1', 'sold', { attributes: { _ts_visitor: 'visitor-one' } })
  t.same(
    await rows(),
    ['other 2 nobody 0', 'own 1 visitor-one 0', 'own 2 visitor-one 0'],
    'the renewal in the other store does not get this store’s visitor',
  )
  await take(other, '1', 'sold', { attributes: { _ts_visitor: 'visitor-two' } })
  await take(store, '1', 'refunded', {
    refunded: 400,
    attributes: { _ts_visitor: 'visitor-one' },
  })
  await take(store, '1', 'sold late', { attributes: { _ts_visitor: 'visitor-one' } })
  t.same(
    await rows(),
    [
      'other 1 visitor-two 0',
      'other 2 visitor-two 0',
      'own 1 visitor-one 400',
      'own 2 visitor-one 0',
    ],
    'a refund at the same instant counts, and an older delivery does not undo it',
  )
})

t.test(
  'a resume counts at once although the store is cached; an uninstalled shop is not found',
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const storeId = await seedStore(db),
      testId = await seedTest(db, storeId),
      clock = () => new Date(noon)
    const past = (status: 'Active' | 'Paused', at: number) =>
      sql`insert into test_history (store_id, test_id, seq, status, applied_on)
    select ${storeId}, ${testId}, coalesce(max(seq), 0) + 1, ${status}, ${new Date(at)} from test_history where store_id = ${storeId} and test_id = ${testId}`.execute(
        db.kysely,
      )
    await past('Paused', noon - 20 * 60_000)
    const ingest = startIngest({
      db,
      stores: eventStores(db, clock),
      onError: error => {
        throw error
      },
    })
    const meet = (name: string) =>
      ingest.submit({
        beacon: beacon(visitorIn(testId, 0, name), { [testId]: [0, 7] }, [
          event('exposure', noon - 100, [testId]),
        ]),
        arrival: { received: noon, device: 0, isBot: false },
      })
    await meet('paused')
    await past('Active', noon - 1000)
    await meet('resumed')
    t.same(
      (await sql`select set_aside = 0 as counts from events order by 1`.execute(db.kysely)).rows,
      [{ counts: false }, { counts: true }],
    )
    await ingest.close()
    await db.kysely
      .updateTable('stores')
      .set({ status: 'uninstalled' })
      .where('store_id', '=', storeId)
      .execute()
    t.equal(await loadStore(db, shop), null, 'nothing is stored for an uninstalled shop')
  },
)

t.test(
  'a store that is locked for minutes, as by a rebuild, does not delay events of other stores',
  onPostgres,
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const clock = () => new Date(noon),
      busy = ['one', 'two', 'three', 'four', 'five'].map(name => `${name}.demo-shop.test`)
    const ids = await Promise.all(
      [...busy, shop].map((name, n) =>
        seedStore(db, {
          shop: name,
          domain: name,
          store_id: `${n}1111111-1111-4111-8111-111111111111`,
        }),
      ),
    )
    const ingest = startIngest({
      db,
      stores: eventStores(db, clock),
      onError: error => {
        throw error
      },
    })
    const settled: string[] = []
    const send = (to: string, name: string) =>
      ingest
        .submit({
          beacon: beacon(`visitor-${name}-aaaa`, {}, [event('view', noon)], { shop: to }),
          arrival: { received: noon, device: 0, isBot: false },
        })
        .then(() => {
          settled.push(name)
        })
    const waiting: Promise<void>[] = []
    await db.kysely.transaction().execute(async trx => {
      await lockStores(trx, ids.slice(0, -1))
      waiting.push(
        ...busy.flatMap((name, n) => [send(name, `first-${n}`), send(name, `second-${n}`)]),
        send(shop, 'free-0'),
      )
      for (let n = 1; n < 4; n++) {
        await send(shop, `free-${n}`)
        waiting.push(send(busy[0]!, `later-${n}`))
      }
      t.same(settled, ['free-0', 'free-1', 'free-2', 'free-3'])
    })
    await Promise.all(waiting)
    t.same(
      (await sql<{ n: number }>`select count(*)::int as n from events`.execute(db.kysely)).rows,
      [{ n: 17 }],
    )
    await ingest.close()

    const hasty = startIngest({
      db,
      stores: eventStores(db, clock),
      onError: error => {
        throw error
      },
      longestTurn: 300,
    })
    const begun = hasty.submit({
      beacon: beacon('visitor-begun-aaaa', {}, [event('view', noon)], { shop: busy[0]! }),
      arrival: { received: noon, device: 0, isBot: false },
    })
    const late: Promise<void>[] = []
    const sendLate = (to: string) =>
      hasty.submit({
        beacon: beacon('visitor-later-aaaa', {}, [event('view', noon)], { shop: to }),
        arrival: { received: noon, device: 0, isBot: false },
      })
    /** How many of 21 of each of three stores are given back before any timer may end. */
    const refusedAtOnce = async () => {
      const refused: Record<string, number> = {}
      for (const to of busy.slice(0, 3))
        for (let n = 0; n < 21; n++)
          late.push(
            sendLate(to).catch(() => {
              const name = to.split('.')[0]!
              refused[name] = (refused[name] ?? 0) + 1
            }),
          )
      await new Promise<void>(resolve => process.nextTick(resolve))
      return { ...refused }
    }
    await db.kysely.transaction().execute(async trx => {
      await begun
      await lockStores(trx, ids.slice(0, 3))
      await Promise.all(busy.slice(1, 3).map(to => t.rejects(sendLate(to))))
      for (const name of ['first', 'second'])
        await t.rejects(
          hasty.submit({
            beacon: beacon(`visitor-${name}-late`, {}, [event('view', noon)], { shop: busy[0]! }),
            arrival: { received: noon, device: 0, isBot: false },
          }),
          { name: 'Error', message: /Send them again/ },
        )
      t.same(await refusedAtOnce(), { one: 1, two: 1, three: 21 })
    })
    await Promise.all(late)
    await hasty.close()
    t.same(
      (
        await sql<{
          id: string
        }>`select visitor_id as id from events where visitor_id like '%-late' or visitor_id like '%-begun-%' order by id`.execute(
          db.kysely,
        )
      ).rows.map(({ id }) => id),
      ['visitor-begun-aaaa', 'visitor-first-late'],
      'a beacon that timed out before its turn is not written',
    )
  },
)

t.test(
  'three stores that are locked for minutes do not stop one that is locked for a moment',
  onPostgres,
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const clock = () => new Date(noon),
      names = ['one', 'two', 'three', 'four'].map(name => `${name}.demo-shop.test`)
    const ids = await Promise.all(
      names.map((name, n) =>
        seedStore(db, {
          shop: name,
          domain: name,
          store_id: `${n}1111111-1111-4111-8111-111111111111`,
        }),
      ),
    )
    const ingest = startIngest({
      db,
      stores: eventStores(db, clock),
      onError: error => t.error(error),
    })
    const send = async (to: string, isOver = () => false): Promise<void> => {
      while (!isOver())
        try {
          return await ingest.submit({
            beacon: beacon('visitor-aaaa-aaaa', {}, [event('view', noon)], { shop: to }),
            arrival: { received: noon, device: 0, isBot: false },
          })
        } catch {}
    }
    let isOver = false
    const stuck = await db.kysely.transaction().execute(async trx => {
      await lockStores(trx, ids.slice(0, 3))
      const all = names.slice(0, 3).map(name => send(name, () => isOver))
      const fourth = await db.kysely.transaction().execute(async other => {
        await lockStores(other, ids.slice(3))
        const sent = [send(names[3]!)]
        await sql`select pg_sleep(0.1)`.execute(other)
        return sent
      })
      await Promise.all(fourth)
      await send(names[3]!)
      isOver = true
      return all
    })
    await Promise.all(stuck)
    t.pass('stored while the others were locked')
    await ingest.close()
  },
)
