import { HttpProblem } from '../../domain/problem.ts'

type Calls = Record<string, unknown>

/**
 * Guards the calls of the demo's one shop: a call about another shop throws HttpProblem 404 and
 * reads or changes nothing. `nameOf` fetches the shop's name. We call it until it succeeds, then
 * keep the name.
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
      // A shop that has uninstalled us no longer tells even its name. A second uninstall must still
      // reach the shop to find that out.
      const name = await known().catch((error: unknown) => {
        if (key !== 'uninstall') throw error
        return shop
      })
      if (name !== shop) throw new HttpProblem(404, 'There is no such shop here.')
      return call(shop, ...rest)
    }
  // Calls that parse a body concern no shop.
  return Object.fromEntries(
    Object.entries(calls).map(([key, call]) => [
      key,
      typeof call === 'function' && !key.startsWith('parse')
        ? guarded(key, call as Parameters<typeof guarded>[1])
        : call,
    ]),
  ) as T
}
