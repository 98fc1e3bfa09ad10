import t from 'tap'
import { functionNamespace, priceKey, switchKey } from '../../../../domain/prices/function-rules.ts'
import type { PriceRuleSet } from '../../../../domain/prices/price-test.ts'
import { fullNamespace } from '../../../../demo-shop/shopify/app/metafields.ts'
import { shopperOf } from '../../../demo-shop/support/demo-shop.ts'
import { refusalOf, shopifyShop as shop, shopifyStage } from '../../support/shops/shopify-stage.ts'

const { platform, adapter, demo, face } = await shopifyStage(t)
const { installs } = demo.web!
const rule = (id: string, prices: Record<string, number>): PriceRuleSet => ({
  id,
  weights: [0.5, 0.5],
  prices,
})
const fieldOf = (owner: string, key: string) =>
  face.metafields.find({ owner, namespace: fullNamespace(functionNamespace), key })
const priceOf = (variantId: string): unknown => {
  const found = fieldOf(`gid://shopify/ProductVariant/${variantId}`, priceKey)
  return found ? (JSON.parse(found.value) as unknown) : null
}
const switched = () =>
  JSON.parse(fieldOf('gid://shopify/Shop/7001', switchKey)?.value ?? '{"tests":{}}') as {
    tests: Record<string, number>
    markets?: Record<string, unknown>
  }

t.test('rules are written as fields that functions read, and read back as they were', async t => {
  t.same(await platform.priceRules(shop), [])
  const rules = [rule('a', { 10100: 3_900, 10101: 2_900 }), rule('b', { 20100: 1_234 })]
  await platform.setPriceRules(shop, rules)
  t.same(await platform.priceRules(shop), rules)
  t.same(switched().tests, { a: 0.5, b: 0.5 })
  t.same(priceOf('10100'), [['a', 3_900]])
  t.same(priceOf('20100'), [['b', 1_234]])

  await platform.setPriceRules(shop, [rule('b', { 20100: 1_500 })])
  t.same(switched().tests, { b: 0.5 })
  t.same([priceOf('10100'), priceOf('10101'), priceOf('20100')], [null, null, [['b', 1_500]]])

  await platform.setPriceRules(shop, [])
  t.same(await platform.priceRules(shop), [])
  t.same(switched().tests, {})
  t.equal(priceOf('20100'), null)
})

t.test(
  'a product of very many variants is written in parts, all of them before the switch',
  async t => {
    const ids = (await platform.productsById(shop, ['101', '201', '202', '301', '401', '501']))
      .flatMap(({ variants }) => variants)
      .map(({ id }) => id)
    const prices = Object.fromEntries(ids.map((id, i) => [id, 1_000 + i]))
    t.ok(ids.length > 12)
    face.faults.set([{ kind: '500', on: 'api', times: null, holding: 'DeleteFields' }])
    await platform.setPriceRules(shop, [rule('many', prices)])
    face.faults.set([])
    t.same(priceOf(ids.at(-1)!), [['many', 1_000 + ids.length - 1]])
    await platform.setPriceRules(shop, [])
  },
)

t.test('rules that the shop refuses change nothing', async t => {
  const before = [rule('a', { 10100: 3_900 })]
  await platform.setPriceRules(shop, before)
  const gone = await refusalOf(
    platform.setPriceRules(shop, [...before, rule('gone', { 10101: 1, 999999: 1 })]),
  )
  t.equal(gone?.status, 422)
  t.same(await platform.priceRules(shop), before)
  t.same(switched().tests, { a: 0.5 })
  const impatient = adapter({ maxTries: 0 })
  // The prices are written by then, and the switch is not.
  face.faults.set([{ kind: '423', on: 'api', times: null, holding: 'SetFields', after: 1 }])
  t.match(await refusalOf(impatient.setPriceRules(shop, [rule('b', { 10101: 1 })])), {
    message: /locked/,
  })
  face.faults.set([])
  t.same(await platform.priceRules(shop), before)
  t.same(switched().tests, { a: 0.5 })
  const many = Array.from({ length: 400 }, (_, i) => rule(`test-${i}-${'x'.repeat(20)}`, { 10100: 1 })) // prettier-ignore
  t.match(await refusalOf(platform.setPriceRules(shop, many)), {
    status: 422,
    message: /only if there are fewer of them/,
  })
  t.same(await platform.priceRules(shop), before)
  await platform.setPriceRules(shop, [])
})

t.test('the plan decides which function charges, and without one nothing is', async t => {
  const { plan, scopes } = face.settings.current()
  t.teardown(() => face.settings.set({ plan, scopes }))
  const rules = [rule('a', { 10100: 2_900 })]
  const transforms = () => installs.all('transform').length,
    discounts = () => installs.all('discount').length
  await platform.setPriceRules(shop, rules)
  t.same([transforms(), discounts()], [1, 0])
  face.settings.set({ plan: 'standard' })
  await platform.setPriceRules(shop, rules)
  t.same([transforms(), discounts()], [0, 1])
  await platform.setPriceRules(shop, rules)
  t.same([transforms(), discounts()], [0, 1], 'one is enough')
  face.settings.set({
    scopes: scopes.filter(one => !/write_(discounts|cart_transforms)/.test(one)),
  })
  t.match(await refusalOf(platform.setPriceRules(shop, rules)), {
    status: 422,
    message: /does not let apps change the price/,
  })
  face.settings.set({ scopes })
  await platform.setPriceRules(shop, [])
  t.same([transforms(), discounts()], [0, 0])
})

t.test(
  'a market with prices of its own, or with a rounding that we do not know, is left alone',
  async t => {
    t.same(await platform.priceListMarkets(shop), [])
    const merchant = shopperOf(demo)
    const markets = async (fields: Record<string, string>) =>
      (await merchant.form('/admin/settings/markets', fields)).statusCode
    t.equal(await markets({ 'step-CAD': '1.00', 'ending-CAD': '0.99' }), 303)
    const names = await platform.priceListMarkets(shop)
    await platform.setPriceRules(shop, [rule('a', { 10100: 3_900 })])
    const { markets: known } = switched()
    t.ok(known && Object.values(known).every(one => one === 0 || Array.isArray(one)))
    t.equal(Object.values(known!).filter(one => one === 0).length, names.length)
    await platform.setPriceRules(shop, [])
  },
)

t.test('a product of 2,048 variants is read whole, and all its prices are tested', async t => {
  const large = await shopifyStage(t, { hasLargestProduct: true })
  const [found] = await large.platform.productsById(shop, ['9000000'])
  t.equal(found?.variants.length, 2_048)
  t.equal(found?.product.variantCount, 2_048)
  const prices = Object.fromEntries(found!.variants.map(({ id }, i) => [id, 1_000 + i]))
  await large.platform.setPriceRules(shop, [rule('wide', prices)])
  t.same(await large.platform.priceRules(shop), [rule('wide', prices)])
  const { id } = found!.variants.at(-1)!
  const held = large.face.metafields.find({
    owner: `gid://shopify/ProductVariant/${id}`,
    namespace: fullNamespace(functionNamespace),
    key: priceKey,
  })
  t.equal(held?.value, JSON.stringify([['wide', 3_047]]))
  await large.platform.setPriceRules(shop, [])
  t.same(await large.platform.priceRules(shop), [])
})
