import assert from 'node:assert/strict'
import t from 'tap'
import { sql } from 'kysely'
import { assign } from '../../../domain/tests/assignment.ts'
import type { Beacon, ShopperEvent } from '../../../domain/events/event.ts'
import { eventStores } from '../../../engine/events/event-stores.ts'
import { startIngest } from '../../../engine/events/ingest.ts'
import { productTitles } from '../../../engine/products/product-titles.ts'
import { areNone, findDifferences, repair } from '../../../engine/events/rebuild-aside.ts'
import { rebuild } from '../../../engine/events/rebuild.ts'
import { productReport } from '../../../engine/reports/report-products.ts'
import { fc } from '../../properties.ts'
import { freshDb } from '../support/harness.ts'
import { like } from '../support/like.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { firstShop, secondShop } from '../support/small-shop.ts'
import { beacon, collect, deliver, event, noon, order, visitorIn } from '../support/traffic.ts'
import { startWithShop } from '../support/with-shop.ts'

const minute = 60_000
const started = await startWithShop()
const { engine, db, call, now, shopOrigin } = started
t.teardown(started.close)
now.at = new Date(noon)
const { id: storeId } = await call('storeInfo', {})
const testId = await seedTest(db, storeId, { start_at: new Date(noon - 24 * 60 * minute) })
const [first, second, third] = (
  await call('searchProducts', { params: { id: storeId }, query: { pageSize: 3 } })
).items

const met = noon - 60 * minute
const of = (kind: 'view' | 'cart', product: string, at = met): ShopperEvent => ({
  ...event(kind, at),
  product,
})
async function visit(
  name: string,
  arm: 0 | 1,
  acts: ShopperEvent[],
  over: Partial<Beacon> = {},
  userAgent?: string,
): Promise<string> {
  const visitor = visitorIn(testId, arm, name)
  const sent = beacon(
    visitor,
    { [testId]: [arm, 7] },
    [event('exposure', met, [testId]), ...acts],
    over,
  )
  t.equal(
    (
      await collect(engine.app, sent, {
        origin: shopOrigin,
        ...(userAgent && { 'user-agent': userAgent }),
      })
    ).statusCode,
    204,
  )
  return visitor
}
const line = (productId: string, title: string, quantity: number, price: string) => ({
  product_id: productId,
  variant_id: 1,
  title,
  quantity,
  price,
  selling_plan: null,
})
async function buy(
  id: string,
  visitor: string | null,
  price: string,
  lines: unknown[],
  over: object = {},
  at = met + minute,
): Promise<void> {
  const { statusCode, body } = await deliver(
    engine.app,
    order(id, visitor, at, price, { line_items: lines, ...over }),
  )
  if (statusCode !== 200) throw new Error(body)
}
const by = (query: object = {}, own?: string) =>
  call('byProduct', { params: { id: testId }, query }, own)
const figures = (rows: Awaited<ReturnType<typeof by>>['rows']) =>
  Object.fromEntries(
    rows.map(({ productId, arms }) => [
      productId,
      arms.map(a => [a.viewers, a.adders, a.buyers, a.units, a.revenue]),
    ]),
  )

/**
 * Reads titles as a new process does, because a process that has just asked the shop waits before
 * it asks again.
 */
async function learnTitles(): Promise<void> {
  const titles = productTitles({
    db,
    platform: started.platform,
    clock: () => now.at,
    log: engine.app.log,
  })
  titles.learn(storeId, testId)
  await titles.settled()
}

t.test('a test that nobody met has no products', async t => {
  t.same(await by(), { visitors: [0, 0], rows: [], count: 0 })
})

t.test(
  'each product has its viewers, adders and buyers since they met the test, per arm, with units and revenue',
  async t => {
    const anna = await visit('anna', 0, [
      of('view', first!.id),
      of('view', first!.id, met + 1),
      of('cart', first!.id, met + 2),
      of('view', second!.id, met - 1),
    ])
    const ben = await visit('ben', 1, [of('view', first!.id), of('view', 'gone', met + 5)])
    await visit('bot', 1, [of('view', first!.id), of('cart', first!.id)], {}, 'Googlebot/2.1')
    const both = await visit('both', 0, [of('view', first!.id)])
    await collect(engine.app, beacon(both, { [testId]: [1, 7] }, [event('view', met + 9)]), {
      origin: shopOrigin,
    })
    await buy('one', anna, '30.00', [
      line(first!.id, 'A jug', 2, '10.00'),
      line(third!.id, 'Old name', 1, '10.00'),
    ])
    await buy('two', anna, '10.00', [line(third!.id, 'New name', 3, '3.00')], {}, met + 2 * minute)
    await buy('three', ben, '10.00', [line(first!.id, 'A jug', 1, '10.00')])
    for (const [id, visitor, over] of [
      ['four', both, {}],
      ['five', null, {}],
      ['six', ben, { test: true }],
      ['seven', ben, { order_type: 'renewal' }],
    ] as const)
      await buy(id, visitor, '99.00', [line('never', 'Never', 9, '11.00')], over)
    await engine.rollUp()
    await learnTitles()
    const { visitors, rows, count } = await by()
    t.same(visitors, [1, 1])
    t.equal(
      count,
      2,
      'products only seen before the test or bought outside it are left out, and so are unknown products without a buyer',
    )
    t.same(figures(rows), {
      [first!.id]: [
        [1, 1, 1, 2, 2000],
        [1, 0, 1, 1, 1000],
      ],
      [third!.id]: [
        [0, 0, 1, 4, 1900],
        [0, 0, 0, 0, 0],
      ],
    })
    t.same(
      rows.map(row => row.title),
      [first!.title, third!.title],
      'the title of the product in the shop, not of the product variant in an order line',
    )
  },
)

t.test(
  'the shop is asked for a title once; a product it does not know gets the title of its newest order',
  async t => {
    const cleo = await visit('cleo', 1, [of('view', second!.id)])
    await buy('eight', cleo, '1.00', [line('gone', 'A jug of old', 1, '1.00')])
    await engine.rollUp()
    await learnTitles()
    t.match(
      (await by()).rows.find(row => row.productId === second!.id),
      { title: second!.title, image: /^http.*\.(png|jpe?g|webp|avif|svg)/ },
    )
    const { rows: asked } =
      await sql`select product_id, title from product_titles where product_id in (${second!.id}, 'gone') order by title nulls last`.execute(
        db.kysely,
      )
    t.same(asked, [
      { product_id: second!.id, title: second!.title },
      { product_id: 'gone', title: null },
    ])
    t.match(
      (await by()).rows.find(row => row.productId === 'gone'),
      { title: 'A jug of old', arms: [{ viewers: 0 }, { viewers: 1, buyers: 1 }] },
    )
  },
)

t.test('a shop that knows none of the ids is asked less and less often', async t => {
  await sql`insert into test_product_visitors (store_id, test_id, product_id, arm, viewers, adders) select ${storeId}, ${testId}, 'made-up-' || n, 0, 1, 0 from generate_series(1, 140) n`.execute(
    db.kysely,
  )
  let at = noon
  const titles = productTitles({
    db,
    platform: started.platform,
    clock: () => new Date(at),
    log: engine.app.log,
  })
  const asked: [after: number, ids: number][] = []
  for (const after of [0, 9, 10, 20, 29, 30]) {
    at = noon + after * 1000
    titles.learn(storeId, testId)
    await titles.settled()
    asked.push([
      after,
      (
        await sql<{
          n: number
        }>`select count(*)::int as n from product_titles where product_id like 'made-up-%'`.execute(
          db.kysely,
        )
      ).rows[0]!.n,
    ])
  }
  t.same(asked, [
    [0, 50],
    [9, 50],
    [10, 100],
    [20, 100],
    [29, 100],
    [30, 140],
  ])
  t.notOk((await by({ pageSize: 100 })).rows.some(row => row.productId.startsWith('made-up')))
  await sql`delete from test_product_visitors where product_id like 'made-up-%'`.execute(db.kysely)
})

t.test('products are sorted, searched and paged', async t => {
  const ids = async (query: object) => (await by(query)).rows.map(row => row.title)
  t.same(
    await ids({ sort: 'title' }),
    [first!.title, 'A jug of old', third!.title, second!.title].sort((a, b) =>
      a.toLowerCase() < b.toLowerCase() ? -1 : 1,
    ),
  )
  t.same(await ids({ sort: 'units', pageSize: 1 }), [third!.title])
  t.same(await ids({ sort: 'revenue', descending: true, pageSize: 1, page: 1 }), [third!.title])
  t.same(await ids({ sort: 'viewers', pageSize: 1 }), [first!.title])
  t.match(await by({ search: ' PLATE ' }), { count: 2 })
  t.match(await by({ search: '%' }), { count: 0, rows: [] })
  t.match(await by({ page: 9 }), { count: 4, rows: [] })
  for (const [field, query] of [
    ['sort', { sort: 'mood' }],
    ['page', { page: -1 }],
    ['pageSize', { pageSize: 0 }],
    ['descending', { descending: 'up' }],
    ['device', { device: 'phone' }],
  ] as const)
    await t.rejects(
      by(query),
      like({ status: 400, problem: { fields: [{ field }] } } as never),
      field,
    )
})

t.test('a test of another store is a 404; a deleted test deletes its products', async t => {
  const other = await seedTest(
    db,
    await seedStore(db, { shop: secondShop, domain: secondShop, origin: 'http://localhost:3003' }),
  )
  for (const id of [other, 'nonsense'])
    await t.rejects(call('byProduct', { params: { id }, query: {} }), like({ status: 404 }))
  await db.kysely
    .updateTable('tests')
    .set({ status: 'Ended', ended_at: new Date(noon) })
    .where('test_id', '=', testId)
    .execute()
  await call('deleteTest', { params: { id: testId } })
  const {
    rows: [left],
  } =
    await sql`select (select count(*) from test_visitor_products)::int + (select count(*) from test_product_visitors)::int + (select count(*) from test_product_orders)::int as rows`.execute(
      db.kysely,
    )
  t.same(left, { rows: 0 })
})

const tests = [
  { id: '11111111-1111-4111-8111-111111111111', end: Infinity },
  { id: '22222222-2222-4222-8222-222222222222', end: noon - 30 * minute },
]
const aVisit = fc.record({
  visitor: fc.constantFrom('visitor-1', 'visitor-2', 'visitor-3'),
  isBot: fc.constantFrom(false, false, false, false, true),
  arms: fc.constantFrom('own', 'own', 'own', 'own', 'other'),
  claims: fc.subarray(tests.map(test => test.id)),
  lag: fc.constantFrom(0, 0, 60 * minute),
  events: fc.array(
    fc.record({
      kind: fc.constantFrom('exposure' as const, 'view' as const, 'view' as const, 'cart' as const),
      at: fc.integer({ min: -6, max: 0 }).map(n => noon + n * 10 * minute),
      product: fc.constantFrom(undefined, 'mug', 'jug'),
      test: fc.constantFrom(...tests.map(test => test.id)),
    }),
    { minLength: 1, maxLength: 5 },
  ),
})

t.test(
  'any order, repeats and batches give the same counts as a simple count and a rebuild',
  async t => {
    const own = await freshDb()
    t.teardown(() => own.close())
    const store = await seedStore(own)
    for (const { id, end } of tests)
      await seedTest(own, store, {
        test_id: id,
        ...(end < Infinity && { ended_at: new Date(end) }),
      })
    const report = () =>
      Promise.all(
        tests.map(test => productReport(own, store, test.id, { sort: 'title', pageSize: 100 })),
      )
    const play = async (batches: Sent[][]) => {
      await sql`truncate events, test_visitors, test_days, test_arms, test_cube, test_visitor_products, test_product_visitors, visitor_sessions, store_visitors, store_periods, test_changes`.execute(
        own.kysely,
      )
      const ingest = startIngest({
        db: own,
        stores: eventStores(own, () => new Date(noon)),
        onError: error => {
          throw error
        },
      })
      for (const batch of batches)
        await Promise.all(
          batch.map(({ body, isBot }) =>
            ingest.submit({ beacon: body, arrival: { received: noon, device: 0, isBot } }),
          ),
        )
      await ingest.close()
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(aVisit, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(), { minLength: 8, maxLength: 8 }),
        async (visits, places) => {
          const sent = visits.map((one, v) => sentOf(one, v)),
            expected = tests.map(test => plainly(test, sent))
          await play(sent.map(one => [one]))
          const found = await report()
          assert.deepEqual(
            found.map(({ visitors, rows }) => ({ visitors, rows: figures(rows) })),
            expected,
          )
          const pieces = sent.flatMap(one =>
            one.body.events.map(each => ({ ...one, body: { ...one.body, events: [each] } })),
          )
          const shuffled = [...pieces, ...sent]
            .map((one, i) => ({ one, at: (places[i % 8]! * (i + 7)) % 101 }))
            .sort((a, b) => a.at - b.at)
            .map(({ one }) => one)
          await play(
            Array.from({ length: Math.ceil(shuffled.length / 3) }, (_, i) =>
              shuffled.slice(3 * i, 3 * i + 3),
            ),
          )
          assert.deepEqual(await report(), found, 'cut up, shuffled and repeated')
          await rebuild(own, firstShop)
          assert.deepEqual(await report(), found, 'rebuilt')
        },
      ),
      { numRuns: 15 },
    )
    assert.ok(areNone(await findDifferences(own, firstShop)))
    await sql`update test_product_visitors set viewers = viewers + 7`.execute(own.kysely)
    await sql`insert into test_product_visitors values (${store}, ${tests[0]!.id}, 'made up', 0, 3, 0)`.execute(
      own.kysely,
    )
    await repair(own, firstShop)
    t.notOk(
      (await report())[0]!.rows.some(row => row.productId === 'made up'),
      'the wrong row is repaired',
    )
    t.ok(areNone(await findDifferences(own, firstShop)))

    // One visitor names more products than the limit. The same 200 are kept in any order of
    // arrival.
    const body = (events: ShopperEvent[]) => ({
      body: beacon(
        'visitor-1',
        { [tests[0]!.id]: [assign(tests[0]!.id, 'visitor-1', [0.5, 0.5]), 7] },
        events,
      ),
      isBot: false,
    })
    const told = [
      body([event('exposure', met, [tests[0]!.id])]),
      ...Array.from({ length: 23 }, (_, i) =>
        body(
          Array.from({ length: 10 }, (_, j) =>
            of(j % 2 ? 'cart' : 'view', `made-up-${(10 * i + j) % 230}`),
          ),
        ),
      ),
    ]
    const kept = async () =>
      (
        await sql`select product_id, viewers, adders, (select count(*)::int from test_visitor_products) as n from test_product_visitors where viewers <> 0 or adders <> 0 order by 1`.execute(
          own.kysely,
        )
      ).rows
    await play([told])
    const found = await kept()
    t.equal(found.length, 200)
    t.match(found[0], { n: 200 })
    for (const order of [
      told.map(one => [one]),
      told.toReversed().map(one => [one]),
      [told.slice(9), told.slice(0, 12)],
    ]) {
      await play(order)
      t.same(await kept(), found)
    }
    t.ok(areNone(await findDifferences(own, firstShop)))
  },
)

type Sent = { body: Beacon; isBot: boolean }
type Visit = typeof aVisit extends fc.Arbitrary<infer V> ? V : never
function sentOf({ visitor, isBot, arms, claims, lag, events }: Visit, v: number): Sent {
  const armOf = (id: string) =>
    (arms === 'own' ? assign(id, visitor, [0.5, 0.5]) : 1 - assign(id, visitor, [0.5, 0.5])) as
      | 0
      | 1
  return {
    isBot,
    body: {
      ...beacon(visitor, Object.fromEntries(claims.map(id => [id, [armOf(id), 1]])), [], {
        sent: noon - lag,
      }),
      events: events.map(({ kind, at, product, test }, e) => ({
        id: `event-${v}-${e}-of-it`,
        at: at - lag,
        kind,
        path: '/',
        ...(kind === 'exposure' ? { tests: [test] } : product && { product }),
      })),
    },
  }
}

/** A simple count over all events at once. */
function plainly({ id, end }: { id: string; end: number }, sent: Sent[]) {
  const people = new Map<
    string,
    {
      arm: 0 | 1
      isBot: boolean
      hasMetOther: boolean
      met: number
      acts: { at: number; product: string; kind: string }[]
    }
  >()
  for (const { body, isBot } of sent) {
    const arm = assign(id, body.visitor, [0.5, 0.5]),
      claim = body.tests[id]
    if (!claim) continue
    let person = people.get(body.visitor)
    if (!person)
      people.set(
        body.visitor,
        (person = { arm, isBot: false, hasMetOther: false, met: Infinity, acts: [] }),
      )
    person.isBot ||= isBot
    const lag = noon - body.sent
    for (const { kind, product, tests: named, at } of body.events) {
      const when = at + lag
      if (when >= end + 2 * minute) continue
      if (kind === 'exposure' && named![0] === id) {
        if (claim[0] === arm) person.met = Math.min(person.met, when)
        else person.hasMetOther = true
      } else if (product && !isBot) person.acts.push({ at: when, product, kind })
    }
  }
  const counted = [...people.values()].filter(p => p.met < Infinity && !p.isBot && !p.hasMetOther)
  const rows: Record<string, number[][]> = {}
  for (const product of ['jug', 'mug']) {
    const did = (kind: string, arm: number) =>
      counted.filter(
        p =>
          p.arm === arm &&
          p.acts.some(a => a.kind === kind && a.product === product && a.at >= p.met),
      ).length
    const arms = [0, 1].map(arm => [did('view', arm), did('cart', arm), 0, 0, 0])
    if (arms.flat().some(n => n > 0)) rows[product] = arms
  }
  return { visitors: [0, 1].map(arm => counted.filter(p => p.arm === arm).length), rows }
}
