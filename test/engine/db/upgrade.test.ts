import t from 'tap'
import { sql } from 'kysely'
import { holdCause } from '../../../domain/tests/hold-cause.ts'
import { migrate, migrateIn } from '../../../engine/db/migrate.ts'
import { migrations } from '../../../engine/db/migrations/index.ts'
import { run } from '../../../engine/db/raw.ts'
import { rebuildDue } from '../../../engine/events/rebuild.ts'
import { dueTests, startRollup } from '../../../engine/reports/rollup.ts'
import { emptyDb } from '../support/harness.ts'
import { quietLog } from '../support/quiet-log.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { seedSummary } from '../support/summaries.ts'
import { secondShop } from '../support/small-shop.ts'
import { noon, visitorIn } from '../support/traffic.ts'

t.test(
  'counts of an earlier version get sessions, channels and cells from their events, once',
  async t => {
    const db = await emptyDb()
    t.teardown(() => db.close())
    await db.kysely.transaction().execute(trx =>
      migrateIn(
        trx,
        migrations.slice(
          0,
          migrations.findIndex(m => m.name === '0006-reporting'),
        ),
      ),
    )
    const store = await seedStore(db)
    await seedStore(db, { shop: secondShop })
    const test = await seedTest(db, store)
    const visitor = visitorIn(test, 0, 'anna')
    // Events, a visitor and a day as that version stored them.
    for (const [id, kind, ago] of [
      ['event-one', 0, 2000],
      ['event-two', 1, 2000],
      ['event-three', 1, 1000],
    ] as const)
      await run(
        db.kysely,
        `insert into events (store_id, day, id, at, kind, device, set_aside, is_bot, is_new, visitor_id, session_id, path, claims, tests, landing, referrer)
      values ($1, '2026-11-10', $2, $3, $4, 1, 0, false, true, $5, 'session-one', '/', $6, $7::uuid[], '/', $8)`,
        [
          store,
          id,
          new Date(noon - ago),
          kind,
          visitor,
          JSON.stringify({ [test]: [0, 7] }),
          kind === 0 ? `{${test}}` : null,
          kind === 0 ? 'https://www.google.com/' : null,
        ],
      )
    await run(
      db.kysely,
      `insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot, is_new, device, first_exposed_at) values ($1, $2, $3, 0, 7, 1, false, true, 1, $4)`,
      [store, test, visitor, new Date(noon - 2000)],
    )
    await run(
      db.kysely,
      `insert into test_days (store_id, test_id, day, arm, dimension, value, visitors, clickers, adders) values ($1, $2, '2026-11-10', 0, 'all', '', 1, 0, 0)`,
      [store, test],
    )

    await migrate(db)
    const due = async () =>
      (await db.kysely.selectFrom('rebuilds_due').selectAll().execute()).map(row => row.store_id)
    t.same(await due(), [store], 'only the store that has events')
    await rebuildDue(db, () => true)
    t.same(await due(), [store], 'a process that stops rebuilds nothing')
    await Promise.all([rebuildDue(db, () => false), rebuildDue(db, () => false)])
    t.same(await due(), [])
    const cube = async () =>
      (
        await sql`select referrer, device, channel, is_new, visitors, bounces, sessions from test_cube order by referrer`.execute(
          db.kysely,
        )
      ).rows
    const cell = { device: 1, channel: 1, is_new: true, visitors: 1, bounces: 0, sessions: 1 }
    t.same(await cube(), [
      { referrer: '*', ...cell },
      { referrer: 'google.com', ...cell },
    ])
    t.same(
      (
        await sql`select visitors, bounces, sessions from test_days where dimension = 'all'`.execute(
          db.kysely,
        )
      ).rows,
      [{ visitors: 1, bounces: 0, sessions: 1 }],
    )
    // The same upgrade again, beside another shop that needs no rebuild.
    const other = await seedStore(db, { shop: 'third-shop.demo-shop.test' }),
      ready = await seedTest(db, other)
    await db.kysely.insertInto('rebuilds_due').values({ store_id: store }).execute()
    t.same(
      await dueTests(db, new Date(noon), true),
      [{ store_id: other, test_id: ready }],
      'a store that waits for its rebuild is not summed up',
    )
    t.equal(
      (await dueTests(db, new Date(noon), false)).length,
      2,
      'but old figures are better than none when the rebuild failed',
    )
    const summed: string[] = []
    const rollup = startRollup({
      db,
      clock: () => new Date(noon),
      log: quietLog,
      onSummed: (_, id) => {
        summed.push(id)
      },
    })
    await rollup.runNow()
    await rollup.stop()
    t.same(await due(), [])
    t.same([...new Set(summed)].sort(), [test, ready].sort())
    t.match(
      (
        await sql<{
          days: unknown
        }>`select days from test_summaries where test_id = ${test}`.execute(db.kysely)
      ).rows[0]!.days,
      [{ visitors: 1, sessions: 1 }],
    )
  },
)

t.test(
  'after the upgrade an imported test says which fields its file did not have, and is summed up again',
  async t => {
    const db = await emptyDb()
    t.teardown(() => db.close())
    await db.kysely.transaction().execute(trx =>
      migrateIn(
        trx,
        migrations.slice(
          0,
          migrations.findIndex(m => m.name === '0019-what-files-tell'),
        ),
      ),
    )
    const store = await seedStore(db)
    const [own, silent, telling] = [
      await seedTest(db, store),
      await seedTest(db, store, { is_imported: true }),
      await seedTest(db, store, { is_imported: true }),
    ]
    const cell = (test: string, country: string, referrer: string, device: number) =>
      run(
        db.kysely,
        `
    insert into test_cube (store_id, test_id, country, referrer, arm, device, channel, is_new, visitors, clickers, adders, bounces, sessions) values ($1, $2, $3, $4, 0, $5, 0, true, 1, 0, 0, 0, 1)`,
        [store, test, country, referrer, device],
      )
    for (const [country, referrer] of [
      ['*', '*'],
      ['*', ''],
    ] as const)
      await cell(silent, country, referrer, 0)
    for (const [country, referrer] of [
      ['*', '*'],
      ['*', 'blog.example'],
      ['DE', '*'],
      ['DE', 'blog.example'],
    ] as const)
      await cell(telling, country, referrer, 1)
    await seedSummary(db, store, own, [1, 1])
    await migrate(db)
    const rows = await db.kysely.selectFrom('tests').select(['test_id', 'not_in_file']).execute()
    t.same(Object.fromEntries(rows.map(row => [row.test_id, row.not_in_file])), {
      [own]: [],
      [silent]: ['device', 'channel', 'referrer', 'country', 'visitors'],
      [telling]: ['channel', 'visitors'],
    })
    t.same(await db.kysely.selectFrom('test_summaries').selectAll().execute(), [])
  },
)

t.test(
  'a test that an earlier version put on hold at the limit is told that it resumes',
  async t => {
    const db = await emptyDb()
    t.teardown(() => db.close())
    const index = migrations.findIndex(({ name }) => name === '0045-limits-and-returns')
    await db.kysely.transaction().execute(trx => migrateIn(trx, migrations.slice(0, index)))
    const store = await seedStore(db)
    const heldFor = (cause: string) =>
      seedTest(db, store, {
        status: 'OnHold',
        hold_cause: JSON.stringify({ cause, message: 'Message.', remedy: 'Resume the test.' }),
      })
    const atLimit = await heldFor('visitorLimit'),
      other = await heldFor('pageGone')
    await migrate(db)
    const causes = new Map(
      (await db.kysely.selectFrom('tests').select(['test_id', 'hold_cause']).execute()).map(
        ({ test_id, hold_cause }) => [test_id, hold_cause],
      ),
    )
    t.same(causes.get(atLimit), holdCause('visitorLimit', 'Message.'))
    t.match(causes.get(other), { remedy: 'Resume the test.' })
  },
)
