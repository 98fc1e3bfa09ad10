import { GraphQLError } from 'graphql'

/** A list in the order of a sort key, then of `last`. Refuses a key that has no meaning here. */
export function sorted<T>(
  list: readonly T[],
  keys: Record<string, (item: T) => string | number>,
  key: string,
  last: (item: T) => string | number,
): T[] {
  const by = keys[key]
  if (!by) throw new GraphQLError(`This stand-in cannot sort by ${key}.`)
  const order = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0)
  return list.toSorted((a, b) => order(by(a), by(b)) || order(last(a), last(b)))
}

/** A count, which stops at `limit` unless that is null. */
export const counted = (count: number, limit: number | null | undefined) =>
  limit != null && count > limit
    ? { count: limit, precision: 'AT_LEAST' }
    : { count, precision: 'EXACT' }
