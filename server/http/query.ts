import type { FastifyRequest } from 'fastify'
import { shopForm } from '../upstream/token-owner.ts'

/**
 * Query parameters that the shop's admin adds to the first page. Every next page gets them too
 * (requirements 3.1, 3.2), if they match these patterns.
 */
const carriedForms = {
  host: /^[\w+/=-]{1,255}$/,
  shop: shopForm,
  code: /^[\w-]{1,64}$/,
}
export type Carried = Partial<Record<keyof typeof carriedForms, string>>

export function queryOf(request: FastifyRequest): URLSearchParams {
  const at = request.url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1))
}

/** Path of a request, without its query. */
export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0]!

export function carriedFrom(query: URLSearchParams): Carried {
  const carried: Carried = {}
  for (const [name, form] of Object.entries(carriedForms)) {
    const value = query.get(name)
    if (value && form.test(value)) carried[name as keyof Carried] = value
  }
  return carried
}

/**
 * The path with the request's host, shop and code, for an address that a page's own script asks: a
 * redirect, or an address in JSON. Those in the attributes of a page are added to its HTML
 * (`page/carry.ts`).
 */
export const carriedTo = (request: FastifyRequest, path: string): string =>
  withQuery(path, carriedFrom(queryOf(request)))

/** The shop's platform domain in a query. Undefined when it is missing or malformed. */
export const shopOf = (query: URLSearchParams): string | undefined => carriedFrom(query).shop

/** The path with these values added to its query. A value that the path already has stays. */
export function withQuery(path: string, values: Record<string, string | undefined>): string {
  const [before, hash] = path.split('#', 2) as [string, string | undefined]
  const [bare, own] = before.split('?', 2) as [string, string | undefined]
  const query = new URLSearchParams(own)
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && !query.has(name)) query.set(name, value)
  // Keeps "?launched" without an equals sign.
  const text = query.toString().replace(/=(?=&|$)/g, '')
  return `${bare}${text && `?${text}`}${hash === undefined ? '' : `#${hash}`}`
}
