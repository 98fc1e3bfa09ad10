import t from 'tap'
import { sql } from 'kysely'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { findDifferences } from '../../../engine/events/rebuild-aside.ts'
import { smallImport, startImportShop } from '../support/shops/import-shop.ts'
import { firstShop as shop } from '../support/small-shop.ts'
import { aggregatesOf } from '../support/traffic.ts'

const { db, call, upload, direct, report } = await startImportShop(t)
const day = 86_400_000

/**
 * P(variant's rate > control's rate) under Beta(½ + x, ½ + n − x), summed over a grid: another
 * method than the product's.
 */
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

/**
 * Two arms of 1,000 visitors over 730 days. Every 10th of control buys for 20.00, every 8th of the
 * variant for 25.00. The spelling varies as in real exports.
 */
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
  'an imported test of two years has the figures that we count by hand, and the verdict of its end',
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
      'a file without views has no bounce rates',
    )
    t.same(
      [...new Set(test.events.map(({ kind }) => kind))].filter(kind =>
        ['Progress', 'Visitors', 'Duration'].includes(kind),
      ),
      [],
      'and no milestones',
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
      'the same file with each row twice',
    )
    t.same(await aggregatesOf(db), stored)
    t.same(await findDifferences(db, shop), { tests: [], sessions: false })
    await rebuild(db, shop)
    t.same(await aggregatesOf(db), stored, 'a rebuild from the events gives the same')

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
      'new rows are added',
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

t.test(
  'rows of a file follow our rules for order lines, refunds, rows before the exposure and both arms',
  async t => {
    const { testId } = await upload(smallImport, {
      title: 'Small',
      goal: 'RevenuePerSession',
      minimumEffect: 0.2,
    })
    const { summary, startAt, minimumEffect } = await report(testId)
    t.equal(startAt, '2026-11-02T15:00:00.000Z', 'a time without a zone is in the shop’s time zone')
    t.equal(minimumEffect, 0.2)
    t.same(summary.visitors, [2, 2], 'without an exposure the first row counts as one')
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

t.test(
  'in a file with dates but no times, a month is thirty average days, and the last day counts as a full day',
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
