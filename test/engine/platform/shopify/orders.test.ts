import t from 'tap'
import { cartAttribute } from '../../../../domain/events/event.ts'
import { visitorOf } from '../../../../domain/orders/order-visitor.ts'
import type { PlatformAdapter, PlatformOrder } from '../../../../engine/platform/adapter.ts'
import { orderFrom } from '../../../../engine/platform/shopify/orders/order-from-facts.ts'
import { firstShop } from '../../support/small-shop.ts'
import { setTax, tradeOrders } from '../../support/shops/shopify-trade.ts'
import { shopifyShop as shop, shopifyStage, statusOf } from '../../support/shops/shopify-stage.ts'

const span = { from: '2020-01-01T00:00:00.000Z', to: '2100-01-01T00:00:00.000Z' }

/** All orders that changed, by name. */
async function booksOf(platform: PlatformAdapter, of: string): Promise<Map<string, PlatformOrder>> {
  const all = new Map<string, PlatformOrder>()
  for (let cursor: string | undefined; ;) {
    const page = await platform.changedOrders(of, { ...span, ...(cursor && { cursor }) })
    for (const order of page.orders) all.set(order.name, order)
    if (page.next === null) return all
    cursor = page.next
  }
}

/** What both faces must say alike. Their ids differ, and only one knows markets and express. */
const books = ({
  id: _,
  market: _m,
  isExpress: _e,
  firstOrderId: _f,
  lines,
  ...order
}: PlatformOrder) => ({
  // prettier-ignore
  ...order,
  lines: lines.map(({ unitPrice: _u, shownPrice: _s, ...line }) => line),
})

t.test('orders in three currencies with refunds are as in the shop’s own books', async t => {
  for (const [rate, seed] of [
    ['0', 11],
    ['19', 12],
  ] as const) {
    const stage = await shopifyStage(t)
    await setTax(stage.demo, rate)
    await tradeOrders(stage.demo, 40, seed)
    const [ours, own] = [
      await booksOf(stage.platform, shop),
      await booksOf(stage.asDemo, firstShop),
    ]
    t.equal(ours.size, 40)
    t.same([...ours.keys()].sort(), [...own.keys()].sort())
    const sums = { revenue: 0, refunded: 0, tax: 0 }
    for (const [name, order] of ours) {
      t.same(books(order), books(own.get(name)!), `${name}, tax ${rate} %`)
      t.equal(
        order.lines.reduce((sum, { amount }) => sum + amount, 0),
        order.subtotal,
      )
      sums.revenue += order.subtotal - own.get(name)!.subtotal
      sums.refunded += order.refunded - own.get(name)!.refunded
    }
    t.same(sums, { revenue: 0, refunded: 0, tax: 0 }, 'to the cent')
  }
})

t.test('a unit price is told where a price test can be checked by it', async t => {
  const stage = await shopifyStage(t)
  await tradeOrders(stage.demo, 12, 21)
  const own = await booksOf(stage.asDemo, firstShop)
  for (const [name, order] of await booksOf(stage.platform, shop))
    for (const [i, line] of order.lines.entries()) {
      const other = own.get(name)!
      const isForeign = other.market !== undefined && other.market.currency !== 'USD'
      if (isForeign || line.isSubscription) t.equal(line.unitPrice, undefined)
      else t.equal(line.unitPrice, other.lines[i]!.unitPrice)
    }
})

t.test('an order is read by its id, and a gone one is a 404', async t => {
  const stage = await shopifyStage(t)
  await tradeOrders(stage.demo, 1, 31)
  const delivery = { topic: 'orders/create', shop, deliveryId: 'x', triggeredAt: span.from }
  const [[, order]] = [...(await booksOf(stage.platform, shop))] as [[string, PlatformOrder]]
  t.same(await stage.platform.parseOrder({ id: Number(order.id) }, delivery), order)
  t.same(
    await stage.platform.parseOrder(
      { id: 7, order_id: Number(order.id) },
      { ...delivery, topic: 'refunds/create' },
    ),
    order,
  )
  t.equal(await statusOf(Promise.resolve(stage.platform.parseOrder({ id: 999999 }, delivery))), 404)
  t.same(await stage.platform.ordersOf(shop, 'nobody'), [])
  t.same(await stage.platform.ordersOf(shop, '5'), [], 'a customer whom the shop does not know')
})

t.test('only orders of the asked time are read, page by page', async t => {
  const stage = await shopifyStage(t)
  await tradeOrders(stage.demo, 3, 41)
  const all = [...(await booksOf(stage.platform, shop)).values()]
  const last = all
    .map(({ updatedAt }) => updatedAt!)
    .sort()
    .at(-1)!
  const none = await stage.platform.changedOrders(shop, { from: span.from, to: all[0]!.createdAt })
  t.same(none.orders, [])
  const some = await stage.platform.changedOrders(shop, { from: last, to: span.to })
  t.ok(some.orders.length >= 1 && some.orders.length < 4)
  t.same(some.unreadable, [])
})

t.test('an order that a subscription makes is a renewal, also with attributes of the first', t => {
  const money = (amount: string) => ({ shopMoney: { amount } })
  const from = (sourceName: string, attributes: Record<string, string> = {}) =>
    orderFrom({
      id: 'gid://shopify/Order/7',
      name: '#7',
      createdAt: '2026-11-20T10:00:00Z',
      updatedAt: '2026-11-20T10:00:00Z',
      cancelledAt: null,
      test: false,
      currencyCode: 'USD',
      presentmentCurrencyCode: 'USD',
      taxesIncluded: false,
      sourceName,
      customAttributes: Object.entries(attributes).map(([key, value]) => ({ key, value })),
      totalRefundedSet: money('0.0'),
      totalRefundedShippingSet: money('0.0'),
      lines: [
        {
          title: 'Kiln candle',
          quantity: 1,
          product: null,
          variant: null,
          sellingPlan: { name: 'Deliver monthly' },
          originalUnitPriceSet: money('21.60'),
          originalTotalSet: money('21.60'),
          discountAllocations: [],
          taxLines: [],
        },
      ],
      refundLines: [],
      refundedWithoutLine: [],
    })
  t.equal(from('web').type, 'subscription')
  for (const name of ['subscription_contract', 'subscription_contract_checkout_one'])
    t.match(from(name), { type: 'renewal', subtotal: 2_160 }, name)
  // A contract's attributes are copied to its orders: so the renewal is known to be the visitor's.
  const copied = from('subscription_contract_checkout_one', { [cartAttribute]: 'visitor-one' })
  t.equal(copied.type, 'renewal')
  t.equal(visitorOf(copied), 'visitor-one')
  t.end()
})
