import t from 'tap'
import type { PriceRule } from '../../../domain/prices/price-rule.ts'
import type { ProductError } from '../../../domain/products/product.ts'
import {
  addErrors,
  productErrors,
  type ProductNow,
  productProblems,
} from '../../../domain/products/product-check.ts'
import { pricedProduct } from '../../../domain/products/product-pricing.ts'

const at = '2026-11-01T00:00:00.000Z'
const shopVariant = (id: string, price: number) => ({
  id,
  title: `Size ${id}`,
  price,
  compareAtPrice: null,
  createdAt: at,
  updatedAt: at,
})
const variant = (id: string, controlPrice: number, variantPrice: number) => ({
  ...shopVariant(id, controlPrice),
  controlPrice,
  variantPrice,
})
const mug = (over: object = {}) => ({
  id: 'row',
  testId: null as string | null,
  productId: '7',
  title: 'Mug',
  currency: 'USD',
  variants: [variant('1', 3200, 3500), variant('2', 4000, 4400)],
  conflicts: [] as { testId: string; title: string }[],
  ...over,
})
const now = (over: Partial<ProductNow> = {}): ProductNow => ({
  status: 'active',
  currency: 'USD',
  variants: [
    { id: '1', title: 'Size 1', price: 3200 },
    { id: '2', title: 'Size 2', price: 4000 },
  ],
  ...over,
})
const causes = (product = mug(), shop: ProductNow | null = now()) =>
  productErrors(product, shop).map(({ cause, variantId }) => `${cause} ${variantId ?? '-'}`)

t.test('each difference between the shop and the test’s prices is an error', async t => {
  t.same(causes(), [])
  t.same(causes(mug(), null), ['productGone -'])
  t.same(causes(mug(), now({ status: 'archived' })), ['notForSale -'])
  t.same(causes(mug(), now({ status: 'draft' })), ['notForSale -'])
  t.same(causes(mug(), now({ currency: 'EUR' })), ['currencyChanged -'])
  t.same(
    causes(mug(), now({ currency: 'EUR', variants: [{ id: '1', title: 'Size 1', price: 3300 }] })),
    ['currencyChanged -', 'variantGone 2'],
    'prices of two currencies are not compared',
  )
  t.same(causes(mug(), now({ variants: [{ id: '1', title: 'Size 1', price: 3300 }] })), [
    'priceChanged 1',
    'variantGone 2',
  ])
  const grown = now({ variants: [...now().variants, { id: '3', title: 'Size 3', price: 1 }] })
  t.same(causes(mug(), grown), ['variantNew 3'])
  t.same(
    causes(mug({ testId: 'a test' }), grown),
    [],
    'in a launched test a new variant has the same price in both arms',
  )
  t.equal(
    productErrors(
      mug(),
      now({
        variants: [
          { id: '1', title: '', price: 3300 },
          { id: '2', title: '', price: 4000 },
        ],
      }),
    )[0]!.message,
    'Mug, Size 1 costs $33.00 in the shop now; the control’s price is $32.00.',
  )
})

t.test('problems of products that prevent the launch', async t => {
  const problems = (products: ReturnType<typeof mug>[], shop: ProductNow | null = now()) =>
    productProblems(products, () => shop).map(({ cause }) => cause)
  t.same(problems([mug()]), [])
  t.same(problems([]), ['noProducts'])
  t.same(problems([mug({ variants: [variant('1', 3200, 3200), variant('2', 4000, 4000)] })]), [
    'samePrices',
  ])
  t.same(
    problems([mug({ variants: [variant('1', 3200, 3200), variant('2', 4000, 4001)] })]),
    [],
    'one different price is enough',
  )
  t.same(problems([mug({ variants: [variant('1', 3200, 0), variant('2', 4000, 4400)] })]), [
    'priceMissing',
  ])
  t.same(problems([mug(), mug({ conflicts: [{ testId: 't', title: 'Autumn' }] })]), ['conflict'])
  t.same(problems([mug()], null), ['productGone'])
})

t.test('errors stay until they are cleared, and none is added twice', async t => {
  const gone: ProductError = { cause: 'variantGone', variantId: '1', message: 'was gone' },
    changed: ProductError = { cause: 'priceChanged', variantId: '2', message: 'changed' }
  t.same(addErrors([gone], []), [gone])
  t.same(addErrors([gone], [{ ...gone, message: 'again' }, changed]), [gone, changed])
})

t.test('prices of a product come from a rule or by hand', async t => {
  const shop = [shopVariant('1', 3200), shopVariant('2', 4000)]
  const raise: PriceRule = { kind: 'percent', value: 10 }
  const prices = (priced: ReturnType<typeof pricedProduct>) =>
    priced.variants.map(each => [each.controlPrice, each.variantPrice])
  const fresh = pricedProduct(shop, null, {}, 'USD')
  t.same(
    [prices(fresh), fresh.rule, fresh.problems],
    [
      [
        [3200, 3200],
        [4000, 4000],
      ],
      null,
      [],
    ],
    'at first the variant has control’s prices',
  )
  const ruled = pricedProduct(shop, fresh, { rule: raise }, 'USD')
  t.same(
    [prices(ruled), ruled.rule],
    [
      [
        [3200, 3520],
        [4000, 4400],
      ],
      raise,
    ],
  )
  const risen = [shopVariant('1', 3000), shopVariant('3', 5000)]
  t.same(
    prices(pricedProduct(risen, ruled, {}, 'USD')),
    [
      [3000, 3300],
      [5000, 5500],
    ],
    'the rule also applies to new prices and product variants',
  )
  const byHand = pricedProduct(shop, ruled, { prices: [{ variantId: '2', price: 3900 }] }, 'USD')
  t.same(
    [prices(byHand), byHand.rule],
    [
      [
        [3200, 3520],
        [4000, 3900],
      ],
      null,
    ],
    'a price by hand removes the rule',
  )
  t.same(
    prices(pricedProduct(risen, byHand, {}, 'USD')),
    [
      [3000, 3520],
      [5000, 5000],
    ],
    'a price by hand stays when the shop’s price changes',
  )
  t.same(
    prices(pricedProduct(risen, fresh, {}, 'USD')),
    [
      [3000, 3000],
      [5000, 5000],
    ],
    'a price that never differed follows the shop’s price',
  )
  t.same(pricedProduct(shop, ruled, { rule: null }, 'USD').rule, null)

  const fields = (pricing: Parameters<typeof pricedProduct>[2]) =>
    pricedProduct(shop, null, pricing, 'USD', 'products.0.').problems.map(({ field }) => field)
  t.same(fields({ rule: raise, prices: [{ variantId: '1', price: 1 }] }), ['products.0.rule'])
  t.same(
    fields({
      prices: [
        { variantId: '1', price: 1 },
        { variantId: '9', price: 1 },
        { variantId: '1', price: 2 },
      ],
    }),
    ['products.0.prices.1.variantId', 'products.0.prices.2.variantId'],
  )
  t.same(fields({ rule: { kind: 'amount', value: -3500 } }), ['products.0.rule'])
  t.same(fields({ rule: { kind: 'percent', value: -100 } }), ['products.0.rule.value'])
})
