import type { FastifyInstance, FastifyRequest } from 'fastify'
import { h } from 'preact'
import type { Api } from '../../domain/api/api-client.ts'
import type { Output } from '../../domain/api/contract.ts'
import { paths } from '../../domain/paths.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { TestProduct } from '../../domain/products/product.ts'
import { type CursorAt, type ProductPick, readPick } from '../../domain/products/product-pick.ts'
import {
  AddButton,
  type ProductPickProps,
  ProductsFound,
} from '../../views/drafts/steps/draft-step-products-add.tsx'
import { isShopSilent, outcomes } from '../upstream/api-outcomes.ts'
import { barePage, seeOther } from '../page/page.ts'
import { queryOf } from '../http/query.ts'
import { apiOf, storeOf } from '../session/visit.ts'

/**
 * Two parts of the dialog that adds products: the results of a search while the merchant types, and
 * the button with the number of ticked products.
 */
export function draftProducts(app: FastifyInstance): void {
  app.get<{ Params: { id: string } }>(paths.draftProducts(':id'), async (request, reply) => {
    const { id } = request.params,
      api = apiOf(request),
      query = queryOf(request)
    if (!request.headers['hx-request']) {
      query.set('step', 'products')
      query.set('add', '')
      return seeOther(request, reply, `${paths.draft(id)}?${query}`)
    }
    const pick = readPick(fieldsOf(query))
    if (query.has('count'))
      return barePage(request, reply, {}, h(AddButton, { draftId: id, picked: pick.picked }))
    return barePage(request, reply, {}, h(ProductsFound, await pickProps(request, api, id, pick)))
  })
}

/**
 * The products and product variants that the shop has for this search, and the ids of the products
 * that the draft already has. `found` is null while the shop does not answer.
 */
export async function pickProps(
  request: FastifyRequest,
  api: Api,
  draftId: string,
  pick: ProductPick,
  known?: readonly TestProduct[],
): Promise<ProductPickProps> {
  const params = { id: storeOf(request).id }
  const [found, variants, products] = await Promise.all([
    fromCursor(pick.at, at =>
      outcomes.product(
        api.searchProducts({ params, query: { query: pick.search, pageSize: 10, ...at } }),
      ),
    ).catch(unlessSilent),
    pick.variants ? variantsOf(params, pick.variants).catch(unlessSilent) : null,
    known ?? productsOf(api, draftId),
  ])
  return { draftId, pick, found, variants, inDraft: products.map(({ productId }) => productId) }

  async function variantsOf(
    { id }: { id: string },
    { productId, at }: NonNullable<ProductPick['variants']>,
  ): Promise<Output<'productVariants'> | null> {
    try {
      return await fromCursor(at, cursor =>
        outcomes.product(api.productVariants({ params: { id, productId }, query: { ...cursor } })),
      )
    } catch (error) {
      // The product was deleted in the shop meanwhile.
      if (error instanceof HttpProblem && error.status === 404) return null
      throw error
    }
  }
}

/** Null when only the shop did not answer. Other errors are thrown again. */
function unlessSilent(error: unknown): null {
  if (isShopSilent(error)) return null
  throw error
}

/**
 * Asks from a cursor on. When the cursor is no longer valid (400 or 422), asks for the first page.
 */
async function fromCursor<T>(
  at: CursorAt | null,
  ask: (at: CursorAt | Record<string, never>) => Promise<T>,
): Promise<T> {
  if (!at) return ask({})
  try {
    return await ask(at)
  } catch (error) {
    if (error instanceof HttpProblem && (error.status === 400 || error.status === 422))
      return ask({})
    throw error
  }
}

export function fieldsOf(query: URLSearchParams): Record<string, string[]> {
  const fields: Record<string, string[]> = {}
  for (const [name, value] of query) (fields[name] ??= []).push(value)
  return fields
}

/** All products of a draft. */
export async function productsOf(api: Api, draftId: string): Promise<TestProduct[]> {
  const products: TestProduct[] = []
  for (let page = 0; ; page++) {
    const answer = await outcomes.product(
      api.testProducts({ params: { id: draftId }, query: { page, limit: 100 } }),
    )
    products.push(...answer.products)
    if (page + 1 >= answer.totalPages) return products
  }
}
