import t from 'tap'
import { sql } from 'kysely'
import type { PerArm } from '../../../domain/arm.ts'
import { assign } from '../../../domain/tests/assignment.ts'
import { type LostReason, lostReasons, orderWays } from '../../../domain/orders/order-visitor.ts'
import { exclusionReasons } from '../../../domain/tests/exclusion-words.ts'
import { exclusions, type Exclusion, type Ledger } from '../../../domain/reports/summary.ts'
import { run } from '../../../engine/db/raw.ts'
import { ledgerOrders } from '../../../engine/tests/test-orders.ts'
import { fc } from '../../properties.ts'
import { startEngine } from '../support/engine.ts'
import { like } from '../support/like.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { secondShop } from '../support/small-shop.ts'
import { deliveriesOf } from '../support/shops/order-deliveries.ts'
import { deliver, noon } from '../support/traffic.ts'

const minute = 60_000,
  hour = 60 * minute
const { engine, db, call, now, ownToken, close } = await startEngine()
t.teardown(close)
now.at = new Date(noon)
const { id: storeId } = await call('storeInfo', {})
const start = noon - 40 * hour
const tests = [
  { weights: [0.5, 0.5], end: Infinity },
  { weights: [0.8, 0.2], end: Infinity },
  { weights: [0.5, 0.5], end: noon - 10 * hour },
].map(test => ({ ...test, id: '' })) as { id: string; weights: PerArm<number>; end: number }[]
/** In this time all tests were paused, and then suspended. */
const still = { from: noon - 26 * hour, to: noon - 21 * hour }
for (const test of tests) {
  test.id = await seedTest(db, storeId, {
    start_at: new Date(start),
    weights: JSON.stringify(test.weights),
    ...(test.end < Infinity && { ended_at: new Date(test.end) }),
  })
  const changes = [
    ['Active', start],
    ['Paused', still.from],
    ['Suspended', noon - 24 * hour],
    ['Active', still.to],
    ...(test.end < Infinity ? [['Ended', test.end] as const] : []),
  ] as const
  await db.kysely.deleteFrom('test_history').where('test_id', '=', test.id).execute()
  await db.kysely
    .insertInto('test_history')
    .values(
      changes.map(([status, at]) => ({
        store_id: storeId,
        test_id: test.id,
        status,
        applied_on: new Date(at),
      })),
    )
    .execute()
}

/**
 * A visitor, who is of the same kind in every test, or a stranger. `met`: the time of the first
 * exposure.
 */
type Person = {
  id: string
  kind: 'counted' | 'bot' | 'network' | 'bothArms' | 'noExposure' | 'stranger'
  met: number
}
const kinds = [
  'counted',
  'counted',
  'counted',
  'counted',
  'counted',
  'bot',
  'network',
  'bothArms',
  'noExposure',
  'stranger',
] as const
const people: Person[] = Array.from({ length: 2_000 }, (_, i) => ({
  id: `shopper-${i}`,
  kind: kinds[i % kinds.length]!,
  met: start + ((i * 7_919) % 2_000) * minute,
}))

type Placed = {
  id: string
  at: number
  amount: number
  refunded: number
  visitor: Person | null
  /** Why a visitor is not known, and whether the checkout pixel named a known one. */
  lost: LostReason
  byPixel: boolean
  isTest: boolean
  type: 'oneTime' | 'subscription' | 'renewal'
  currency: string
}
const placed: Placed[] = fc
  .sample(
    fc.record({
      at: fc.integer({ min: start - hour, max: noon }),
      amount: fc.oneof(
        { weight: 20, arbitrary: fc.integer({ min: 0, max: 40_000 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 10_000_000 }) },
      ),
      refund: fc.constantFrom(0, 0, 0, 0.1, 0.333, 1, 1.5),
      visitor: fc.option(fc.constantFrom(...people), { freq: 12 }),
      lost: fc.constantFrom(...lostReasons),
      byPixel: fc.boolean(),
      isTest: fc.constantFrom(...Array<boolean>(19).fill(false), true),
      type: fc.constantFrom<Placed['type']>(
        'oneTime',
        'oneTime',
        'oneTime',
        'subscription',
        'renewal',
      ),
      currency: fc.constantFrom('USD', 'EUR', 'JPY', 'GBP'),
    }),
    10_000,
  )
  .map(({ refund, ...one }, i) => ({
    ...one,
    // Those that arrive by webhook have the attribute, or nothing that says why not.
    lost: i % 125 === 0 ? ('absent' as const) : one.lost,
    byPixel: i % 125 > 0 && one.visitor !== null && one.byPixel,
    id: `order-${String(i).padStart(5, '0')}`,
    refunded: Math.round(one.amount * refund),
  }))
// One order with the largest amount that a platform can send.
placed[4_242] = {
  ...placed[4_242]!,
  at: noon - 20 * hour,
  amount: 99_999_999_999_999,
  refunded: 1,
  visitor: people[0]!,
  byPixel: false,
  isTest: false,
  type: 'oneTime',
}
/** Orders that arrive by webhook, repeatedly and in any order. The others are inserted directly. */
const delivered = placed.filter((_, i) => i % 125 === 0)
await stored()

type Line = Ledger['total']
const none = (): Line => ({ orders: 0, amount: 0, refunds: 0 })
const add = (line: Line, amount: number, refunded: number): Line => ({
  orders: line.orders + 1,
  amount: line.amount + amount,
  refunds: line.refunds + refunded,
})

t.test(
  'the parts of every ledger follow the rule, and add up to the platform’s total, to the cent',
  async t => {
    await engine.rollUp()
    for (const test of tests) {
      const within = placed.filter(o => o.at >= start && o.at < test.end)
      const took = within.reduce((sum, o) => add(sum, o.amount, o.refunded), none())
      const {
        summary: { ledger },
      } = await call('test', { params: { id: test.id } })
      t.same(ledger.total, took, 'the platform’s total')
      const parts = [...ledger.arms, ...ledger.excluded]
      t.same(
        parts.reduce(
          (sum, part) => ({
            orders: sum.orders + part.orders,
            amount: sum.amount + part.amount,
            refunds: sum.refunds + part.refunds,
          }),
          none(),
        ),
        took,
        'the sum of the parts',
      )
      const expected = new Map<string, Line>()
      for (const o of within)
        expected.set(
          partOf(o, test),
          add(expected.get(partOf(o, test)) ?? none(), o.amount, o.refunded),
        )
      for (const [i, part] of (['control', 'variant'] as const).entries())
        t.same(ledger.arms[i], expected.get(part), part)
      for (const { reason, ...line } of ledger.excluded) t.same(line, expected.get(reason), reason)
      const known = within.map(o => (o.byPixel ? 'pixel' : o.visitor ? 'attribute' : 'none'))
      const waysOf = orderWays.map(way => ({
        way,
        orders: known.filter(one => one === way).length,
      }))
      t.same(ledger.ways, waysOf, 'the ways of the same orders')
      t.ok(
        parts.every(part => part.orders > 10 && part.refunds > 0),
        'no part is empty',
      )
    }
  },
)

t.test('each line lists its own orders, each once, the newest first', async t => {
  const [{ id }] = tests as [(typeof tests)[number]]
  const {
    summary: { ledger },
  } = await call('test', { params: { id } })
  const seen = new Set<string>()
  for (const part of ['control', 'variant', ...exclusions] as const) {
    const { rows, total } = await ledgerOrders(db, storeId, id, { part, pageSize: 10_000 })
    const line =
      part === 'control'
        ? ledger.arms[0]
        : part === 'variant'
          ? ledger.arms[1]
          : ledger.excluded.find(e => e.reason === part)!
    t.match(line, total, part)
    t.same(
      rows.reduce((sum, row) => add(sum, row.amount, row.refunded), none()),
      total,
      `${part}, added up`,
    )
    t.same(
      rows.map(row => row.createdAt),
      rows
        .map(row => row.createdAt)
        .sort()
        .reverse(),
      part,
    )
    t.ok(
      rows.every(row =>
        part === 'control' || part === 'variant'
          ? row.reason === null && row.arm === (part === 'control' ? 0 : 1)
          : row.reason === part && row.arm === null,
      ),
      part,
    )
    for (const row of rows) seen.add(row.id)
  }
  t.equal(seen.size, ledger.total.orders)
  for (const test of tests) {
    const { rows, total } = await ledgerOrders(db, storeId, test.id, { pageSize: 10_000 })
    t.same(
      rows.reduce((sum, row) => add(sum, row.amount, row.refunded), none()),
      total,
    )
  }
})

t.test('orders have pages, search and facts of the visitor; bad input is refused', async t => {
  const id = tests[0]!.id,
    list = (query: object) => call('testOrders', { params: { id }, query })
  const all = await list({ pageSize: 100 }),
    next = await list({ pageSize: 100, page: 1 })
  t.same([all.rows.length, next.rows.length, all.count], [100, 100, all.total.orders])
  t.ok(next.rows[0]!.createdAt <= all.rows[99]!.createdAt)
  const last = Math.floor(all.count / 7)
  t.equal((await list({ pageSize: 7, page: last })).rows.length, all.count - 7 * last)
  t.match(await list({ page: last + 1_000 }), { rows: [], count: all.count })
  const giant = placed[4_242]!
  for (const search of ['#order-04242', 'order-04242', ' order-0424 '].slice(0, 2))
    t.match(await list({ search }), {
      count: 1,
      total: { orders: 1, amount: giant.amount, refunds: 1 },
      rows: [
        {
          id: giant.id,
          name: '#order-04242',
          amount: giant.amount,
          refunded: 1,
          reason: null,
          address: null,
          arm: Number,
          visitor: {
            id: 'shopper-0',
            firstExposedAt: new Date(people[0]!.met).toISOString(),
            device: 'phone',
            channel: 'email',
            isNew: true,
            country: 'DE',
          },
        },
      ],
    })
  const ten = placed.filter(o => o.id.startsWith('order-0424') && o.at >= start)
  t.match(await list({ search: ' order-0424 ' }), {
    count: ten.length,
    total: ten.reduce((sum, o) => add(sum, o.amount, o.refunded), none()),
  })
  const part = ten.filter(o => partOf(o, tests[0]!) === 'noExposure')
  t.equal((await list({ search: 'order-0424', part: 'noExposure' })).count, part.length)
  for (const search of ['rder-04242', '%', '_rder-0424', 'order-04242\\'])
    t.equal((await list({ search })).count, 0, search)
  const [told] = (await list({ search: delivered.find(o => o.at >= start && o.visitor)!.id })).rows
  t.match(told!.lines, [{ title: 'A mug', quantity: 2, amount: Number, isSubscription: false }])
  for (const [field, query] of [
    ['part', { part: 'some' }],
    ['page', { page: -1 }],
    ['page', { page: 'x' }],
    ['pageSize', { pageSize: 101 }],
    ['search', { search: 'x'.repeat(101) }],
    ['sort', { sort: 'name' }],
  ] as const)
    await t.rejects(
      list(query),
      like({ status: 400, problem: { fields: [{ field }] } } as never),
      field,
    )
  const other = await seedTest(
    db,
    await seedStore(db, {
      shop: secondShop,
      domain: secondShop,
      origin: 'http://localhost:3003',
    }),
  )
  for (const foreign of [other, 'nonsense'])
    await t.rejects(
      call('testOrders', { params: { id: foreign }, query: {} }),
      like({ status: 404 }),
    )
})

t.test('the export has the same parts', async t => {
  for (const test of tests) {
    const {
      summary: { ledger },
    } = await call('test', { params: { id: test.id } })
    const { body } = await engine.app.inject({
      url: `/api/v0/tests/${test.id}/export-orders`,
      headers: { authorization: `Bearer ${await ownToken()}` },
    })
    const [header, ...rows] = body
      .trim()
      .split('\r\n')
      .map(line =>
        line
          .match(/("([^"]|"")*"|[^",]*)(,|$)/g)!
          .map(cell => cell.replace(/,$/, '').replaceAll('"', '')),
      )
    const column = (name: string) => header!.findIndex(cell => cell.endsWith(name)),
      cents = (text: string) => Number(text.replace('.', ''))
    const line = (some: typeof rows) =>
      some.reduce(
        (sum, row) => add(sum, cents(row[column('Amount')]!), cents(row[column('Refunded')]!)),
        none(),
      )
    t.same(line(rows), ledger.total)
    t.same(
      ['Control', 'Variant'].map(arm => line(rows.filter(row => row[column('Arm')] === arm))),
      ledger.arms,
    )
    for (const { reason, ...expected } of ledger.excluded)
      t.same(
        line(rows.filter(row => row[column('Left out because')] === exclusionReasons[reason])),
        expected,
        reason,
      )
    t.ok(
      rows
        .filter(row => row[column('Arm')] === 'Control')
        .every(
          row =>
            row[column('Country')] === 'DE' &&
            /^2026-11-\d\d \d\d:\d\d:\d\d$/.test(row[column('Met the test')]!),
        ),
    )
  }
})

t.test('orders of an imported test are only in its own ledger', async t => {
  const imported = await seedTest(db, storeId, {
    start_at: new Date(start),
    ended_at: new Date(noon),
    is_imported: true,
  } as object)
  await run(
    db.kysely,
    `insert into orders (store_id, order_id, name, created_at, day, visitor_id, amount, refunded, is_test, triggered_at, imported_for) values ($1, 'brought along', '#past', $2, '2026-11-09', null, 1234, 0, false, now(), $3)`,
    [storeId, new Date(noon - 30 * hour), imported],
  )
  await sql`update test_changes set changed = changed + 1, orders_changed = orders_changed + 1`.execute(
    db.kysely,
  )
  const before = (await call('test', { params: { id: tests[0]!.id } })).summary.ledger
  await engine.rollUp()
  const {
    summary: { ledger },
  } = await call('test', { params: { id: imported } })
  t.same(ledger.total, { orders: 1, amount: 1234, refunds: 0 })
  t.same((await call('test', { params: { id: tests[0]!.id } })).summary.ledger, before)
  t.match(await call('testOrders', { params: { id: imported }, query: {} }), {
    count: 1,
    rows: [{ id: 'brought along', reason: 'noConsent' }],
  })
  t.equal(
    (await call('testOrders', { params: { id: tests[0]!.id }, query: { search: '#past' } })).count,
    0,
  )
})

const lostParts = {
  absent: 'noConsent',
  express: 'expressCheckout',
  cleared: 'attributeCleared',
} as const

function partOf(
  o: Placed,
  { id, weights }: (typeof tests)[number],
): 'control' | 'variant' | Exclusion {
  if (o.isTest) return 'testOrder'
  if (o.type === 'renewal') return 'renewal'
  if (!o.visitor) return lostParts[o.lost]
  const { kind, met } = o.visitor
  if (kind === 'stranger' || kind === 'noExposure') return 'noExposure'
  if (kind === 'bot' || kind === 'network' || kind === 'bothArms') return kind
  if (o.at < Math.floor(met / 1000) * 1000) return 'beforeExposure'
  if (o.at >= still.from && o.at < still.to) return 'paused'
  return assign(id, o.visitor.id, weights) === 0 ? 'control' : 'variant'
}

async function stored(): Promise<void> {
  const known = people.filter(p => p.kind !== 'stranger')
  for (const { id, weights } of tests) {
    const arms = known.map(p => assign(id, p.id, weights))
    await run(
      db.kysely,
      `insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot, first_exposed_at, is_aside, device, channel, is_new, referrer, country)
      select $1, $2, v.*, ${[1, 5].map(n => `case when v.met is null then null else ${n} end`).join(', ')}, v.met is not null, '', 'DE'
      from unnest($3::text[], $4::smallint[], $5::smallint[], $6::smallint[], $7::boolean[], $8::timestamptz[], $9::boolean[]) v(visitor_id, arm, stages, seen, is_bot, met, is_aside)`,
      [
        storeId,
        id,
        known.map(p => p.id),
        arms,
        known.map(() => 7),
        known.map((p, i) =>
          p.kind === 'bothArms' ? 3 : p.kind === 'noExposure' ? 0 : 1 << arms[i]!,
        ),
        known.map(p => p.kind === 'bot'),
        known.map(p => (p.kind === 'noExposure' ? null : new Date(p.met))),
        known.map(p => p.kind === 'network'),
      ],
    )
  }
  const there = placed.filter(o => !delivered.includes(o))
  await run(
    db.kysely,
    `insert into orders (store_id, order_id, name, created_at, day, visitor_id, amount, refunded, is_test, type, visitor_lost, by_pixel, triggered_at)
    select $1, o.id, '#' || o.id, o.at, (o.at at time zone 'America/New_York')::date, o.visitor, o.amount, o.refunded, o.is_test, o.type, o.lost, o.by_pixel, o.at
    from unnest($2::text[], $3::timestamptz[], $4::text[], $5::bigint[], $6::bigint[], $7::boolean[], $8::text[], $9::text[], $10::boolean[]) o(id, at, visitor, amount, refunded, is_test, type, lost, by_pixel)`,
    [
      storeId,
      there.map(o => o.id),
      there.map(o => new Date(o.at)),
      there.map(o => o.visitor?.id ?? null),
      there.map(o => o.amount),
      there.map(o => o.refunded),
      there.map(o => o.isTest),
      there.map(o => o.type),
      there.map(o => o.lost),
      there.map(o => o.byPixel),
    ],
  )
  for (const [i, o] of delivered.entries())
    for (const step of deliveriesOf(o, i)) {
      const { statusCode, body } = await deliver(engine.app, step.body, step.headers)
      if (statusCode !== 200) throw new Error(body)
    }
}
