import type { FastifyRequest } from 'fastify'

/** What the shop's admin gave with the first page goes along to every next one (spec §2, navigation rules). */
const carriedNames = ['host', 'shop', 'code'] as const
export type Carried = Partial<Record<(typeof carriedNames)[number], string>>

export function queryOf(request: FastifyRequest): URLSearchParams {
  const at = request.url.indexOf('?')
  return new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1))
}

export function carriedFrom(query: URLSearchParams): Carried {
  const carried: Carried = {}
  for (const name of carriedNames) {
    const value = query.get(name)
    if (value && value.length <= 255) carried[name] = value
  }
  return carried
}

/** The path with these added to its query; what it says itself stays. */
export function withQuery(path: string, values: Record<string, string | undefined>): string {
  const [before, hash] = path.split('#', 2) as [string, string | undefined]
  const [bare, own] = before.split('?', 2) as [string, string | undefined]
  const query = new URLSearchParams(own)
  for (const [name, value] of Object.entries(values)) if (value !== undefined && !query.has(name)) query.set(name, value)
  // "?launched" stays as it was written.
  const text = query.toString().replace(/=(?=&|$)/g, '')
  return `${bare}${text && `?${text}`}${hash === undefined ? '' : `#${hash}`}`
}
