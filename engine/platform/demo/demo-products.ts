import * as Type from 'typebox'
import { Compile } from 'typebox/compile'
import { decimalMoney, minorFromDecimal } from '../../../domain/money.ts'
import { HttpProblem } from '../../../domain/problem.ts'
import { checked, type DemoAdmin } from './demo-admin.ts'
import type {
  CursorAsk,
  PlatformProducts,
  ProductRecord,
  ProductVariantRecord,
} from '../products.ts'

const Variant = Type.Object({
  id: Type.String(),
  product_id: Type.String(),
  title: Type.String(),
  price: Type.String(),
  compare_at_price: Type.Union([Type.String(), Type.Null()]),
  created_at: Type.String(),
  updated_at: Type.String(),
})
const Product = Type.Object({
  id: Type.String(),
  title: Type.String(),
  handle: Type.String(),
  path: Type.String(),
  image: Type.Union([Type.String(), Type.Null()]),
  status: Type.Enum(['active', 'draft', 'archived']),
  currency: Type.String({ pattern: '^[A-Z]{3}$' }),
  variants: Type.Array(Variant, { minItems: 1 }),
  created_at: Type.String(),
  updated_at: Type.String(),
})
const ends = {
  start_cursor: Type.Union([Type.String(), Type.Null()]),
  end_cursor: Type.Union([Type.String(), Type.Null()]),
  has_previous: Type.Boolean(),
  has_next: Type.Boolean(),
}
const Ends = Type.Object(ends)
const checkPage = Compile(Type.Object({ products: Type.Array(Product), ...ends }))
const checkVariants = Compile(
  Type.Object({
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
    variants: Type.Array(Variant),
    ...ends,
  }),
)
const checkProducts = Compile(Type.Array(Product))
const Weight = Type.Number()
const checkRules = Compile(
  Type.Array(
    Type.Object({
      id: Type.String(),
      weights: Type.Tuple([Weight, Weight]),
      prices: Type.Record(Type.String(), Type.Integer()),
    }),
  ),
)
const checkMarkets = Compile(
  Type.Array(Type.Object({ currency: Type.String(), has_price_list: Type.Boolean() })),
)
const checkCount = Compile(Type.Object({ count: Type.Integer({ minimum: 0 }) }))

/** Maximum ids that the shop accepts in one request. */
const idsAtOnce = 100

/** Products of the demo shop. There, money is decimal text; here, it is minor units. */
export function demoProducts(admin: DemoAdmin): PlatformProducts {
  const byIds = async (ids: string[]) =>
    checked(
      checkProducts,
      await admin.get(
        `/admin/api/products/by_id.json?${new URLSearchParams(ids.map(id => ['id', id]))}`,
      ),
    )
  return {
    searchProducts: async (_, { query, ...ask }) => {
      const { products, ...at } = checked(
        checkPage,
        await admin.get(`/admin/api/products.json?${asked(ask, { query })}`),
      )
      return { items: products.map(product => productOf(product)), ...endsOf(at) }
    },
    productVariants: async (_, productId, ask) => {
      const { currency, variants, ...at } = checked(
        checkVariants,
        await admin.get(
          `/admin/api/products/${encodeURIComponent(productId)}/variants.json?${asked(ask)}`,
        ),
      )
      return { items: variants.map(variant => variantOf(variant, currency)), ...endsOf(at) }
    },
    productsById: async (_, ids) => {
      const parts = Array.from({ length: Math.ceil(ids.length / idsAtOnce) }, (_, i) =>
        ids.slice(i * idsAtOnce, (i + 1) * idsAtOnce),
      )
      return (await Promise.all(parts.map(byIds))).flat().map(product => ({
        product: productOf(product),
        variants: product.variants.map(variant => variantOf(variant, product.currency)),
      }))
    },
    countProducts: async (_, query = '') =>
      checked(
        checkCount,
        await admin.get(`/admin/api/products/count.json?${new URLSearchParams({ query })}`),
      ).count,
    setPrices: async (shop, productId, prices) => {
      const [product] = await byIds([productId])
      if (!product) throw new HttpProblem(404, 'There is no such product.')
      await admin.put(`/admin/api/products/${encodeURIComponent(productId)}/prices.json`, {
        prices: prices.map(({ variantId, price }) => ({
          variant_id: variantId,
          price: decimalMoney(price, product.currency),
        })),
      })
    },
    priceListMarkets: async () =>
      checked(checkMarkets, await admin.get('/admin/api/markets.json'))
        .filter(market => market.has_price_list)
        .map(({ currency }) => currency),
    priceRules: async () => checked(checkRules, await admin.get('/admin/api/price-rules')),
    setPriceRules: async (_, rules) => void (await admin.put('/admin/api/price-rules', [...rules])),
  }
}

function asked(
  { direction, cursor, pageSize }: CursorAsk,
  more: Record<string, string> = {},
): URLSearchParams {
  return new URLSearchParams({
    ...more,
    direction,
    page_size: String(pageSize),
    ...(cursor && { cursor }),
  })
}

function productOf({
  currency,
  created_at,
  updated_at,
  variants,
  ...product
}: Type.Static<typeof Product>): ProductRecord {
  const prices = variants.map(({ price }) => minor(price, currency))
  return {
    ...product,
    variantCount: variants.length,
    minPrice: Math.min(...prices),
    maxPrice: Math.max(...prices),
    createdAt: created_at,
    updatedAt: updated_at,
  }
}

const variantOf = (
  {
    id,
    product_id,
    title,
    price,
    compare_at_price,
    created_at,
    updated_at,
  }: Type.Static<typeof Variant>,
  currency: string,
): ProductVariantRecord => ({
  id,
  productId: product_id,
  title,
  price: minor(price, currency),
  compareAtPrice: compare_at_price === null ? null : minor(compare_at_price, currency),
  createdAt: created_at,
  updatedAt: updated_at,
})

const endsOf = ({
  start_cursor,
  end_cursor,
  has_previous,
  has_next,
}: Type.Static<typeof Ends>) => ({
  startCursor: start_cursor,
  endCursor: end_cursor,
  hasPrevious: has_previous,
  hasNext: has_next,
})

function minor(amount: string, currency: string): number {
  const units = minorFromDecimal(amount, currency)
  if (units === null)
    throw new HttpProblem(502, 'The shop answered with an amount that cannot be read.')
  return units
}
