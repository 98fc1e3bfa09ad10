import { decimalMoney } from '../../../../domain/money.ts'
import { HttpProblem } from '../../../../domain/problem.ts'
import type {
  CursorAsk,
  CursorPage,
  PlatformProducts,
  ProductRecord,
  ProductVariantRecord,
} from '../../products.ts'
import { eachOf, partsOf, wholeList } from '../client/lists.ts'
import { accepted } from '../client/problems.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import {
  productCount,
  products,
  productsById,
  type ProductsByIdQuery,
  productVariants,
  type ProductVariantsQuery,
  setPrices,
} from '../documents/products.ts'
import { minorUnits } from '../client/shopify-money.ts'
import { gid, idOf } from '../client/shopify-ids.ts'
import { searchWords } from '../client/search-words.ts'

/** Products that one operation names: their first variants come along. */
const idsAtOnce = 20
/** Most variants on a page of the API's list. A product has up to 2,048. */
const variantsAtOnce = 250

type Facts = Omit<
  Extract<NonNullable<ProductsByIdQuery['nodes'][number]>, { __typename: 'Product' }>,
  '__typename' | 'variants'
>
type Variant = NonNullable<ProductVariantsQuery['product']>['variants']['nodes'][number]

/** Products of a Shopify shop. */
export function shopifyProducts({
  ask,
}: ShopifyClient): Omit<PlatformProducts, 'priceListMarkets' | 'priceRules' | 'setPriceRules'> {
  /** All variants after a cursor, and the currency of their prices; null without the product. */
  async function variantsAfter(shop: string, productId: string, from: string | null) {
    let currency: string | null = null
    const nodes = await wholeList(async after => {
      const { product } = await ask(shop, productVariants, {
        id: gid('Product', productId),
        first: variantsAtOnce,
        after: after ?? from,
      })
      currency = product?.priceRangeV2.minVariantPrice.currencyCode ?? currency
      return product?.variants
    })
    return currency === null ? null : { nodes, currency }
  }

  async function whole(shop: string, ids: readonly string[]) {
    const { nodes } = await ask(shop, productsById, { ids: ids.map(id => gid('Product', id)) })
    const found = nodes.flatMap(node => (node?.__typename === 'Product' ? [node] : []))
    return eachOf(found, 3, async ({ variants, ...facts }) => {
      const { currencyCode } = facts.priceRangeV2.minVariantPrice,
        productId = idOf(facts.id)
      const more = variants.pageInfo.hasNextPage
        ? await variantsAfter(shop, productId, variants.pageInfo.endCursor)
        : null
      return {
        product: productOf(facts),
        variants: [...variants.nodes, ...(more?.nodes ?? [])].map(one =>
          variantOf(one, productId, currencyCode),
        ),
      }
    })
  }

  return {
    searchProducts: async (shop, { query, ...asked }) => {
      const { products: page } = await ask(shop, products, {
        ...paging(asked),
        query: searchWords(query),
      })
      return pageOf(page, page.nodes.map(productOf))
    },
    productVariants: async (shop, productId, asked) => {
      const { product } = await ask(shop, productVariants, {
        id: gid('Product', productId),
        ...paging(asked),
      })
      if (!product) throw new HttpProblem(404, 'There is no such product.')
      const { currencyCode } = product.priceRangeV2.minVariantPrice
      return pageOf(
        product.variants,
        product.variants.nodes.map(one => variantOf(one, productId, currencyCode)),
      )
    },
    productsById: async (shop, ids) =>
      (await eachOf(partsOf(ids, idsAtOnce), 2, part => whole(shop, part))).flat(),
    countProducts: async (shop, query = '') =>
      (await ask(shop, productCount, { query: searchWords(query) })).productsCount?.count ?? 0,
    setPrices: async (shop, productId, prices) => {
      const { product } = await ask(shop, productVariants, {
        id: gid('Product', productId),
        first: 1,
      })
      if (!product) throw new HttpProblem(404, 'There is no such product.')
      const { currencyCode } = product.priceRangeV2.minVariantPrice
      const answer = await ask(
        shop,
        setPrices,
        {
          productId: gid('Product', productId),
          variants: prices.map(({ variantId, price }) => ({
            id: gid('ProductVariant', variantId),
            price: decimalMoney(price, currencyCode),
          })),
        },
        { mayRepeat: true },
      )
      accepted(answer.productVariantsBulkUpdate)
    },
  }
}

const paging = ({ direction, cursor, pageSize }: CursorAsk) =>
  direction === 'forward'
    ? { first: pageSize, after: cursor ?? null }
    : { last: pageSize, before: cursor ?? null }

const pageOf = <T>(
  {
    pageInfo,
  }: {
    pageInfo: {
      startCursor: string | null
      endCursor: string | null
      hasNextPage: boolean
      hasPreviousPage: boolean
    }
  },
  items: T[],
): CursorPage<T> => ({
  items,
  startCursor: pageInfo.startCursor,
  endCursor: pageInfo.endCursor,
  hasPrevious: pageInfo.hasPreviousPage,
  hasNext: pageInfo.hasNextPage,
})

const statuses = {
  ACTIVE: 'active',
  UNLISTED: 'active',
  DRAFT: 'draft',
  ARCHIVED: 'archived',
} as const

function productOf(facts: Facts): ProductRecord {
  const { minVariantPrice, maxVariantPrice } = facts.priceRangeV2,
    { currencyCode } = minVariantPrice
  return {
    id: idOf(facts.id),
    title: facts.title,
    handle: facts.handle,
    path: `/products/${facts.handle}`,
    image: facts.featuredMedia?.preview?.image?.url ?? null,
    status: statuses[facts.status],
    variantCount: facts.variantsCount?.count ?? 0,
    minPrice: minorUnits(minVariantPrice.amount, currencyCode),
    maxPrice: minorUnits(maxVariantPrice.amount, currencyCode),
    createdAt: facts.createdAt,
    updatedAt: facts.updatedAt,
  }
}

const variantOf = (
  { id, title, price, compareAtPrice, createdAt, updatedAt }: Variant,
  productId: string,
  currency: string,
): ProductVariantRecord => ({
  id: idOf(id),
  productId,
  title,
  price: minorUnits(price, currency),
  compareAtPrice: compareAtPrice === null ? null : minorUnits(compareAtPrice, currency),
  createdAt,
  updatedAt,
})
