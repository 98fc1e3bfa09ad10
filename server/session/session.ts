import type { AuthTokens } from '../../domain/calls/session.ts'
import type { SessionCookies } from './cookies.ts'
import { claimsOf as sessionOwner } from '../upstream/token-owner.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { UpstreamProblem } from '../upstream/upstream-problem.ts'

/** A usable token, and the new pair of tokens if it had to be renewed. */
export type Session = { token: string; renewed?: AuthTokens }
/**
 * In milliseconds. A token is renewed this long before it expires (requirements 26.1). Requests get
 * the result of a renewal that ended less than `sharedFor` ago.
 */
export const renewedBefore = 30_000
const sharedFor = 50

/**
 * Makes a session from a browser's cookies. Null when they can no longer be used, which leads to
 * the sign-in. An API that is down, slow or busy signs nobody out: it throws, and the page says so
 * with a retry (decision 055).
 */
export function sessions(
  { auth }: Pick<Upstream, 'auth'>,
  clock: () => Date,
): (cookies: SessionCookies, address?: string) => Promise<Session | null> {
  const flights = new Map<string, Promise<AuthTokens>>()

  function renew(refreshToken: string, address: string | undefined): Promise<AuthTokens> {
    const flight = flights.get(refreshToken)
    if (flight) return flight
    const flying = auth({ refreshToken }, address)
    flights.set(refreshToken, flying)
    const land = () => {
      setTimeout(() => flights.delete(refreshToken), sharedFor).unref()
    }
    flying.then(land, land)
    return flying
  }

  return async ({ token, refreshToken, asked }, address) => {
    // A session of a shop with the same name on another platform is no session of this one.
    const isOther = (shop = asked) => asked !== undefined && shop !== asked
    if (isOther(sessionOwner(token ?? '').shop)) return null
    if (token && tokenEnd(token) - clock().getTime() > renewedBefore) return { token }
    if (!refreshToken) return null
    try {
      const renewed = await renew(refreshToken, address)
      return isOther(renewed.shop) ? null : { token: renewed.token, renewed }
    } catch (error) {
      if (error instanceof UpstreamProblem && error.status < 500 && error.status !== 429)
        return null
      throw error
    }
  }
}

/**
 * Id of the store that a token was made for; '' when the text is no token. Not verified here: the
 * API checks the signature at every call.
 */
export const storeIdOf = (token: string): string => String(claimsOf(token)['sub'] ?? '')

/**
 * When a token ends, in milliseconds since 1970; 0 when the text is no token. Not verified here:
 * the API checks the signature at every call.
 */
export function tokenEnd(token: string): number {
  const { exp } = claimsOf(token)
  return typeof exp === 'number' ? exp * 1000 : 0
}

function claimsOf(token: string): Record<string, unknown> {
  try {
    return (
      (JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
        string,
        unknown
      > | null) ?? {}
    )
  } catch {
    return {}
  }
}
