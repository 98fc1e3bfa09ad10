import type { Test } from 'tap'
import type { DemoShopOptions } from '../../../demo-shop/options.ts'
import type { ShopifyFace } from '../../../demo-shop/shopify/face.ts'
import { openShop, type TestShop } from '../support/demo-shop.ts'

export const keys = { apiKey: 'shopify-key', apiSecret: 'a-shopify-secret-of-this-test' }
export const knownToken = 'shpat_known'

export type Answer = {
  data?: Record<string, unknown> | null
  errors?: { message: string; path?: string[]; extensions?: Record<string, unknown> }[]
  extensions?: {
    cost: {
      requestedQueryCost: number
      actualQueryCost: number | null
      throttleStatus: { maximumAvailable: number; currentlyAvailable: number; restoreRate: number }
    }
  }
}
export type ShopifyShop = Omit<TestShop, 'shopify'> & {
  shopify: ShopifyFace
  /** Posts a document, with a token that the API accepts. */
  ask: (
    query: string,
    variables?: object,
    options?: { token?: string; version?: string },
  ) => Promise<{ status: number; headers: Record<string, unknown>; body: Answer }>
  /** The same for a document that has no errors: its data. */
  data: <T>(query: string, variables?: object) => Promise<T>
}

/** Opens a demo shop with the second face. */
export async function openShopifyShop(
  t: Test,
  shopify: Partial<NonNullable<DemoShopOptions['shopify']>> = {},
  options: Partial<DemoShopOptions> = {},
): Promise<ShopifyShop> {
  const shop = await openShop(t, {
    ...options,
    shopify: { keys, appHandle: 'twinshelf', knownToken, ...shopify },
  })
  const ask: ShopifyShop['ask'] = async (
    query,
    variables = {},
    { token = knownToken, version = '2026-10' } = {},
  ) => {
    const { statusCode, headers, body } = await shop.app.inject({
      method: 'POST',
      url: `/admin/api/${version}/graphql.json`,
      headers: { 'x-shopify-access-token': token },
      payload: { query, variables },
    })
    return { status: statusCode, headers, body: JSON.parse(body) as Answer }
  }
  return {
    ...shop,
    shopify: shop.shopify!,
    ask,
    data: async <T>(query: string, variables: object = {}) => {
      const { body } = await ask(query, variables)
      t.notOk(body.errors, JSON.stringify(body.errors))
      return body.data as T
    },
  }
}
