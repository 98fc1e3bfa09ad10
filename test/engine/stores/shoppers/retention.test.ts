import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import t from 'tap'
import {
  commonFields,
  keepingRules,
  notShoppers,
  shopperColumns,
  shopperTables,
} from '../../../../domain/stores/shoppers/shopper-tables.ts'
import { wholeTable } from '../../../../domain/stores/shoppers/kept-tables.ts'
import { keepDays, prune } from '../../../../engine/operators/schedule.ts'
import { add } from '../../../../engine/jobs/queue.ts'
import { keepVisitors, reclaim } from '../../../../engine/stores/shoppers/retention.ts'
import { startEngine } from '../../support/engine.ts'
import { seedTest } from '../../support/seeds.ts'
import {
  aggregatesOf,
  beacon,
  collect,
  deliver,
  event,
  noon,
  order,
  visitorIn,
} from '../../support/traffic.ts'

const engine = await startEngine()
const { db, now, call } = engine,
  { app } = engine.engine
t.teardown(engine.close)
now.at = new Date(noon)
const { id: store } = await call('storeInfo', {})
await db.kysely
  .updateTable('stores')
  .set({ origin: 'http://localhost:3002' })
  .where('store_id', '=', store)
  .execute()
const dayLength = 86_400_000,
  days = 60

const { rows: columns } = await sql<{
  table: string
  column: string
}>`select c.table_name as table, c.column_name as column from information_schema.columns c
  join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE' where c.table_schema = current_schema()`.execute(
  db.kysely,
)

t.test(
  'every table that knows a shopper has its rule, and each of its columns its reason',
  async t => {
    const knowing = new Set(
      columns
        .filter(({ column }) => shopperColumns.test(column))
        .map(({ table }) => wholeTable(table)),
    )
    t.same(
      [...knowing].filter(
        table => !(table in shopperTables) && !(notShoppers as readonly string[]).includes(table),
      ),
      [],
    )
    for (const [table, { fields, rule, visitor }] of Object.entries(shopperTables)) {
      const own = columns.filter(each => each.table === table).map(each => each.column)
      t.same(
        own.filter(column => !(column in fields) && !(column in commonFields)),
        [],
        `${table}: what each column is for`,
      )
      t.same(
        Object.keys(fields).filter(column => !own.includes(column)),
        [],
        `${table}: no column that does not exist`,
      )
      t.ok(keepingRules[rule])
      t.equal(
        visitor !== undefined,
        own.includes('visitor_id'),
        `${table}: the column that names the visitor`,
      )
    }
  },
)

/** Names of the tables that contain this text in any column. */
async function holding(text: string): Promise<string[]> {
  const found = new Set<string>()
  const { rows } = await sql<{
    name: string
  }>`select table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'`.execute(
    db.kysely,
  )
  for (const { name } of rows)
    if (
      (
        await sql`select from ${sql.table(name)} t where strpos(t::text, ${text}) > 0 limit 1`.execute(
          db.kysely,
        )
      ).rows.length > 0
    )
      found.add(wholeTable(name))
  return [...found].sort()
}
const figuresOf = async (testId: string) => {
  const { summary, days, order_figures } = await db.kysely
    .selectFrom('test_summaries')
    .select(['summary', 'days', 'order_figures'])
    .where('test_id', '=', testId)
    .executeTakeFirstOrThrow()
  const { goals, visitors, ledger, stages, splitByDevice } = summary
  return {
    goals: goals.map(({ arms }) =>
      arms.map(({ visitors, count, value }) => [visitors, count, value]),
    ),
    visitors,
    ledger,
    stages,
    splitByDevice,
    days,
    order_figures,
  }
}
async function ended(): Promise<void> {
  await keepDays(db, now.at, days)
  await prune(db, now.at)
}

t.test('visitors are deleted when their time is over, and no figures of tests change', async t => {
  const over = await seedTest(db, store, { ended_at: new Date(noon - 10_000) }),
    running = await seedTest(db, store, { start_at: new Date(noon - 5_000) }),
    imported = await seedTest(db, store, {
      is_imported: true,
      start_at: new Date(noon - 900 * dayLength),
      ended_at: new Date(noon - 800 * dayLength),
    })
  const [anna, bert, cleo, dora] = [
    visitorIn(over, 1, 'anna'),
    visitorIn(running, 0, 'bert'),
    'visitor-cleo-0',
    'import-dora-0000',
  ]
  const claims = (testId: string, arm: 0 | 1) => ({ [testId]: [arm, 7] as [0 | 1, number] })
  for (const [visitor, tests, events] of [
    [
      anna,
      claims(over, 1),
      [
        event('exposure', noon - 60_000, [over]),
        { ...event('view', noon - 60_000), product: '7' },
        event('cart', noon - 30_000),
      ],
    ],
    [
      bert,
      claims(running, 0),
      [event('exposure', noon - 4_000, [running]), event('view', noon - 4_000)],
    ],
    [cleo, {}, [event('view', noon - 60_000)]],
  ] as const)
    t.equal((await collect(app, beacon(visitor, tests, [...events]))).statusCode, 204)
  for (const [id, visitor, at] of [
    ['order-anna', anna, noon - 11_000],
    ['order-bert', bert, noon - 1_000],
  ] as const)
    await deliver(app, order(id, visitor, at, '20.00'))
  await deliver(app, order('order-nobody', null, noon - 50 * dayLength, '20.00'))
  const decision = randomUUID()
  for (const row of [
    sql`insert into test_imports values (${store}, 'Past', ${imported}, '[0.5,0.5]', 'ConversionRate', 'PageElement', true, '', ${new Date(noon + 50 * dayLength)})`,
    sql`insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot) values (${store}, ${imported}, ${dora}, 0, 7, 1, false)`,
    sql`insert into orders (store_id, order_id, created_at, day, visitor_id, amount, refunded, is_test, triggered_at, imported_for) values (${store}, 'order-dora', ${new Date(noon - 850 * dayLength)}, '2024-07-01', ${dora}, 100, 0, false, ${now.at}, ${imported})`,
    sql`insert into network_decisions values (${store}, ${decision}, null, 'setAside', 'rule', ${now.at}, ${now.at}, 1, 1)`,
    sql`insert into visitors_aside values (${store}, ${cleo}, ${decision})`,
    sql`insert into network_visitors values (${store}, ${cleo}, 'hash', ${now.at})`,
    sql`insert into network_hours values (${store}, ${now.at}, 'hash', 1)`,
    sql`insert into network_meetings values (${store}, ${running}, ${cleo}, 'hash', 1, ${now.at})`,
    sql`insert into network_arms values (${store}, ${running}, 'hash', ${now.at}, 0, 1)`,
    sql`insert into price_checks values (${store}, ${over}, 'order-anna', ${now.at}, false, null, null)`,
    sql`insert into page_days values (${store}, '2026-11-10', 'path', '/account/anna', 1, 1, 1, 1, 1, 1)`,
  ])
    await row.execute(db.kysely)
  await engine.engine.rollUp()
  for (const row of [
    sql`update tests set hold_cause = '{"cause": "chargeMismatch", "message": "Order #of-anna", "remedy": ""}' where test_id = ${over}`,
    sql`insert into test_events (store_id, test_id, kind, at, detail) values (${store}, ${over}, 'Paused', ${now.at}, 'Order #of-anna')`,
    sql`update test_summaries set summary = jsonb_set(summary, '{charges}', '{"judged": 1, "wrong": 1, "unmarked": 0, "latest": "Order #of-anna was charged 3.00"}') where test_id = ${over}`,
  ])
    await row.execute(db.kysely)
  const before = {
    over: await figuresOf(over),
    running: await figuresOf(running),
    all: (await aggregatesOf(db)) as Record<string, unknown>,
  }

  now.at = new Date(noon + days * dayLength - 60_000)
  await ended()
  t.same(
    await keepVisitors(db, now.at, days),
    { tests: 0, rows: 1 },
    'before that time only an older order without a test is deleted',
  )
  t.ok((await holding(anna)).includes('test_visitors'))

  now.at = new Date(noon + (days + 35) * dayLength)
  await ended()
  t.match(await keepVisitors(db, now.at, days), { tests: 1 })
  for (const name of [anna, cleo, 'order-anna', '#of-anna', '/account/anna'])
    t.same(await holding(name), [], `${name} is in no table`)
  t.same(
    await holding(bert),
    ['orders', 'test_orders', 'test_visitors', 'visitor_sessions'],
    'a running test keeps its visitors without their events',
  )
  t.same(
    await holding(dora),
    ['orders', 'test_orders', 'test_visitors'],
    'a test that was imported later keeps them too',
  )
  t.same(await keepVisitors(db, now.at, days), { tests: 0, rows: 0 }, 'nothing is left')
  // Postgres counts deleted rows with a delay. Without the flush it may count them after reclaim.
  if (db.pglite) await sql`select pg_stat_force_next_flush()`.execute(db.kysely)
  await reclaim(db)
  if (db.pglite)
    t.equal(
      (
        await sql<{
          n: number
        }>`select count(*)::int as n from pg_stat_user_tables where n_dead_tup > 0 and relname in ('orders', 'test_visitors', 'visitor_sessions')`.execute(
          db.kysely,
        )
      ).rows[0]!.n,
      0,
      'the embedded database can reuse the space',
    )

  const refund = { ...order('order-bert', bert, noon - 1_000, '20.00'), refunded: '5.00' }
  await deliver(app, JSON.stringify(refund), {
    'x-demo-topic': 'orders/updated',
    'x-demo-triggered-at': now.at.toISOString(),
  })
  await deliver(
    app,
    JSON.stringify({ ...order('order-anna', anna, noon - 11_000, '20.00'), refunded: '20.00' }),
    { 'x-demo-topic': 'orders/updated', 'x-demo-triggered-at': now.at.toISOString() },
  )
  await engine.engine.rollUp()
  const repair = await add(db.kysely, { storeId: store, kind: 'rollupRepair' }, now.at)
  await engine.engine.runJobs()
  t.match(
    await db.kysely
      .selectFrom('jobs')
      .select(['status', 'message'])
      .where('job_id', '=', repair)
      .executeTakeFirst(),
    { status: 'completed', message: 'All figures match the events' },
  )
  t.same(await figuresOf(over), before.over, 'the ended test has the same figures')
  const after = await figuresOf(running)
  t.same(
    [after.goals, after.days],
    [before.running.goals, before.running.days],
    'the running test has the same figures',
  )
  t.match(
    after.ledger,
    { arms: [{ orders: 1, amount: 2000, refunds: 500 }, { orders: 0 }] },
    'late refunds of the running test count',
  )
  const all = (await aggregatesOf(db)) as Record<string, unknown>
  for (const table of ['days', 'cube', 'arms', 'speed', 'productVisitors', 'periods'])
    t.same(all[table], before.all[table], table)

  now.at = new Date(now.at.getTime() + (days + 1) * dayLength)
  t.match(
    await keepVisitors(db, now.at, days),
    { tests: 1 },
    'later the visitors of the import are deleted',
  )
  for (const name of [dora, 'order-anna']) t.same(await holding(name), [])
})

t.test('rows of a deleted test that arrive late are deleted the next night', async t => {
  const deleted = await seedTest(db, store, { start_at: new Date(now.at.getTime() - 60_000) }),
    visitor = visitorIn(deleted, 1, 'late'),
    exposure = () =>
      collect(
        app,
        beacon(visitor, { [deleted]: [1, 7] }, [
          event('exposure', now.at.getTime() - 1_000, [deleted]),
        ]),
      )
  t.equal((await exposure()).statusCode, 204)
  await engine.engine.rollUp()
  // As if another process stored events just after the deletion, because it knows of it a moment
  // later.
  await db.kysely.deleteFrom('tests').where('test_id', '=', deleted).execute()
  t.ok((await holding(deleted)).includes('test_arms'))
  await keepVisitors(db, now.at, days)
  t.same(
    (await holding(deleted)).filter(table => table !== 'events'),
    [],
    'its visitors and figures are gone; events are deleted by day',
  )
})
