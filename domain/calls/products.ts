import * as Type from 'typebox'
import { type Call, closed, Id, IdParam, Maybe, Page, PageSize } from '../api/call.ts'
import {
  PlatformId,
  PriceRule,
  Prices,
  ProductPage,
  ProductProblem,
  ProductVariant,
  ShopProduct,
  TestProduct,
} from '../products/product.ts'

/**
 * The variant's prices: by hand or by a rule. With neither, they stay as they are (at first equal
 * to the control's).
 */
const pricing = { prices: Type.Optional(Prices), rule: Type.Optional(Maybe(PriceRule)) }
const list = Type.Object({ page: Page, limit: PageSize }, closed)
const cursors = {
  direction: Type.Optional(Type.Enum(['forward', 'backward'], { default: 'forward' })),
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
}
const ends = {
  startCursor: Maybe(Type.String()),
  endCursor: Maybe(Type.String()),
  hasPrevious: Type.Boolean(),
  hasNext: Type.Boolean(),
}
const closedFor = { 403: 'Price testing is not switched on for this store.' }
const fixed = { ...closedFor, 409: 'The prices of a test that was launched do not change.' }

/**
 * All these calls need price testing to be switched on for the store. Otherwise they answer 403
 * with a fixed text (requirements 25.1).
 */
export const productCalls = {
  storeProducts: {
    method: 'GET',
    forOtherClients: true,
    path: '/api/{platform}-products/store/:id',
    about: 'Products of all the store’s price tests and drafts.',
    params: Id,
    query: list,
    response: ProductPage,
    errors: closedFor,
  },
  testProducts: {
    method: 'GET',
    path: '/api/{platform}-products/test/:id',
    about: 'Products of a price test or draft with the prices of both arms.',
    params: Id,
    query: list,
    response: ProductPage,
    errors: closedFor,
  },
  validateTestProducts: {
    method: 'GET',
    path: '/api/{platform}-products/test/:id/validate',
    about: 'Compares the products of a price test or draft with the shop.',
    params: Id,
    response: Type.Object({ valid: Type.Boolean(), problems: Type.Array(ProductProblem) }),
    errors: closedFor,
  },
  clearProductErrors: {
    method: 'DELETE',
    path: '/api/{platform}-products/test/:id/clear-errors',
    about:
      'Clears the errors of the products. In a draft, the products get the shop’s present prices, and products that the shop no longer has are removed. In a launched test, prices stay, and so do errors whose cause is still there.',
    params: Id,
    response: Type.Object({
      cleared: Type.Integer(),
      removed: Type.Integer(),
      remaining: Type.Integer(),
    }),
    errors: closedFor,
  },
  removeConflictedProducts: {
    method: 'DELETE',
    path: '/api/{platform}-products/test/:id/remove-conflicted',
    about: 'Removes the products that are in another running price test.',
    params: Id,
    response: Type.Object({ removed: Type.Integer() }),
    errors: { ...closedFor, 409: 'The test is running or over, or it would have no product left.' },
  },
  createTestProduct: {
    method: 'POST',
    forOtherClients: true,
    path: '/api/{platform}-products',
    about: 'Adds a product of the shop to a price test’s draft.',
    body: Type.Object({ testDraftId: IdParam, productId: PlatformId, ...pricing }, closed),
    response: TestProduct,
    errors: { ...closedFor, 409: 'The draft has this product already, or as many as it may have.' },
  },
  updateTestProduct: {
    method: 'PUT',
    forOtherClients: true,
    path: '/api/{platform}-products/:id',
    about: 'Reads a draft’s product again from the shop and sets its prices, by hand or by a rule.',
    params: Id,
    body: Type.Object(pricing, closed),
    response: TestProduct,
    errors: fixed,
  },
  setProductPrices: {
    method: 'PUT',
    forOtherClients: true,
    path: '/api/{platform}-products/:id/prices',
    about: 'Sets the variant’s prices of some product variants by hand.',
    params: Id,
    body: Type.Object({ prices: Prices }, closed),
    response: TestProduct,
    errors: fixed,
  },
  upsertProducts: {
    method: 'POST',
    path: '/api/{platform}-products/batch-upsert',
    about:
      'Adds products to a draft or reads them again, all of them or none; answers the draft’s first page.',
    query: Type.Object({ testDraftId: Type.Optional(IdParam) }, closed),
    body: Type.Object(
      {
        products: Type.Array(
          Type.Object(
            {
              productId: PlatformId,
              ...pricing,
              /** Replaces the query's `testDraftId`. One of the two must name the draft. */
              testDraftId: Type.Optional(IdParam),
              /** Takes the product out of the draft instead. */
              remove: Type.Optional(Type.Boolean()),
            },
            closed,
          ),
          { minItems: 1, maxItems: 100 },
        ),
      },
      closed,
    ),
    response: ProductPage,
    errors: { ...closedFor, 409: 'The draft would have more products than it may.' },
  },
  searchProducts: {
    method: 'GET',
    path: '/api/v0/{platform}/:id/products/search',
    about: 'Products of the shop by title or handle, with the first of their product variants.',
    params: Id,
    query: Type.Object(
      {
        query: Type.Optional(Type.String({ maxLength: 200, default: '' })),
        ...cursors,
        pageSize: PageSize,
      },
      closed,
    ),
    response: Type.Object({ items: Type.Array(ShopProduct), totalCount: Type.Integer(), ...ends }),
    errors: closedFor,
  },
  productVariants: {
    method: 'GET',
    path: '/api/v0/{platform}/:id/products/:productId/variants',
    about: 'All product variants of a product of the shop.',
    params: Type.Object({ id: IdParam, productId: PlatformId }, closed),
    query: Type.Object(cursors, closed),
    response: Type.Object({ items: Type.Array(ProductVariant), ...ends }),
    errors: closedFor,
  },
  countProducts: {
    method: 'GET',
    path: '/api/{platform}-products/:a/:b/count',
    about:
      'How many products are in price tests: of a store (store/…), of a test or draft (test/… or <store>/…).',
    params: Type.Object({ a: IdParam, b: IdParam }, closed),
    response: Type.Object({ count: Type.Integer() }),
    errors: closedFor,
  },
} as const satisfies Record<string, Call>
