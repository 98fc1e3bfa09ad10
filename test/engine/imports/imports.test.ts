import t from 'tap'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { channelOf, channels, referrerHost, trafficSource } from '../../../domain/events/channel.ts'
import {
  channelLandings,
  readImportHeader,
  readImportRow,
} from '../../../domain/imports/import-row.ts'
import type { ImportUpload } from '../../../domain/imports/import.ts'
import { importTest } from '../../../engine/imports/imports.ts'
import { findDifferences } from '../../../engine/events/rebuild-aside.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import type * as Type from 'typebox'
import { firstShop as shop } from '../support/small-shop.ts'
import { startPanel } from '../support/staff-panel.ts'
import {
  aggregatesOf,
  beacon,
  collect,
  countOf,
  deliver,
  event,
  order,
} from '../support/traffic.ts'

const {
  own: { engine, db, now, call, ownToken, shopOrigin },
  staff,
  refusal,
  close,
} = await startPanel()
t.teardown(close)
now.at = new Date('2026-11-20T12:00:00Z')
const { id: storeId } = await call('storeInfo', {})
const day = 86_400_000

type Upload = Type.Static<typeof ImportUpload>
const upload = (csv: string, over: Partial<Upload> = {}) =>
  staff('importTest', {
    body: {
      storeId,
      fileName: 'past.csv',
      csv,
      title: 'Past',
      goal: 'ConversionRate',
      weights: [0.5, 0.5],
      skipBad: false,
      ...over,
    },
  })
const direct = (csv: Iterable<string>, title: string, over: Partial<Upload> = {}) =>
  importTest(db, Readable.from(csv), {
    shop,
    now: now.at,
    options: { title, goal: 'ConversionRate', weights: [0.5, 0.5], skipBad: false, ...over },
  })
const report = (id: string) => call('test', { params: { id } })

/** P(variant's rate above control's) under Beta(½ + x, ½ + n − x), by plain sums over a grid: another method than ours. */
function chance([x1, n1]: readonly [number, number], [x2, n2]: readonly [number, number]): number {
  const points = 40_000,
    density = (x: number, n: number) =>
      Array.from({ length: points }, (_, i) => (i + 0.5) / points).map(
        p => (x - 0.5) * Math.log(p) + (n - x - 0.5) * Math.log1p(-p),
      )
  const normal = (logs: number[]) => {
    const top = Math.max(...logs),
      values = logs.map(l => Math.exp(l - top)),
      all = values.reduce((a, b) => a + b, 0)
    return values.map(v => v / all)
  }
  const control = normal(density(x1, n1)),
    variant = normal(density(x2, n2))
  let below = 0,
    total = 0
  for (let i = 0; i < points; i++) {
    total += variant[i]! * (below + control[i]! / 2)
    below += control[i]!
  }
  return total
}

/** Two arms of 1,000 over 24 months of days: every 10th of control buys for 20.00, every 8th of the variant for 25.00; all sent as exports write them. */
function* twoYears(): Generator<string> {
  const first = Date.parse('2024-11-20T12:00:00Z')
  yield 'Visitor ID,Arm,Time,Event,Value,Device,Channel\n'
  for (let n = 0; n < 2_000; n++) {
    const at = first + Math.floor((n / 2_000) * 730) * day,
      arm = n % 2,
      own = n >> 1
    yield `v${n},${arm ? 'variant' : 'control'},${new Date(at).toISOString()},exposure,,${n % 3 ? 'mobile' : 'desktop'},${n % 4 < 2 ? 'email' : 'Paid search'}\n`
    if (own % (arm ? 8 : 10) === 0)
      yield `v${n},${arm ? 'b' : 'A'},${(at + 3_600_000) / 1000},purchase,${arm ? '25.00' : '20'},,\n`
  }
}

t.test(
  'a past experiment of two years has the figures that a hand counts, and the verdict that its end gives',
  async t => {
    const outcome = await direct(twoYears(), 'Two years')
    t.match(outcome, { rows: 2_225, skipped: 0, visitors: 2_000, hasChanged: true })
    const test = await report(outcome.testId)
    t.match(test, {
      isImported: true,
      status: 'Ended',
      title: 'Two years',
      startAt: '2024-11-20T12:00:00.000Z',
      endedAt:
        '2026-11-19T13:00:01.000Z' === test.endedAt ? test.endedAt : '2026-11-19T12:00:01.000Z',
      endsAt: test.endedAt,
      plannedVisitors: 2_000,
    })
    const { summary } = test,
      rate = summary.goals.find(({ goal }) => goal === 'ConversionRate')!
    t.same(summary.visitors, [1_000, 1_000])
    t.same(summary.ledger, {
      arms: [
        { orders: 100, amount: 200_000, refunds: 0 },
        { orders: 125, amount: 312_500, refunds: 0 },
      ],
      excluded: summary.ledger.excluded.map(each => ({
        ...each,
        orders: 0,
        amount: 0,
        refunds: 0,
      })),
      total: { orders: 225, amount: 512_500, refunds: 0 },
    })
    t.ok(Math.abs(rate.lift! - 0.25) < 1e-12)
    t.ok(
      Math.abs(rate.chanceToWin! - chance([100, 1_000], [125, 1_000])) < 1e-4,
      `chance to win ${rate.chanceToWin}`,
    )
    t.match(summary.verdict, { kind: 'winner', reachedAt: test.endedAt })
    const devices = await call('byDevice', { params: { id: outcome.testId }, query: {} }),
      sources = await call('byChannel', { params: { id: outcome.testId }, query: { pageSize: 20 } })
    t.same(
      devices.rows.map(row => [row.value, row.arms.map(arm => arm.visitors)]),
      [
        ['phone', [666, 667]],
        ['desktop', [334, 333]],
      ],
    )
    t.same(sources.rows.map(row => [row.value, row.arms.map(arm => arm.visitors)]).sort(), [
      ['email', [500, 500]],
      ['paidSearch', [500, 500]],
    ])
    const daily = await call('dailyBy', { params: { id: outcome.testId, metric: 'Orders' } })
    const bounces = await call('dailyBy', { params: { id: outcome.testId, metric: 'BounceRate' } })
    t.ok(
      [
        ...bounces,
        ...devices.rows.map(row => ({ arms: row.arms.map(arm => ({ value: arm.bounceRate })) })),
      ].every(({ arms }) => arms.every(({ value }) => value === null)),
      'a file without views tells of no bounces',
    )
    t.same(
      [...new Set(test.events.map(({ kind }) => kind))].filter(kind =>
        ['Progress', 'Visitors', 'Duration'].includes(kind),
      ),
      [],
      'nor of milestones',
    )
    t.equal(daily.length, 730)
    t.equal(
      daily.reduce((sum, point) => sum + point.arms[0].count + point.arms[1].count, 0),
      225,
    )

    const stored = await aggregatesOf(db)
    t.match(
      await direct(twoYears(), 'Two years'),
      { testId: outcome.testId, hasChanged: false },
      'the same file again',
    )
    t.match(
      await direct(
        [...twoYears()].flatMap((line, i) => (i === 0 ? [line] : [line, line])),
        'Two years',
      ),
      { testId: outcome.testId, rows: 4_450, hasChanged: false },
      'and each row twice',
    )
    t.same(await aggregatesOf(db), stored)
    t.same(await findDifferences(db, shop), { tests: [], sessions: false })
    await rebuild(db, shop)
    t.same(await aggregatesOf(db), stored, 'counted again from its events it is the same')

    const more = await direct(
      [
        'visitor,arm,time,event,value\nv0,control,2024-11-21T12:00:00Z,purchase,7\nnew,variant,2026-11-20T01:00:00Z,exposure,\n',
      ],
      'Two years',
    )
    t.match(more, { testId: outcome.testId, hasChanged: true })
    const grown = await report(outcome.testId)
    t.match(
      grown,
      {
        summary: { visitors: [1_000, 1_001], ledger: { total: { orders: 226, amount: 513_200 } } },
        endedAt: '2026-11-20T01:00:01.000Z',
      },
      'what is new is added',
    )
    t.match(
      await refusedBy(
        direct(['visitor,arm,time,event\nx,0,2026-01-01T00:00:00Z,view\n'], 'Two years', {
          weights: [0.4, 0.6],
        }),
      ),
      { status: 409, fields: [{ field: 'title' }] },
    )
  },
)

const refusedBy = async (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  )

const small = `visitor,arm,time,event,value,order,product,quantity,device,referrer,country
anna,control,2026-11-02 10:00:00,view,,,mug,,desktop,https://www.google.com/,us
anna,control,2026-11-02 10:00:00,exposure,,,,,desktop,https://www.google.com/,us
anna,control,2026-11-02 10:05:00,cart,,,mug,,desktop,,
anna,control,2026-11-02 10:10:00,purchase,40.00,1001,mug,2,desktop,,
anna,control,2026-11-02 10:10:00,purchase,12.50,1001,bowl,1,desktop,,
anna,control,2026-11-05 09:00:00,purchase,8,,,,desktop,,
anna,control,2026-11-06 09:00:00,refund,10.00,1001,,,desktop,,
anna,control,2026-11-06 09:30:00,refund,3,,,,desktop,,
bea,control,2026-11-03 11:00:00,view,,,,,phone,,
bea,control,2026-11-03 11:10:00,click,,,,,phone,,
cid,variant,2026-11-03 12:00:00,purchase,99.99,,,,tablet,,
dora,variant,2026-11-03 12:00:00,purchase,5.00,,,,tablet,,
dora,variant,2026-11-03 13:00:00,exposure,,,,,tablet,,
eve,control,2026-11-04 08:00:00,exposure,,,,,phone,,
eve,variant,2026-11-04 09:00:00,view,,,,,phone,,
eve,variant,2026-11-04 10:00:00,purchase,70,,,,phone,,
`

t.test(
  'each row counts as our own rules count it: order lines, refunds, rows before the exposure, both arms',
  async t => {
    const { testId } = await upload(small, {
      title: 'Small',
      goal: 'RevenuePerSession',
      minimumEffect: 0.2,
    })
    const { summary, startAt, minimumEffect } = await report(testId)
    t.equal(startAt, '2026-11-02T15:00:00.000Z', 'a time without a zone is the shop’s own')
    t.equal(minimumEffect, 0.2)
    t.same(summary.visitors, [2, 2], 'without an exposure the first row is one')
    t.equal(summary.bothArms, 1)
    t.same(summary.ledger.arms, [
      { orders: 2, amount: 6_050, refunds: 1_300 },
      { orders: 1, amount: 9_999, refunds: 0 },
    ])
    t.same(
      summary.ledger.excluded.filter(each => each.orders > 0),
      [
        { reason: 'beforeExposure', orders: 1, amount: 500, refunds: 0 },
        { reason: 'bothArms', orders: 1, amount: 7_000, refunds: 0 },
      ],
    )
    const rows = await call('byDevice', { params: { id: testId }, query: { sort: 'value' } })
    t.same(
      rows.rows.map(row =>
        row.arms.map(arm => [arm.visitors, arm.clicks, arm.addToCarts, arm.orders]),
      ),
      [
        [
          [1, 0, 1, 2],
          [0, 0, 0, 0],
        ],
        [
          [1, 1, 0, 0],
          [0, 0, 0, 0],
        ],
        [
          [0, 0, 0, 0],
          [2, 0, 0, 1],
        ],
      ],
    )
    t.same(
      (
        await sql`select country, referrer from test_visitors where test_id = ${testId} and country is not null`.execute(
          db.kysely,
        )
      ).rows,
      [{ country: 'US', referrer: 'google.com' }],
    )
    const orders = (
      await sql<{
        name: string
        refunded: number
        lines: { productId: string; quantity: number; amount: number }[]
      }>`select name, refunded, lines from orders where imported_for = ${testId} and refunded > 0 order by amount desc`.execute(
        db.kysely,
      )
    ).rows
    t.match(orders, [
      {
        name: '1001',
        refunded: 1_000,
        lines: [
          { productId: 'mug', quantity: 2, amount: 4_000 },
          { productId: 'bowl', quantity: 1, amount: 1_250 },
        ],
      },
      { refunded: 300, lines: [] },
    ])
    t.match(
      await db.kysely
        .selectFrom('staff_acts')
        .select(['act', 'detail'])
        .orderBy('seq', 'desc')
        .executeTakeFirstOrThrow(),
      { act: 'Imported a test', detail: 'Small: past.csv, 16 rows' },
    )
  },
)

t.test('an imported test is over for good, and nobody else sees its visitors', async t => {
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
  // The shop's pages know nothing of it, and its visitors' ids are none of theirs.
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
    'orders of the shop are not its own',
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
    'its orders go with it',
  )
  const again = await upload('visitor,arm,time,event,value\nx,0,2026-11-18T10:00:00Z,view,\n', {
    title: 'Fresh',
  })
  t.not(again.testId, testId)
  t.same(
    (await report(again.testId)).summary.visitors,
    [1, 0],
    'imported again after that, it is there again',
  )
})

t.test(
  'bad rows are named by line, column and reason, and nothing is stored unless they are to be left out',
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
      ['visitor,arm,time,event,colour,size\n', /Not known as columns: colour, size/],
      ['visitor,arm,time,event,Arm\n', /twice/],
      ['visitor,arm,time,event\n', /no good row/],
      ['visitor,arm,time,event\n"v,0\n', /not CSV/],
      [
        `visitor,arm,time,event\n"v,0\n${'v,0,2026-11-01T00:00:00Z,view\n'.repeat(3_500)}`,
        /Line 2: This row is longer/,
      ],
    ] as const)
      t.match(await refusal(upload(text)), { status: 400, message: said })
    t.match(await refusal(upload(small, { weights: [0.5, 0.6] })), {
      status: 400,
      problem: { fields: [{ field: 'weights' }] },
    })
    for (const id of ['nonsense', '00000000-0000-4000-8000-000000000000'])
      t.equal((await refusal(upload(small, { storeId: id }))).status, 404)
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

t.test('what the file does not say is nowhere told: no list, no filter, no cell', async t => {
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
    'nobody is known to have had one',
  )
  t.match((await call('testOrders', { params: { id }, query: {} })).rows, [
    { arm: 0, visitor: { device: null, channel: null, isNew: null, country: null } },
  ])
  const { body } = await engine.app.inject({
    url: `/api/v0/tests/${id}/export-orders`,
    headers: { authorization: `Bearer ${await ownToken()}` },
  })
  t.match(body, /,5\.00,0\.00,USD,,,,,2026-/, 'device, channel, visitor and country')

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
    'an empty column says nothing',
  )
  t.same(
    await told('referrer', 'blog.example'),
    ['device', 'country', 'visitors'],
    'a referrer tells the channel',
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
    'a later file may tell more',
  )
})

t.test(
  'a month of a file with days alone is thirty days like those in it, its last one as long as the others',
  async t => {
    const rows = Array.from({ length: 1_000 }, (_, n) =>
      ['exposure,', n % 10 < 2 ? 'purchase,10' : 'view,']
        .map(did => `d${n},${n % 2},2026-11-0${n % 4 < 2 ? 2 : 3}T00:00:00Z,${did}\n`)
        .join(''),
    )
    const { testId } = await direct(['visitor,arm,time,event,value\n', ...rows], 'Two days')
    const {
      arms: [control, variant],
    } = (await report(testId)).summary.goals.find(({ goal }) => goal === 'ConversionRate')!
    t.ok(
      Math.abs(variant.lossPerMonth! / (variant.loss! * control.inferred! * 500 * 30 * 1000) - 1) <
        1e-6,
      `${variant.lossPerMonth}`,
    )
  },
)

t.test('times and channels are read in every way that exports write them', async t => {
  const columns = readImportHeader(['time', 'visitor', 'arm', 'event']) as Map<'visitor', number>
  const at = (text: string, timeZone = 'America/New_York') => {
    const row = readImportRow([text, 'v', '0', 'view'], 2, columns, {
      currency: 'USD',
      timeZone,
      now: Infinity,
    })
    return 'at' in row ? new Date(row.at).toISOString() : null
  }
  for (const [text, expected] of [
    ['2026-11-02T10:00:05.250Z', '2026-11-02T10:00:05.250Z'],
    ['2026-11-02 10:00:05+02:00', '2026-11-02T08:00:05.000Z'],
    ['2026-11-02T10:00-0330', '2026-11-02T13:30:00.000Z'],
    ['2026-11-02T10:00+01', '2026-11-02T09:00:00.000Z'],
    ['2026-11-02T10:00', '2026-11-02T15:00:00.000Z'],
    ['2026-07-02 10:00:01.5', '2026-07-02T14:00:01.500Z'],
    ['1793613605', '2026-11-02T10:00:05.000Z'],
    ['1793613605.25', '2026-11-02T10:00:05.250Z'],
    ['1793613605250', '2026-11-02T10:00:05.250Z'],
    ['2026-11-02', null],
    ['2026-11-02T25:00Z', null],
    ['02/11/2026 10:00', null],
    ['1', null],
    ['1999-12-31T00:00Z', null],
  ] as const)
    t.equal(at(text), expected, text)
  t.match(
    readImportRow(['2026-11-02T10:00:05Z', 'v', '0', 'vi\0ew'], 2, columns, {
      currency: 'USD',
      timeZone: 'UTC',
      now: Infinity,
    }),
    { line: 2, column: 'event', message: /NUL/ },
  )
  for (const channel of channels)
    t.equal(
      channelOf(trafficSource(channelLandings[channel], referrerHost('', new Set()))),
      channel,
      channel,
    )
})

t.test(
  'a file in parts counts as one: an earlier row of a visitor who was exposed moves nothing, the first row of one who was not does',
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
  'an import that was cut off, and counted again before it goes on, ends as if it had not been',
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
    t.same(await aggregatesOf(db), counted, 'what it has counted is there')
    const { testId } = await direct(file, 'Cut off')
    t.same((await report(testId)).summary.visitors, [100, 100])
    t.same(await findDifferences(db, shop), { tests: [], sessions: false })
  },
)

t.test('a long file goes through in pieces', async t => {
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
