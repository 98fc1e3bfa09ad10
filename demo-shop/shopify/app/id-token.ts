import { randomUUID } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import { shopifyShop } from '../shop-names.ts'

export type AppKeys = { apiKey: string; apiSecret: string }
/** Seconds that a sign-in token is valid. */
export const idTokenLife = 60
const issuer = `https://${shopifyShop.domain}`

/** A merchant's sign-in token, as the admin gives it to the app's page. `user`: a number. */
export const idToken = (
  { apiKey, apiSecret }: AppKeys,
  now: Date,
  user: string,
  session: string = randomUUID(),
): Promise<string> => {
  const at = Math.floor(now.getTime() / 1_000)
  return new SignJWT({ dest: issuer, sid: session })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(`${issuer}/admin`)
    .setAudience(apiKey)
    .setSubject(user)
    .setExpirationTime(at + idTokenLife)
    .setNotBefore(at)
    .setIssuedAt(at)
    .setJti(randomUUID())
    .sign(new TextEncoder().encode(apiSecret))
}

/** Whether a token is such a token, still valid. */
export async function isIdToken(
  { apiKey, apiSecret }: AppKeys,
  now: Date,
  token: string,
): Promise<boolean> {
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(apiSecret), {
      algorithms: ['HS256'],
      audience: apiKey,
      issuer: `${issuer}/admin`,
      requiredClaims: ['dest', 'sub', 'exp', 'jti'],
      clockTolerance: 10,
      currentDate: now,
    })
    return payload['dest'] === issuer
  } catch {
    return false
  }
}
