import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { StoreBusy } from '../../../engine/db/busy.ts'
import { journalTurns } from '../../../engine/journal/journal-turns.ts'
import { threeDbs } from '../support/processes/three-dbs.ts'
import { seedStore } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'

t.test('only one process at a time changes a shop', async t => {
  const dbs = await threeDbs(t),
    [db] = dbs
  const store = await seedStore(db),
    other = await seedStore(db, { shop: secondShop })
  // A busy machine may stand still for a second or two, and must not lose a turn by that.
  const timing = { lease: 10_000, renew: 100, look: 20, longest: 3_000 }
  const turns = dbs.map(own => journalTurns(own, timing)),
    patient = dbs.map(own => journalTurns(own, { ...timing, longest: 60_000 }))

  let atOnce = 0,
    most = 0,
    done = 0
  const act = async () => {
    most = Math.max(most, ++atOnce)
    await setTimeout(10)
    atOnce--
    done++
  }
  await Promise.all(patient.flatMap(inTurn => Array.from({ length: 8 }, () => inTurn(store, act))))
  t.same([most, done], [1, 24], 'one after the other')

  const [first, second] = turns as [(typeof turns)[0], (typeof turns)[0]]
  const began = Promise.withResolvers<void>(),
    end = Promise.withResolvers<void>()
  const long = first(store, async () => {
    began.resolve()
    await end.promise
  })
  await began.promise
  t.equal(await second(other, async () => 'done'), 'done', 'other stores do not wait')
  const waited = await second(store, async () => 'done').catch((error: unknown) => error)
  t.ok(waited instanceof StoreBusy, 'who waits too long is told so, however long it is kept')
  end.resolve()
  await long
  t.equal(await second(store, async () => 'done'), 'done', 'then the turn is free')

  await db.kysely
    .insertInto('journal_turns')
    .values({ store_id: store, holder: store, ends_at: sql`clock_timestamp() + interval '300 ms'` })
    .execute()
  t.equal(await second(store, async () => 'done'), 'done', 'the turn of a dead process ends')
  await t.rejects(
    second(store, () => Promise.reject(new Error('refused'))),
    { message: 'refused' },
    'an error passes',
  )
  t.equal(await first(store, async () => 'done'), 'done', 'and frees the turn')
})
