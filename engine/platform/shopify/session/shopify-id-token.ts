import { type JWTPayload, jwtVerify } from 'jose'
import { HttpProblem } from '../../../../domain/problem.ts'
import type { VerifiedIdToken } from '../../adapter.ts'
import { isShopifyShop } from '../client/shopify-ids.ts'

/** The app at Shopify. The first secret signs; all of them verify. */
export type AppKeys = { apiKey: string; secrets: readonly string[] }

/** The longest life of a token, in seconds. */
const longestLife = 60

/**
 * Checks the admin's one-minute token. The library of the platform lets more through: a foreign
 * `dest`, an `iss` of another shop, and a token without an end. Its errors hold the token, so ours
 * say nothing of what was wrong.
 */
export async function verifyShopifyToken(
  idToken: string,
  { apiKey, secrets }: AppKeys,
  now: Date,
): Promise<VerifiedIdToken> {
  for (const secret of secrets)
    try {
      const { payload } = await jwtVerify(idToken, new TextEncoder().encode(secret), {
        algorithms: ['HS256'],
        audience: apiKey,
        requiredClaims: ['iss', 'dest', 'sub', 'exp', 'nbf', 'iat', 'jti'],
        clockTolerance: 10,
        currentDate: now,
      })
      const verified = verifiedFrom(payload)
      if (verified) return verified
    } catch {
      // The next secret may have signed it.
    }
  throw new HttpProblem(401, 'The sign-in token is not valid, or older than a minute.')
}

function verifiedFrom({ iss, dest, sub, exp, iat, jti }: JWTPayload): VerifiedIdToken | null {
  const shop = hostOf(dest)
  return shop !== null &&
    hostOf(iss) === shop &&
    isShopifyShop(shop) &&
    exp! - iat! <= longestLife &&
    jti
    ? { shop, user: sub!, jti, expiresAt: new Date(exp! * 1_000) }
    : null
}

/** The host of "https://shop" and of "https://shop/admin". */
function hostOf(claim: unknown): string | null {
  const url = typeof claim === 'string' ? URL.parse(claim) : null
  return url?.protocol === 'https:' && url.port === '' && url.username === '' ? url.hostname : null
}
