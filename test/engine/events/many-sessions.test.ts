import { sql } from 'kysely'
import t from 'tap'
import { minute } from '../../../domain/time-units.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { freshDb } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop } from '../support/small-shop.ts'
import {
  aggregatesOf,
  beacon,
  collect,
  collectingApp,
  event,
  noon,
  visitorIn,
} from '../support/traffic.ts'

const db = await freshDb(),
  app = await collectingApp(db, () => new Date(noon))
t.teardown(async () => {
  await app.close()
  await db.close()
})
const testId = await seedTest(db, await seedStore(db))

t.test(
  'all sessions of a visitor count from the first exposure, however many they have',
  async t => {
    const send = async (
      visitor: string,
      session: string,
      kind: 'view' | 'exposure',
      at: number,
    ) => {
      const events = [kind === 'view' ? event('view', at) : event('exposure', at, [testId])]
      const { statusCode } = await collect(
        app,
        beacon(visitor, { [testId]: [1, 7] }, events, { session }),
      )
      t.equal(statusCode, 204)
    }
    const counts = [0, 1, 7, 8, 9, 10, 20]
    for (const count of counts) {
      const visitor = visitorIn(testId, 1, `with-${count}-sessions`),
        session = (n: number) => `session-${count}-${n}`
      for (let n = 0; n < count; n++) await send(visitor, session(n), 'view', noon - n * minute)
      await send(visitor, session(count), 'exposure', noon - 30 * minute)
      // An earlier exposure, in a session that is stored and in one that is not.
      await send(visitor, session(0), 'exposure', noon - 40 * minute)
      await send(visitor, session(count + 1), 'exposure', noon - 50 * minute)
    }
    const { rows } = await sql<{ sessions: number }>`
      select sum(sessions)::int as sessions from test_days where test_id = ${testId} and dimension = 'all'`.execute(
      db.kysely,
    )
    t.equal(
      rows[0]?.sessions,
      counts.reduce((sum, count) => sum + count + 2, 0),
    )
    const kept = await aggregatesOf(db)
    await rebuild(db, firstShop)
    t.same(await aggregatesOf(db), kept)
  },
)
