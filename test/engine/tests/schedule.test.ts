import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { sql } from 'kysely'
import { add } from '../../../engine/jobs/queue.ts'
import { addDue, prune, startSchedule } from '../../../engine/operators/schedule.ts'
import { freshDb } from '../support/harness.ts'
import { quietLog } from '../support/quiet-log.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'

// There is no engine, so queued jobs do not run.
const db = await freshDb()
t.teardown(() => db.close())
const store = await seedStore(db)
const noon = Date.parse('2026-11-10T12:00:00Z'),
  minute = 60_000,
  day = 24 * 60 * minute

t.test('recurring jobs are added once, when due, for stores with a running test', async t => {
  const idle = await seedStore(db, { shop: secondShop })
  const busy = await seedStore(db, { shop: 'third.demo-shop.test' }),
    gone = await seedStore(db, {
      shop: 'fourth.demo-shop.test',
      status: 'uninstalled',
      erased_at: new Date(noon),
    })
  for (const store of [busy, gone]) await seedTest(db, store)
  await seedTest(db, idle, { status: 'Paused' })
  const at = new Date(noon + day)
  const due = async (ms: number) => {
    await Promise.all([
      addDue(db, new Date(at.getTime() + ms)),
      addDue(db, new Date(at.getTime() + ms)),
    ])
    const rows = await db.kysely
      .selectFrom('jobs')
      .select(['store_id', 'kind'])
      .where('status', '=', 'queued')
      .orderBy('kind')
      .execute()
    await db.kysely.updateTable('jobs').set({ status: 'completed' }).execute()
    return rows.map(({ store_id, kind }) => [store_id, kind])
  }
  t.same(await due(0), [
    [busy, 'limitCheck'],
    [busy, 'rollupRepair'],
    [busy, 'testCheck'],
  ])
  t.same(await due(4 * minute), [])
  t.same(await due(5 * minute), [
    [busy, 'limitCheck'],
    [busy, 'testCheck'],
  ])
  // A check that was added for another reason counts too.
  await add(
    db.kysely,
    { storeId: busy, kind: 'testCheck', key: 'testCheck' },
    new Date(at.getTime() + 9 * minute),
  )
  await db.kysely.updateTable('jobs').set({ status: 'completed' }).execute()
  t.same(await due(10 * minute), [[busy, 'limitCheck']])
  t.same(await due(day), [
    [busy, 'limitCheck'],
    [busy, 'rollupRepair'],
    [busy, 'testCheck'],
  ])
  t.equal(
    (await db.kysely.selectFrom('jobs').selectAll().execute()).length,
    3,
    'one row of each kind is kept',
  )
})

t.test(
  'a store without a running test is still checked while changes in the shop must be undone',
  async t => {
    const left = await seedStore(db, { shop: 'fifth.demo-shop.test' })
    const ended = await seedTest(db, left, { ended_at: new Date(noon) })
    const added = async () => {
      await addDue(db, new Date(noon + 3 * day))
      return (
        await db.kysely.selectFrom('jobs').select('kind').where('store_id', '=', left).execute()
      ).map(({ kind }) => kind)
    }
    t.same(await added(), [])
    await sql`insert into journal (store_id, batch_id, test_id, kind, place, what, state, created_at) values (${left}, gen_random_uuid(), ${ended}, 'file', '{}', 'A template', 'open', ${new Date(noon)})`.execute(
      db.kysely,
    )
    t.same(await added(), ['testCheck'])
  },
)

t.test('finished jobs and records of deliveries are deleted after thirty days', async t => {
  const old = new Date(noon - 31 * day)
  const finished = await add(db.kysely, { storeId: store, kind: 'rebuild' }, old),
    waiting = await add(db.kysely, { storeId: store, kind: 'rebuild' }, old)
  const recent = await add(
    db.kysely,
    { storeId: store, kind: 'rebuild' },
    new Date(noon - 29 * day),
  )
  await db.kysely
    .updateTable('jobs')
    .set({ status: 'errored' })
    .where('job_id', 'in', [finished, recent])
    .execute()
  await sql`insert into webhook_deliveries (store_id, topic, delivery_id, received_at)
    values (${store}, 'orders/create', 'old', ${old}), (${store}, 'orders/create', 'recent', ${new Date(noon - 29 * day)})`.execute(
    db.kysely,
  )
  await prune(db, new Date(noon))
  t.same(
    (
      await db.kysely
        .selectFrom('jobs')
        .select('job_id')
        .where('job_id', 'in', [finished, waiting, recent])
        .execute()
    )
      .map(row => row.job_id)
      .sort(),
    [waiting, recent].sort(),
  )
  t.same((await sql`select delivery_id from webhook_deliveries`.execute(db.kysely)).rows, [
    { delivery_id: 'recent' },
  ])
})

t.test(
  'sessions and download links that have ended are deleted, and rates that are old',
  async t => {
    const [over, open] = [noon, noon + 1].map(at => new Date(at))
    for (const [name, at] of [
      ['over', over],
      ['open', open],
    ] as const) {
      await sql`insert into refresh_tokens (store_id, token_hash, family_id, expires_at) values (${store}, ${name}, gen_random_uuid(), ${at})`.execute(
        db.kysely,
      )
      await sql`insert into download_links (store_id, link_hash, path, sealed_token, expires_at) values (${store}, ${name}, '/', '', ${at})`.execute(
        db.kysely,
      )
    }
    await sql`insert into shop_rates (shop, per_second, next_at) values ('old', 1, ${new Date(noon - 2 * day)}), ('new', 1, now())`.execute(
      db.kysely,
    )
    await prune(db, new Date(noon))
    for (const [table, column, left] of [
      ['refresh_tokens', 'token_hash', 'open'],
      ['download_links', 'link_hash', 'open'],
      ['shop_rates', 'shop', 'new'],
    ] as const)
      t.same(
        (await sql`select ${sql.ref(column)} as left from ${sql.table(table)}`.execute(db.kysely))
          .rows,
        [{ left }],
        table,
      )
  },
)

t.test('the schedule adds due jobs repeatedly, and no more after its stop', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  const store = await seedStore(db)
  await seedTest(db, store)
  const queued = async () =>
    (await db.kysely.selectFrom('jobs').select('kind').where('store_id', '=', store).execute())
      .length
  let now = noon
  const schedule = startSchedule({
    db,
    clock: () => new Date(now),
    log: quietLog,
    retentionDays: 760,
    every: 5,
  })
  while ((await queued()) === 0) await setTimeout(5)
  await db.kysely.deleteFrom('jobs').execute()
  now += day
  while ((await queued()) === 0) await setTimeout(5)
  await schedule.stop()
  await db.kysely.deleteFrom('jobs').execute()
  t.equal(await queued(), 0)
})

t.test('nothing is added while the clock shows a past that is being made', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  await seedTest(db, await seedStore(db))
  const queued = async () => (await db.kysely.selectFrom('jobs').select('job_id').execute()).length
  let looks = 0
  const during: Promise<number>[] = []
  const schedule = startSchedule({
    db,
    clock: () => new Date(noon + 30 * day),
    log: quietLog,
    retentionDays: 760,
    every: 5,
    isPastMade: () => {
      if (++looks > 3) return false
      during.push(queued())
      return true
    },
  })
  while ((await queued()) === 0) await setTimeout(5)
  await schedule.stop()
  t.same(await Promise.all(during), [0, 0, 0])
})
