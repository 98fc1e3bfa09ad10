import { HttpProblem } from '../../domain/problem.ts'
import type { Output } from '../../domain/api/contract.ts'
import { access } from '../plans/access.ts'
import type { EngineContext } from '../context.ts'
import {
  changeProducts,
  type ProductChange,
  readProduct,
  requireDraftProduct,
  setPrices,
} from './product-changes.ts'
import { clearErrors, removeConflicted, validateProducts } from './product-checks.ts'
import { countRows, type Owner, productRows, testOrDraft, testProduct } from './product-rows.ts'
import { productSearch } from './product-search.ts'
import { notFound, type Serve } from '../http/routes.ts'
import type { Reader } from '../db/types.ts'

const most = 100

export function products(serve: Serve, context: EngineContext): void {
  const {
    db: { kysely },
  } = context

  serve('storeProducts', async ({ params: { id }, query }, { storeId }) => {
    await enabled(storeId)
    if (id !== storeId) throw notFound('store')
    return pageOf(kysely, { storeId }, query)
  })

  serve('testProducts', async ({ params: { id }, query }, { storeId }) => {
    await enabled(storeId)
    return pageOf(kysely, await testOrDraft(kysely, storeId, id), query)
  })

  serve('countProducts', async ({ params: { a, b } }, { storeId }) => {
    await enabled(storeId)
    if (a === 'store' ? b !== storeId : a !== 'test' && a !== storeId)
      throw notFound(a === 'store' ? 'store' : 'list of products')
    return {
      count: await countRows(
        kysely,
        a === 'store' ? { storeId } : await testOrDraft(kysely, storeId, b),
      ),
    }
  })

  serve('validateTestProducts', async ({ params: { id } }, { storeId }) => {
    await enabled(storeId)
    const problems = await validateProducts(context, await testOrDraft(kysely, storeId, id))
    return { valid: problems.length === 0, problems }
  })

  serve('clearProductErrors', async ({ params: { id } }, { storeId }) => {
    await enabled(storeId)
    return clearErrors(context, await testOrDraft(kysely, storeId, id))
  })

  serve('removeConflictedProducts', async ({ params: { id } }, { storeId }) => {
    await enabled(storeId)
    return { removed: await removeConflicted(context, await testOrDraft(kysely, storeId, id)) }
  })

  serve('createTestProduct', async ({ body: { testDraftId: draftId, ...change } }, { storeId }) => {
    await enabled(storeId)
    await changeProducts(context, storeId, [{ ...change, draftId, isNew: true }])
    const rows = await productRows(kysely, { storeId, draftId })
    return testProduct(rows.find(row => row.product_id === change.productId)!)
  })

  serve('updateTestProduct', async ({ params: { id }, body }, { storeId }) => {
    await enabled(storeId)
    const { draft_id: draftId, product_id: productId } = await requireDraftProduct(
      context,
      storeId,
      id,
    )
    await changeProducts(context, storeId, [{ ...body, draftId, productId }])
    return readProduct(context, storeId, id)
  })

  serve('setProductPrices', async ({ params: { id }, body: { prices } }, { storeId }) => {
    await enabled(storeId)
    await setPrices(context, storeId, id, prices)
    return readProduct(context, storeId, id)
  })

  serve('upsertProducts', async ({ query: { testDraftId }, body }, { storeId }) => {
    await enabled(storeId)
    const changes = batchOf(body.products, testDraftId)
    await changeProducts(context, storeId, changes)
    return pageOf(
      kysely,
      { storeId, draftIds: [...new Set(changes.map(change => change.draftId))] },
      { limit: most },
    )
  })

  productSearch(serve, context, enabled)

  async function enabled(storeId: string): Promise<void> {
    ;(await access(context, storeId)).require('PriceTesting')
  }
}

async function pageOf(
  reader: Reader,
  owner: Owner,
  { page = 0, limit = 10 }: { page?: number; limit?: number },
): Promise<Output<'testProducts'>> {
  const totalCount = await countRows(reader, owner)
  const rows = await productRows(reader, owner, { offset: page * limit, limit })
  return {
    products: rows.map(testProduct),
    totalCount,
    page,
    limit,
    totalPages: Math.ceil(totalCount / limit),
  }
}

type Item = Omit<ProductChange, 'draftId' | 'at' | 'isNew'> & { testDraftId?: string }
/**
 * Adds the draft to each change. Throws HttpProblem 400 if one has no draft, or if a product is
 * named twice in a draft.
 */
function batchOf(items: readonly Item[], everyDraft: string | undefined): ProductChange[] {
  const seen = new Set<string>()
  return items.map(({ testDraftId: draftId = everyDraft, ...change }, i) => {
    const refuse = (field: string, message: string) =>
      new HttpProblem(400, message, [{ field: `products.${i}.${field}`, message }])
    if (draftId === undefined)
      throw refuse('testDraftId', 'Name the draft here, or once for all products in the address.')
    const key = JSON.stringify([draftId, change.productId])
    if (seen.has(key)) throw refuse('productId', 'This product is in the list above already.')
    seen.add(key)
    return { ...change, draftId, at: `products.${i}.` }
  })
}
