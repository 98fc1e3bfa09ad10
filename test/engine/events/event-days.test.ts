import t from 'tap'
import { PassThrough } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { restoreBackup, writeBackup } from '../../../engine/operators/backup.ts'
import { engineConfig } from '../../../engine/config.ts'
import { migrate, migrateIn } from '../../../engine/db/migrate.ts'
import { migrations } from '../../../engine/db/migrations/index.ts'
import { run } from '../../../engine/db/raw.ts'
import { eventDays, keptFrom, makeDay, partitionedDays } from '../../../engine/events/event-days.ts'
import { keepDays } from '../../../engine/operators/schedule.ts'
import { findDifferences, repair } from '../../../engine/events/rebuild-aside.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { emptyDb, freshDb, samePostgres } from '../support/harness.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop as shop } from '../support/small-shop.ts'
import {
  aggregatesOf,
  beacon,
  collect,
  collectingApp,
  countOf,
  event,
  noon,
  visitorIn,
} from '../support/traffic.ts'

const dayLength = 86_400_000
/**
 * Makes the partition of a day, and waits up to a minute for locks, because the machine may be
 * slow.
 */
const makePatiently = (db: Parameters<typeof makeDay>[0], day: string) => makeDay(db, day, 60_000)

/** The partition of each event: its day, or `other`. */
const placesOf = async (db: Parameters<typeof keptFrom>[0]) =>
  (
    await sql<{ id: string; place: string }>`
  select id, substr(tableoid::regclass::text, 8) as place from events order by id`.execute(
      db.kysely,
    )
  ).rows.map(row => `${row.id} ${row.place}`)

t.test('events are partitioned by day; impossible days share one partition', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  const store = await seedStore(db),
    test = await seedTest(db, store)
  const app = await collectingApp(db, () => new Date(noon))
  t.teardown(() => app.close())
  const visitor = visitorIn(test, 0, 'anna')
  const send = async (id: string, at: number, over = {}) =>
    t.equal(
      (
        await collect(
          app,
          beacon(visitor, { [test]: [0, 7] }, [{ ...event('view', at), id }], over),
        )
      ).statusCode,
      204,
    )
  await send('event-today', noon)
  await send('event-yesterday', noon - dayLength)
  await send('event-1970', 0)
  await send('event-9999', Date.UTC(9999, 11, 31))
  for (let n = 0; n < 40; n++)
    await send(`event-old-${String(n).padStart(2, '0')}`, noon - (10 + n) * dayLength)
  // A clock that is three years slow: the event counts now but is stored on its own day.
  await send('event-behind', noon - 1000 * dayLength, { sent: noon - 1000 * dayLength })
  t.same(await partitionedDays(db), ['2026-11-09', '2026-11-10'])
  t.same(
    (await placesOf(db)).filter(place => !place.endsWith(' other')),
    ['event-today 20261110', 'event-yesterday 20261109'],
  )
  t.equal(await countOf(db, 'events'), 45)
  const kept = await aggregatesOf(db)
  await send('event-today', noon)
  await send('event-1970', 0)
  t.same(
    await aggregatesOf(db),
    kept,
    'an event that is sent again changes nothing in either partition',
  )
  t.equal(await countOf(db, 'events'), 45)
  await rebuild(db, shop)
  t.same(await aggregatesOf(db), kept, 'a rebuild from all partitions gives the same figures')

  const restored = await emptyDb(),
    file = new PassThrough()
  t.teardown(() => restored.close())
  await Promise.all([writeBackup(db, file), restoreBackup(restored, file)])
  t.same(
    [await partitionedDays(restored), await placesOf(restored)],
    [await partitionedDays(db), await placesOf(db)],
    'after a restore from a backup, each event is where it was',
  )
  const last = async () =>
    (await sql<{ seq: number }>`select max(seq) as seq from events`.execute(restored.kysely))
      .rows[0]!.seq
  const before = await last()
  await insertEvent(restored, store, 'event-later', '2026-11-10', 0)
  t.equal(await last(), before + 1, 'and the next event gets the next sequence number')
})

t.test(
  'events of a day move from the shared partition into their own once, even if several make it at once',
  async t => {
    const db = await freshDb()
    const second = samePostgres(db) ?? db
    t.teardown(async () => {
      if (second !== db) await second.close()
      await db.close()
    })
    const store = await seedStore(db)
    for (const [id, day] of [
      ['event-one', '2026-11-12'],
      ['event-two', '2026-11-12'],
      ['event-three', '2026-11-13'],
    ])
      await run(
        db.kysely,
        `insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims) values ($1, $2, $3, $2::date, 1, 0, 1, false, true, 'visitor-one', 'session-one', '/', '{}')`,
        [store, day, id],
      )
    await Promise.all([db, second, db, second].map(one => makePatiently(one, '2026-11-12')))
    t.same(await placesOf(db), ['event-one 20261112', 'event-three other', 'event-two 20261112'])
    t.same(
      (
        await sql<{ n: number }>`select count(distinct seq)::int as n from events`.execute(
          db.kysely,
        )
      ).rows,
      [{ n: 3 }],
      'each event has its own sequence number',
    )

    if (second === db) return
    // While another transaction reads the table for a long time, no event waits for its partition.
    const errors: unknown[] = []
    await second.kysely.transaction().execute(async reader => {
      await sql`select count(*) from events`.execute(reader)
      const days = eventDays(db, error => errors.push(error))
      t.equal(days.lacks('2026-11-13', noon + 3 * dayLength), true)
      await days.ensure(['2026-11-13'])
      t.equal(
        days.lacks('2026-11-13', noon + 3 * dayLength),
        false,
        'the next attempt comes after a minute',
      )
    })
    t.same([errors, await partitionedDays(db)], [[], ['2026-11-12']])
    await makeDay(db, '2026-11-13')
    t.same(await placesOf(db), ['event-one 20261112', 'event-three 20261113', 'event-two 20261112'])
  },
)

t.test('making a partition during writes or a rebuild loses no event', async t => {
  const db = await freshDb()
  t.teardown(() => db.close())
  const [reader, maker] = [samePostgres(db), samePostgres(db)]
  // PGlite has one connection, so nothing can run in between.
  if (!reader || !maker) return
  t.teardown(() => Promise.all([reader.close(), maker.close()]))
  const test = await seedTest(db, await seedStore(db))
  const app = await collectingApp(db, () => new Date(noon))
  t.teardown(() => app.close())
  // Clocks that are so slow that their events make no partition.
  const meet = async (name: string, behind: number) =>
    (
      await collect(
        app,
        beacon(
          visitorIn(test, 0, name),
          { [test]: [0, 7] },
          [event('exposure', noon - behind, [test])],
          { sent: noon - behind },
        ),
      )
    ).statusCode
  const places = async () => (await placesOf(db)).map(place => place.split(' ')[1]).sort()
  const waiting = async (count: number) => {
    while (
      (
        await sql<{
          n: number
        }>`select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db.kysely,
        )
      ).rows[0]!.n < count
    )
      await setTimeout(5)
  }
  /** Starts `work` while another process makes the day and waits for a reader's lock. */
  async function besideMaking<T>(day: string, work: () => Promise<T>): Promise<T> {
    const { working, making } = await reader!.kysely.transaction().execute(async trx => {
      await sql`select from events_other`.execute(trx)
      const making = makePatiently(maker!, day)
      await waiting(1)
      const working = work()
      await waiting(2)
      return { working, making }
    })
    await making
    return working
  }
  t.equal(await besideMaking('2026-11-02', () => meet('anna', 8 * dayLength)), 204)
  t.same(await places(), ['20261102'])
  t.equal(await meet('bea', 9 * dayLength), 204)
  const kept = await aggregatesOf(db)
  await besideMaking('2026-11-01', () => rebuild(db, shop))
  t.same(await places(), ['20261101', '20261102'])
  t.same(await aggregatesOf(db), kept)
})

t.test(
  'old days are dropped whole, their counts stay, and only tests with all their events are counted again',
  async t => {
    const db = await freshDb()
    t.teardown(() => db.close())
    const store = await seedStore(db)
    const start = noon - 70 * dayLength
    const old = await seedTest(db, store, { start_at: new Date(start) }),
      young = await seedTest(db, store, { start_at: new Date(noon - 5 * dayLength) })
    let now = start
    const app = await collectingApp(db, () => new Date(now))
    t.teardown(() => app.close())
    const meet = async (
      test: string,
      at: number,
      name: string,
      extra: ReturnType<typeof event>[] = [],
      behind = 0,
    ) => {
      now = at
      const { statusCode } = await collect(
        app,
        beacon(
          visitorIn(test, 0, name),
          { [test]: [0, 7] },
          [event('exposure', at - behind, [test]), event('view', at - behind), ...extra],
          { sent: at - behind },
        ),
      )
      t.equal(statusCode, 204)
    }
    for (const [i, at] of [
      start,
      start + dayLength,
      start + 40 * dayLength,
      noon - dayLength,
    ].entries())
      await meet(old, at, `old-${i}`, i === 0 ? [event('view', 0)] : [])
    await meet(young, noon - dayLength, 'young', [event('view', 0)])
    // Two slow clocks. The day of the second one's events will be dropped.
    await meet(young, noon - dayLength, 'far-behind', [], 1000 * dayLength)
    await meet(young, noon - dayLength, 'behind', [], 69 * dayLength)
    const counted = await aggregatesOf(db),
      places = await countOf(db, 'events')

    t.same(await keepDays(db, new Date(noon), 60), ['2026-09-01', '2026-09-02'])
    t.equal(await keptFrom(db), '2026-09-03')
    t.equal(
      await countOf(db, 'events'),
      places - 5,
      'events of impossible days that were written before are dropped too',
    )
    t.same(await keepDays(db, new Date(noon), 60), [], 'a day is dropped once')
    t.same(
      (await partitionedDays(db)).slice(-4),
      ['2026-11-09', '2026-11-10', '2026-11-11', '2026-11-12'],
      'the partitions of the next days exist',
    )
    t.same(await aggregatesOf(db), counted, 'the counts stay')

    t.same(await findDifferences(db, shop), { tests: [], sessions: false })
    t.same(
      await repair(db, shop, [old]),
      { tests: [], sessions: false },
      'the old test is not counted again',
    )
    await rebuild(db, shop)
    t.same(await aggregatesOf(db), counted)
    await sql`update test_days set visitors = 99 where test_id in (${old}, ${young})`.execute(
      db.kysely,
    )
    await sql`update visitor_sessions set views = 99`.execute(db.kysely)
    t.same(await findDifferences(db, shop), { tests: [young], sessions: true })
    await rebuild(db, shop)
    const after = (await aggregatesOf(db)) as Record<
      'days' | 'sessions' | 'visitors',
      { test_id: string; visitors: number; views: number; first_at: Date }[]
    >
    t.same(
      after.days.filter(row => row.test_id === young).map(row => row.visitors),
      [3, 3],
      'visitors with wrong clocks count too',
    )
    t.ok(
      after.days.filter(row => row.test_id === old).every(row => row.visitors === 99),
      'the right figures of the old test cannot be computed any more',
    )
    t.same(
      after.sessions.map(row => [row.views, row.first_at.getTime() < noon - 60 * dayLength]).sort(),
      [...Array.from({ length: 5 }, () => [1, false]), [99, true], [99, true]],
      'sessions of dropped days stay',
    )
  },
)

t.test('events are kept for 760 days by default, and for at least 60 days', async t => {
  t.equal(engineConfig({}).EVENT_RETENTION_DAYS, 760)
  t.equal(engineConfig({ EVENT_RETENTION_DAYS: '60' }).EVENT_RETENTION_DAYS, 60)
  for (const wrong of ['59', '0', 'ever'])
    t.throws(
      () => engineConfig({ EVENT_RETENTION_DAYS: wrong }),
      { message: /EVENT_RETENTION_DAYS/ },
      wrong,
    )
})

t.test('events of an earlier version move into their partitions and keep their order', async t => {
  const db = await emptyDb()
  t.teardown(() => db.close())
  await db.kysely.transaction().execute(trx =>
    migrateIn(
      trx,
      migrations.slice(
        0,
        migrations.findIndex(m => m.name === '0017-event-days'),
      ),
    ),
  )
  const store = await seedEarlier(db)
  await migrate(db)
  t.same(await placesOf(db), ['event-far other', 'event-one 20261110', 'event-two 20261111'])
  t.same(
    (await sql`select id, day, path, claims, seq from events order by seq`.execute(db.kysely)).rows,
    [
      { id: 'event-one', day: '2026-11-10', path: '/', claims: { a: 1 }, seq: 1 },
      { id: 'event-two', day: '2026-11-11', path: '/', claims: { a: 1 }, seq: 2 },
      { id: 'event-far', day: '1970-01-01', path: '/', claims: { a: 1 }, seq: 3 },
    ],
  )
  await insertEvent(db, store, 'event-new', '2026-11-10', 0)
  t.same(
    (await sql`select id from events order by seq desc limit 1`.execute(db.kysely)).rows,
    [{ id: 'event-new' }],
    'a later event gets a later sequence number',
  )
})

async function seedEarlier(db: Awaited<ReturnType<typeof emptyDb>>): Promise<string> {
  const {
    rows: [row],
  } = await sql<{ id: string }>`select gen_random_uuid() as id`.execute(db.kysely)
  for (const [id, day, setAside] of [
    ['event-one', '2026-11-10', 0],
    ['event-two', '2026-11-11', 0],
    ['event-far', '1970-01-01', 1],
  ] as const)
    await insertEvent(db, row!.id, id, day, setAside)
  return row!.id
}
const insertEvent = (
  db: Awaited<ReturnType<typeof emptyDb>>,
  store: string,
  id: string,
  day: string,
  setAside: number,
) =>
  run(
    db.kysely,
    `
  insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims)
  values ($1, $2, $3, $2::date, 1, 0, $4, false, true, 'visitor-one', 'session-one', '/', '{"a":1}')`,
    [store, day, id, setAside],
  )
