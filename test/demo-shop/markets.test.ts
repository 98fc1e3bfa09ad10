import t from 'tap'
import { cartAttribute } from '../../domain/events/event.ts'
import { minorDigits, minorFromDecimal } from '../../domain/money.ts'
import { priceAttribute, shownAmount, type PriceRuleSet } from '../../domain/prices/price-test.ts'
import { fc } from '../properties.ts'
import { address, bearer, openShop, shopperOf, type TestShop } from './support/demo-shop.ts'

const mug = 10100
const inVariant = { id: 'prices', weights: [0, 1] as [number, number] }
const setRule = (shop: TestShop, price: number) =>
  shop.app.inject({
    method: 'PUT',
    url: '/admin/api/price-rules',
    headers: bearer,
    payload: [{ ...inVariant, prices: { [mug]: price } } satisfies PriceRuleSet],
  })
const settings = (shop: TestShop, path: string, fields: Record<string, string>) =>
  shop.app.inject({
    method: 'POST',
    url: `/admin/settings${path}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(fields).toString(),
  })
type Cart = { items: { price: number; original_price: number }[] }
type Order = {
  subtotal_price: string
  refunded: string
  taxes_included: boolean
  total_tax: string
  refunded_tax: string
  presentment: { currency: string; rate: number; step: number; ending: number }
  line_items: {
    amount: string
    tax_lines: { price: string }[]
    presentment: { unit_price: string; price: string }
  }[]
  id: string
}

t.test(
  'in every market a page’s price is the cart’s and the order’s, to the minor unit',
  async t => {
    const shop = await openShop(t)
    await shop.app.inject({
      method: 'PUT',
      url: '/admin/api/script',
      headers: { ...bearer, 'content-type': 'text/javascript' },
      payload: 'window.x=1',
    })
    const market = fc.record({
      currency: fc.constantFrom('EUR', 'GBP', 'CHF', 'CAD', 'JPY', 'USD'),
      rounding: fc.constantFrom([1, 0], [5, 0], [10, 9], [50, 0], [100, 0], [100, 95], [100, 99]),
    })
    await fc.assert(
      fc.asyncProperty(
        market,
        fc.integer({ min: 1, max: 99_999 }),
        async ({ currency, rounding: [step, ending] }, price) => {
          const digits = minorDigits(currency),
            decimal = (minor: number) => (minor / 10 ** digits).toFixed(digits)
          if (currency !== 'USD')
            await settings(shop, '/markets', {
              [`step_${currency}`]: decimal(step!),
              [`ending_${currency}`]: decimal(ending!),
            })
          await setRule(shop, price)
          const shopper = shopperOf(shop)
          await shopper.form('/localization', { currency })
          const page = (await shopper.get('/products/ash-glaze-mug')).body
          const fact = (name: string) =>
            Number(new RegExp(` data-${name}="([^"]*)"`).exec(page)![1])
          const said = { rate: fact('rate'), step: fact('step'), ending: fact('ending') }
          const own = minorFromDecimal(/"price":"([\d.]+)"/.exec(page)![1]!, currency)
          t.equal(own, shownAmount(3400, said), 'the page shows control’s price by its own facts')
          await shopper.json('/cart/update.js', {
            attributes: { [cartAttribute]: 'somebody', [priceAttribute]: inVariant.id },
          })
          const added = await shopper.json('/cart/add.js', { id: mug })
          // What the script writes on the page (storefront/prices.ts).
          const shown = shownAmount(price, said)
          t.match(added.json<Cart>().items, [{ price: shown, original_price: shown }])
          const order = (await shopper.json('/checkout', address)).json<Order>()
          t.match(order.presentment, { currency, ...said })
          t.match(order.line_items[0]!.presentment, {
            unit_price: decimal(shown),
            price: decimal(shown),
          })
        },
      ),
      { numRuns: 60 },
    )
  },
)

t.test('a rounding that is not valid is refused, and a valid one survives a restart', async t => {
  const shop = await openShop(t)
  for (const fields of [
    { step_EUR: '0', ending_EUR: '0' },
    { step_EUR: '1', ending_EUR: '1' },
    { step_EUR: '1.001', ending_EUR: '0' },
    { step_EUR: 'x', ending_EUR: '0' },
    { step_JPY: '100.5', ending_JPY: '0' },
  ]) {
    const refused = await settings(shop, '/markets', fields)
    t.equal(refused.statusCode, 422, JSON.stringify(fields))
    t.match(refused.body, /The rounding of (EUR|JPY) is not valid/)
  }
  t.equal(
    (await settings(shop, '/markets', { step_EUR: '0.10', ending_EUR: '0.09' })).statusCode,
    303,
  )
  t.equal((await settings(shop, '/markets', { step_USD: '1', ending_USD: '0' })).statusCode, 303)
  await shop.close()
  const again = await openShop(t, { dataDir: shop.dataDir })
  const page = (await again.app.inject('/admin/settings')).body
  t.match(page, /name="step_EUR"[^>]*value="0.10"[\s\S]*name="ending_EUR"[^>]*value="0.09"/)
  t.notMatch(page, 'step_USD', 'the shop’s own currency is not rounded')
})

t.test('a price list sets a market’s prices, and price rules leave that market alone', async t => {
  const shop = await openShop(t)
  await shop.app.inject({
    method: 'PUT',
    url: '/admin/api/script',
    headers: { ...bearer, 'content-type': 'text/javascript' },
    payload: 'window.x=1',
  })
  await setRule(shop, 2900)
  const chf = { step_CHF: '0.05', ending_CHF: '0' }
  for (const prices_CHF of ['ash-glaze-mug', 'ash-glaze-mug x', 'ash-glaze-mug 0'])
    t.equal((await settings(shop, '/markets', { ...chf, prices_CHF })).statusCode, 422, prices_CHF)
  const prices_CHF = 'ash-glaze-mug 39.90\nkiln-candle 25.00'
  t.equal((await settings(shop, '/markets', { ...chf, prices_CHF })).statusCode, 303)
  t.match(
    (await shop.app.inject('/admin/settings')).body,
    /name="prices_CHF"[^>]*>ash-glaze-mug 39.90\nkiln-candle 25.00</,
  )
  const bought = async (currency: string) => {
    const shopper = shopperOf(shop)
    await shopper.form('/localization', { currency })
    const page = (await shopper.get('/products/ash-glaze-mug')).body
    await shopper.json('/cart/update.js', {
      attributes: { [cartAttribute]: 'somebody', [priceAttribute]: inVariant.id },
    })
    await shopper.json('/cart/add.js', { id: mug })
    const order = (await shopper.json('/checkout', address)).json<Order>()
    return { page, line: order.line_items[0]!.presentment, ...order.presentment }
  }
  const listed = await bought('CHF')
  t.match(listed.page, / data-rate="0" data-step="1" data-ending="0"/)
  t.match(listed.page, /product__price price">CHF\s39.90</)
  t.match(listed, { has_price_list: true, line: { unit_price: '39.90', price: '39.90' } })
  const ruled = await bought('GBP')
  t.match(ruled, { has_price_list: false, line: { unit_price: '22.91' } })
  const markets = await shop.app.inject({ url: '/admin/api/markets.json', headers: bearer })
  t.same(
    markets.json<{ currency: string; has_price_list: boolean }[]>().filter(m => m.has_price_list),
    [{ currency: 'CHF', has_price_list: true }],
  )
})

t.test('an order carries the tax that its prices included, and so does its refund', async t => {
  const shop = await openShop(t)
  const details = { name: 'Fern & Kiln', email: 'hello@fernandkiln.example' }
  t.equal((await settings(shop, '', { ...details, tax_rate: '51' })).statusCode, 422)
  const buy = async () => {
    const shopper = shopperOf(shop)
    await shopper.json('/cart/add.js', { id: mug, quantity: 3 })
    return (await shopper.json('/checkout', address)).json<Order>()
  }
  t.match(await buy(), {
    taxes_included: false,
    total_tax: '0.00',
    line_items: [{ tax_lines: [] }],
  })
  t.equal((await settings(shop, '', { ...details, tax_rate: '19' })).statusCode, 303)
  const order = await buy()
  t.match(order, {
    subtotal_price: '102.00',
    taxes_included: true,
    total_tax: '16.29',
    refunded_tax: '0.00',
    line_items: [{ amount: '102.00', tax_lines: [{ price: '16.29' }] }],
  })
  await settings(shop, '', { ...details, tax_rate: '0' })
  const refund = async (amount: string) =>
    (
      await shop.app.inject({
        method: 'POST',
        url: `/admin/api/orders/${order.id}/refunds`,
        headers: bearer,
        payload: { amount },
      })
    ).json<Order>()
  t.match(await refund('34.00'), { refunded: '34.00', refunded_tax: '5.43', total_tax: '16.29' })
  t.match(await refund('68.00'), { refunded: '102.00', refunded_tax: '16.29' })
})
