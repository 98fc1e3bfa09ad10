import t from 'tap'
import { assign } from '../../domain/tests/assignment.ts'
import { cartAttribute } from '../../domain/events/event.ts'
import { priceAttribute, shownAmount, type PriceRuleSet } from '../../domain/prices/price-test.ts'
import { address, bearer, openShop, shopperOf, type TestShop } from './support/demo-shop.ts'

const mug = 10100,
  spoon = 30100
const rule: PriceRuleSet = {
  id: 'test-1',
  weights: [0.5, 0.5],
  prices: { [mug]: 2900, 10101: 2900, 40300: 2000 },
}
const visitors = Array.from({ length: 40 }, (_, i) => `visitor-${i}`)
const inControl = visitors.find(id => assign(rule.id, id, rule.weights) === 0)!,
  inVariant = visitors.find(id => assign(rule.id, id, rule.weights) === 1)!
const setRules = ({ app }: TestShop, rules: unknown, headers: object = bearer) =>
  app.inject({
    method: 'PUT',
    url: '/admin/api/price-rules',
    headers: { ...headers },
    payload: rules as object,
  })
const as = (visitor: string, tests: string = rule.id) => ({
  attributes: { [cartAttribute]: visitor, [priceAttribute]: tests },
})
type Cart = {
  token: string
  items: { id: number; original_price: number; price: number; line_price: number }[]
  total_price: number
  attributes: Record<string, string>
}
type Order = {
  line_items: {
    unit_price: string
    price: string
    amount: string
    presentment: { amount: string }
  }[]
}

t.test(
  'a visitor in the variant pays its price in cart and checkout; other pages show the shop’s price',
  async t => {
    const shop = await openShop(t)
    await setRules(shop, [rule])
    const shopper = shopperOf(shop)
    const stamped = await shopper.json('/cart/update.js', as(inVariant))
    t.match(
      stamped.cookies,
      [{ name: 'cart', path: '/' }],
      'the script’s request makes a cart when there is none',
    )
    t.match((await shopper.json('/cart/add.js', { id: mug, quantity: 2 })).json<Cart>(), {
      items: [{ original_price: 2900, price: 2900, line_price: 5800 }],
      total_price: 5800,
    })
    t.match((await shopper.get('/cart.js')).json<Cart>(), { total_price: 5800 })
    t.match((await shopper.get('/cart')).body, /\$29\.00[\s\S]*\$58\.00/)
    t.match((await shopper.get('/checkout')).body, /\$58\.00/)
    for (const path of [`/products/ash-glaze-mug`, '/collections/tableware', '/search?q=mug']) {
      const { body } = await shopper.get(path)
      t.match(body, '$34.00', path)
      t.notMatch(body, '$29.00', path)
    }
    t.match((await shopper.json('/cart/change.js', { id: mug, quantity: 3 })).json<Cart>(), {
      total_price: 8700,
    })
    await shopper.json('/cart/add.js', { id: spoon })
    await shopper.json('/cart/change.js', { id: mug, quantity: 0 })
    t.match(
      (await shopper.json('/cart/add.js', { id: mug })).json<Cart>(),
      { total_price: 1800 + 2900, attributes: as(inVariant).attributes },
      'a product that was removed and added again has the variant’s price',
    )
    const order = (await shopper.json('/checkout', address)).json<Order>()
    t.match(order.line_items, [
      { unit_price: '18.00' },
      { unit_price: '29.00', price: '29.00', amount: '29.00' },
    ])
    t.match(
      (await shopper.json('/cart/add.js', { id: mug })).json<Cart>(),
      { attributes: {}, total_price: 3400 },
      'a new cart has nothing from the cart before',
    )
  },
)

t.test(
  'visitors in control or in no test pay the shop’s price; nobody can choose an arm by an attribute',
  async t => {
    const shop = await openShop(t)
    await setRules(shop, [rule])
    const price = async (attributes: Record<string, string>) =>
      (await shopperOf(shop).json('/cart/add.js', { id: mug, attributes })).json<Cart>().items[0]!
        .price
    t.equal(await price(as(inControl).attributes), 3400, 'control')
    t.equal(await price({}), 3400, 'no visitor')
    t.equal(await price({ [cartAttribute]: inVariant }), 3400, 'not in the test')
    t.equal(await price({ [priceAttribute]: rule.id }), 3400, 'in the test, but no visitor')
    t.equal(
      await price(as(inControl, `${rule.id}:1`).attributes),
      3400,
      'with an arm in the test’s attribute',
    )
    t.equal(
      await price({ ...as(inControl).attributes, arm: '1', [`${priceAttribute}_arm`]: 'variant' }),
      3400,
      'with an arm in other attributes',
    )
    t.equal(await price(as(inVariant, 'test-2').attributes), 3400, 'an unknown test')
    t.equal(await price(as(inVariant, `test-2,${rule.id}`).attributes), 2900, 'one of several')
    t.equal(await price(as(inVariant, 'prices,__proto__,constructor').attributes), 3400)
    t.equal(
      await price(as('__proto__').attributes),
      assign(rule.id, '__proto__', rule.weights) ? 2900 : 3400,
      'any text as visitor id gets that id’s arm',
    )
  },
)

/** The shop rounds yen up to whole hundreds. */
const yen = { rate: 1.49, step: 100, ending: 0 }
t.test('currencies and selling plans apply to the variant’s price', async t => {
  const shop = await openShop(t)
  const shopper = shopperOf(shop)
  const candle = Number(
    /name="id" value="(\d+)"/.exec((await shopper.get('/products/kiln-candle')).body)![1],
  )
  await setRules(shop, [{ ...rule, prices: { [candle]: 2055 } }])
  await shopper.form('/localization', { currency: 'JPY' })
  await shopper.json('/cart/update.js', as(inVariant))
  await shopper.json('/cart/add.js', { id: candle, quantity: 3 })
  const { items } = (
    await shopper.json('/cart/add.js', { id: candle, selling_plan: 7001 })
  ).json<Cart>()
  const monthly = Math.round(2055 * 0.9)
  t.match(items, [
    {
      original_price: shownAmount(2055, yen),
      price: shownAmount(2055, yen),
      line_price: 3 * shownAmount(2055, yen),
    },
    { original_price: shownAmount(2055, yen), price: shownAmount(monthly, yen) },
  ])
  const { line_items } = (await shopper.json('/checkout', address)).json<Order>()
  t.match(line_items, [
    {
      unit_price: '20.55',
      price: '20.81',
      amount: '62.42',
      presentment: { unit_price: '3100', price: '3100', amount: '9300' },
    },
    {
      unit_price: '20.55',
      price: (shownAmount(monthly, yen) / yen.rate / 100).toFixed(2),
      presentment: { amount: String(shownAmount(monthly, yen)) },
    },
  ])
})

t.test(
  'a cart that was unchanged for 14 days is replaced by an empty one without the old attributes',
  async t => {
    const now = { at: new Date('2026-11-01T12:00:00Z') }
    const shop = await openShop(t, { clock: () => now.at })
    await setRules(shop, [rule])
    const shopper = shopperOf(shop)
    await shopper.json('/cart/add.js', { id: mug, ...as(inVariant) })
    const old = shopper.cookies.get('cart')!
    now.at = new Date('2026-11-15T11:59:00Z')
    t.match((await shopper.get('/cart.js')).json<Cart>(), { total_price: 2900 })
    now.at = new Date('2026-11-15T12:01:00Z')
    t.match((await shopper.get('/cart.js')).json<Cart>(), { items: [], attributes: {} })
    t.equal((await shopper.get('/checkout')).headers['location'], '/cart')
    t.match((await shopper.json('/cart/add.js', { id: mug })).json<Cart>(), {
      total_price: 3400,
      attributes: {},
    })
    t.not(shopper.cookies.get('cart'), old)
  },
)

t.test(
  'rules are replaced as a whole, survive a restart, and are gone after an empty list or an uninstall',
  async t => {
    const shop = await openShop(t)
    const price = async (of: TestShop) =>
      (await shopperOf(of).json('/cart/add.js', { id: mug, ...as(inVariant) })).json<Cart>()
        .total_price
    t.equal((await setRules(shop, [rule], {})).statusCode, 401)
    const wrong: [unknown, RegExp][] = [
      [{}, /rules/],
      [[{ ...rule, id: 'a,b' }], /0\.id/],
      [[{ ...rule, weights: [0.5] }], /0\.weights/],
      [[{ ...rule, weights: [2, -1] }], /0\.weights/],
      [[{ ...rule, prices: { [mug]: 0 } }], /0\.prices/],
      [[{ ...rule, prices: { [mug]: 12.5 } }], /0\.prices/],
      [[{ ...rule, prices: { nothing: 100 } }], /0/],
      [[rule, rule], /rules/],
      [[{ ...rule, arm: 1 }], /0/],
    ]
    for (const [rules, field] of wrong) {
      const refused = await setRules(shop, rules)
      t.equal(refused.statusCode, 422, JSON.stringify(rules))
      t.match(refused.json<{ fields: object[] }>().fields, [{ field }])
    }
    t.equal(await price(shop), 3400, 'no refused rule is stored')
    t.equal((await setRules(shop, [rule])).statusCode, 200)
    await shop.close()
    const again = await openShop(t, { dataDir: shop.dataDir })
    t.equal(await price(again), 2900)
    await setRules(again, [])
    t.equal(await price(again), 3400)
    await setRules(again, [rule])
    await again.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/uninstall' })
    const still = await price(again)
    t.equal(still, 3400)
  },
)
