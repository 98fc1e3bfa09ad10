import { createHash, randomBytes } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { ArmIndex } from '../../domain/arm.ts'
import { keptWithin } from '../../domain/stores/shoppers/kept.ts'
import { day, hour, minute } from '../../domain/time-units.ts'
import { type KeyRing, verifyingKeys } from './key-ring.ts'
import type { Caller } from '../http/routes.ts'

export const accessMinutes = 10
/** A session ends this long after its sign-in, however often it is renewed. Milliseconds. */
export const sessionLife = 24 * hour
/**
 * Milliseconds that a used refresh token stays valid: two windows may refresh at the same moment.
 */
export const rotationGrace = minute
const previewDays = 7
/** The most bytes of tokens whose signature was checked, and bytes of one. */
const checkedBytes = { all: 8 * 1024 * 1024, each: 1024 }
const issuer = 'twinshelf'

export type Preview = { storeId: string; of: 'draft' | 'test'; id: string; arm: ArmIndex }
/**
 * `sessionNumber`: that of the store when the token was made. `isLeaving`: the store was
 * uninstalled since.
 */
export type Bearer = Caller & { sessionNumber: number; isLeaving?: true }
/** The platform's id of the person who signed in, and when the session ends at the latest. */
export type Session = { user: string | null; endsAt: Date }
export type AuthTokens = {
  access: (
    caller: Caller,
    now: Date,
    sessionNumber?: number,
    session?: Session,
  ) => Promise<{ token: string; expiresAt: Date }>
  /** Returns null for anything except a valid access token of ours. */
  readAccess: (token: string) => Promise<Bearer | null>
  preview: (preview: Preview) => Promise<string>
  readPreview: (token: string) => Promise<Preview | null>
}

/**
 * Makes and reads tokens that are signed with keys of the ring. HS256 only. Each kind has its own
 * key and audience, so that no token passes for another kind. An access token names the platform of
 * its shop, so that a client can fill in {platform} in paths.
 */
export function authTokens(
  ring: KeyRing,
  clock: () => Date,
  platformFor: (shop: string) => string | null = () => null,
): AuthTokens {
  const keys = { access: verifyingKeys(ring, 'sessions'), preview: verifyingKeys(ring, 'previews') }
  type Kind = keyof typeof keys
  const sign = (
    kind: Kind,
    claims: Record<string, unknown>,
    storeId: string,
    now: Date,
    expiresAt: Date,
  ) =>
    new SignJWT({ ...claims, kind })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience(`${issuer}:${kind}`)
      .setSubject(storeId)
      .setIssuedAt(now)
      .setExpirationTime(expiresAt)
      .sign(keys[kind][0]!)
  const read = async (kind: Kind, token: string) => {
    for (const key of keys[kind]) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer,
          audience: `${issuer}:${kind}`,
          requiredClaims: ['exp', 'sub'],
          currentDate: clock(),
        })
        return payload['kind'] === kind ? payload : null
      } catch {
        /* signed with another key of the ring, or not by us */
      }
    }
    return null
  }
  // A page uses the same token many times in its ten minutes, so its signature is checked only
  // once.
  const isOver = ({ until }: { until: number }) => until <= clock().getTime()
  const checked = keptWithin<{ caller: Bearer; until: number }>(checkedBytes.all, isOver)
  return {
    access: async ({ storeId, shop }, now, sessionNumber = 0, session) => {
      const usual = now.getTime() + accessMinutes * minute
      const expiresAt = new Date(Math.min(usual, session?.endsAt.getTime() ?? usual))
      return {
        token: await sign(
          'access',
          { shop, platform: platformFor(shop), session: sessionNumber, user: session?.user },
          storeId,
          now,
          expiresAt,
        ),
        expiresAt,
      }
    },
    readAccess: async token => {
      const known = checked.get(token)
      if (known && clock().getTime() < known.until) return known.caller
      const claims = await read('access', token)
      if (!claims) return null
      const caller: Bearer = {
        storeId: claims.sub!,
        shop: String(claims['shop']),
        sessionNumber: Number(claims['session'] ?? 0),
      }
      checked.set(token, { caller, until: claims.exp! * 1000 }, checkedBytes.each)
      return caller
    },
    preview: ({ storeId, of, id, arm }) => {
      const now = clock()
      return sign(
        'preview',
        { of, id, arm },
        storeId,
        now,
        new Date(now.getTime() + previewDays * day),
      )
    },
    readPreview: async token => {
      const claims = await read('preview', token)
      return (
        claims && {
          storeId: claims.sub!,
          of: claims['of'] === 'test' ? 'test' : 'draft',
          id: String(claims['id']),
          arm: claims['arm'] === 1 ? 1 : 0,
        }
      )
    },
  }
}

/**
 * A refresh token: 256 random bits, after the store's id (to find the row by its key) and the id of
 * its family of tokens. Only its hash is stored.
 */
export const newRefreshToken = (storeId: string, familyId: string): string =>
  `${storeId}.${familyId}.${randomBytes(32).toString('base64url')}`
export const hashOf = (token: string): string =>
  createHash('sha256').update(token).digest('base64url')
