import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { pino } from 'pino'
import t from 'tap'
import {
  erasureWait,
  keptTables,
  wholeTable,
} from '../../../../domain/stores/shoppers/kept-tables.ts'
import type { Db } from '../../../../engine/db/connection.ts'
import { startJournal } from '../../../../engine/journal/journal.ts'
import { showPictures } from '../../../../engine/drafts/pictures/picture-shown.ts'
import { rebuild } from '../../../../engine/events/rebuild.ts'
import { seedTest } from '../../support/seeds.ts'
import { firstShop } from '../../support/small-shop.ts'
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
import { startWithShop } from '../../support/with-shop.ts'

const logged: string[] = []
const { engine, shop, db, now, call, idToken, platform, close } = await startWithShop(
  { log: pino({ level: 'info' }, { write: line => void logged.push(line) }) },
  { COUNTRY_HEADER: 'cf-ipcountry' },
)
t.teardown(close)
const hour = 3_600_000
now.at = new Date(noon)
const { id: storeId } = await call('storeInfo', {})
await db.kysely
  .updateTable('stores')
  .set({ origin: 'http://localhost:3002' })
  .where('store_id', '=', storeId)
  .execute()

type Column = { table: string; column: string }
/** The columns of all tables in the database. */
async function columnsOf({ kysely }: Db): Promise<Column[]> {
  const { rows } =
    await sql<Column>`select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name and t.table_type = 'BASE TABLE' where c.table_schema = current_schema() order by 1, 2`.execute(
      kysely,
    )
  return rows
}

t.test('every table has a rule for what happens to it after an uninstall', async t => {
  const columns = await columnsOf(db),
    tables = [...new Set(columns.map(({ table }) => wholeTable(table)))]
  t.same(tables.toSorted(), Object.keys(keptTables).toSorted())
  for (const table of tables)
    t.equal(
      keptTables[table] !== 'own',
      columns.some(each => each.table === table && each.column === 'store_id') &&
        table !== 'migrations',
      `${table}: whether it belongs to a store or to the product`,
    )
})

const planted = 'zq7planted',
  secret = Buffer.from(`${planted} in bytes`)
/** Names of the tables that contain the planted text, as text or in bytes. */
async function found(): Promise<string[]> {
  const holding: string[] = []
  for (const table of new Set((await columnsOf(db)).map(column => column.table))) {
    const {
      rows: [row],
    } = await sql<{
      n: number
    }>`select count(*)::int as n from ${sql.table(table)} t where strpos(t::text, ${planted}) > 0 or strpos(t::text, ${Buffer.from(planted).toString('hex')}) > 0`.execute(
      db.kysely,
    )
    if (row!.n > 0) holding.push(wholeTable(table))
  }
  return [...new Set(holding)].sort()
}

let testId = ''
async function plant(): Promise<void> {
  testId = await seedTest(db, storeId)
  const visitor = visitorIn(testId, 1, planted),
    claims = { [testId]: [1, 7] as [1, number] }
  const path = `/account/${planted}`
  const sent = await collect(
    engine.app,
    beacon(visitor, claims, [
      { ...event('exposure', noon - 60_000, [testId]), path },
      { ...event('view', noon - 60_000), path, product: '7' },
      { ...event('cart', noon - 50_000), product: '7' },
      { ...event('view', noon + 300_000), path },
    ]),
    { 'cf-ipcountry': 'DE' },
  )
  if (sent.statusCode !== 204) throw new Error(sent.body)
  const own = `${planted}-order`
  const taken = await deliver(engine.app, {
    ...order(own, visitor, noon - 1_000, '20.00'),
    name: `#${planted}`,
  } as ReturnType<typeof order>)
  if (taken.statusCode !== 200) throw new Error(taken.body)
  await engine.rollUp()
  const at = now.at,
    k = db.kysely,
    decision = randomUUID()
  await k
    .insertInto('leads')
    .values({
      store_id: storeId,
      lead_id: randomUUID(),
      first_name: planted,
      email: `${planted}@shop.test`,
      created_at: at,
      updated_at: at,
    })
    .execute()
  await k
    .updateTable('stores')
    .set({ email: `${planted}@shop.test`, phone: planted })
    .where('store_id', '=', storeId)
    .execute()
  await k
    .insertInto('refresh_tokens')
    .values({
      store_id: storeId,
      token_hash: planted,
      expires_at: new Date(at.getTime() + 9_000 * hour),
    })
    .execute()
  await k
    .insertInto('download_links')
    .values({
      store_id: storeId,
      link_hash: planted,
      path: '/',
      sealed_token: Buffer.from(planted),
      expires_at: new Date(at.getTime() + 9_000 * hour),
    })
    .execute()
  await k
    .insertInto('analytics_settings')
    .values({
      store_id: storeId,
      refresh_token: secret,
      access_token: secret,
      access_expires_at: at,
      account_id: planted,
      property_id: null,
      measurement_ids: '[]',
      measurement_id: null,
      api_secret: secret,
      last_error: null,
      connected_at: at,
    })
    .execute()
  await k
    .insertInto('subscription_asks')
    .values({
      store_id: storeId,
      plan_id: 'advanced-100k-monthly',
      discount_code: null,
      asked_at: at,
      confirmation_url: `https://shop.test/?token=${planted}`,
    })
    .execute()
  await k
    .insertInto('pictures')
    .values({
      store_id: storeId,
      name: `twinshelf-${planted}.png`,
      type: 'image/png',
      body: secret,
      bytes: secret.length,
      created_at: at,
    })
    .execute()
  await k
    .insertInto('screenshots')
    .values({
      store_id: storeId,
      hypothesis_id: randomUUID(),
      device: 'desktop',
      image: secret,
      taken_at: at,
    })
    .execute()
  await k
    .insertInto('choice_pictures')
    .values({
      store_id: storeId,
      choice: planted,
      version: '',
      image: secret,
      taken_at: at,
      drawn_version: null,
      problem: null,
      tried_at: null,
      is_waiting: false,
      asked_at: at,
    })
    .execute()
  await k
    .updateTable('tests')
    .set({
      hold_cause: JSON.stringify({
        cause: 'chargeMismatch',
        message: `Order #${planted}`,
        remedy: '',
      }),
    })
    .where('test_id', '=', testId)
    .execute()
  await k
    .insertInto('test_events')
    .values({
      store_id: storeId,
      test_id: testId,
      kind: 'Paused',
      at,
      detail: `Order #${planted}`,
      value: null,
      mark: null,
    })
    .execute()
  await engine.rollUp()
  for (const row of [
    sql`update test_summaries set summary = jsonb_set(summary, '{charges}', ${JSON.stringify({ judged: 1, wrong: 1, unmarked: 0, latest: `Order #${planted}` })}::jsonb) where test_id = ${testId}`,
    sql`insert into network_visitors values (${storeId}, ${visitor}, ${planted}, ${at})`,
    sql`insert into network_hours values (${storeId}, ${at}, ${planted}, 1)`,
    sql`insert into network_meetings values (${storeId}, ${testId}, ${visitor}, ${planted}, 1, ${at})`,
    sql`insert into network_arms values (${storeId}, ${testId}, ${planted}, ${at}, 0, 1)`,
    sql`insert into network_days values (${storeId}, '2026-11-09', 1, 1, false)`,
    sql`insert into visitors_aside values (${storeId}, ${visitor}, ${decision})`,
    sql`insert into network_decisions values (${storeId}, ${decision}, ${planted}, 'setAside', 'rule', ${at}, ${at}, 1, 1)`,
    sql`insert into page_days values (${storeId}, '2026-11-09', 'path', ${path}, 1, 1, 1, 1, 1, 1)`,
    sql`insert into page_days_built values (${storeId}, '2026-11-09', 1, 1, true, ${at})`,
    sql`insert into shopper_exports values (${storeId}, ${randomUUID()}, ${at}, ${JSON.stringify({ planted })}::jsonb)`,
    sql`insert into erased_orders values (${storeId}, ${planted})`,
    sql`insert into order_pixels values (${storeId}, ${own}, ${visitor}, ${at})`,
    sql`insert into order_marks (store_id, test_id, order_id, visitor_id) values (${storeId}, ${testId}, ${own}, ${visitor})`,
    sql`insert into test_order_titles values (${storeId}, ${testId}, 'mug', ${at}, ${planted}, 1)`,
    sql`insert into price_checks values (${storeId}, ${testId}, ${own}, ${at}, false, null, ${planted})`,
    sql`insert into test_imports values (${storeId}, ${planted}, ${randomUUID()}, '[0.5,0.5]', 'ConversionRate', 'PageElement', true, ${planted}, ${at})`,
  ])
    await row.execute(k)
}

const uninstall = async () => {
  await call(
    'uninstall',
    { params: { id: storeId }, body: { category: 'other', reason: 'We are moving.' } },
    (await call('auth', { body: { idToken: await idToken() } })).token,
  )
  await engine.runJobs()
}
const install = async () => {
  await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
  await call('auth', { body: { idToken: await idToken() } })
}
const statusOf = async () =>
  await db.kysely
    .selectFrom('stores')
    .select(['status', 'erased_at'])
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow()

t.test('a shop that comes back within 48 hours finds everything unchanged', async t => {
  await plant()
  const before = await found()
  for (const [table, rule] of Object.entries(keptTables)) {
    // The platform's tokens are erased by the uninstall itself (platform-tokens.test.ts).
    const isElsewhere = ['network_days', 'page_days_built', 'platform_tokens'].includes(table)
    if (rule === 'kept' || rule === 'own' || isElsewhere) continue
    t.ok(before.includes(table), `${table} contains the planted text`)
  }
  await uninstall()
  t.equal((await statusOf()).status, 'uninstalled')
  now.at = new Date(now.at.getTime() + erasureWait - 60_000)
  await engine.runJobs()
  t.ok((await found()).includes('events'), 'a minute before the end everything is there')
  await install()
  now.at = new Date(now.at.getTime() + hour)
  await engine.runJobs()
  t.ok((await found()).includes('test_visitors'))
  t.same(await statusOf(), { status: 'installed', erased_at: null })
})

t.test('48 hours after an uninstall no table names a shopper, a contact or a key', async t => {
  const figures = async () => {
    const {
      summary: { updatedAt: _, ...summary },
      ...others
    } = await db.kysely
      .selectFrom('test_summaries')
      .select(['summary', 'days', 'order_figures'])
      .where('test_id', '=', testId)
      .executeTakeFirstOrThrow()
    return { summary, ...others }
  }
  await uninstall()
  await engine.rollUp()
  const summed = await figures()
  now.at = new Date(now.at.getTime() + erasureWait + 1_000)
  logged.length = 0
  await engine.runJobs()
  t.same(await found(), [])
  t.notMatch(logged.join(''), planted)
  t.match(logged.join(''), /erased after an uninstall/)
  for (const [table, rule] of Object.entries(keptTables))
    if (rule === 'erased')
      t.equal(
        (
          await sql<{
            n: number
          }>`select count(*)::int as n from ${sql.table(table)} where store_id = ${storeId}`.execute(
            db.kysely,
          )
        ).rows[0]!.n,
        0,
        table,
      )

  const { erased_at: erasedAt } = await statusOf()
  t.same(erasedAt, now.at)
  t.match(await db.kysely.selectFrom('erasures').selectAll().execute(), [
    {
      kind: 'store',
      asked_by: 'uninstall',
      done_at: now.at,
      counts: { events: 4, orders: 1, test_visitors: 1, leads: 1, stores: 1 },
    },
  ])
  t.equal(
    (
      await db.kysely
        .selectFrom('uninstalls')
        .selectAll()
        .where('reason', '=', 'We are moving.')
        .execute()
    ).length,
    2,
    'the reasons stay',
  )
  t.ok(
    await db.kysely.selectFrom('test_history').selectAll().where('test_id', '=', testId).execute(),
  )

  await install()
  t.match(await statusOf(), { status: 'installed' })
  t.equal(
    (
      await call(
        'storeInfo',
        {},
        (await call('auth', { body: { idToken: await idToken() } })).token,
      )
    ).reinstall,
    true,
    'the store knows that it was installed before',
  )
  const kept = await aggregatesOf(db)
  await rebuild(db, firstShop)
  await deliver(engine.app, order('late-order', null, noon - 1_000, '5.00'))
  await engine.rollUp()
  t.same(await aggregatesOf(db), kept, 'a rebuild adds nothing from the erased data')
  t.same(await figures(), summed, 'the figures of the test stay')
  t.match(summed, { order_figures: { ledger: { arms: [{}, { orders: 1, amount: 2000 }] } } })
  const token = (await call('auth', { body: { idToken: await idToken() } })).token
  t.match(await call('testOrders', { params: { id: testId }, query: {} }, token), {
    rows: [],
    count: 0,
    isKept: false,
  })

  const draft = await call(
    'createDraft',
    { body: { kind: 'PageElement', title: 'With a picture' } },
    token,
  )
  const actions = [
    {
      selector: 'img',
      kind: 'image' as const,
      name: '',
      value: `https://shop.test/cdn/uploads/twinshelf-${'0'.repeat(32)}.png`,
    },
  ]
  await call(
    'setDomSelectors',
    {
      params: { id: draft.hypotheses.find(each => each.arm === 'variant')!.id },
      body: { domSelectors: [{ id: 'new', urlPatterns: ['/products/*'], actions }] },
    },
    token,
  )
  await t.rejects(
    showPictures(
      { db, journal: startJournal({ db, platform, clock: () => now.at }) },
      storeId,
      draft.id,
    ),
    /A picture of this test was erased/,
    'the check of a launch',
  )
})
