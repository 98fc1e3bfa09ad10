import { HttpProblem } from '../../../domain/problem.ts'

type Calls = Record<string, unknown>

/**
 * Guards the calls of the demo's one shop: a call about another shop throws HttpProblem 404 and
 * reads or changes nothing. `nameOf` fetches the shop's name. We call it until it succeeds, then
 * keep the name.
 */
export function forOneShop<T extends Calls>(calls: T, nameOf: () => Promise<string>): T {
  let name: string | null = null
  // A call about another shop, which gets no token, must not fail those about this one.
  const flights = new Map<string, Promise<string>>()
  const known = async (shop: string): Promise<string> => {
    if (name !== null) return name
    const flight = flights.get(shop) ?? nameOf().finally(() => flights.delete(shop))
    flights.set(shop, flight)
    return (name = await flight)
  }
  const guarded =
    (key: string, call: (shop: string, ...rest: unknown[]) => unknown) =>
    async (shop: string, ...rest: unknown[]) => {
      // A shop that has uninstalled us no longer tells even its name. A second uninstall must still
      // reach the shop to find that out.
      const name = await known(shop).catch((error: unknown) => {
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
