import t from 'tap'
import { address, shopperOf } from '../support/demo-shop.ts'
import { openShopifyShop, type ShopifyShop } from './shopify-shop.ts'

const mug = 10100
type Money = { amount: string; currencyCode: string }
type Bag = { shopMoney: Money; presentmentMoney: Money }
type Line = { quantity: number; discountedTotalSet: Bag; currentQuantity: number }
type Order = {
  id: string
  name: string
  updatedAt: string
  presentmentCurrencyCode: string
  subtotalPriceSet: Bag
  totalRefundedSet: Bag
  customAttributes: object[]
  lineItems: { nodes: Line[] }
  refunds: {
    refundLineItems: { nodes: { quantity: number; subtotalSet: Bag; totalTaxSet: Bag }[] }
    orderAdjustments: { nodes: { amountSet: Bag }[] }
  }[]
}
const money = 'shopMoney { amount currencyCode } presentmentMoney { amount currencyCode }'
const facts = `id name updatedAt presentmentCurrencyCode customAttributes { key value }
  subtotalPriceSet { ${money} } totalRefundedSet { ${money} }
  lineItems(first: 10) { nodes { quantity currentQuantity discountedTotalSet { ${money} } } }
  refunds(first: 10) {
    refundLineItems(first: 10) { nodes { quantity subtotalSet { ${money} } totalTaxSet { ${money} } } }
    orderAdjustments(first: 10) { nodes { amountSet { ${money} } } }
  }`
const read = async (shop: ShopifyShop, number: number) =>
  (
    await shop.data<{ order: Order }>(`query ($id: ID!) { order(id: $id) { ${facts} } }`, {
      id: `gid://shopify/Order/${number}`,
    })
  ).order

/** Buys as a browser does, and returns what the shop's own books say. */
async function buy(shop: ShopifyShop, currency: string, lines: [id: number, quantity: number][]) {
  const shopper = shopperOf(shop)
  await shopper.form('/localization', { currency })
  await shopper.json('/cart/update.js', { attributes: { _ts: 'visitor' } })
  for (const [id, quantity] of lines) await shopper.json('/cart/add.js', { id, quantity })
  const { statusCode, body } = await shopper.json('/checkout', address)
  t.equal(statusCode, 201)
  return JSON.parse(body) as { subtotal_price: string; presentment: { subtotal_price: string } }
}
const total = (amounts: string[]): number =>
  amounts.reduce((sum, amount) => sum + Math.round(Number(amount) * 100), 0)

t.test('orders in three currencies say what was paid, to the minor unit', async t => {
  const shop = await openShopifyShop(t)
  const currencies = ['USD', 'EUR', 'JPY']
  for (const [i, currency] of currencies.entries()) {
    const own = await buy(shop, currency, [
      [mug, 3],
      [20100, 1],
    ])
    const order = await read(shop, 1001 + i)
    t.equal(order.presentmentCurrencyCode, currency)
    t.match(order.customAttributes, [{ key: '_ts', value: 'visitor' }])
    t.equal(Number(order.subtotalPriceSet.shopMoney.amount), Number(own.subtotal_price))
    t.equal(
      Number(order.subtotalPriceSet.presentmentMoney.amount),
      Number(own.presentment.subtotal_price),
    )
    const lines = order.lineItems.nodes.map(({ discountedTotalSet: set }) => set)
    t.equal(total(lines.map(set => set.shopMoney.amount)), total([own.subtotal_price]))
    t.equal(
      total(lines.map(set => set.presentmentMoney.amount)),
      total([own.presentment.subtotal_price]),
    )
  }
})

t.test('a refund names whole pieces, and an adjustment for the rest', async t => {
  let now = new Date('2026-10-05T10:00:00Z')
  const shop = await openShopifyShop(t, {}, { clock: () => now })
  const merchant = shopperOf(shop)
  await buy(shop, 'USD', [[mug, 3]])
  const before = await read(shop, 1001)
  t.same(before.refunds, [])
  now = new Date('2026-10-06T10:00:00Z')
  await merchant.form('/admin/orders/1001/refund', { amount: '40.00', already: '0.00' })
  const order = await read(shop, 1001)
  t.equal(order.updatedAt, now.toISOString())
  const [refund] = order.refunds
  t.match(refund!.refundLineItems.nodes, [
    { quantity: 1, subtotalSet: { shopMoney: { amount: '34.0' } } },
  ])
  t.match(refund!.orderAdjustments.nodes, [{ amountSet: { shopMoney: { amount: '6.0' } } }])
  t.match(order.totalRefundedSet.shopMoney, { amount: '40.0', currencyCode: 'USD' })
  t.equal(order.lineItems.nodes[0]!.currentQuantity, 2)
  t.equal(order.lineItems.nodes[0]!.discountedTotalSet.shopMoney.amount, '102.0')
})

t.test('orders are found by their change; older ones only with a scope of their own', async t => {
  let now = new Date('2026-07-01T10:00:00Z')
  const shop = await openShopifyShop(t, {}, { clock: () => now })
  const given = shop.shopify.settings.current().scopes
  shop.shopify.settings.set({ scopes: [...given, 'read_customers'] })
  await buy(shop, 'USD', [[mug, 1]])
  now = new Date('2026-10-05T10:00:00Z')
  await buy(shop, 'USD', [[mug, 1]])
  const found = async (query: string) =>
    (
      await shop.data<{ orders: { nodes: { name: string }[] } }>(
        'query ($query: String) { orders(first: 10, query: $query, sortKey: UPDATED_AT) { nodes { name } } }',
        { query },
      )
    ).orders.nodes.map(({ name }) => name)
  t.same(await found(''), ['#1002'], '60 days')
  const { scopes } = shop.shopify.settings.current()
  shop.shopify.settings.set({ scopes: [...scopes, 'read_all_orders'] })
  t.same(await found(''), ['#1001', '#1002'])
  t.same(
    await found("updated_at:>='2026-10-05T00:00:00Z' AND updated_at:<'2026-10-06T00:00:00Z'"),
    ['#1002'],
  )
  const { order } = await shop.data<{ order: { customer: { legacyResourceId: string } } }>(
    '{ order(id: "gid://shopify/Order/1002") { customer { legacyResourceId } } }',
  )
  t.same(await found(`customer_id:${order.customer.legacyResourceId}`), ['#1001', '#1002'])
  shop.shopify.settings.set({ isApprovedForCustomers: false })
  const { body } = await shop.ask('{ orders(first: 1) { nodes { id email } } }')
  t.match(body.errors?.[0], { message: /not approved/, extensions: { code: 'ACCESS_DENIED' } })
})

t.test('with tax in the prices, lines say theirs', async t => {
  const shop = await openShopifyShop(t)
  await shop.app.inject({
    method: 'POST',
    url: '/admin/settings',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ name: 'Fern', email: 'a@b.example', tax_rate: '19' }).toString(),
  })
  await buy(shop, 'USD', [[mug, 2]])
  t.match(
    await shop.data(
      `{ order(id: "gid://shopify/Order/1001") { taxesIncluded totalTaxSet { ${money} } lineItems(first: 1) { nodes {
        taxLines { priceSet { ${money} } } priceAfterAllDiscountsBeforeTaxesSet { ${money} } } } } }`,
    ),
    {
      order: {
        taxesIncluded: true,
        totalTaxSet: { shopMoney: { amount: '10.86' } },
        lineItems: {
          nodes: [
            {
              taxLines: [{ priceSet: { shopMoney: { amount: '10.86' } } }],
              priceAfterAllDiscountsBeforeTaxesSet: { shopMoney: { amount: '57.14' } },
            },
          ],
        },
      },
    },
  )
})
