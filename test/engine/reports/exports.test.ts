import { PGliteDialect, Kysely, PostgresDialect, sql } from 'kysely'
import { unzipSync } from 'fflate'
import t from 'tap'
import { exclusionReasons } from '../../../domain/tests/exclusion-words.ts'
import { goalNames } from '../../../domain/reports/goal.ts'
import { planLevels } from '../../../domain/plans/plan-level.ts'
import type { Db } from '../../../engine/db/connection.ts'
import { shopOfWork } from '../../../engine/db/lost.ts'
import type { Schema } from '../../../engine/db/schema.ts'
import { startEngine } from '../support/engine.ts'
import { fingerprint } from '../fuzz/requests.ts'
import { freshDb } from '../support/harness.ts'
import { seedTest } from '../support/seeds.ts'
import { firstShop } from '../support/small-shop.ts'
import {
  beacon,
  browser,
  collect,
  deliver,
  event,
  noon,
  order,
  phone,
  visitorIn,
} from '../support/traffic.ts'

const hour = 3_600_000
const asked: string[] = []
/** The shops whose share of the connections these queries used. */
const askedFor = new Set<string | undefined>()
const db = watched(await freshDb())
const { engine, shop, now, ownToken, call, close } = await startEngine({ db })
t.teardown(async () => {
  await close()
  await db.close()
})
now.at = new Date(noon)
const { id: storeId } = await call('storeInfo', {})

const get = async (testId: string, what: 'export' | 'export-orders' | 'export-zip') =>
  engine.app.inject({
    url: `/api/v0/tests/${testId}/${what}`,
    headers: { authorization: `Bearer ${await ownToken()}` },
  })
const tableOf = (text: string): Record<string, string>[] => {
  const [header = [], ...rows] = parseCsv(text)
  return rows.map(row => Object.fromEntries(row.map((cell, i) => [header[i]!, cell])))
}

const testId = await seedTest(db, storeId, {
  title: '=HYPERLINK("https://evil")',
  control_title: '+1',
  variant_title: 'Möbel, "neu"\nzweite Zeile',
  start_at: new Date(noon - 30 * hour),
})
await fill()
await engine.rollUp()

t.test(
  'every order of the ledger is in the table once, and the parts add up to the cent',
  async t => {
    const answer = await get(testId, 'export-orders')
    t.equal(answer.statusCode, 200)
    t.match(answer.headers, {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition':
        'attachment; filename="twinshelf-hyperlink-https-evil-orders-2026-11-10.csv"',
      'cache-control': 'private, no-store',
    })
    t.same(
      [...answer.rawPayload.subarray(0, 3)],
      [0xef, 0xbb, 0xbf],
      'UTF-8 with a byte order mark',
    )
    const rows = tableOf(answer.body)
    const {
      summary: { ledger },
    } = await call('test', { params: { id: testId } })
    const cents = (text: string) => Number(text.replace('.', ''))
    const sum = (some: typeof rows) => ({
      orders: some.length,
      amount: some.reduce((n, row) => n + cents(row['Amount']!), 0),
      refunds: some.reduce((n, row) => n + cents(row['Refunded']!), 0),
    })
    t.same(
      [
        sum(rows.filter(row => row['Arm'] === 'Control')),
        sum(rows.filter(row => row['Arm'] === 'Variant')),
      ],
      ledger.arms,
    )
    for (const part of ledger.excluded)
      t.same(
        {
          reason: part.reason,
          ...sum(rows.filter(row => row['Left out because'] === exclusionReasons[part.reason])),
        },
        part,
      )
    t.same(sum(rows), ledger.total)
    t.ok(ledger.excluded.filter(part => part.orders > 0).length >= 6, 'many reasons occur')
    t.match(
      rows.find(row => row['Order'] === '#phone'),
      {
        Created: '2026-11-10 08:30:00',
        Arm: 'Variant',
        Counted: 'yes',
        Type: 'subscription',
        Amount: '48.60',
        Refunded: '10.00',
        Currency: 'USD',
        Device: 'Phone',
        Visitor: 'new',
        Country: '',
        'Met the test': '2026-11-10 08:00:00',
        Items: '3',
        Products: '2 × Candle; 1 × Spoon',
      },
    )
    t.equal(new Set(rows.map(row => row['Order'])).size, rows.length)
  },
)

t.test(
  'the export shows only those facts of visitors and orders that the plan includes',
  async t => {
    const told = async () =>
      tableOf((await get(testId, 'export-orders')).body)
        .filter(row => row['Order'] === '#phone' || row['Country'])
        .map(row => ['Channel', 'Visitor', 'Country', 'Type'].map(fact => row[fact] !== ''))
    const { plan_id: before } = await db.kysely
      .selectFrom('stores')
      .select('plan_id')
      .where('store_id', '=', storeId)
      .executeTakeFirstOrThrow()
    await sql`update stores set plan_id = (select plan_id from plans where level = ${planLevels.Core} order by plan_id limit 1) where store_id = ${storeId}`.execute(
      db.kysely,
    )
    t.strictSame(await told(), [[false, false, false, false]])
    const why = async () =>
      tableOf((await get(testId, 'export-orders')).body).map(row => row['Left out because'])
    const reasons = async () =>
      (await call('testOrders', { params: { id: testId }, query: { part: 'renewal' } })).rows.map(
        ({ reason }) => reason,
      )
    t.notOk((await why()).includes(exclusionReasons.renewal), 'the reason does not tell the type')
    t.ok((await why()).includes('other reason'))
    t.strictSame(await reasons(), [null])
    await db.kysely
      .updateTable('stores')
      .set({ plan_id: before })
      .where('store_id', '=', storeId)
      .execute()
    t.ok((await told()).every(([channel, visitor, , type]) => channel && visitor && type))
    t.ok((await why()).includes(exclusionReasons.renewal))
    t.strictSame(await reasons(), ['renewal'])
  },
)

t.test(
  'text that a spreadsheet would execute is prefixed, numbers are not, and lines end with CRLF',
  async t => {
    const { body } = await get(testId, 'export')
    const rows = tableOf(body)
    t.match(rows[1], {
      Period: 'Whole test',
      Goal: 'Conversion rate',
      Arm: 'Variant',
      Name: 'Möbel, "neu"\nzweite Zeile',
      Unit: 'share of visitors',
    })
    t.equal(rows[0]!['Name'], `'+1`)
    t.match(body, '"Möbel, ""neu""\nzweite Zeile"')
    t.equal(body.split('\r\n').length, parseCsv(body).length + 1)
    const whole = rows.filter(row => row['Period'] === 'Whole test')
    t.equal(whole.length, goalNames.length * 2)
    const { summary } = await call('test', { params: { id: testId } })
    for (const [i, { goal, arms, lift }] of summary.goals.entries())
      t.match(
        whole[i * 2 + 1],
        {
          Visitors: String(arms[1].visitors),
          Count: String(arms[1].count),
          Lift: lift === null ? '' : String(Number(lift.toFixed(6))),
        },
        goal,
      )
    const days = rows.filter(row => row['Period'] !== 'Whole test')
    t.same(
      [...new Set(days.map(row => row['Period']))],
      ['2026-11-09', '2026-11-10'],
      'every day since the test began',
    )
    for (const goal of ['Conversion rate', 'Clickthrough rate'])
      t.equal(
        days.filter(row => row['Goal'] === goal).reduce((n, row) => n + Number(row['Count']), 0),
        whole.filter(row => row['Goal'] === goal).reduce((n, row) => n + Number(row['Count']), 0),
        `${goal}: the days add up`,
      )
    const orders = tableOf((await get(testId, 'export-orders')).body)
    t.ok(
      orders.some(row => row['Products'] === `1 × =cmd|' /C calc'!A0`),
      'text after a number is harmless',
    )
    t.ok(orders.some(row => row['Order'] === `'@SUM(1)`))
  },
)

t.test('the archive has the same tables, each day with every metric, and about.txt', async t => {
  const answer = await get(testId, 'export-zip')
  t.equal(answer.headers['content-type'], 'application/zip')
  const files = unzipSync(answer.rawPayload)
  t.same(Object.keys(files), ['results.csv', 'daily.csv', 'orders.csv', 'about.txt'])
  const text = (name: string) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(files[name])
  t.equal(text('orders.csv'), (await get(testId, 'export-orders')).body)
  t.equal(tableOf(text('results.csv')).length, goalNames.length * 2)
  const { summary } = await call('test', { params: { id: testId } })
  const daily = tableOf(text('daily.csv'))
  t.equal(daily.length, 4)
  t.equal(
    daily.reduce((n, row) => n + Number(row['Visitors']), 0),
    summary.visitors[0] + summary.visitors[1],
  )
  t.equal(
    Math.round(daily.reduce((n, row) => n + Number(row['Revenue, USD']), 0) * 100),
    summary.ledger.arms[0].amount + summary.ledger.arms[1].amount,
  )
  t.match(
    text('about.txt'),
    /Shop: Fern & Kiln\r\n[\s\S]*Verdict: Collecting[\s\S]*Split check: passed \(\d+ visitors in control[\s\S]*Left out, a bot: 1 order, 7\.00 USD/,
  )
})

t.test('a test that has not begun has results without days and no orders', async t => {
  const scheduled = await seedTest(db, storeId, { status: 'Scheduled' })
  await sql`update tests set start_at = null where test_id = ${scheduled}`.execute(db.kysely)
  t.equal(tableOf((await get(scheduled, 'export')).body).length, goalNames.length * 2)
  t.same(tableOf((await get(scheduled, 'export-orders')).body), [])
  t.equal((await get(scheduled, 'export-zip')).statusCode, 200)
  t.equal((await get('00000000-0000-4000-8000-000000000000', 'export-orders')).statusCode, 404)
})

t.test(
  'many orders, also with equal times, are read page by page; the export changes nothing; a client that leaves stops it',
  async t => {
    const many = 60_000
    const big = await seedTest(db, storeId, {
      start_at: new Date(noon - 1_000 * hour),
      ended_at: new Date(noon - 500 * hour),
    })
    await sql`insert into orders (store_id, order_id, created_at, day, visitor_id, amount, refunded, is_test, triggered_at, name, lines)
    select ${storeId}, 'many-' || n, ${new Date(noon - 900 * hour)}::timestamptz + (n / 1500) * interval '1 second', '2026-10-04', null, n, 0, false, now(), '#' || n, '[{"title":"A mug, as in the other rows","quantity":1}]'
    from generate_series(1, ${many}::int) n`.execute(db.kysely)
    // Sum up the new test first, so that the fingerprint shows only changes of the export.
    await engine.rollUp()
    const before = await fingerprint(db)
    asked.length = 0
    const rows = tableOf((await get(big, 'export-orders')).body)
    t.equal(new Set(rows.map(row => row['Order'])).size, many)
    t.equal(
      rows.reduce((sum, row) => sum + Number(row['Amount']!.replace('.', '')), 0),
      (many * (many + 1)) / 2,
    )
    const pages = asked.length
    t.same([...askedFor], [firstShop], 'each page uses the shop’s share of the connections')
    t.ok(pages > many / 1_000, `${pages} pages`)
    t.equal(await fingerprint(db), before)

    const origin = await engine.app.listen({ port: 0, host: '127.0.0.1' })
    asked.length = 0
    const left = new AbortController()
    const answer = await fetch(`${origin}/api/v0/tests/${big}/export-orders`, {
      headers: { authorization: `Bearer ${await ownToken()}` },
      signal: left.signal,
    })
    await answer.body!.getReader().read()
    left.abort()
    // The export and these calls take turns at the database. If no page was read during twenty
    // calls, the export has stopped.
    for (let seen = -1; seen !== asked.length;) {
      seen = asked.length
      for (let n = 0; n < 20; n++) await call('storeInfo', {})
    }
    t.ok(asked.length < pages, `${asked.length} of ${pages} pages`)
  },
)

/** Adds orders in both arms, and orders that are left out for every reason. */
async function fill(): Promise<void> {
  const at = noon - hour
  const send = (name: string, arm: 0 | 1, userAgent = browser, over = {}) => {
    const visitor = visitorIn(testId, arm, name)
    return collect(
      engine.app,
      beacon(
        visitor,
        { [testId]: [arm, 7] },
        [event('exposure', at, [testId]), event('click', at + 1, [testId]), event('cart', at + 2)],
        { sent: at + 3, ...over },
      ),
      { 'user-agent': userAgent, origin: shop.origin },
    ).then(() => visitor)
  }
  now.at = new Date(at + 3)
  const [control, variant, mobile, bot] = [
    await send('control', 0),
    await send('variant', 1),
    await send('mobile', 1, phone),
    await send('bot', 0, 'Googlebot/2.1'),
  ]
  const both = await send('both', 0)
  await collect(
    engine.app,
    beacon(both, { [testId]: [1, 7] }, [event('exposure', at + 5, [testId])], { sent: at + 6 }),
    { origin: shop.origin },
  )
  now.at = new Date(noon)
  const buys: [visitor: string | null, minutes: number, price: string, over?: object][] = [
    [control, 10, '19.99'],
    [control, 20, '0.01', { refunded: '0.01' }],
    [variant, 10, '1234.56'],
    [variant, -10, '5.00'],
    [bot, 10, '7.00'],
    [both, 10, '8.00'],
    ['visitor-never-met', 10, '9.00'],
    [null, 10, '11.00', { refunded: '3.50' }],
    [control, 15, '12.00', { test: true }],
    [null, 10, '13.00', { order_type: 'renewal' }],
    [
      mobile,
      30,
      '48.60',
      {
        name: '#phone',
        order_type: 'subscription',
        refunded: '10.00',
        line_items: [line('Candle', 2, '15.30', true), line('Spoon', 1, '18.00')],
      },
    ],
    [control, 40, '1.00', { line_items: [line(`=cmd|' /C calc'!A0`, 1, '1.00')] }],
    [control, 41, '2.00', { name: '@SUM(1)' }],
  ]
  for (const [i, [visitor, minutes, price, over]] of buys.entries()) {
    const { statusCode, body } = await deliver(
      engine.app,
      order(`order-${i}`, visitor, at + minutes * 60_000, price, over),
    )
    if (statusCode !== 200) throw new Error(body)
  }
}
function line(title: string, quantity: number, price: string, isSubscription = false) {
  return {
    product_id: 1,
    variant_id: 2,
    title,
    quantity,
    price,
    selling_plan: isSubscription ? { id: 1, name: 'Monthly' } : null,
  }
}

/** The same database, which records each query of the export in `asked`. */
function watched(base: Db): Db {
  const dialect = base.pglite
    ? new PGliteDialect({ pglite: base.pglite })
    : new PostgresDialect({ pool: base.pool! })
  return {
    ...base,
    kysely: new Kysely<Schema>({
      dialect,
      log: ({ query }) => {
        if (query.sql.includes('order by created_at, order_id limit')) {
          asked.push(query.sql)
          askedFor.add(shopOfWork.getStore())
        }
      },
    }),
  }
}

/** Parses CSV (RFC 4180) without the byte order mark. Throws when the last line has no line end. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text
    .replace(/^\uFEFF/, '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end === '\r\n') rows.push([])
  }
  if (rows.pop()!.length > 0) throw new Error('The last line does not end.')
  return rows
}
