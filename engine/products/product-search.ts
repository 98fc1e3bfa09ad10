import type { EngineContext } from '../context.ts'
import { runningOn } from './product-rows.ts'
import { notFound, type Serve } from '../http/routes.ts'

/**
 * How many product variants of a found product are returned. The call `productVariants` lists all
 * of them page by page.
 */
const shown = 25
const variantPage = 50

/** Serves the search in the shop's own catalogue, from which a merchant picks a test's products. */
export function productSearch(
  serve: Serve,
  { db, platform }: EngineContext,
  enabled: (storeId: string) => Promise<void>,
): void {
  serve(
    'searchProducts',
    async (
      { params: { id }, query: { query = '', direction = 'forward', cursor, pageSize = 10 } },
      { storeId, shop },
    ) => {
      await enabled(storeId)
      if (id !== storeId) throw notFound('store')
      const [{ items, ...ends }, totalCount, { currency }] = await Promise.all([
        platform.searchProducts(shop, { query, direction, pageSize, ...(cursor && { cursor }) }),
        platform.countProducts(shop, query),
        platform.shop(shop),
      ])
      const ids = items.map(item => item.id)
      const [whole, running] = await Promise.all([
        ids.length > 0 ? platform.productsById(shop, ids) : [],
        runningOn(db.kysely, storeId, ids),
      ])
      const variantsOf = new Map(whole.map(({ product, variants }) => [product.id, variants]))
      return {
        items: items.map(item => ({
          ...item,
          currency,
          variants: (variantsOf.get(item.id) ?? []).slice(0, shown),
          conflicts: running.get(item.id) ?? [],
        })),
        totalCount,
        ...ends,
      }
    },
  )

  serve(
    'productVariants',
    async (
      { params: { id, productId }, query: { direction = 'forward', cursor } },
      { storeId, shop },
    ) => {
      await enabled(storeId)
      if (id !== storeId) throw notFound('store')
      return platform.productVariants(shop, productId, {
        direction,
        pageSize: variantPage,
        ...(cursor && { cursor }),
      })
    },
  )
}
