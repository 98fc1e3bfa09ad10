import { noAccess, VendorProblem } from '../../domain/problem.ts'

/**
 * Tokens for calls about one shop, as its platform issues them. Both are for the app, not for the
 * merchant, and outlast the merchant's visit.
 */
export type IssuedTokens = {
  accessToken: string
  /** Seconds from now; null when it does not expire. */
  accessSeconds: number | null
  /** Null when the platform has none, because its access tokens do not expire. */
  refreshToken: string | null
  refreshSeconds: number | null
}

/** How an adapter gets tokens from its platform. Each call throws `GrantRefused`, or a problem. */
export type PlatformGrants = {
  /**
   * Exchanges the merchant's sign-in token, which `verifyIdToken` has accepted, for the app's
   * tokens.
   */
  exchange: (shop: string, idToken: string) => Promise<IssuedTokens>
  /**
   * Replaces both tokens. A platform accepts the old refresh token again until the new access token
   * is used, so that an answer that was lost can be asked for again.
   */
  refresh: (shop: string, refreshToken: string) => Promise<IssuedTokens>
  /**
   * Tokens without a merchant's sign-in. Only for platforms that allow it; for stores from before
   * tokens were kept.
   */
  ownGrant?: (shop: string) => Promise<IssuedTokens>
}

/**
 * Gives an adapter the access token for a call about a shop. `refused`: the tokens that the
 * platform has refused during this call; the answer is another one. Throws `SignInNeeded`.
 */
export type TokenSource = (shop: string, refused?: readonly string[]) => Promise<string>

/** The platform refuses to issue tokens. `isUninstalled`: it says that the app is not installed. */
export class GrantRefused extends VendorProblem {
  readonly isUninstalled: boolean
  constructor(isUninstalled = false) {
    super('shop', 502, 'The shop did not give Twinshelf access.')
    this.isUninstalled = isUninstalled
  }
}

/** An adapter throws it inside `withToken` when the platform refuses the access token. */
export class TokenRefused extends Error {}

/**
 * The platform no longer accepts our tokens for the shop. The next sign-in of its merchant heals
 * it.
 */
export class SignInNeeded extends VendorProblem {
  readonly isUninstalled: boolean
  constructor(isUninstalled = false) {
    super('shop', 502, noAccess)
    this.isUninstalled = isUninstalled
  }
}

/** One token, one that replaces it, and one that another process may have got meanwhile. */
const maxTokens = 3

/** Makes a call with the shop's token, and again with a new one when the platform refuses it. */
export async function withToken<T>(
  tokens: TokenSource,
  shop: string,
  call: (token: string) => Promise<T>,
): Promise<T> {
  const refused: string[] = []
  while (refused.length < maxTokens) {
    const token = await tokens(shop, refused)
    try {
      return await call(token)
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      refused.push(token)
    }
  }
  throw new SignInNeeded()
}
