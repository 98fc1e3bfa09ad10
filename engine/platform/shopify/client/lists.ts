import { problem } from './problems.ts'

/** A page of one of the API's lists. */
export type Connection<Node> = {
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  nodes: readonly Node[]
}

/**
 * Everything in a list, one page after the other. `read` returns the page after a cursor; null ends
 * the list. At most 1,000 pages, so that a cursor that never ends does not keep us forever.
 */
export async function wholeList<Node>(
  read: (after: string | null) => Promise<Connection<Node> | null | undefined>,
): Promise<Node[]> {
  const all: Node[] = []
  let after: string | null = null
  for (let page = 0; page < 1_000; page++) {
    const found = await read(after)
    if (!found) return all
    all.push(...found.nodes)
    const { hasNextPage, endCursor } = found.pageInfo
    if (!hasNextPage || endCursor === null || endCursor === after) return all
    after = endCursor
  }
  throw problem('tooLarge')
}

/** Parts of a list, each with at most `size` items. */
export const partsOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  )

/** Does something with each item, at most `atOnce` at the same time. Results keep their order. */
export async function eachOf<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (const part of partsOf(items, atOnce)) results.push(...(await Promise.all(part.map(work))))
  return results
}
