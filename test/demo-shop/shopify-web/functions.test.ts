import t from 'tap'
import { nothingDeployed } from '../../../demo-shop/shopify-web/deployed.ts'
import type { AppFunction } from '../../../demo-shop/shopify-web/functions/run-function.ts'
import { gid } from '../../../demo-shop/shopify/api/gid.ts'
import { fullNamespace } from '../../../demo-shop/shopify/app/metafields.ts'
import { address, shopperOf } from '../support/demo-shop.ts'
import { openWeb } from './support.ts'

const fields = `id quantity cost { amountPerQuantity { amount currencyCode } }
  sellingPlanAllocation { sellingPlan { id } }
  merchandise { __typename ... on ProductVariant { id metafield(namespace: "$app:ours", key: "price") { jsonValue } } }`
const cart = `presentmentCurrencyRate localization { market { id } } cart { arm: attribute(key: "arm") { value } lines { ${fields} } }`

/** Charges what the variant's field says, in the market's currency, for carts of the variant. */
const transform: AppFunction = {
  handle: 'our-transform',
  target: 'cart.transform.run',
  query: `query { ${cart} }`,
  source: `(() => { globalThis.run = input => ({ operations: input.cart.arm?.value !== '1' ? [] : input.cart.lines.flatMap(line => {
    const price = line.merchandise.metafield?.jsonValue
    return price === undefined || line.sellingPlanAllocation ? [] : [{ lineUpdate: { cartLineId: line.id, price: { adjustment: { fixedPricePerUnit: { amount: (price * input.presentmentCurrencyRate).toFixed(2) } } } } }]
  }) }) })()`,
}
const discount: AppFunction = {
  handle: 'our-discount',
  target: 'cart.lines.discounts.generate.run',
  query: `query { discount { discountClasses } ${cart} }`,
  source: `globalThis.run = input => { const candidates = input.cart.arm?.value !== '1' ? [] : input.cart.lines.flatMap(line => {
    const price = line.merchandise.metafield?.jsonValue
    const off = line.cost.amountPerQuantity.amount - price * input.presentmentCurrencyRate
    return off > 0 ? [{ targets: [{ cartLine: { id: line.id } }], value: { fixedAmount: { amount: off.toFixed(2), appliesToEachItem: true } } }] : []
  })
  return { operations: candidates.length ? [{ productDiscountsAdd: { selectionStrategy: 'ALL', candidates } }] : [] } }`,
}
const broken: AppFunction = { ...transform, handle: 'broken', source: 'globalThis.run = () => 7' }
const deployed = { ...nothingDeployed, functions: [transform, discount, broken] }

/** A shop whose mug has 19.00 in the field that the functions read. */
async function tested(t: Parameters<typeof openWeb>[0], price = 19) {
  const shop = await openWeb(t, { shopify: { deployed } })
  const owner = gid('ProductVariant', 30100)
  shop.face.metafields.set([
    {
      owner,
      namespace: fullNamespace('$app:ours'),
      key: 'price',
      type: 'json',
      value: String(price),
    },
  ])
  return shop
}
type Cart = {
  currency: string
  total_price: number
  items: { price: number; original_price: number; line_price: number; discount?: object }[]
}
async function cartOf(shop: Awaited<ReturnType<typeof openWeb>>, arm: string, currency = 'USD') {
  const shopper = shopperOf(shop)
  if (currency !== 'USD') await shopper.form('/localization', { currency })
  const added = await shopper.json('/cart/add.js', {
    id: 30100,
    quantity: 3,
    attributes: { arm },
  })
  return { shopper, cart: added.json<Cart>() }
}
const install = (shop: Awaited<ReturnType<typeof openWeb>>, functionHandle: string) =>
  shop.web.installs.add('transform', { functionHandle, blockOnFailure: false })

t.test('a cart transform sets the price of a line, also in the market’s currency', async t => {
  const shop = await tested(t)
  const own = (await cartOf(shop, '1')).cart.items[0]!
  install(shop, 'our-transform')
  const { shopper, cart } = await cartOf(shop, '1')
  t.match(cart.items[0], { price: 1900, original_price: 1900, line_price: 5700 })
  t.match((await cartOf(shop, '0')).cart.items[0], { price: own.price })
  const inEuro = await cartOf(shop, '1', 'EUR')
  t.match(inEuro.cart, { currency: 'EUR', total_price: 3 * 1748 })
  const order = (await shopper.json('/checkout', address)).json<{
    line_items: { unit_price: string; price: string; amount: string }[]
  }>()
  t.match(order.line_items[0], { unit_price: '19.00', price: '19.00', amount: '57.00' })
  const paid = (await inEuro.shopper.json('/checkout', address)).json<{
    presentment: { subtotal_price: string }
    subtotal_price: string
  }>()
  t.equal(paid.presentment.subtotal_price, '52.44')
  t.equal(paid.subtotal_price, '57.00')
})

t.test('only some plans run the update of a line', async t => {
  const shop = await tested(t)
  install(shop, 'our-transform')
  shop.face.settings.set({ plan: 'standard' })
  t.not((await cartOf(shop, '1')).cart.items[0]!.price, 1900)
  shop.face.settings.set({ plan: 'plus' })
  t.equal((await cartOf(shop, '1')).cart.items[0]!.price, 1900)
})

t.test('a discount lowers a line and stays beside its price, in the order too', async t => {
  const shop = await tested(t, 15)
  shop.face.settings.set({ plan: 'standard' })
  const own = (await cartOf(shop, '1')).cart.items[0]!
  shop.web.installs.add('discount', {
    functionHandle: 'our-discount',
    title: 'Price',
    startsAt: '2020-01-01T00:00:00.000Z',
    endsAt: null,
    given: {},
  })
  const { shopper, cart } = await cartOf(shop, '1')
  t.match(cart.items[0], {
    original_price: own.price,
    price: 1500,
    discount: { title: 'Price', amount: 3 * (own.price - 1500), shown: 3 * (own.price - 1500) },
  })
  const order = (await shopper.json('/checkout', address)).json<{ line_items: object[] }>()
  t.match(order.line_items[0], { unit_price: '18.00', price: '15.00', amount: '45.00' })
  const higher = await tested(t, 190)
  higher.web.installs.add('discount', {
    functionHandle: 'our-discount',
    title: 'Price',
    startsAt: '2020-01-01T00:00:00.000Z',
    endsAt: null,
    given: {},
  })
  t.equal((await cartOf(higher, '1')).cart.items[0]!.price, own.price, 'it raises none')
})

t.test('a function that fails changes nothing, and express checkout has no attributes', async t => {
  const shop = await tested(t)
  const own = (await cartOf(shop, '1')).cart.items[0]!
  install(shop, 'broken')
  t.equal((await cartOf(shop, '1')).cart.items[0]!.price, own.price)
  install(shop, 'our-transform')
  const { shopper } = await cartOf(shop, '1')
  await shopper.form('/checkout/express', { 'updates[30100]': '3' })
  const order = (await shopper.json('/checkout', { ...address, express: '1' })).json<{
    line_items: { price: string }[]
    note_attributes: object[]
  }>()
  t.same(order.note_attributes, [])
  t.equal(order.line_items[0]!.price, (own.price / 100).toFixed(2))
})
