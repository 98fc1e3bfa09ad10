import { GraphQLError } from 'graphql'

export type PageArgs = {
  first?: number | null
  last?: number | null
  after?: string | null
  before?: string | null
  reverse?: boolean | null
}
/** The most things of a page, and the last thing of a list that pages reach. */
export const pageLimits = { size: 250, reach: 25_000 } as const

/**
 * A page of a list in the platform's form. A cursor holds the id of its thing, so that things that
 * come or go meanwhile neither repeat others nor hide them, as long as their order stays. Refuses
 * what the platform refuses: no size, both sizes, more than 250 things, pages beyond 25,000 things.
 */
export function connection<T>(
  list: readonly T[],
  args: PageArgs,
  idOf: (item: T) => string,
  nodeOf: (item: T) => object,
) {
  const { first, last, after, before, reverse } = args
  if (first == null && last == null) throw new GraphQLError('you must provide one of first or last')
  if (first != null && last != null)
    throw new GraphQLError('providing both first and last is not supported')
  const size = first ?? last ?? 0
  if (!(size >= 1 && size <= pageLimits.size))
    throw new GraphQLError(
      `${first == null ? 'last' : 'first'} must be from 1 to ${pageLimits.size}`,
    )
  const all = reverse ? list.toReversed() : list
  const at = (cursor: string): number => {
    const id = Buffer.from(cursor, 'base64url').toString('utf8')
    const found = all.findIndex(item => idOf(item) === id)
    if (found < 0) throw new GraphQLError('Invalid cursor for current pagination sort.')
    return found
  }
  const from = after == null ? 0 : at(after) + 1
  const to = before == null ? all.length : at(before)
  const start = first == null ? Math.max(from, to - size) : from
  const end = first == null ? to : Math.min(to, from + size)
  if (start >= pageLimits.reach)
    throw new GraphQLError(`Pages reach ${pageLimits.reach} things of a list at most.`)
  const items = all.slice(start, end)
  const cursors = items.map(item => Buffer.from(idOf(item)).toString('base64url'))
  const nodes = items.map(nodeOf)
  return {
    nodes,
    edges: nodes.map((node, i) => ({ node, cursor: cursors[i] })),
    pageInfo: {
      hasNextPage: end < all.length,
      hasPreviousPage: start > 0,
      startCursor: cursors[0] ?? null,
      endCursor: cursors.at(-1) ?? null,
    },
  }
}
