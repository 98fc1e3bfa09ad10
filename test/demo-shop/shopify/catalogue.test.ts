import t from 'tap'
import { openShopifyShop } from './shopify-shop.ts'

type Product = { id: string; title: string; templateSuffix: string | null }
type Page = {
  products: {
    nodes: Product[]
    pageInfo: {
      hasNextPage: boolean
      hasPreviousPage: boolean
      endCursor: string
      startCursor: string
    }
  }
}
const forward = `query ($first: Int, $after: String, $last: Int, $before: String, $query: String) {
  products(first: $first, after: $after, last: $last, before: $before, query: $query, sortKey: TITLE) {
    nodes { id title templateSuffix }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`

t.test('shop, products and variants are the demo shop’s own', async t => {
  const shop = await openShopifyShop(t)
  const { shop: said } = await shop.data<{ shop: Record<string, unknown> }>(
    '{ shop { id name myshopifyDomain currencyCode ianaTimezone taxesIncluded plan { partnerDevelopment shopifyPlus } } }',
  )
  t.match(said, {
    myshopifyDomain: 'fern-and-kiln.myshopify.com',
    name: 'Fern & Kiln',
    currencyCode: 'USD',
    taxesIncluded: false,
    plan: { partnerDevelopment: true, shopifyPlus: false },
  })
  const all = new Set<string>()
  let after: string | undefined, last: Page | undefined
  do {
    last = await shop.data<Page>(forward, { first: 7, after })
    for (const { title } of last.products.nodes) all.add(title)
    after = last.products.pageInfo.endCursor
  } while (last.products.pageInfo.hasNextPage)
  const { productsCount } = await shop.data<{ productsCount: { count: number } }>(
    '{ productsCount { count } }',
  )
  t.equal(all.size, productsCount.count)
  t.same(
    [...all],
    [...all].toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  )
  const back = await shop.data<Page>(forward, {
    last: 3,
    before: last.products.pageInfo.startCursor,
  })
  t.equal(back.products.nodes.length, 3)
  t.ok(back.products.pageInfo.hasNextPage)
})

t.test('searches find by field, by words, and refuse a field that has no meaning', async t => {
  const shop = await openShopifyShop(t)
  const found = async (query: string) =>
    (await shop.data<Page>(forward, { first: 50, query })).products.nodes.map(({ id }) => id)
  t.same(await found('id:101 OR id:102'), [
    'gid://shopify/Product/101',
    'gid://shopify/Product/102',
  ])
  t.ok((await found('mug')).length > 0)
  t.same(await found('title:*mug* -title:*mug*'), [])
  t.same(await found('status:active AND NOT (status:active)'), [])
  t.same(await found("updated_at:>='2030-01-01T00:00:00Z'"), [])
  const { body } = await shop.ask(forward, { first: 5, query: 'colour:red' })
  t.match(body.errors?.[0]?.message, /search by colour/)
})

t.test('prices and templates are written wholly or not at all', async t => {
  const shop = await openShopifyShop(t)
  const write = `mutation ($id: ID!, $variants: [ProductVariantsBulkInput!]!) {
    productVariantsBulkUpdate(productId: $id, variants: $variants) { productVariants { id price } userErrors { code field } }
  }`
  const id = 'gid://shopify/Product/101'
  const { product } = await shop.data<{ product: { variants: { nodes: { id: string }[] } } }>(
    'query ($id: ID!) { product(id: $id) { variants(first: 100) { nodes { id } } } }',
    { id },
  )
  const [first] = product.variants.nodes
  const refused = await shop.data<{
    productVariantsBulkUpdate: { productVariants: null; userErrors: object[] }
  }>(write, {
    id,
    variants: [
      { id: first!.id, price: '11.00' },
      { id: 'gid://shopify/ProductVariant/1', price: '12.00' },
    ],
  })
  t.match(refused.productVariantsBulkUpdate, {
    productVariants: null,
    userErrors: [{ code: 'PRODUCT_VARIANT_DOES_NOT_EXIST', field: ['variants', '1', 'id'] }],
  })
  const done = await shop.data<object>(write, { id, variants: [{ id: first!.id, price: '11.00' }] })
  t.match(done, {
    productVariantsBulkUpdate: {
      productVariants: [{ id: first!.id, price: '11.00' }],
      userErrors: [],
    },
  })
  const templated = await shop.data<object>(
    `mutation { productUpdate(product: { id: "${id}", templateSuffix: "wide" }) { product { templateSuffix } userErrors { message } } }`,
  )
  t.match(templated, { productUpdate: { product: { templateSuffix: 'wide' }, userErrors: [] } })
})

t.test('a product of 2,048 variants is read in pages, and priced 250 at a time', async t => {
  const shop = await openShopifyShop(t, {}, { hasLargestProduct: true })
  const read = `query ($id: ID!, $after: String) { product(id: $id) { variantsCount { count } variants(first: 250, after: $after) {
    nodes { id price } pageInfo { hasNextPage endCursor } } } }`
  type Variants = {
    product: {
      variants: {
        nodes: { id: string; price: string }[]
        pageInfo: { hasNextPage: boolean; endCursor: string }
      }
    }
  }
  const id = 'gid://shopify/Product/9000000'
  const all: string[] = []
  for (let after: string | null = null; ;) {
    const { product }: Variants = await shop.data<Variants>(read, { id, after })
    all.push(...product.variants.nodes.map(variant => variant.id))
    if (!product.variants.pageInfo.hasNextPage) break
    after = product.variants.pageInfo.endCursor
  }
  t.equal(new Set(all).size, 2_048)
  const set = (ids: string[]) =>
    shop.ask(
      'mutation ($id: ID!, $v: [ProductVariantsBulkInput!]!) { productVariantsBulkUpdate(productId: $id, variants: $v) { userErrors { code } } }',
      { id, v: ids.map(variant => ({ id: variant, price: '20.00' })) },
    )
  t.match((await set(all.slice(0, 250))).body.data, {
    productVariantsBulkUpdate: { userErrors: [] },
  })
  t.match((await set(all.slice(0, 251))).body.errors?.[0], {
    extensions: { code: 'MAX_INPUT_SIZE_EXCEEDED' },
  })
})
