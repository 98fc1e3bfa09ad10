import { HttpProblem } from '../../domain/problem.ts'

type Calls = Record<string, unknown>

/**
 * There is one shop behind the demo's address: asked about another, nothing of this one is told or changed. `nameOf`
 * tells which shop it is; its answer is asked for until there is one, and kept.
 */
export function forOneShop<T extends Calls>(calls: T, nameOf: () => Promise<string>): T {
  let name: Promise<string> | null = null
  const known = () =>
    (name ??= nameOf().catch((error: unknown) => {
      name = null
      throw error
    }))
  const guarded =
    (key: string, call: (shop: string, ...rest: unknown[]) => unknown) =>
    async (shop: string, ...rest: unknown[]) => {
      // A shop that has taken us off tells us nothing any more, not even its name; that is what uninstalling again then finds.
      const name = await known().catch((error: unknown) => {
        if (key !== 'uninstall') throw error
        return shop
      })
      if (name !== shop) throw new HttpProblem(404, 'There is no such shop here.')
      return call(shop, ...rest)
    }
  // Those that parse a body are about no shop.
  return Object.fromEntries(
    Object.entries(calls).map(([key, call]) => [
      key,
      typeof call === 'function' && !key.startsWith('parse')
        ? guarded(key, call as Parameters<typeof guarded>[1])
        : call,
    ]),
  ) as T
}
