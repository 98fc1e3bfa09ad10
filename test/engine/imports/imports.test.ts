import t from 'tap'
import { notCsv } from '../../../domain/csv.ts'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { maxVisitorRows } from '../../../domain/imports/import-row.ts'
import { importTest } from '../../../engine/imports/imports.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { findDifferences } from '../../../engine/events/rebuild-aside.ts'
import { keepVisitors } from '../../../engine/stores/shoppers/retention.ts'
import { refusal } from '../support/engine.ts'
import { smallImport, startImportShop } from '../support/shops/import-shop.ts'
import { firstShop as shop } from '../support/small-shop.ts'
import {
  aggregatesOf,
  beacon,
  collect,
  countOf,
  deliver,
  event,
  order,
} from '../support/traffic.ts'

const { engine, db, now, call, ownToken, shopOrigin, staff, storeId, upload, direct, report } =
  await startImportShop(t)

t.test('an imported test has ended for good, and its visitors count nowhere else', async t => {
  const shopEvents = async () => {
    await engine.countPages()
    return {
      periods: (await sql`select period, visitors from store_periods order by 1`.execute(db.kysely))
        .rows,
      pages: (await sql`select * from page_days`.execute(db.kysely)).rows,
      status: (await call('storeStatus', {})).sessions,
    }
  }
  const before = await shopEvents()
  t.same(before, { periods: [], pages: [], status: 0 })
  const { testId } = await upload(
    'visitor,arm,time,event,value\nx,0,2026-11-18T10:00:00Z,view,\nx,0,2026-11-18T11:00:00Z,purchase,5\ny,1,2026-11-20T11:00:00Z,view,\n',
    { title: 'Fresh' },
  )
  t.same(await shopEvents(), before)
  t.match(
    (await call('tests', { query: { status: 'Ended' } })).tests.find(test => test.id === testId),
    { isImported: true, title: 'Fresh', visitors: 2 },
  )
  for (const ask of [
    () => call('applyTest', { params: { id: testId }, body: { arm: 'variant' } }),
    () => call('applyVariant', { params: { id: testId } }),
    () => call('updateTest', { params: { id: testId }, body: { status: 'Active' } }),
  ])
    t.equal((await refusal(ask())).status, 409)
  // Pages of the shop do not know the test, and cannot send ids of its visitors.
  const visitor = (
    await sql<{
      id: string
    }>`select visitor_id as id from test_visitors where test_id = ${testId} limit 1`.execute(
      db.kysely,
    )
  ).rows[0]!.id
  const send = (id: string) =>
    collect(
      engine.app,
      beacon(id, { [testId]: [0, 7] }, [event('exposure', now.at.getTime(), [testId])], {
        sent: now.at.getTime(),
      }),
      { origin: shopOrigin },
    )
  const refused = await send(visitor)
  t.match([refused.statusCode, refused.json()], [400, { fields: [{ field: 'visitor' }] }])
  t.equal((await send('visitor-of-the-shop')).statusCode, 204)
  await deliver(engine.app, order('real-1', visitor, Date.parse('2026-11-18T11:00:00Z'), '500.00'))
  await engine.rollUp()
  t.match(
    (await report(testId)).summary,
    { visitors: [1, 1], setAside: 0, ledger: { total: { orders: 1, amount: 500 } } },
    'orders of the shop do not count for it',
  )
  t.equal(
    (await db.kysely.selectFrom('published_scripts').select('body').executeTakeFirst())?.body
      ?.toString()
      .includes(testId) ?? false,
    false,
  )
  await call('deleteTest', { params: { id: testId } })
  t.equal(
    await countOf(db, 'orders'),
    (
      await sql<{
        n: number
      }>`select count(*)::int as n from orders where imported_for is distinct from ${testId}`.execute(
        db.kysely,
      )
    ).rows[0]!.n,
    'its orders are deleted with it',
  )
  const again = await upload('visitor,arm,time,event,value\nx,0,2026-11-18T10:00:00Z,view,\n', {
    title: 'Fresh',
  })
  t.not(again.testId, testId)
  t.same(
    (await report(again.testId)).summary.visitors,
    [1, 0],
    'after that it can be imported again',
  )
})

t.test(
  'invalid rows are named with line, column and reason, and nothing is stored unless the import skips them',
  async t => {
    const events = await countOf(db, 'events')
    const rows: [string, string][] = [
      [',0,2026-11-01T00:00:00Z,view,', 'visitor'],
      ['v,2,2026-11-01T00:00:00Z,view,', 'arm'],
      ['v,0,yesterday,view,', 'time'],
      ['v,0,2026-02-30T10:00:00Z,view,', 'time'],
      ['v,0,2027-01-01T00:00:00Z,view,', 'time'],
      ['v,0,2026-11-01T00:00:00Z,constructor,', 'event'],
      ['v,0,2026-11-01T00:00:00Z,purchase,', 'value'],
      ['v,0,2026-11-01T00:00:00Z,purchase,1.005', 'value'],
      ['v,0,2026-11-01T00:00:00Z,purchase,-3', 'value'],
      ['v,0,2026-11-01T00:00:00Z,view,3', 'value'],
      ['x,0,2026-11-01T01:00:00Z,refund,50', 'value'],
      ['x,0,2026-11-01T02:00:00Z,refund,8', 'value'],
      ['w,0,2026-11-01T00:00:00Z,refund,3', 'event'],
    ]
    const csv = `visitor,arm,time,event,value\nx,0,2026-11-01T00:00:00Z,purchase,20\nx,0,2026-11-01T01:30:00Z,refund,12.01\n${rows.map(([row]) => row).join('\n')}\nv,0,2026-11-01T00:00:00Z,view\n`
    const { status, problem } = await refusal(upload(csv, { title: 'Bad' }))
    t.equal(status, 400)
    t.same(
      problem.fields!.map(({ message }) => message.split(':')[0]),
      [...rows.map(([, column], i) => `Line ${i + 4}, ${column}`), 'Line 17'],
    )
    t.equal(await countOf(db, 'events'), events)
    t.match(await refusal(upload(`visitor,arm,time,event\n${'v,0,never,view\n'.repeat(25)}`)), {
      status: 400,
      problem: {
        message: /And 5 more\.$/,
        fields: Array.from({ length: 20 }, () => ({ field: 'file' })),
      },
    })
    const kept = await upload(csv, { title: 'Bad', skipBad: true })
    t.match(kept, { rows: 2, skipped: 14, visitors: 1 })
    t.equal(kept.problems.length, 14)
    for (const [text, said] of [
      ['', /empty/],
      ['visitor,arm,time\n', /missing: event/],
      ['visitor,arm,time,event,colour,size\n', /Unknown columns: colour, size/],
      ['visitor,arm,time,event,Arm\n', /twice/],
      ['visitor,arm,time,event\n', /No row below the header is valid/],
      ['visitor,arm,time,event\n"v,0\n', new RegExp(notCsv)],
      [
        `visitor,arm,time,event\n"v,0\n${'v,0,2026-11-01T00:00:00Z,view\n'.repeat(3_500)}`,
        /Line 2: This row is longer/,
      ],
    ] as const)
      t.match(await refusal(upload(text)), { status: 400, message: said })
    t.match(await refusal(upload(smallImport, { weights: [0.5, 0.6] })), {
      status: 400,
      problem: { fields: [{ field: 'weights' }] },
    })
    for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000'])
      t.equal((await refusal(upload(smallImport, { storeId: id }))).status, 404)
    t.equal(
      (
        await refusal(
          staff('importTest', {
            body: {
              storeId,
              fileName: 'x',
              csv: 'x'.repeat(110 * 1024),
              title: 'x',
              goal: 'ConversionRate',
              weights: [0.5, 0.5],
              skipBad: false,
            },
          }),
        )
      ).status,
      400,
    )
    t.equal(
      (
        await sql<{
          n: number
        }>`select count(*)::int as n from tests where is_imported and title = 'Past'`.execute(
          db.kysely,
        )
      ).rows[0]!.n,
      0,
    )
  },
)

t.test('lists, filters and exports do not show what the file does not have', async t => {
  const rows = [
    'a,0,2026-11-01T10:00:00Z,exposure,',
    'a,0,2026-11-01T11:00:00Z,purchase,5',
    'b,1,2026-11-01T10:00:00Z,exposure,',
  ]
  const { testId: id } = await direct(
    [`visitor,arm,time,event,value\n${rows.join('\n')}\n`],
    'Four columns',
  )
  t.match(await report(id), {
    notInFile: ['device', 'channel', 'referrer', 'country', 'visitors'],
    summary: { visitors: [1, 1], splitByDevice: [] },
  })
  for (const list of ['byDevice', 'byChannel', 'byVisitors', 'byCountry', 'referrers'] as const)
    t.match(await call(list, { params: { id }, query: {} }), { rows: [], count: 0 }, list)
  t.match(await call('byOrderType', { params: { id }, query: {} }), { count: 1 })
  t.match(
    await call('byOrderType', { params: { id }, query: { device: 'desktop' } }),
    { count: 0 },
    'no visitor is known to have this device',
  )
  t.match((await call('testOrders', { params: { id }, query: {} })).rows, [
    { arm: 0, visitor: { device: null, channel: null, isNew: null, country: null } },
  ])
  const { body } = await engine.app.inject({
    url: `/api/v0/tests/${id}/export-orders`,
    headers: { authorization: `Bearer ${await ownToken()}` },
  })
  t.match(body, /,5\.00,0\.00,USD,,,,,2026-/, 'device, channel, visitor and country are empty')

  const told = async (header: string, cells: string) => {
    const { testId } = await direct(
      [
        `visitor,arm,time,event,value,${header}\n${rows.map(row => `${row},${cells}`).join('\n')}\n`,
      ],
      `Told by ${header}`,
    )
    return (await report(testId)).notInFile
  }
  t.same(
    await told('device,country', 'desktop,'),
    ['channel', 'referrer', 'country', 'visitors'],
    'an empty column counts as missing',
  )
  t.same(
    await told('referrer', 'blog.example'),
    ['device', 'country', 'visitors'],
    'the referrer gives the channel',
  )
  t.same(await told('utm_source,utm_campaign', ',autumn'), [
    'device',
    'channel',
    'referrer',
    'country',
    'visitors',
  ])
  await direct(
    ['visitor,arm,time,event,value,device\nc,1,2026-11-02T10:00:00Z,exposure,,desktop\n'],
    'Four columns',
  )
  t.match(
    await report(id),
    { notInFile: ['channel', 'referrer', 'country', 'visitors'], summary: { visitors: [1, 2] } },
    'a later file may have more columns',
  )
})

t.test(
  'a file in parts counts like one file: an earlier row moves the start of a visitor only if the file has no exposure of them',
  async t => {
    const header = 'visitor,arm,time,event,value\n'
    const later = [
      'anna,0,2026-11-05T10:00:00Z,exposure,\n',
      'bea,0,2026-11-05T10:00:00Z,view,\n',
      'cid,0,2026-11-05T10:00:00Z,exposure,\n',
      'cid,1,2026-11-06T10:00:00Z,view,\n',
    ]
    const earlier = [
      'anna,0,2026-11-04T10:00:00Z,view,\n',
      'bea,0,2026-11-04T10:00:00Z,view,\n',
      'cid,1,2026-11-04T10:00:00Z,view,\n',
    ]
    const whole = await direct([header, ...later.slice(0, 3), ...earlier, later[3]!], 'In one')
    const parts = await direct([header, ...later], 'In parts')
    t.match(await direct([header, ...earlier], 'In parts'), {
      testId: parts.testId,
      hasChanged: true,
    })
    const figures = async (testId: string) => [
      (
        await sql`select arm, seen, first_exposed_at from test_visitors where test_id = ${testId} order by arm, seen, first_exposed_at`.execute(
          db.kysely,
        )
      ).rows,
      (
        await sql`select day, sum(visitors)::int as visitors, sum(sessions)::int as sessions from test_days where test_id = ${testId} and dimension = 'all' group by day having sum(visitors) <> 0 or sum(sessions) <> 0 order by day`.execute(
          db.kysely,
        )
      ).rows,
      (
        await sql`select sum(recorded)::int as recorded, sum(both_arms)::int as both, sum(set_aside)::int as set_aside from test_arms where test_id = ${testId}`.execute(
          db.kysely,
        )
      ).rows,
    ]
    t.same(await figures(parts.testId), await figures(whole.testId))
    t.match((await figures(whole.testId))[0], [
      { first_exposed_at: new Date('2026-11-04T10:00:00Z') },
      { first_exposed_at: new Date('2026-11-05T10:00:00Z') },
      { seen: 3 },
    ])
  },
)

t.test(
  'an import that is interrupted, rebuilt and then continued gives the same figures',
  async t => {
    const file = [
      'visitor,arm,time,event,value\n',
      ...Array.from({ length: 200 }, (_, n) => `v${n},${n % 2},2026-06-01T12:00:00Z,exposure,\n`),
    ]
    const options = {
      title: 'Cut off',
      goal: 'ConversionRate' as const,
      weights: [0.5, 0.5] as [number, number],
      skipBad: false,
    }
    await t.rejects(
      importTest(db, Readable.from(file.slice(0, 120)), {
        shop,
        now: now.at,
        options,
        onProgress: what => {
          if (what === 'written') throw new Error('cut off')
        },
      }),
      { message: 'cut off' },
    )
    const counted = await aggregatesOf(db)
    await rebuild(db, shop)
    t.same(await aggregatesOf(db), counted, 'the rows that were counted are there')
    await keepVisitors(db, now.at, 60)
    t.same(await aggregatesOf(db), counted, 'the nightly cleanup keeps them')
    const { testId } = await direct(file, 'Cut off')
    t.same((await report(testId)).summary.visitors, [100, 100])
    t.same(await findDifferences(db, shop), { tests: [], sessions: false })
  },
)

t.test('a long file is imported in pieces', async t => {
  function* rows(): Generator<string> {
    yield 'visitor,arm,time,event,value\n'
    for (let n = 0; n < 10_000; n++) {
      const at = Date.parse('2026-10-01T00:00:00Z') + n * 60_000
      yield `big-${n},${n % 2},${at},exposure,\nbig-${n},${n % 2},${at + 60_000},${n % 20 === 0 ? 'purchase,10.00' : 'view,'}\n`
    }
  }
  const outcome = await direct(rows(), 'Big')
  t.match(outcome, { rows: 20_000, visitors: 10_000 })
  const { summary } = await report(outcome.testId)
  t.match(summary, {
    visitors: [5_000, 5_000],
    ledger: { total: { orders: 500, amount: 500_000 } },
  })
})

t.test('rows of a visitor beyond the limit are bad rows', async t => {
  const file = [
    'visitor,arm,time,event,value\n',
    'few,1,2026-10-01T00:00:00Z,exposure,\n',
    ...Array.from(
      { length: maxVisitorRows + 2 },
      (_, n) =>
        `many,0,${Date.parse('2026-10-01T00:00:00Z') + n * 1000},${n % 2 ? 'refund,2' : 'purchase,5'}\n`,
    ),
    'few,1,2026-10-01T01:00:00Z,purchase,7\n',
  ]
  t.match(await refusal(upload(file.join(''), { title: 'Many' })), {
    status: 400,
    message: `Line ${maxVisitorRows + 3}, visitor: A visitor has at most 1,000 rows in a file. Line ${maxVisitorRows + 4}, visitor`,
  })
  const kept = await direct(file, 'Many', { skipBad: true })
  t.match(kept, { rows: maxVisitorRows + 2, skipped: 2, visitors: 2 })
  const told =
    await sql`select refunded::int as refunded, count(*)::int as orders from orders where imported_for = ${kept.testId} group by refunded order by refunded`.execute(
      db.kysely,
    )
  t.same(told.rows, [
    { refunded: 0, orders: 1 },
    { refunded: 200, orders: maxVisitorRows / 2 },
  ])
})

t.test('refunds of very many visitors are checked in pieces', async t => {
  const of = (n: number) => [
    `r${n},0,2026-10-01T01:00:00Z,refund,1\n`,
    `r${n},0,2026-10-01T02:00:00Z,purchase,5\n`,
    `r${n},0,2026-10-01T03:00:00Z,refund,3\n`,
    `r${n},0,2026-10-01T04:00:00Z,refund,3\n`,
  ]
  const file = ['visitor,arm,time,event,value\n', ...Array.from({ length: 700 }, (_, n) => of(n))]
  const outcome = await direct(file.flat(), 'Refunds', { skipBad: true })
  t.match(outcome, { rows: 1_400, skipped: 1_400, visitors: 700 })
  t.same(outcome.problems.slice(0, 2), [
    'Line 2, event: No purchase of this visitor comes before this refund.',
    'Line 5, value: The refunds are larger than the order.',
  ])
})

// On Postgres an import uses only one of several connections.
const onPglite = { skip: !db.pglite && 'for PGlite, which has one connection' }
t.test('other calls are answered during an import', onPglite, async t => {
  let read = 0,
    written = 0
  const lines = function* () {
    yield 'visitor,arm,time,event\n'
    for (let n = 0; n < 12_000; n++) yield `meanwhile-${n},${n % 2},2026-10-01T12:00:00Z,exposure\n`
  }
  const answers: Promise<{ read: number; written: number }>[] = []
  // Like a request, in a separate turn of the event loop.
  const ask = () =>
    new Promise<void>(resolve => setImmediate(resolve))
      .then(() => call('storeInfo', {}))
      .then(() => ({ read, written }))
  const outcome = await importTest(db, Readable.from(lines()), {
    shop,
    now: now.at,
    options: { title: 'Meanwhile', goal: 'ConversionRate', weights: [0.5, 0.5], skipBad: false },
    onProgress: (what, rows) => {
      if (answers.length === (what === 'read' ? 0 : 1)) answers.push(ask())
      if (what === 'read') read = rows
      else written = rows
    },
  })
  t.match(outcome, { rows: 12_000, visitors: 12_000 })
  const [first, second] = await Promise.all(answers)
  t.ok(first!.read < 12_000 && first!.written === 0, `answered after ${first!.read} rows were read`)
  t.ok(second!.written < 12_000, `answered after ${second!.written} rows were written`)
})

t.test('two imports with one title at the same time count each row once', async t => {
  const file = [
    'visitor,arm,time,event\n',
    ...Array.from({ length: 900 }, (_, n) => `both-${n},${n % 2},2026-10-01T12:00:00Z,exposure\n`),
  ]
  const [first, second] = await Promise.all([direct(file, 'Both'), direct(file, 'Both')])
  t.equal(first.testId, second.testId)
  t.same((await report(first.testId)).summary.visitors, [450, 450])
  const left = await sql`select relname from pg_class where relname like 'import_rows%'`.execute(
    db.kysely,
  )
  t.same(left.rows, [], 'no staged rows are left')
  t.same(await findDifferences(db, shop), { tests: [], sessions: false })
})
