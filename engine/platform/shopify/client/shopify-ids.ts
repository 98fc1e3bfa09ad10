import { HttpProblem } from '../../../../domain/problem.ts'

/** The end of a shop's name. */
const suffix = '.myshopify.com'

/** Whether a shop of this name can only be one of Shopify's. */
export const isShopifyShop = (shop: string): boolean =>
  shop.endsWith(suffix) && /^[a-z0-9][a-z0-9-]{0,99}$/.test(shop.slice(0, -suffix.length))

/** A shop's name in addresses of the admin: "fern-and-kiln". */
export const handleOf = (shop: string): string => shop.slice(0, -suffix.length)

/**
 * The API's name of a thing: "gid://shopify/Product/1". The engine keeps the last part, which pages
 * and webhooks use too. Throws HttpProblem 404 for an id that nothing can have.
 */
export function gid(type: string, id: string): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(id)) throw new HttpProblem(404, `There is no ${type} ${id}.`)
  return `gid://shopify/${type}/${id}`
}

/** The last part of an API's name, without parameters: "1" of "gid://shopify/Product/1". */
export const idOf = (name: string): string =>
  name.slice(name.lastIndexOf('/') + 1).split('?')[0] ?? ''
