import { HttpProblem } from '../../domain/problem.ts'
import type { Platform, PlatformAdapter, VerifiedIdToken } from './adapter.ts'
import type { Limit } from './rates.ts'
import { addressCalls, laterCalls } from './shop-calls.ts'
import { SignInNeeded } from './tokens.ts'

/** Every platform that this engine serves. */
export type Platforms = {
  /** In the order of the configuration. */
  all: readonly PlatformAdapter[]
  /**
   * The adapter of a store, by the platform that its row names. Throws HttpProblem 503 when that
   * platform is switched off here.
   */
  platformOf: (store: { platform: string }) => PlatformAdapter
  /** The name of the platform that hosts the shop; null when none does. */
  nameFor: (shop: string) => string | null
  /** The calls about shops. Each goes to the platform that hosts its shop. */
  shops: Platform
  /**
   * Checks a merchant's sign-in token with the platform that made it; session/auth.ts uses it
   * once. Throws HttpProblem 401 when none did.
   */
  signIn: (idToken: string) => Promise<VerifiedIdToken & { platform: string }>
  close: () => Promise<void>
}

/**
 * Composes platforms. Throws when there is none, or two have one name. `limit` makes their calls
 * wait for what each platform lets us ask.
 */
export function composed(
  adapters: readonly PlatformAdapter[],
  limit: Limit = adapter => adapter,
): Platforms {
  const all = adapters.map(limit)
  const byName = new Map(all.map(adapter => [adapter.name, adapter]))
  if (all.length === 0) throw new Error('The engine needs at least one platform.')
  if (byName.size < all.length) throw new Error('Two platforms have the same name.')
  const hostOf = (shop: string): PlatformAdapter => {
    const adapter = all.find(({ hosts }) => hosts(shop))
    // Not 404: that would say that what is asked for is gone.
    if (!adapter) throw new HttpProblem(503, 'The platform of this shop is switched off here.')
    return adapter
  }
  return {
    all,
    platformOf: ({ platform }) => {
      const adapter = byName.get(platform)
      if (!adapter)
        throw new HttpProblem(503, `The platform ${platform} of this shop is switched off here.`)
      return adapter
    },
    nameFor: shop => all.find(({ hosts }) => hosts(shop))?.name ?? null,
    shops: routed(hostOf),
    signIn: async idToken => {
      // Each platform signs with its own secret, so at most one of them accepts a token.
      let refusal: unknown
      for (const adapter of all) {
        const signed = await adapter.verifyIdToken(idToken).catch((error: unknown) => {
          refusal ??= error
          return null
        })
        if (signed && adapter.hosts(signed.shop)) return { ...signed, platform: adapter.name }
      }
      throw refusal ?? new HttpProblem(401, 'The sign-in token names a shop of another platform.')
    },
    close: async () => {
      await Promise.all(all.map(adapter => adapter.close()))
    },
  }
}

/** The platform's calls with the adapter found by the shop, their first argument, at each call. */
function routed(hostOf: (shop: string) => PlatformAdapter): Platform {
  type AnyCall = (shop: string, ...rest: unknown[]) => unknown
  const call =
    (name: keyof Platform) =>
    async (shop: string, ...rest: unknown[]): Promise<unknown> =>
      (hostOf(shop)[name] as AnyCall)(shop, ...rest)
  const address =
    (name: keyof Platform) =>
    (shop: string, ...rest: unknown[]): unknown =>
      (hostOf(shop)[name] as AnyCall)(shop, ...rest)
  return {
    ...(Object.fromEntries([
      ...laterCalls.map(name => [name, call(name)]),
      ...addressCalls.map(name => [name, address(name)]),
    ]) as Platform),
    // The tokens of an app that is uninstalled are dead. What was to be done is done then.
    uninstall: async shop => {
      try {
        await hostOf(shop).uninstall(shop)
      } catch (error) {
        if (!(error instanceof SignInNeeded && error.isUninstalled)) throw error
      }
    },
  }
}
