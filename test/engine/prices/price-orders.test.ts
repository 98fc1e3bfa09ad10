import { sql } from 'kysely'
import t from 'tap'
import { assign } from '../../../domain/tests/assignment.ts'
import { decimalMoney } from '../../../domain/money.ts'
import { shownAmount, testedPrice } from '../../../domain/prices/price-test.ts'
import { chargesOf } from '../../../engine/prices/charge-counts.ts'
import { priceRules, scriptPrices } from '../../../engine/prices/price-rules.ts'
import { rollUpTest } from '../../../engine/reports/rollup-test.ts'
import { launchedFrom } from '../support/launched.ts'
import { meet, shopperAt, type PlacedOrder } from '../support/price-shoppers.ts'
import { seedTest } from '../support/seeds.ts'
import { appSecret, firstShop } from '../support/small-shop.ts'
import { visitorIn } from '../support/traffic.ts'
import { startWithShop, withTestPrices } from '../support/with-shop.ts'

const shopClock = { at: new Date() }
const { call, db, now, engine, shop, shopOrigin, platform, idToken, close } = await startWithShop(
  {},
  {},
  { clock: () => shopClock.at, ...withTestPrices },
)
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const { items } = await call('searchProducts', {
  params: { id: storeId },
  query: { query: '', pageSize: 40 },
})
const productOf = (handle: string) => items.find(item => item.handle === handle)!
const [mug, candle, board, spoon] = [
  'ash-glaze-mug',
  'kiln-candle',
  'walnut-board',
  'oak-spoon',
].map(productOf)
const ids = (product = mug!) => product.variants.map(({ id }) => Number(id))
const monthly = 7001
const control = new Map(
  items.flatMap(item => item.variants.map(({ id, price }) => [Number(id), price] as const)),
)

/** A running price test. */
async function priceTest(
  title: string,
  hours: number,
  value: number,
  products: (typeof items)[number][],
): Promise<string> {
  const testDraftId = (await call('createDraft', { body: { kind: 'Price', title } })).id
  for (const { id } of products)
    await call('createTestProduct', {
      body: { testDraftId, productId: id, rule: { kind: 'percent', value } },
    })
  return launchedFrom(db, storeId, testDraftId, {
    start_at: new Date(now.at.getTime() - hours * 3_600_000),
    title,
  })
}
const cheaper = await priceTest('Cheaper', 2, -15, [mug!, candle!]),
  dearer = await priceTest('Dearer', 1, 7, [board!])
const tests = [cheaper, dearer]
const rules = await priceRules(db, storeId)
await platform.setPriceRules(firstShop, rules)
const statusOf = async (id: string) =>
  await db.kysely
    .selectFrom('tests')
    .select(['status', 'hold_cause'])
    .where('test_id', '=', id)
    .executeTakeFirstOrThrow()
const counts = () => chargesOf(db.kysely, storeId, cheaper)
const armsOf = (visitor: string) =>
  Object.fromEntries(tests.map(id => [id, assign(id, visitor, [0.5, 0.5])]))
/** The unit price that the script shows to this visitor, who has entered these tests. */
const shownTo = (visitor: string | null, entered: readonly string[], id: number): number => {
  for (const { id: test, prices } of rules)
    if (
      visitor &&
      entered.includes(test) &&
      String(id) in prices &&
      assign(test, visitor, [0.5, 0.5]) === 1
    )
      return prices[id]!
  return control.get(id)!
}

t.test('price rules and the script’s prices are those of the launched test', async t => {
  t.same(
    rules.map(({ id, weights, prices }) => [id, weights, Object.keys(prices).length]),
    [
      [cheaper, [0.5, 0.5], ids(mug).length + ids(candle).length],
      [dearer, [0.5, 0.5], ids(board).length],
    ],
  )
  t.equal(rules[0]!.prices[ids(mug)[0]!], 2890)
  const prices = await scriptPrices(db.kysely, { storeId, testId: cheaper })
  t.same(Object.keys(prices), ['ash-glaze-mug', 'kiln-candle'])
  t.same(prices['ash-glaze-mug']![0], [String(ids(mug)[0]), 3400, 2890])
})

t.test(
  'in 200 checkouts every line costs what was shown, in any currency, and no test is put on hold',
  async t => {
    const currencies = ['USD', 'EUR', 'JPY', 'GBP', 'CHF'],
      plans = [monthly, undefined, undefined]
    const shoppers = Array.from({ length: 200 }, (_, i) => ({
      i,
      entered: i % 10 === 0 ? [] : i % 10 === 1 ? [cheaper] : tests,
      shopper: shopperAt(shopOrigin, `visitor-of-prices-${i}`),
    }))
    // Carts that are two weeks old. They start empty when their shoppers come back.
    const late = shoppers.filter(({ i }) => i % 20 === 5)
    shopClock.at = new Date(now.at.getTime() - 15 * 86_400_000)
    for (const { shopper, entered } of late) {
      await shopper.stamp(entered)
      await shopper.add({ id: ids(mug)[0]!, quantity: 9 })
    }
    shopClock.at = now.at
    const orders: { order: PlacedOrder; visitor: string | null; entered: readonly string[] }[] = []
    for (const { i, shopper, entered } of shoppers) {
      const { visitor } = shopper
      // The other browsers cannot reach the collector, but show the prices of their arm too.
      if (entered.length > 0 && i % 6 === 1)
        await meet(
          engine,
          visitor,
          Object.fromEntries(entered.map(id => [id, armsOf(visitor)[id]!])),
          now.at.getTime() - 60_000,
        )
      if (i % 5 > 0) shopper.payIn(currencies[i % 5]!)
      const isLate = late.some(each => each.shopper === shopper)
      const isStampedFirst = !isLate && i % 2 === 0
      if (entered.length > 0 && isStampedFirst) await shopper.stamp(entered)
      const first = ids(mug)[i % ids(mug).length]!
      const things = [
        { id: first, quantity: 1 + (i % 3) },
        { id: ids(candle)[i % ids(candle).length]!, selling_plan: plans[i % 3] },
      ]
      if (i % 2) things.push({ id: ids(board)[0]!, quantity: 1 })
      if (i % 7 === 0) things.push({ id: ids(spoon)[0]!, quantity: 2 })
      const cart = await shopper.add(...things)
      if (isLate)
        t.same(
          [cart.attributes, cart.items[0]!.quantity],
          [{}, 1 + (i % 3)],
          'the old cart is empty',
        )
      if (entered.length > 0 && !isStampedFirst) await shopper.stamp(entered)
      if (i % 3 === 1) await shopper.set(String(first), 2 + (i % 4))
      if (i % 8 === 3) await shopper.set(String(ids(board)[0]), 0)
      if (i % 11 === 4) {
        await shopper.set(String(first), 0)
        await shopper.add({ id: first })
      }
      orders.push({
        order: await shopper.order(),
        visitor: entered.length > 0 ? visitor : null,
        entered,
      })
    }
    await shop.delivered()

    const seen = { lines: 0, variant: 0, plans: 0, currencies: new Set<string>() }
    const wrong = orders.flatMap(({ order, visitor, entered }) =>
      order.line_items.flatMap(line => {
        const unit = shownTo(visitor, entered, line.variant_id)
        const piece = line.selling_plan ? Math.round(unit * 0.9) : unit
        const { currency, ...market } = order.presentment
        const shown = shownAmount(piece, market)
        // Where prices are rounded, the shop receives the rounded price at the market's rate.
        const received = (paid: number, own: number) =>
          market.step > 1 ? Math.round(paid / market.rate) : own
        seen.lines++
        if (unit !== control.get(line.variant_id)) seen.variant++
        if (line.selling_plan) seen.plans++
        seen.currencies.add(currency)
        const attributes = Object.fromEntries(
          order.note_attributes.map(({ name, value }) => [name, value]),
        )
        const right = {
          rule: unit,
          unit_price: decimalMoney(unit, 'USD'),
          price: decimalMoney(received(shown, piece), 'USD'),
          amount: decimalMoney(received(shown * line.quantity, piece * line.quantity), 'USD'),
          presentment: {
            unit_price: decimalMoney(shownAmount(unit, market), currency),
            price: decimalMoney(shown, currency),
            amount: decimalMoney(shown * line.quantity, currency),
          },
        }
        const found = {
          rule:
            testedPrice(
              rules,
              attributes['_ts_visitor'],
              attributes['_ts_prices'],
              String(line.variant_id),
            ) ?? control.get(line.variant_id),
          unit_price: line.unit_price,
          price: line.price,
          amount: line.amount,
          presentment: line.presentment,
        }
        return JSON.stringify(right) === JSON.stringify(found)
          ? []
          : [{ order: order.name, right, found }]
      }),
    )
    t.same(wrong, [])
    t.ok(
      seen.lines > 400 && seen.variant > 120 && seen.lines - seen.variant > 120 && seen.plans > 50,
      JSON.stringify(seen),
    )
    t.same([...seen.currencies].sort(), [...currencies].sort())
    const {
      rows: [kept],
    } = await sql<{
      orders: number
      lines: number
    }>`select count(distinct order_id)::int as orders, count(*) filter (where line->>'unitPrice' is not null and line->>'shownPrice' is not null)::int as lines from orders, jsonb_array_elements(lines) line`.execute(
      db.kysely,
    )
    t.same(
      kept,
      { orders: 200, lines: seen.lines },
      'the engine has all orders, with the unit prices',
    )
    for (const id of tests) t.equal((await statusOf(id)).status, 'Active')
  },
)

t.test(
  'a visitor who is also in a test that may exclude this one pays what the cart says, whichever they met first',
  async t => {
    // So recent that the collector does not correct the clock.
    const at = now.at.getTime() - 20_000
    // A theme test that was paused when the visitors met the prices, and has been resumed since.
    const theme = await seedTest(db, storeId, {
      kind: 'Theme',
      pages: '["*"]',
      start_at: new Date(at - 86_400_000),
    })
    const bought = async (
      name: string,
      stages: number,
      themeAt: Date | null,
      entered: readonly string[],
    ) => {
      const visitor = visitorIn(cheaper, 1, name)
      await meet(engine, visitor, { [cheaper]: 1 }, at)
      // One more in control, so that the shares of the visitors stay as planned.
      await meet(engine, visitorIn(cheaper, 0, name), { [cheaper]: 0 }, at)
      await sql`insert into test_visitors (store_id, test_id, visitor_id, arm, stages, seen, is_bot, first_exposed_at) values (${storeId}, ${theme}, ${visitor}, 0, ${stages}, 1, false, ${themeAt})`.execute(
        db.kysely,
      )
      const shopper = shopperAt(shopOrigin, visitor)
      await shopper.stamp(entered)
      await shopper.add({ id: ids(mug)[0]! })
      const {
        line_items: [line],
      } = await shopper.order()
      await shop.delivered()
      t.equal((await statusOf(cheaper)).status, 'Active', name)
      return line!.unit_price
    }
    t.equal(await bought('met-before', 7, new Date(at - 10_000), []), '34.00')
    t.equal(await bought('met-at-once', 7, new Date(at), []), '34.00')
    t.equal(await bought('given-before-met-after', 7, new Date(at + 10_000), []), '34.00')
    t.equal(await bought('given-and-not-met', 1, null, []), '34.00')
    t.equal(await bought('met-after', 7, new Date(at + 10_000), [cheaper]), '28.90')
    await db.kysely.deleteFrom('tests').where('test_id', '=', theme).execute()
  },
)

t.test(
  'one wrongly charged order warns, test orders do not count, and several buyers put the test on hold with evidence',
  async t => {
    const bought = async (
      visitor: string,
      entered: readonly string[],
      id = ids(mug)[3]!,
      isTest = false,
    ) => {
      const shopper = shopperAt(shopOrigin, visitor)
      if (entered.length > 0) await shopper.stamp(entered)
      await shopper.add({ id })
      const order = await shopper.order(isTest)
      await shop.delivered()
      return order
    }
    const later = (minutes: number) => {
      shopClock.at = now.at = new Date(now.at.getTime() + minutes * 60_000)
    }
    const inVariant = visitorIn(cheaper, 1, 'overcharged'),
      inControl = visitorIn(cheaper, 0, 'fine')

    const before = await counts()
    t.ok(before.judged > 100 && before.unmarked > 10, JSON.stringify(before))

    later(1)
    // As if the platform had lost the rules.
    await platform.setPriceRules(firstShop, [])
    await bought(inControl, tests)
    await bought(inVariant, [])
    await bought(inVariant, tests, ids(spoon)[0]!)
    const right = {
      judged: before.judged + 1,
      wrong: 0,
      unmarked: before.unmarked + 1,
      latest: null,
    }
    t.same(
      await counts(),
      right,
      'buyers in control, buyers in no test and products without a test are charged correctly',
    )

    for (let n = 0; n < 5; n++)
      await bought(visitorIn(cheaper, 1, `tester-${n}`), tests, ids(mug)[3]!, true)
    t.same(await counts(), right, 'test orders do not count')

    for (let n = 0; n < 7; n++) await bought(inVariant, tests)
    t.equal(
      (await statusOf(cheaper)).status,
      'Active',
      'one buyer puts no test on hold, however often they order',
    )
    t.equal((await counts()).wrong, 1)
    await rollUpTest(db, storeId, cheaper, now.at)
    const {
      tests: [warned],
    } = await call('chargeWarnings', {})
    t.match(warned, {
      id: cheaper,
      message:
        /^Order #\d+ was charged \$38\.00 for Ash glaze mug – 350 ml \/ Ash, but visitors of the variant should pay \$32\.30\. The cart’s attributes were in order/,
    })

    const more = [1, 2, 3].map(n => visitorIn(cheaper, 1, `overcharged-${n}`))
    for (const visitor of more) await bought(visitor, tests)
    t.equal((await statusOf(cheaper)).status, 'Active', 'four of thirty')
    const { name: last } = await bought(visitorIn(cheaper, 1, 'overcharged-4'), tests)
    t.match(await statusOf(cheaper), {
      status: 'OnHold',
      hold_cause: {
        cause: 'chargeMismatch',
        message: new RegExp(
          `^5 of the last 30 buyers were charged a different price from the one they saw\\. Order ${last} was charged`,
        ),
        remedy: /resume the test/,
      },
    })
    t.equal((await statusOf(dearer)).status, 'Active', 'the other test keeps running')
    const { tests: told } = await call('newOnHold', { query: {} })
    t.match(told, [{ id: cheaper, holdCause: { cause: 'chargeMismatch' } }])
    t.same((await call('chargeWarnings', {})).tests, [], 'a test on hold has no warning too')

    t.same(await call('resumeOnHold', { body: { testIds: [cheaper] } }), {
      resumed: [cheaper],
      refused: [],
    })
    await platform.setPriceRules(firstShop, [])
    for (const visitor of more) await bought(visitor, tests)
    t.same(
      await counts(),
      { judged: 0, wrong: 0, unmarked: 0, latest: null },
      'pages from before may still be open',
    )
    later(3)
    // The browser reported the exposure, but the cart has lost its attribute.
    await platform.setPriceRules(firstShop, rules)
    const lost = async (name: string) => {
      const met = visitorIn(cheaper, 1, name)
      await meet(engine, met, { [cheaper]: 1 }, now.at.getTime() - 1_000)
      const shopper = shopperAt(shopOrigin, met)
      await shopper.stamp([])
      await shopper.add({ id: ids(mug)[0]! })
      const order = await shopper.order()
      await shop.delivered()
      return order.name
    }
    for (const name of ['met-1', 'met-2']) await lost(name)
    t.match(await counts(), { judged: 2, wrong: 2, latest: /The cart had lost the attribute/ })
    t.equal((await statusOf(cheaper)).status, 'Active')
    const third = await lost('met-3')
    t.match(await statusOf(cheaper), {
      status: 'OnHold',
      hold_cause: {
        message: new RegExp(
          `^3 of the last 3 buyers .* Order ${third} was charged \\$34\\.00 for Ash glaze mug – 250 ml / Ash, but visitors of the variant should pay \\$28\\.90\\. The cart had lost`,
        ),
      },
    })
  },
)

t.test(
  'visitors outside a test do not pay its prices, and renewals keep the price agreed before',
  async t => {
    const later = (days: number) => {
      shopClock.at = now.at = new Date(now.at.getTime() + days * 86_400_000)
    }
    later(28)
    const { token } = await call('auth', { body: { idToken: await idToken() } })
    t.match(await call('resumeOnHold', { body: { testIds: [cheaper] } }, token), {
      resumed: [cheaper],
    })
    await platform.setPriceRules(firstShop, rules)
    later(4)
    await shop.app.inject({
      method: 'POST',
      url: '/admin/api/renewals',
      headers: { authorization: `Bearer ${appSecret}` },
    })
    await shop.delivered()
    const {
      rows: [renewed],
    } = await sql<{
      n: number
    }>`select count(*)::int as n from orders where type = 'renewal'`.execute(db.kysely)
    t.ok(renewed!.n > 30, `${renewed!.n} renewals`)
    t.equal(
      (await statusOf(cheaper)).status,
      'Active',
      'renewals at the variant’s price are not compared with the test',
    )

    const [, dear] = rules
    await platform.setPriceRules(firstShop, [
      { ...dear!, prices: { ...dear!.prices, [ids(board)[0]!]: 1 } },
    ])
    const names: string[] = []
    for (let n = 0; n < 5; n++) {
      const shopper = shopperAt(shopOrigin, visitorIn(dearer, 1, `one-cent-${n}`))
      await shopper.stamp([dearer])
      await shopper.add({ id: ids(board)[0]! })
      names.push((await shopper.order()).name)
    }
    await shop.delivered()
    // The webhooks are sent in parallel, so any of these orders may come last and be named.
    t.match(await statusOf(dearer), {
      status: 'OnHold',
      hold_cause: {
        message: new RegExp(`Order (${names.join('|')}) was charged \\$0\\.01 for Walnut board`),
      },
    })
    const held = await db.kysely
      .selectFrom('test_events')
      .select('detail')
      .where('test_id', '=', dearer)
      .where('kind', '=', 'Paused')
      .execute()
    t.match(held, [{ detail: /\$0\.01/ }], 'the timeline names it too')
  },
)
