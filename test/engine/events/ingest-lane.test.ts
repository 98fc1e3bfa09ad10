import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { eventStores } from '../../../engine/events/event-stores.ts'
import { startIngest } from '../../../engine/events/ingest.ts'
import { type Delivery, startLane, type Waiting } from '../../../engine/events/ingest-lane.ts'
import { lockStores } from '../../../engine/events/store-lock.ts'
import { freshDb, samePostgres } from '../support/harness.ts'
import { seedStore } from '../support/seeds.ts'
import { firstShop as shop, secondShop } from '../support/small-shop.ts'
import { beacon, event, noon } from '../support/traffic.ts'

const delivery = (name: string, to = shop): Delivery => ({
  beacon: beacon(`visitor-${name}-aaaa`, {}, [event('view', noon)], { shop: to }),
  arrival: { received: noon, device: 0, isBot: false },
})

const made = (name: string): Waiting => ({
  delivery: delivery(name),
  resolve: () => {},
  reject: () => {},
})

t.test('on Postgres a batch that came while another was written begins at once', async t => {
  const sizes: number[] = []
  let turns = 0
  const lane = startLane(
    async batch => {
      sizes.push(batch.length)
      t.equal(turns, 0)
      if (sizes.length === 3) return
      for (let n = 0; n < 2; n++) lane.add(made(`${sizes.length}-${n}`))
      await setImmediate()
      turns = 0
      // Runs in the next turn, after a batch that begins at once.
      void setImmediate().then(() => turns++)
    },
    undefined,
    undefined,
    'afterAPause',
  )
  lane.add(made('first'))
  await lane.done()
  t.same(sizes, [1, 2, 2])
})

t.test('deliveries that come one per turn of the event loop share a batch', async t => {
  const count = 20
  let sizes: number[] = []
  // A busy machine may stop this process for longer than a batch waits.
  for (let tries = 0; tries < 200 && sizes[0] !== count; tries++) {
    sizes = []
    const lane = startLane(async batch => void sizes.push(batch.length))
    for (let n = 0; n < count; n++) {
      lane.add(made(`${n}`))
      await setImmediate()
    }
    await lane.done()
    t.equal(
      sizes.reduce((sum, size) => sum + size, 0),
      count,
    )
  }
  t.same(sizes, [count])
})

t.test('a batch does not wait for deliveries that never end', async t => {
  const written: Waiting[][] = []
  const lane = startLane(async batch => void written.push(batch))
  let added = 0
  for (; written.length === 0; added++) {
    lane.add(made(`${added}`))
    await setImmediate()
  }
  await lane.done()
  t.same(
    written.flat().map(one => one.delivery.beacon.visitor),
    Array.from({ length: added }, (_, n) => `visitor-${n}-aaaa`),
    'all are written, in their order',
  )
})

t.test('a lane forgets a removed delivery, unless writing it has begun', async t => {
  const written: Waiting[][] = [],
    mayBegin = Promise.withResolvers<void>(),
    mayEnd = Promise.withResolvers<void>()
  const lane = startLane(
    async batch => {
      written.push(batch)
      await mayEnd.promise
    },
    () => {},
    work => mayBegin.promise.then(work),
  )
  const [early, begun, late, last] = [made('early'), made('begun'), made('late'), made('last')]
  lane.add(early)
  lane.add(begun)
  await setImmediate()
  t.equal(lane.waiting(), 2, 'nothing is taken before the turn')
  lane.remove(early)
  t.equal(lane.waiting(), 1)
  mayBegin.resolve()
  while (written.length === 0) await setImmediate()
  lane.add(late)
  lane.add(last)
  lane.remove(begun)
  lane.remove(late)
  t.equal(lane.waiting(), 1)
  mayEnd.resolve()
  await lane.done()
  t.same(written, [[begun], [last]])
})

t.test(
  'beacons of a locked store that were refused do not refuse those of other stores',
  { skip: !process.env['TEST_DATABASE_URL'] && 'needs TEST_DATABASE_URL' },
  async t => {
    const db = await freshDb(),
      other = samePostgres(db)!
    t.teardown(async () => {
      await other.close()
      await db.close()
    })
    const ids = [
      await seedStore(db, { store_id: '11111111-1111-4111-8111-111111111111' }),
      await seedStore(db, {
        shop: secondShop,
        domain: secondShop,
        store_id: '21111111-1111-4111-8111-111111111111',
      }),
    ]
    const ingest = startIngest({
      db,
      stores: eventStores(db, () => new Date(noon)),
      onError: error => {
        throw error
      },
      longestTurn: 1_000,
    })
    const sent = new Map<string, Delivery>()
    /** Sends this delivery, or sends it again. */
    const send = (name: string, to?: string) => {
      const own = sent.get(name) ?? delivery(name, to)
      sent.set(name, own)
      return ingest.submit(own).then(
        () => 'stored',
        (error: Error) => error.message,
      )
    }
    /** Settles once a transaction waits for the lock of this store. */
    const waitFor = async (storeId: string) => {
      for (;;) {
        const { rows } = await sql`select from pg_locks where locktype = 'advisory'
          and not granted and objid = ${parseInt(storeId.slice(0, 8), 16)}
          and database = (select oid from pg_database where datname = current_database())`.execute(
          other.kysely,
        )
        if (rows.length > 0) return
      }
    }
    let sending: Promise<string>[] = []
    await db.kysely.transaction().execute(async trx => {
      await lockStores(trx, ids)
      const begun = send('begun')
      await waitFor(ids[0]!)
      const many = await Promise.all([
        begun,
        ...Array.from({ length: 5_000 }, (_, n) => send(`many-${n}`)),
      ])
      t.same([...new Set(many)], ['Events cannot be stored just now. Send them again.'])
      sending = [send('first', secondShop)]
      await waitFor(ids[1]!)
      sending.push(send('second', secondShop))
    })
    for (const answer of await Promise.all(sending)) t.notMatch(answer, /Too much is waiting/)
    for (const [name, to] of [
      ['begun', shop],
      ['first', secondShop],
      ['second', secondShop],
    ] as const)
      t.equal(await send(name, to), 'stored')
    await ingest.close()
    // On a busy machine some of the many are being written when they are refused, too.
    const { rows } = await sql<{
      id: string
    }>`select visitor_id as id from events where visitor_id not like 'visitor-many%' order by 1`.execute(
      db.kysely,
    )
    t.same(
      rows.map(({ id }) => id),
      ['visitor-begun-aaaa', 'visitor-first-aaaa', 'visitor-second-aaaa'],
      'a refused beacon that was being written is stored once',
    )
  },
)

t.test(
  'once a store’s beacons have waited in vain, few of its next ones wait',
  { skip: !process.env['TEST_DATABASE_URL'] && 'needs TEST_DATABASE_URL' },
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const id = await seedStore(db)
    const ingest = startIngest({
      db,
      stores: eventStores(db, () => new Date(noon)),
      onError: error => {
        throw error
      },
    })
    let refused: number[] = []
    const sendMany = () =>
      Array.from({ length: 30 }, (_, n) =>
        ingest.submit(delivery(`${n}`)).catch(() => void refused.push(n)),
      )
    await db.kysely.transaction().execute(async trx => {
      await lockStores(trx, [id])
      await Promise.all(sendMany())
      t.equal(refused.length, 30, 'nobody could know that the store is stuck')
      refused = []
      const again = sendMany()
      while (refused.length === 0) await setImmediate()
      t.equal(refused.length, 10, 'twenty wait, the others are refused at once')
      await Promise.all(again)
    })
    await Promise.all(sendMany())
    refused = []
    await Promise.all(sendMany())
    t.equal(refused.length, 0, 'the store is free again')
    await ingest.close()
  },
)
