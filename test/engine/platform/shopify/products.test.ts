import t from 'tap'
import { products } from '../../../../demo-shop/catalogue/collections.ts'
import { HttpProblem } from '../../../../domain/problem.ts'
import { searchWords } from '../../../../engine/platform/shopify/client/search-words.ts'
import { shopifyShop as shop, shopifyStage, statusOf } from '../../support/shops/shopify-stage.ts'

const { platform, face, origin } = await shopifyStage(t)
const search = (query: string, over = {}) =>
  platform.searchProducts(shop, { query, direction: 'forward', pageSize: 5, ...over })

t.test('the shop and its merchant are read', async t => {
  t.match(await platform.shop(shop), {
    shop,
    domain: new URL(origin).host,
    origin,
    currency: 'USD',
    timeZone: 'America/New_York',
    themeId: '160001',
    taxesIncluded: false,
  })
  await t.rejects(platform.shop('other.myshopify.com'), { message: /answered for another shop/ })
  t.match(await platform.merchant(shop), { firstName: 'Mara', lastName: 'Lindqvist' })
  t.equal(await platform.logo(shop), null)
  t.ok(platform.hosts(shop))
  for (const name of ['example.com', 'a.b.myshopify.com', '.myshopify.com', 'x.shopify.com'])
    t.notOk(platform.hosts(name), name)
})

t.test('without words every page is found, also the eleventh of a kind', async t => {
  const paths = (await platform.searchPages(shop, ' ')).map(({ path }) => path)
  const missing = products.map(({ url }) => url).filter(url => !paths.includes(url))
  t.same(missing, [])
  t.ok(products.length > 10)
  t.equal(new Set(paths).size, paths.length, 'each once')
  for (const path of ['/', '/cart', '/search', '/collections/all', '/pages/about'])
    t.ok(paths.includes(path), path)
  t.match(await platform.searchPages(shop, 'ash-glaze-mug'), [
    { path: '/products/ash-glaze-mug', title: 'Ash glaze mug', kind: 'product' },
  ])
})

t.test('the plan decides how prices are charged', async t => {
  const ways = { standard: 'discount', advanced: 'discount', plus: 'transform', development: 'transform' } as const // prettier-ignore
  for (const [plan, priceWay] of Object.entries(ways)) {
    face.settings.set({ plan: plan as keyof typeof ways })
    t.match(
      await platform.capabilities(shop),
      {
        priceWay,
        redirects: 'missingPages',
        orderDays: 60,
        scriptWay: 'switch',
        copies: 'merchant',
      },
      plan,
    )
  }
})

t.test('products are found by words, page by page in both directions', async t => {
  const first = await search('')
  t.equal(first.items.length, 5)
  t.match(first, { hasPrevious: false, hasNext: true })
  const second = await search('', { cursor: first.endCursor! })
  const back = await search('', { direction: 'backward', cursor: second.startCursor! })
  t.same(back.items, first.items)
  const [one] = first.items
  t.match(one, { path: `/products/${one!.handle}`, status: 'active', image: /^http/ })
  t.ok(one!.minPrice > 0 && one!.maxPrice >= one!.minPrice)
  const word = one!.title.split(' ').at(-1)!
  t.ok(
    (await search(`"${word}" (`)).items.some(({ id }) => id === one!.id),
    word,
  )
  t.same((await search('no such product')).items, [])
  t.equal(await platform.countProducts(shop), await platform.countProducts(shop, ''))
  t.equal(await platform.countProducts(shop, 'no such product'), 0)
})

t.test('a merchant’s words are words and no search language', async t => {
  t.equal(searchWords('  '), null)
  t.equal(searchWords('mug OR status:draft -"x"'), 'mug* AND status* AND draft* AND x*')
})

t.test('products come with all their variants, whatever their number', async t => {
  const { items } = await search('')
  const whole = await platform.productsById(shop, [...items.map(({ id }) => id), '999999'])
  t.equal(whole.length, items.length, 'what is gone is left out')
  for (const { product, variants } of whole) {
    t.equal(variants.length, product.variantCount)
    t.ok(variants.every(({ productId }) => productId === product.id))
    t.equal(Math.min(...variants.map(({ price }) => price)), product.minPrice)
  }
  t.same(await platform.productsById(shop, []), [])
  const page = await platform.productVariants(shop, items[0]!.id, { direction: 'forward', pageSize: 2 }) // prettier-ignore
  t.equal(page.items.length, 2)
  t.equal(
    await statusOf(platform.productVariants(shop, '999999', { direction: 'forward', pageSize: 2 })),
    404,
  )
})

t.test('prices are set for all variants or none', async t => {
  const id = '101',
    [whole] = await platform.productsById(shop, [id])
  const [one, other] = whole!.variants
  const pricesNow = async () =>
    (await platform.productsById(shop, [id]))[0]!.variants.slice(0, 2).map(({ price }) => price)
  const before = await pricesNow()
  const set = (prices: { variantId: string; price: number }[]) =>
    platform.setPrices(shop, id, prices)
  await set([{ variantId: one!.id, price: 1_234 }])
  t.same(await pricesNow(), [1_234, other!.price])
  const half = [one!.id, '999999'].map(variantId => ({ variantId, price: 1 }))
  const error: unknown = await set(half).catch((error: unknown) => error)
  t.ok(error instanceof HttpProblem && [404, 422].includes(error.status), String(error))
  t.same(await pricesNow(), [1_234, other!.price], 'none was set')
  await set([{ variantId: one!.id, price: before[0]! }])
  t.equal(await statusOf(platform.setPrices(shop, '999999', [])), 404)
})
