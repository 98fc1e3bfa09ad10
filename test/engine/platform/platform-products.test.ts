import t, { type Test } from 'tap'
import { cartAttribute } from '../../../domain/events/event.ts'
import { highestPrice } from '../../../domain/prices/price-rule.ts'
import { priceAttribute, type PriceRuleSet } from '../../../domain/prices/price-test.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import type { CursorAsk, CursorPage } from '../../../engine/platform/products.ts'
import { fc } from '../../properties.ts'
import { allResources } from '../support/shops/all-resources.ts'
import { shop, stage } from '../support/demo-platform.ts'

const { platform, demo, page, told } = await stage(t)
const everything = (
  await platform.searchProducts(shop, { query: '', direction: 'forward', pageSize: 250 })
).items
const [mug] = (
  await platform.searchProducts(shop, {
    query: 'ash-glaze-mug',
    direction: 'forward',
    pageSize: 10,
  })
).items
async function refusedWith(t: Test, work: Promise<unknown>, status: number, message: RegExp) {
  const error = await work.then(
    () => null,
    (error: unknown) => error,
  )
  t.ok(
    error instanceof HttpProblem && error.status === status && message.test(error.message),
    String(error),
  )
}
/** Reads all items page by page, from one end to the other. */
async function walk<T>(
  ask: (ask: CursorAsk) => Promise<CursorPage<T>>,
  direction: CursorAsk['direction'],
  pageSize: number,
): Promise<T[]> {
  const found: T[] = []
  for (let cursor: string | undefined; ;) {
    const { items, startCursor, endCursor, hasPrevious, hasNext } = await ask({
      direction,
      pageSize,
      ...(cursor && { cursor }),
    })
    if (direction === 'forward') found.push(...items)
    else found.unshift(...items)
    const [next, goesOn] =
      direction === 'forward' ? [endCursor, hasNext] : [startCursor, hasPrevious]
    if (!goesOn || next === null) return found
    cursor = next
  }
}

t.test('products are as the shop has them', async t => {
  t.equal(everything.length, 24)
  t.equal(await platform.countProducts(shop), 24)
  t.match(mug, {
    title: 'Ash glaze mug',
    path: '/products/ash-glaze-mug',
    status: 'active',
    variantCount: 6,
    minPrice: 3400,
    maxPrice: 3800,
    image: /^http:\/\/shop\.localhost\/cdn\/products\/ash-glaze-mug-1\.svg$/,
  })
  t.ok(
    everything.every(({ createdAt, updatedAt }) => Date.parse(createdAt) <= Date.parse(updatedAt)),
  )
  t.ok(new Set(everything.map(({ createdAt }) => createdAt)).size > 20, 'not all of one day')
})

t.test('pages of any size, from either end, give every item once and in order', async t => {
  const search = (query: string) => (ask: CursorAsk) =>
    platform.searchProducts(shop, { query, ...ask })
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.constantFrom('forward', 'backward'),
      fc.constantFrom('', 'bowl', 'oak spoon'),
      async (size, direction, query) => {
        const found = await walk(search(query), direction, size)
        t.same(
          found.map(({ id }) => id),
          (await search(query)({ direction: 'forward', pageSize: 250 })).items.map(({ id }) => id),
          `${size} ${direction} ${query}`,
        )
      },
    ),
    { numRuns: 20 },
  )
  const {
    items: [first],
    startCursor,
  } = await search('')({ direction: 'forward', pageSize: 1 })
  t.same(
    await search('')({ direction: 'backward', pageSize: 5, cursor: startCursor! }),
    { items: [], startCursor: null, endCursor: null, hasPrevious: false, hasNext: false },
    'nothing is before the first',
  )
  t.equal(first!.id, everything[0]!.id)
})

t.test('search compares title and handle, and the count agrees', async t => {
  const titles = async (query: string) => {
    const { items } = await platform.searchProducts(shop, {
      query,
      direction: 'forward',
      pageSize: 50,
    })
    t.equal(await platform.countProducts(shop, query), items.length, query)
    return items.map(({ title }) => title)
  }
  t.same(await titles('ASH mug'), ['Ash glaze mug'])
  t.same(await titles('iron-glaze'), ['Iron glaze bowl'])
  t.same(await titles('100% & <nothing>'), [])
})

t.test('an invalid request is refused', async t => {
  const ask = { query: '', direction: 'forward' as const, pageSize: 10 }
  for (const cursor of ['x', 'aWQ6', Buffer.from('id:1x').toString('base64url'), '%00'])
    await refusedWith(t, platform.searchProducts(shop, { ...ask, cursor }), 422, /no cursor/)
  for (const pageSize of [0, 251, -1])
    await refusedWith(t, platform.searchProducts(shop, { ...ask, pageSize }), 422, /page_size/)
  for (const id of ['9', '../101', 'a/b', ''])
    await refusedWith(
      t,
      platform.productVariants(shop, id, { direction: 'forward', pageSize: 5 }),
      404,
      /./,
    )
})

t.test('product variants page by page, and whole products by id', async t => {
  const [whole, ...rest] = await platform.productsById(shop, [mug!.id, '9', '', mug!.id])
  t.same(rest, [whole], 'unknown ids are left out')
  t.same(whole!.product, mug)
  t.same(
    whole!.variants.map(({ title, price, productId }) => [title, price, productId]).slice(2, 4),
    [
      ['250 ml / Iron', 3400, mug!.id],
      ['350 ml / Ash', 3800, mug!.id],
    ],
  )
  for (const direction of ['forward', 'backward'] as const)
    for (const size of [1, 4, 6, 50])
      t.same(
        await walk(ask => platform.productVariants(shop, mug!.id, ask), direction, size),
        whole!.variants,
        `${direction} ${size}`,
      )
  t.equal(
    (
      await platform.productsById(
        shop,
        Array.from({ length: 600 }, (_, i) => String(i)),
      )
    ).length,
    24,
    'more ids than the shop accepts in one request',
  )
  t.same(await platform.productsById(shop, []), [])
})

t.test('a changed price is shown everywhere and charged', async t => {
  const { variants } = (await platform.productsById(shop, [mug!.id]))[0]!
  const [small, , , large] = variants
  await told()
  await platform.setPrices(shop, mug!.id, [
    { variantId: small!.id, price: 1234 },
    { variantId: large!.id, price: 5678 },
  ])
  t.match(await told(), [['products/update', { id: mug!.id, handle: 'ash-glaze-mug' }]])
  const [after] = await platform.productsById(shop, [mug!.id])
  t.same(
    after!.variants.map(({ price }) => price),
    [1234, 3400, 3400, 5678, 3800, 3800],
  )
  t.match(after!.product, { minPrice: 1234, maxPrice: 5678 })
  t.ok(
    after!.product.updatedAt > mug!.updatedAt &&
      after!.variants[0]!.updatedAt === after!.product.updatedAt &&
      after!.variants[1]!.updatedAt < after!.product.updatedAt,
  )

  t.match(
    await page(`/products/ash-glaze-mug?variant=${large!.id}`),
    /class="product__price price">\$56\.78</,
  )
  for (const path of [
    '/collections/all',
    '/collections/tableware',
    '/search?q=mug',
    '/pages/gift-guide-2026',
  ])
    t.match(await page(path), 'From $12.34', path)
  t.match(
    /href="\/products\/([a-z-]+)"/.exec(
      (await page('/collections/all?sort_by=price-ascending')).split('class="grid"')[1]!,
    )![1],
    'ash-glaze-mug',
    'lists are ordered by it',
  )

  const added = await demo.app.inject({
    method: 'POST',
    url: '/cart/add.js',
    payload: { items: [{ id: Number(small!.id), quantity: 2 }, { id: Number(large!.id) }] },
  })
  t.match(added.json(), { total_price: 2 * 1234 + 5678 })
  const cookies = { cart: added.cookies.find(({ name }) => name === 'cart')!.value }
  t.match((await demo.app.inject({ url: '/checkout', cookies })).body, '$81.46')
  // The price changes while the shopper fills in the form. The shop charges the new price.
  await platform.setPrices(shop, mug!.id, [{ variantId: small!.id, price: 2000 }])
  const order = await demo.app.inject({
    method: 'POST',
    url: '/checkout',
    cookies,
    payload: {
      email: 'a@b.example',
      name: 'A',
      address: 'B',
      city: 'C',
      postcode: '1',
      country: 'US',
    },
  })
  t.match(order.json(), {
    subtotal_price: '96.78',
    line_items: [{ price: '20.00', amount: '40.00' }, { price: '56.78' }],
  })
  await platform.setPrices(
    shop,
    mug!.id,
    variants.map(({ id, price }) => ({ variantId: id, price })),
  )
  t.same(
    (await platform.productsById(shop, [mug!.id]))[0]!.variants.map(({ price }) => price),
    variants.map(({ price }) => price),
  )
  await told()
})

t.test('prices are changed all together or not at all', async t => {
  const [mugs, other] = await platform.productsById(shop, [mug!.id, everything[3]!.id])
  const { variants } = mugs!
  const good = { variantId: variants[0]!.id, price: 1 }
  const second = variants[1]!.id
  for (const [prices, message] of [
    [[good, { variantId: second, price: 0 }], /above 0/],
    [[good, { variantId: second, price: highestPrice + 1 }], /no higher/],
    [[good, { variantId: other!.variants[0]!.id, price: 1 }], /no such product variant/],
    [[good, { variantId: 'x', price: 1 }], /no such product variant/],
    [[good, good], /twice/],
    [[], /No price/],
  ] as const)
    await refusedWith(t, platform.setPrices(shop, mug!.id, [...prices]), 422, message)
  await refusedWith(t, platform.setPrices(shop, '9', [good]), 404, /no such product/)
  t.same((await platform.productsById(shop, [mug!.id]))[0]!.variants, variants)
  await platform.setPrices(
    shop,
    mug!.id,
    variants.map(({ id, price }) => ({ variantId: id, price })),
  )
  t.same(await told(), [], 'the same prices again are no change')
})

t.test(
  'price rules charge only visitors in the variant; an empty list removes all rules',
  async t => {
    const [small] = (await platform.productsById(shop, [mug!.id]))[0]!.variants
    const rule: PriceRuleSet = { id: 'test-1', weights: [0, 1], prices: { [small!.id]: 2900 } }
    const charged = async (attributes: Record<string, string>) =>
      (
        await demo.app.inject({
          method: 'POST',
          url: '/cart/add.js',
          payload: { id: Number(small!.id), attributes },
        })
      ).json<{ total_price: number }>().total_price
    const variant = { [cartAttribute]: 'visitor-1', [priceAttribute]: 'test-1' }
    await told()
    await platform.setPriceRules(shop, [rule])
    t.same(
      [
        await charged(variant),
        await charged({ ...variant, [priceAttribute]: 'test-2' }),
        await charged({}),
      ],
      [2900, small!.price, small!.price],
    )
    t.same(
      (await platform.productsById(shop, [mug!.id]))[0]!.variants[0],
      small,
      'the catalogue does not change',
    )
    await platform.setPriceRules(shop, [
      { ...rule, weights: [1, 0], prices: { [small!.id]: highestPrice } },
    ])
    t.same(
      await platform.priceRules(shop),
      [{ ...rule, weights: [1, 0], prices: { [small!.id]: highestPrice } }],
      'the shop accepts the highest price of a test',
    )
    t.equal(await charged(variant), small!.price, 'only the new rules count')
    await refusedWith(
      t,
      platform.setPriceRules(shop, [{ ...rule, prices: { [small!.id]: 0 } }]),
      422,
      /prices/,
    )
    await refusedWith(
      t,
      platform.setPriceRules(shop, [{ ...rule, prices: { [small!.id]: highestPrice + 1 } }]),
      422,
      /prices/,
    )
    await refusedWith(t, platform.setPriceRules(shop, [rule, rule]), 422, /twice/)
    await refusedWith(
      t,
      platform.setPriceRules(
        shop,
        Array.from({ length: 101 }, (_, i) => ({ ...rule, id: `test-${i}` })),
      ),
      422,
      /100 price tests at most/,
    )
    t.same(
      (await platform.priceRules(shop)).map(({ id }) => id),
      ['test-1'],
      'refused rules change nothing',
    )
    await refusedWith(
      t,
      platform.setPriceRules('another.demo-shop.test', [rule]),
      404,
      /no such shop/,
    )
    await platform.setPriceRules(shop, [])
    t.same(
      [await charged(variant), await told()],
      [small!.price, []],
      'there is no webhook about price rules',
    )
  },
)

t.test(
  'a deleted product is gone for apps and shoppers, and a restored one is as it was',
  async t => {
    const post = (path: string) =>
      demo.app.inject({ method: 'POST', url: `/admin/products/${mug!.id}/${path}` })
    const added = await demo.app.inject({
      method: 'POST',
      url: '/cart/add.js',
      payload: { id: Number((await platform.productsById(shop, [mug!.id]))[0]!.variants[0]!.id) },
    })
    const cookies = { cart: added.cookies.find(({ name }) => name === 'cart')!.value }
    t.equal((await post('delete')).statusCode, 303)
    t.match(await told(), [['products/delete', { id: mug!.id }]])
    t.same(await platform.productsById(shop, [mug!.id]), [])
    t.equal(await platform.countProducts(shop), 23)
    t.equal(
      (await allResources(platform, shop, 'product')).some(({ id }) => id === mug!.id),
      false,
    )
    t.equal((await demo.app.inject('/products/ash-glaze-mug')).statusCode, 404)
    t.notMatch(await page('/collections/all'), 'href="/products/ash-glaze-mug"')
    t.notMatch(await page('/sitemap.xml'), 'ash-glaze-mug')
    t.same(await platform.searchPages(shop, 'ash-glaze'), [])
    t.equal(
      (await demo.app.inject({ url: '/checkout', cookies })).headers['location'],
      '/cart',
      'a cart that still has the product cannot buy it',
    )
    await refusedWith(
      t,
      platform.setPrices(shop, mug!.id, [{ variantId: '10100', price: 1 }]),
      404,
      /no such product/,
    )
    t.equal((await post('restore')).statusCode, 303)
    t.match(await told(), [['products/update', { id: mug!.id }]])
    const [back] = await platform.productsById(shop, [mug!.id])
    t.match(back!.product, { ...mug, updatedAt: String })
    t.equal((await demo.app.inject('/products/ash-glaze-mug')).statusCode, 200)
  },
)
