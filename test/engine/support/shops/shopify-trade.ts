import type { DemoShop } from '../../../../demo-shop/app.ts'
import { address, shopperOf } from '../../../demo-shop/support/demo-shop.ts'
import { mulberry32 } from '../../../mulberry32.ts'

/** What was traded, so that a test can say that it compared something. */
export type Traded = { orders: number; refunds: number; express: number; subscriptions: number }

/** The shop adds so much tax, in percent, from now on. */
export async function setTax(shop: DemoShop, rate: string): Promise<void> {
  const { statusCode } = await shopperOf(shop).form('/admin/settings', {
    name: 'Fern & Kiln',
    email: 'hello@fernandkiln.example',
    tax_rate: rate,
  })
  if (statusCode !== 303) throw new Error(`The tax rate was not taken: ${statusCode}`)
}

/**
 * Orders as shoppers make them, the same for the same seed: in three currencies, some with a
 * subscription, some refunded in part or whole, and with `express` some by express checkout.
 */
export async function tradeOrders(
  shop: DemoShop,
  count: number,
  seed: number,
  { hasExpress = false } = {},
): Promise<Traded> {
  const random = mulberry32(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const merchant = shopperOf(shop)
  const candle = await shopperOf(shop).get('/products/kiln-candle')
  const plan = Number(/name="selling_plan" value="(\d+)"/.exec(candle.body)![1]),
    candleId = Number(/name="id" value="(\d+)"/.exec(candle.body)![1])
  const traded: Traded = { orders: 0, refunds: 0, express: 0, subscriptions: 0 }
  for (let n = 0; n < count; n++) {
    const shopper = shopperOf(shop)
    await shopper.form('/localization', { currency: pick(['USD', 'EUR', 'JPY']) })
    if (random() < 0.7) await shopper.json('/cart/update.js', { attributes: { _ts: `v${n}` } })
    for (const id of [10100, 20100, 10102].slice(0, 1 + Math.floor(random() * 3)))
      await shopper.json('/cart/add.js', { id, quantity: 1 + Math.floor(random() * 4) })
    if (random() < 0.2) {
      await shopper.json('/cart/add.js', { id: candleId, selling_plan: plan, quantity: 1 })
      traded.subscriptions++
    }
    const isExpress = hasExpress && random() < 0.2
    if (isExpress) {
      await shopper.form('/checkout/express', {})
      traded.express++
    }
    const bought = await shopper.json('/checkout', {
      ...address,
      ...(isExpress && { express: '1' }),
    })
    if (bought.statusCode !== 201) throw new Error(bought.body)
    traded.orders++
    const { name, subtotal_price } = bought.json<{ name: string; subtotal_price: string }>()
    if (random() < 0.3) {
      const cents = Math.max(1, Math.floor(random() * Number(subtotal_price) * 100))
      const refunded = await merchant.form(`/admin/orders/${name.slice(1)}/refund`, {
        amount: (cents / 100).toFixed(2),
        already: '0.00',
      })
      if (refunded.statusCode !== 303) throw new Error(refunded.body)
      traded.refunds++
    }
  }
  return traded
}

/**
 * Makes the renewals that are due by the shop's clock, and refunds a part of every third. Returns
 * how many there are by the numbers of orders after `last`.
 */
export async function tradeRenewals(shop: DemoShop, last: number): Promise<number> {
  const merchant = shopperOf(shop)
  const made = await merchant.form('/admin/renewals', {})
  if (made.statusCode !== 303) throw new Error(made.body)
  const isThere = async (number: number) =>
    (await merchant.get(`/admin/orders/${number}`)).statusCode === 200
  let count = 0
  for (let number = last + 1; await isThere(number); number++) {
    count++
    if (number % 3 > 0) continue
    const refunded = await merchant.form(`/admin/orders/${number}/refund`, {
      amount: '3.33',
      already: '0.00',
    })
    if (refunded.statusCode !== 303) throw new Error(refunded.body)
  }
  return count
}
