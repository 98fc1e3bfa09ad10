import t from 'tap'
import { assign } from '../../../domain/tests/assignment.ts'
import type { Cell } from '../../../domain/reports/export.ts'
import { rows } from '../../../engine/db/raw.ts'
import { chargesOf } from '../../../engine/prices/charge-counts.ts'
import { orderPages } from '../../../engine/reports/exports-orders.ts'
import { rollUpTest } from '../../../engine/reports/rollup-test.ts'
import { countsTaxFromNow } from '../../../engine/tests/launch/launch-tax.ts'
import { meet, shopperAt } from '../support/price-shoppers.ts'
import { appSecret, firstShop } from '../support/small-shop.ts'
import { startWithShop, withTestPrices } from '../support/with-shop.ts'

const { call, db, now, engine, shop, shopOrigin, platform, close } = await startWithShop(
  {},
  { CHROMIUM_PATH: 'off' },
  withTestPrices,
)
t.teardown(close)
const { id: storeId } = await call('storeInfo', {})
const setTax = (tax_rate: string) =>
  shop.app.inject({
    method: 'POST',
    url: '/admin/settings',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      name: 'Fern & Kiln',
      email: 'hello@fernandkiln.example',
      tax_rate,
    }).toString(),
  })

/** Launches a price test of one product as a merchant does. */
async function launched(title: string, query: string): Promise<string> {
  const { items } = await call('searchProducts', {
    params: { id: storeId },
    query: { query, pageSize: 1 },
  })
  const { id } = await call('createDraft', { body: { kind: 'Price', title } })
  await call('createTestProduct', {
    body: { testDraftId: id, productId: items[0]!.id, rule: { kind: 'percent', value: -10 } },
  })
  return (await call('launchDraft', { params: { id } })).testId
}

t.test(
  'revenue is before the order’s own tax, and a test from before the shop’s setting keeps its rule',
  async t => {
    const before = await launched('Before', 'oak spoon')
    t.equal((await setTax('19')).statusCode, 303)
    t.equal((await platform.shop(firstShop)).taxesIncluded, true)
    const after = await launched('After', 'linen apron')
    t.equal(await countsTaxFromNow({ db, platform }, storeId), false)
    await engine.runJobs()

    const visitor = Array.from({ length: 99 }, (_, i) => `taxed-buyer-${i}`).find(
      id => assign(before, id, [0.5, 0.5]) === 0 && assign(after, id, [0.5, 0.5]) === 0,
    )!
    now.at = new Date(now.at.getTime() + 10 * 60_000)
    await meet(engine, visitor, { [before]: 0, [after]: 0 }, now.at.getTime() - 20_000)
    const shopper = shopperAt(shopOrigin, visitor)
    await shopper.stamp([before, after])
    await shopper.add({ id: 30100, quantity: 2 }, { id: Number(await apron()) })
    const order = await shopper.order()
    await shop.delivered()
    // $18.00 twice and $58.00, with 19% inside: $5.75 and $9.26.
    const expected = {
      [before]: { amount: 9400, refunded: 0, lines: [3600, 5800] },
      [after]: { amount: 7899, refunded: 0, lines: [3025, 4874] },
    }
    const check = async (refunded: Record<string, number>) => {
      for (const id of [before, after]) {
        const { amount, lines } = expected[id]!
        await rollUpTest(db, storeId, id, now.at)
        const { rows: found, total } = await call('testOrders', { params: { id }, query: {} })
        t.match(found, [
          { amount, refunded: refunded[id], arm: 0, lines: lines.map(each => ({ amount: each })) },
        ])
        t.match(total, { orders: 1, amount, refunds: refunded[id] })
        const search = await call('testOrders', {
          params: { id },
          query: { search: order.name },
        })
        t.match(search.total, { amount, refunds: refunded[id] }, 'as a search finds it')
        const { summary } = await call('test', { params: { id } })
        const revenue = summary!.goals.find(({ goal }) => goal === 'AverageOrderValue')!
        t.equal(revenue.arms[0].value, amount, 'the only order’s value in the report')
        const products = await rows<{ revenue: number }>(
          db.kysely,
          'select revenue::float8 as revenue from test_product_orders where test_id = $1 order by revenue',
          [id],
        )
        t.same(
          products.map(each => each.revenue),
          lines,
          'revenue of each product',
        )
        const { value } = await orderPages(db, {
          storeId,
          shop: firstShop,
          testId: id,
          from: new Date(0),
          to: null,
          timeZone: 'UTC',
          currency: 'USD',
          titles: ['Control', 'Variant'],
          hidden: {},
        }).next()
        const page = value as Cell[][] | undefined
        const plain = (minor: number) => ({ plain: (minor / 100).toFixed(2) })
        t.same(
          page![0]!.slice(7, 9),
          [plain(amount), plain(refunded[id]!)],
          'amount and refund in the export',
        )
      }
    }
    await check({ [before]: 0, [after]: 0 })
    await refund(order.id, '47.00')
    // Half of the order, and half of its $15.01 of tax.
    await check({ [before]: 4700, [after]: 3949 })
    for (const id of [before, after])
      t.match(
        await chargesOf(db.kysely, storeId, id),
        { judged: 1, wrong: 0 },
        'prices are compared as shown, with tax',
      )
  },
)

const apron = async () => {
  const { items } = await call('searchProducts', {
    params: { id: storeId },
    query: { query: 'linen apron', pageSize: 1 },
  })
  return items[0]!.variants[0]!.id
}
async function refund(id: string, amount: string): Promise<void> {
  const { statusCode } = await shop.app.inject({
    method: 'POST',
    url: `/admin/api/orders/${id}/refunds`,
    headers: { authorization: `Bearer ${appSecret}` },
    payload: { amount },
  })
  if (statusCode !== 200) throw new Error(`The refund answered ${statusCode}.`)
  await shop.delivered()
}
